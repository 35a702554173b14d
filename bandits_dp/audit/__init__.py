"""Audits: what an adversary sees of an app or a privatizer, and what that proves about it from below.

What is promised is not here: guarantees are of :mod:`bandits_dp.privatizers` and :mod:`bandits_dp.accounting`.
"""
