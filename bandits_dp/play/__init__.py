"""Simulation: many runs of an app against a problem, reproducibly, in a plain loop or faster where a family enters how.

Which problems there are and what is fast is not here: families know it, and the simulator knows none of them.
"""
