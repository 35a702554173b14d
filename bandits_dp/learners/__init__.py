"""Learners: who decides what the next user is shown."""

from bandits_dp.learners.arm_elimination import ArmElimination
from bandits_dp.learners.kl_ucb import KLUCB
from bandits_dp.learners.linucb import LinUCB
from bandits_dp.learners.phased_elimination import PhasedElimination
from bandits_dp.learners.ucb import UCB

__all__ = ["KLUCB", "UCB", "ArmElimination", "LinUCB", "PhasedElimination"]
