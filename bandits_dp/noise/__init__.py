"""Noise as a computer can draw it exactly: whole numbers of steps of a grid, counts, and bits.

What is added to whose values, and what that promises, is in ``bandits_dp.privatizers`` and ``bandits_dp.continual``.
"""
