"""Simulation: many reproducible runs of an app on a problem, plainly or by a family's fast path.

Problems and fast paths are not here: families define them, and the simulator knows no family.
"""
