"""Differentially private bandits: problems, privatizers, learners, exact accounting, and simulation.

Start with ``make`` and ``simulate``::

    import bandits_dp as bdp
    problem = bdp.problems.BernoulliArms([0.9, 0.8, 0.7])
    learner = bdp.make("VB-SDP-AE", problem, horizon=10**6, epsilon=1.0, delta=1e-6)
    print(bdp.simulate(learner, problem, horizon=10**6))
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from bandits_dp import accounting, continual, live, privatizers, problems
from bandits_dp.ask_tell import Asked
from bandits_dp.audit.audit import AuditResult, audit
from bandits_dp.audit.runs import Vectorized
from bandits_dp.audit.views import view_of
from bandits_dp.catalog import Setup, System, make, setup, systems
from bandits_dp.guarantee import Guarantee
from bandits_dp.live.combine import combine
from bandits_dp.play.result import Result
from bandits_dp.play.simulate import simulate

if TYPE_CHECKING:
    from bandits_dp.companion import contest, lastfm, logs, museum, plots
    from bandits_dp.companion.source import source

__version__ = "0.2.0"
__all__ = [
    "Asked", "AuditResult", "Guarantee", "Result", "Setup", "System", "Vectorized", "accounting", "audit", "combine", "contest",
    "continual", "lastfm", "live", "logs", "make", "museum", "plots", "privatizers", "problems", "setup", "simulate",
    "source", "systems", "view_of",
]


def __getattr__(name: str) -> Any:
    """Import the book's companions when somebody asks for them: no algorithm needs them."""
    if name in ("contest", "lastfm", "logs", "museum", "plots", "source"):
        module = import_module(f"bandits_dp.companion.{name}")
        return module.source if name == "source" else module
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
