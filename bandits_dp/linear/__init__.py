"""Linear bandits: problems with known actions and with clients, designs, how many clients are asked next, and margins.

Users whose actions change from round to round are in :mod:`bandits_dp.contextual`.
"""
