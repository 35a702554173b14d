"""Actions with known features: problems, clients, elimination, designs, widths, app, systems.

Features that change from user to user are in :mod:`bandits_dp.contextual`, private sums in
:mod:`bandits_dp.privatizers`.
"""
