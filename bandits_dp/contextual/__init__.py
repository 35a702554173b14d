"""Features of each user: problems, LinUCB, batches, radii, streams of statistics, their app, fast simulation, and systems.

Actions that are the same for all users are in :mod:`bandits_dp.linear`, and counters of sums in :mod:`bandits_dp.continual`.
"""
