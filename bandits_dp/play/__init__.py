"""Simulation: many runs of a learner against a problem, reproducibly and fast."""
