"""One row of the catalogue."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from bandits_dp.catalog.options import Option


@dataclass(frozen=True)
class System:
    """One row of the catalogue.

    Parameters
    ----------
    name : str
        The name that ``make`` takes.
    paper : str
        Citation key in the book's bibliography.
    setting : str
        Which problems it can play, see :class:`bandits_dp.problems.base.Problem`.
    model : str
        Trust model: none, central, local or shuffle.
    unit : str
        Whose data one guarantee protects.
    regret : str
        The regret bound that the paper states, in LaTeX.
    chapter : str
        The chapter that builds it.
    test : str
        The test that checks it.
    build : callable
        ``build(given, options)`` puts it together, from a :class:`bandits_dp.catalog.options.Given` and a namespace of its options.
    options : tuple of Option
        What ``make`` takes besides, each with its range and default.
    experiment : bool
        Whether the constants of a published figure are known, so that ``calibration="experiment"`` exists.
    pure : bool
        Whether it can do without delta, though its trust model is not the local one.

    Examples
    --------
    >>> import bandits_dp as bdp
    >>> (row,) = [system for system in bdp.systems() if system.name == "SDP-AE"]
    >>> row.model, row.unit, [option.name for option in row.options]
    ('shuffle', 'one reward', ['fidelity', 'honest_fraction', 'strict', 'batch_size'])
    """

    name: str
    paper: str
    setting: str
    model: str
    unit: str = field(repr=False)
    regret: str = field(repr=False)
    chapter: str = field(repr=False)
    test: str = field(repr=False)
    build: Callable[..., Any] = field(repr=False)
    options: tuple[Option, ...] = field(default=(), repr=False)
    experiment: bool = field(default=False, repr=False)
    pure: bool = field(default=False, repr=False)
