"""Known actions: problems, also with clients, designs, how many clients are asked next, and margins of estimates.

Features that change from user to user are in :mod:`bandits_dp.contextual`, and what learns in :mod:`bandits_dp.learners`.
"""
