"""Features of each user: problems, LinUCB, batches, radii, sums, app, fast simulation, systems.

Actions that are the same for all users are in :mod:`bandits_dp.linear`, counters in
:mod:`bandits_dp.continual`.
"""
