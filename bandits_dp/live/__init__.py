"""Live use: whoever stands between a learner and real users."""
