"""Differentially private bandits: problems, privatizers, learners, exact accounting, simulation.

Start with ``make`` and ``simulate``::

    import bandits_dp as bdp
    problem = bdp.problems.BernoulliArms([0.9, 0.8, 0.7])
    learner = bdp.make("VB-SDP-AE", problem, horizon=10**6, epsilon=1.0, delta=1e-6)
    print(bdp.simulate(learner, problem, horizon=10**6))
"""

from typing import TYPE_CHECKING, NoReturn

from bandits_dp import _moved as _moved
from bandits_dp import accounting, continual, privatizers, problems
from bandits_dp import learners as learners
from bandits_dp.ask_tell import Asked
from bandits_dp.audit.audit import AuditResult, audit
from bandits_dp.audit.runs import Vectorized
from bandits_dp.audit.views import view_of
from bandits_dp.catalog import System, make, systems
from bandits_dp.combining import combine
from bandits_dp.guarantee import Guarantee
from bandits_dp.play.result import Result
from bandits_dp.play.simulate import simulate

__version__ = "0.2.0"
__all__ = [
    "Asked", "AuditResult", "Guarantee", "Result", "System", "Vectorized", "accounting", "audit",
    "combine", "continual", "make", "privatizers", "problems", "simulate", "systems", "view_of",
]

_BOOK = ("Setup", "contest", "lastfm", "logs", "museum", "plots", "setup", "source")

if not TYPE_CHECKING:  # else type checkers would accept every name
    def __getattr__(name: str) -> NoReturn:
        """Raise an AttributeError, which says where a name is that is elsewhere."""
        if name in ("live", "serve"):
            raise AttributeError(f"bandits_dp.{name} is not loaded: from bandits_dp import serve, "
                                 "which has what serves people and the errors for a server")
        if name in _BOOK:
            raise AttributeError(f"bandits_dp.{name} is in the book's package: from bandits_book "
                                 f"import {name}")
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
