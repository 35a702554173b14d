"""Apps: a learner, its privatizer, and the users who are shown something and answer.

Here are tickets, batches that fill, and one app per way of asking users. Threads, saved states,
late answers and tokens are not here: :mod:`bandits_dp.serve` wraps an app for these.
"""
