"""Apps: a learner, its privatizer, the users who are asked, their tickets, and batches that fill.

Threads, saved states, late answers and tokens are not here: :mod:`bandits_dp.serve` adds them.
"""
