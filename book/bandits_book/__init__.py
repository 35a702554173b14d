"""What the book needs beside the algorithms: figures, the museum, data, logs, the contest, the papers' simulations and replicas.

No algorithm is here: those are in ``bandits_dp``, which never imports this package. Importing it makes the replicas of published
code known to :func:`bandits_dp.make`, whose ``calibration="experiment"`` plays them.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from bandits_book import replicas as replicas
from bandits_book.listing import source
from bandits_book.setups import Setup, setup

if TYPE_CHECKING:
    from bandits_book import contest, lastfm, logs, museum, plots

__all__ = ["Setup", "contest", "lastfm", "logs", "museum", "plots", "setup", "source"]

if not TYPE_CHECKING:  # else every name would pass for one of ours
    def __getattr__(name: str) -> Any:
        """Import a part when somebody asks for it."""
        if name in __all__:
            return import_module(f"bandits_book.{name}")
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
