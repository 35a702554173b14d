"""Audits: views of an adversary, and the lower bounds on epsilon that many runs prove.

Guarantees, which are upper bounds, are in :mod:`bandits_dp.privatizers` and
:mod:`bandits_dp.accounting`.
"""
