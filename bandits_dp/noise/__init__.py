"""Exact samplers of noise: whole steps of a grid, counts, and bits.

Sums with noise and their guarantees are in :mod:`bandits_dp.privatizers` and
:mod:`bandits_dp.continual`.
"""
