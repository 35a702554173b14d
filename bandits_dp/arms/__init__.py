"""Arms without structure: problems, learners, batches, widths, app, fast simulation, systems.

Arms with features are in :mod:`bandits_dp.linear`, private sums in :mod:`bandits_dp.privatizers`.
"""
