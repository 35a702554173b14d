"""Learners: they choose what the next users are shown, from releases and public data alone.

Each is defined in its family. Privatizers add the noise, and apps ask the users; neither is here.
"""

from bandits_dp.arms.elimination import ArmElimination
from bandits_dp.arms.kl_ucb import KLUCB
from bandits_dp.arms.ucb import UCB
from bandits_dp.contextual.linucb import LinUCB
from bandits_dp.linear.elimination import PhasedElimination

__path__: list[str] = []  # who imports a module that was in here is told where it is: see _moved.py
__all__ = ["KLUCB", "UCB", "ArmElimination", "LinUCB", "PhasedElimination"]
