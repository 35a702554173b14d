"""Arms without structure: problems, how many users are asked about each, and how far a released mean may be off.

Arms with features are in :mod:`bandits_dp.linear`, and those that learn in :mod:`bandits_dp.learners`.
"""
