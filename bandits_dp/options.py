"""The rows of the catalogue: what a system is made from, and the options that it may have; the range of an option is data."""

import difflib
import math
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from bandits_dp import _checks
from bandits_dp.continual import Counter, FactorizationCounter, HybridCounter, TreeCounter

RULES: dict[Any, Callable[..., Any]] = {int: _checks.integer, bool: _checks.flag}  # what these classes mean as ranges
WORDS = {int: "an integer that is at least 1", bool: "True or False"}
COUNTERS: dict[str, Callable[..., Counter]] = {"tree": TreeCounter, "hybrid": HybridCounter, "factorization": FactorizationCounter}
FIGURES: dict[str, Callable[..., Any]] = {}  # published figures' code, by system: bandits_book puts it here when it is imported
MOST_BATCHES = 5_000_000  # whose noise or width is computed beforehand: in ten seconds, and half a gigabyte
MOST_KEPT = 2_500_000  # numbers that a factorization keeps, in half a gigabyte; a tree forgets them
LEAST = "None is the factorization, whose noise is the least that is proved, or a tree where there is no room for it"


@dataclass(frozen=True)
class Given:
    """What :func:`bandits_dp.make` is given for every system.

    Of the problem only what is public may be used; ``epsilon`` and ``delta`` are None if they were not given; ``changed`` holds the
    options that are not what they usually are.
    """

    problem: Any
    horizon: int
    epsilon: Any
    delta: Any
    calibration: str
    changed: dict[str, Any] = field(default_factory=dict)

    def privacy(self, options: Any, *names: str) -> dict[str, Any]:
        """Return what privatizers take: epsilon, delta, calibration, and the options of these names."""
        shared = {"epsilon": self.epsilon, "delta": self.delta, "calibration": self.calibration}
        return shared | {name: getattr(options, name) for name in names}

    def full_batches(self, users: int) -> int:
        """Return how many batches of so many users there are."""
        if _checks.integer("batch_size", users) > self.horizon:
            raise ValueError(f"batch_size must not exceed the horizon, got {users} users for {self.horizon} rounds")
        if self.horizon // users > MOST_BATCHES:
            raise ValueError(f"horizon must be at most {MOST_BATCHES * users:,} for batches of {users}, as something is kept about "
                             f"each of them, got {self.horizon:,}")
        return self.horizon // users

    def appearances(self, options: Any, batches: int) -> int:
        """Return in how many of the batches a user may be."""
        returning = options.returning_users
        return (batches if returning else 1) if isinstance(returning, bool) else min(returning, batches)

    def counter_class(self, name: str | None, kept: int) -> Callable[..., Counter]:
        """Find the counter of a name; None is the one with the least noise that is proved, if ``kept`` numbers are not too many."""
        if name is None:
            name = "factorization" if self.calibration == "certified" and kept <= MOST_KEPT else "tree"
        return COUNTERS[name]


@dataclass(frozen=True)
class Interval:
    """Real numbers from ``low`` to ``high``; ``ends`` says which of the two are among them, such as "(]"."""

    low: float
    high: float = math.inf
    ends: str = "[)"

    def check(self, name: str, value: Any) -> float:
        """Return a number in the interval, or raise a ValueError."""
        return _checks.real(name, value, self.low, self.high, ends=self.ends)

    def __str__(self) -> str:
        """Return the interval in words."""
        return f"a number in {self.ends[0]}{self.low:g}, {self.high:g}{self.ends[1]}"


