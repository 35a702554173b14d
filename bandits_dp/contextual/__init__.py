"""Features of each user: problems, sizes of batches, radii of the estimate, and a curator who releases it after every round.

Actions that are the same for all users are in :mod:`bandits_dp.linear`, and what learns in :mod:`bandits_dp.learners`.
"""
