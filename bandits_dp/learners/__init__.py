"""Learners: who decides what the next user is shown."""

from bandits_dp.learners.arm_elimination import ArmElimination
from bandits_dp.learners.base import Learner, Played
from bandits_dp.learners.doubling import Doubling
from bandits_dp.learners.dp_ucb import DPUCB
from bandits_dp.learners.linucb import LinUCB
from bandits_dp.learners.phased_elimination import PhasedElimination
from bandits_dp.learners.ucb import UCB1

__all__ = ["DPUCB", "UCB1", "ArmElimination", "Doubling", "Learner", "LinUCB", "PhasedElimination", "Played"]
