"""Known actions: problems, also with clients, elimination, designs, widths, the app of clients, fast simulation, and systems.

Features that change from user to user are in :mod:`bandits_dp.contextual`, and what releases sums in :mod:`bandits_dp.privatizers`.
"""
