"""Rows of the catalogue: how a system is built, and its options with ranges and defaults."""

import difflib
import math
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from bandits_dp import _checks
from bandits_dp.continual import Counter, FactorizationCounter, HybridCounter, TreeCounter

# checks for classes that are ranges
RULES: dict[Any, Callable[..., Any]] = {int: _checks.integer, bool: _checks.flag}
WORDS = {int: "an integer that is at least 1", bool: "True or False"}
COUNTERS: dict[str, Callable[..., Counter]] = {"tree": TreeCounter, "hybrid": HybridCounter,
                                               "factorization": FactorizationCounter}
# code of published figures by system; importing bandits_book fills it
FIGURES: dict[str, Callable[..., Any]] = {}
# of noise or widths computed in advance, in ten seconds and half a gigabyte
MOST_BATCHES = 5_000_000
MOST_KEPT = 2_500_000  # numbers in a factorization, half a gigabyte; a tree needs few
LEAST = ("None is the factorization, which has the least proved noise, or a tree where memory "
         "does not suffice")


@dataclass(frozen=True)
class Given:
    """Arguments of :func:`bandits_dp.make`, for any system.

    Only the public facts of ``problem`` may be used. ``epsilon`` and ``delta`` are None if not
    given. ``changed`` holds the options that differ from their defaults.
    """

    problem: Any
    horizon: int
    epsilon: Any
    delta: Any
    calibration: str
    changed: dict[str, Any] = field(default_factory=dict)

    def privacy(self, options: Any, *names: str) -> dict[str, Any]:
        """Return privatizers' arguments: epsilon, delta, calibration and the options ``names``."""
        shared = {"epsilon": self.epsilon, "delta": self.delta, "calibration": self.calibration}
        return shared | {name: getattr(options, name) for name in names}

    def full_batches(self, users: int) -> int:
        """Return the number of batches of ``users`` users that fit into the horizon."""
        if _checks.integer("batch_size", users) > self.horizon:
            raise ValueError(f"batch_size must not exceed the horizon, got {users} users for "
                             f"{self.horizon} rounds")
        if self.horizon // users > MOST_BATCHES:
            raise ValueError(f"horizon must be at most {MOST_BATCHES * users:,} for batches of "
                             f"{users}, as memory is needed for each of them, got {self.horizon:,}")
        return self.horizon // users

    def appearances(self, options: Any, batches: int) -> int:
        """Return the number of batches, of ``batches``, that one user may be in."""
        returning = options.returning_users
        return ((batches if returning else 1) if isinstance(returning, bool)
                else min(returning, batches))

    def counter_class(self, name: str | None, kept: int) -> Callable[..., Counter]:
        """Return the counter named ``name``; None is the one with the least proved noise.

        ``kept`` is how many numbers a factorization keeps; with too many, None is the tree.
        """
        if name is None:
            name = ("factorization" if self.calibration == "certified" and kept <= MOST_KEPT
                    else "tree")
        return COUNTERS[name]


@dataclass(frozen=True)
class Interval:
    """Real numbers from ``low`` to ``high``; ``ends`` such as "(]" says which ends are included."""

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
        Value if not given. None often means that the system chooses; ``note`` then says how.
    ranges : tuple
        Allowed values: an :class:`Interval`, ``int`` for integers >= 1, ``bool`` or another class,
        None, or a word.
    note : str
        Meaning of the option.

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
        """Return the checked value, or raise a ValueError that says what is allowed."""
        for one in self.ranges:
            rule = one.check if isinstance(one, Interval) else RULES.get(one)
            if rule is not None:
                with suppress(ValueError):
                    return rule(self.name, value)
            elif (isinstance(value, one) if isinstance(one, type)
                  else value is one or (isinstance(value, str) and value == one)):
                return value
        raise ValueError(f"{self.name} must be {self._range}, got {_checks.told(value)}")

    @property
    def _range(self) -> str:
        words = [f'"{one}"' if isinstance(one, str)
                 else WORDS.get(one, getattr(one, "__name__", str(one))) for one in self.ranges]
        return " or ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)

    @property
    def allowed(self) -> str:
        """Range and meaning of the option, in words."""
        return f"{self._range}; {self.note}" if self.note else self._range


@dataclass(frozen=True)
class System:
    """One row of the catalogue.

    Parameters
    ----------
    name, paper : str
        The name that ``make`` takes, and the citation key in the book's bibliography.
    setting, model : str
        Setting of the problems that it can play (:class:`bandits_dp.problem.Problem`), and trust
        model: none, central, local or shuffle.
    unit : str
        Whose data one guarantee protects.
    build : callable
        ``build(given, options)`` builds it from a :class:`Given` and a namespace of its options.
    options : tuple of Option
        Further arguments of ``make``, each with its range and default.
    experiment, pure : bool
        Whether ``calibration="experiment"`` exists, with the constants of a published figure; and
        whether delta may be left out, in another model than the local one.
    ours : bool
        Whether the algorithm is this package's own and the paper is cited only for its bound.

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


SHARE, POSITIVE, CHANCE, FROM_ZERO = (Interval(0, 1, "(]"), Interval(0, ends="()"),
                                      Interval(0, 1, "()"), Interval(0))
FIDELITY = Option("fidelity", "aggregate", ("aggregate", "messages"))
HONEST = Option("honest_fraction", 1.0, (SHARE,), "share of users who surely add their noise")
STRICT = Option("strict", True, (bool,),
                "whether the theorem calibration refuses what its proof does not cover")
CLIP = Option("clip", False, (bool,),
              "whether values outside their bounds are moved to them; if not, they raise")
NOISE = Option("noise", None, (None, "gaussian", "laplace"),
               "gaussian is the papers'; None is the one with less proved noise, or laplace "
               "without delta")
RETURNING = Option("returning_users", False, (bool, int),
                   "in how many batches a user may be: False for 1, True for all")


def found(word: str, kind: str, name: object, table: Mapping[str, Any], cutoff: float) -> Any:
    """Return the entry ``name`` of a table, or raise a ValueError that suggests the nearest name.

    ``word`` is the argument's name, and ``kind`` says what the table contains.
    """
    if not isinstance(name, str) or name not in table:
        near = difflib.get_close_matches(name.upper() if isinstance(name, str) else "",
                                         map(str.upper, table), n=1, cutoff=cutoff)
        hint = next((f"did you mean {key!r}? " for key in table if [key.upper()] == near), "")
        raise ValueError(f"{word} must be a known {kind}, got {_checks.told(name)}; {hint}Known: "
                         f"{', '.join(table)}")
    return table[name]