@dataclass(frozen=True)
class Option:
    """One option of a system.

    Parameters
    ----------
    name : str
        The keyword that ``make`` takes.
    default : object
        What it is if not given; None often stands for "as the learner needs", and ``note`` says so.
    ranges : tuple
        What it may be: an :class:`Interval`, ``int`` for a positive one, ``bool`` or another class, None, or a word.
    note : str
        What it means.

    Examples
    --------
    >>> from bandits_dp.options import Option
    >>> size = Option("batch_size", 1, (int, "doubling"), "users per arm and phase")
    >>> print(size.allowed)
    an integer that is at least 1 or "doubling"; users per arm and phase
    >>> size.check(0)
    Traceback (most recent call last):
        ...
    ValueError: batch_size must be an integer that is at least 1 or "doubling", got 0
    """

    name: str
    default: Any
    ranges: tuple[Any, ...]
    note: str = ""

    def check(self, value: Any) -> Any:
        """Return a value as Python's own, or raise the ValueError that says what is allowed."""
        for one in self.ranges:
            rule = one.check if isinstance(one, Interval) else RULES.get(one)
            if rule is not None:
                with suppress(ValueError):
                    return rule(self.name, value)
            elif isinstance(value, one) if isinstance(one, type) else value is one or (isinstance(value, str) and value == one):
                return value
        raise ValueError(f"{self.name} must be {self._range}, got {_checks.told(value)}")

    @property
    def _range(self) -> str:
        words = [f'"{one}"' if isinstance(one, str) else WORDS.get(one, getattr(one, "__name__", str(one))) for one in self.ranges]
        return " or ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)

    @property
    def allowed(self) -> str:
        """The range, and what the option means, in words."""
        return f"{self._range}; {self.note}" if self.note else self._range


@dataclass(frozen=True)
class System:
    """One row of the catalogue.

    Parameters
    ----------
    name, paper : str
        The name that ``make`` takes, and the citation key in the book's bibliography.
    setting, model : str
        Which problems it can play (:class:`bandits_dp.problem.Problem`), and whether anybody is trusted: none, central, local
        or shuffle.
    unit : str
        Whose data one guarantee protects.
    build : callable
        ``build(given, options)`` puts it together, from a :class:`Given` and a namespace of its options.
    options : tuple of Option
        What ``make`` takes besides, each with its range and default.
    experiment, pure : bool
        Whether ``calibration="experiment"`` exists, as the constants of a published figure are known; and whether it can do without
        delta, though its trust model is not the local one.
    ours : bool
        Whether the algorithm is put together here, and the paper is cited for its bound only.

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
    build: Callable[..., Any] = field(repr=False)
    options: tuple[Option, ...] = field(default=(), repr=False)
    experiment: bool = field(default=False, repr=False)
    pure: bool = field(default=False, repr=False)
    ours: bool = field(default=False, repr=False)


SHARE, POSITIVE, CHANCE, FROM_ZERO = Interval(0, 1, "(]"), Interval(0, ends="()"), Interval(0, 1, "()"), Interval(0)
FIDELITY = Option("fidelity", "aggregate", ("aggregate", "messages"))
HONEST = Option("honest_fraction", 1.0, (SHARE,), "share of users who surely add their noise")
STRICT = Option("strict", True, (bool,), "whether the theorem calibration refuses what its proof does not cover")
CLIP = Option("clip", False, (bool,), "whether values outside their bounds are moved there; if not, they raise")
NOISE = Option("noise", None, (None, "gaussian", "laplace"),
               "the papers' is gaussian; None is the one with less noise that is proved, without delta laplace")
RETURNING = Option("returning_users", False, (bool, int), "in how many batches a user may be: False for 1, True for all")


def found(word: str, kind: str, name: object, table: Mapping[str, Any], cutoff: float) -> Any:
    """Return what a table has under a name, or raise a ValueError about this argument that suggests the nearest name."""
    if not isinstance(name, str) or name not in table:
        near = difflib.get_close_matches(name.upper() if isinstance(name, str) else "", map(str.upper, table), n=1, cutoff=cutoff)
        hint = next((f"did you mean {key!r}? " for key in table if [key.upper()] == near), "")
        raise ValueError(f"{word} must be a known {kind}, got {_checks.told(name)}; {hint}Known: {', '.join(table)}")
    return table[name]
