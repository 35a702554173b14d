"""Arms without structure: problems, learners, batches, widths, their apps, their fast simulation, and the systems made of these.

Arms with known features are in :mod:`bandits_dp.linear`, and what releases sums in :mod:`bandits_dp.privatizers`.
"""
