"""Ask and tell: all that passes between a learner and the rest of the world.

``ask()`` says what the learner wants to know, ``tell(released, noise)`` brings what a privatizer released, and the law of the noise
in it, which is public. A learner with features has ``choose(features)`` in the place of ``ask()``; if they are public,
``tell(released, phi)`` brings them. It never sees a reward, a user, or a random generator. Until it is told something, ``ask`` and
``choose`` must answer the same again: both may be called several times.
"""

from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from bandits_dp import _checks

Floats = NDArray[np.float64]


class Noise(Protocol):
    """What is public of the noise on a released sum; every privatizer has it.

    Attributes
    ----------
    users : int
        Users whose values are in the sum.
    noise_std : float
        Standard deviation of each coordinate.
    """

    users: int
    noise_std: float

    def log_mgf(self, s: Floats) -> Floats:
        """Bound log E exp(±s noise) for each s > 0; shape of ``s``."""


@dataclass(frozen=True)
class Asked:
    """What a learner wants to be told next.

    Parameters
    ----------
    arms : ndarray of int, shape (s,)
        Arms (actions) to play, in this order.
    plays : ndarray of int, shape (s,)
        How often each.
    clients : int
        How many clients watch all plays and answer with one vector of averages each; 0 if every play is a fresh user's.
    decides : bool
        Whether anything hangs on the answer; if not, nobody needs to be asked, and the arms are played to the end.

    Raises
    ------
    ValueError
        If arms and plays are not as many, the arms are not different ones, or a number is out of range.

    Examples
    --------
    >>> import bandits_dp as bdp
    >>> asked = bdp.Asked(arms=[0, 2], plays=[100, 100])
    >>> int(asked.plays.sum())  # fresh users in all
    200
    """

    arms: NDArray[np.intp]
    plays: NDArray[np.int64]
    clients: int = 0
    decides: bool = True

    def __post_init__(self) -> None:
        """Make arrays of our own, which nobody changes, and check everything but the number of arms."""
        for name, least in (("arms", 0), ("plays", 1)):
            given = getattr(self, name)
            try:
                array = np.array(given)
            except ValueError as error:  # lists of several lengths
                raise _no_integers(name, least, given) from error
            if array.ndim != 1 or (len(array) and (array.dtype.kind not in "iu" or array.min() < least)) or np.ma.is_masked(given):
                raise _no_integers(name, least, given)
            array.flags.writeable = False
            object.__setattr__(self, name, array)
        if len(self.arms) != len(self.plays) or len(set(self.arms.tolist())) != len(self.arms):
            raise ValueError(f"arms must be different ones, as many as plays, got {self.arms!r} and {self.plays!r}")
        _checks.integer("clients", self.clients, low=0)
        _checks.flag("decides", self.decides)


def _no_integers(name: str, least: int, given: object) -> ValueError:
    """Return the error about what was given, in words that take longer than the check."""
    return ValueError(f"{name} must be integers that are at least {least}, one per arm, got {_checks.told(given)}")


def able(name: str, value: Any, *verbs: str) -> Any:
    """Return a part of a learner, an instance that can do this, or raise a TypeError."""
    if isinstance(value, type) or not all(callable(getattr(value, verb, None)) for verb in verbs):
        raise TypeError(f"{name} must be an object with {' and '.join(f'{verb}()' for verb in verbs)}, got {_checks.told(value)}")
    return value


class Learner:
    """What the learners of this package share.

    Attributes
    ----------
    changes : tuple of str
        The attributes that ``tell`` replaces. It changes no array in place, so a shallow copy is a snapshot.
    fixed : tuple of str
        Those of them that are arrays of a shape that never changes.
    """

    changes: ClassVar[tuple[str, ...]]
    fixed: ClassVar[tuple[str, ...]] = ()

    def __repr__(self) -> str:
        """Return the class, and what it knows: numbers, short vectors, and the shapes of the rest."""
        known = {name: getattr(self, name) for name in self.changes}
        return f"{type(self).__name__}({', '.join(f'{name}={_short(value)}' for name, value in known.items())})"


def _short(value: Any) -> str:
    """Return digits for a number or a short vector, and the shape of any other array."""
    if isinstance(value, np.ndarray) and (value.ndim > 1 or value.size > 10):
        return f"array of shape {value.shape}"
    shown = isinstance(value, (np.ndarray, np.generic))
    return np.array2string(np.asarray(value), precision=4, separator=", ") if shown else repr(value)
