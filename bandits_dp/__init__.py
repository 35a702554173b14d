"""Differentially private bandits: problems, privatizers, learners, exact accounting, and simulation.

Start with ``make`` and ``simulate``::

    import bandits_dp as bdp
    problem = bdp.problems.BernoulliArms([0.9, 0.8, 0.7])
    learner = bdp.make("VB-SDP-AE", problem, horizon=10**6, epsilon=1.0, delta=1e-6)
    print(bdp.simulate(learner, problem, horizon=10**6))
"""

from bandits_dp import accounting, continual, logs, museum, plots, privatizers, problems
from bandits_dp.ask_tell import Asked
from bandits_dp.audit import AuditResult, Vectorized, audit
from bandits_dp.catalog import Setup, System, make, setup, systems
from bandits_dp.engine.combine import combine
from bandits_dp.engine.simulate import simulate
from bandits_dp.guarantee import Guarantee
from bandits_dp.result import Result
from bandits_dp.source import source
from bandits_dp.views import release_of, view_of

__version__ = "0.2.0"
__all__ = [
    "Asked",
    "AuditResult",
    "Guarantee",
    "Result",
    "Setup",
    "System",
    "Vectorized",
    "accounting",
    "audit",
    "combine",
    "continual",
    "logs",
    "make",
    "museum",
    "plots",
    "privatizers",
    "problems",
    "release_of",
    "setup",
    "simulate",
    "source",
    "systems",
    "view_of",
]
