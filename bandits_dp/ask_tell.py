"""Ask and tell: the only interface between a learner and the rest of the world.

``ask()`` returns the plays that the learner wants. ``tell(released, noise)`` hands it a
privatizer's release and the noise's distribution, which is public. A learner with features has
``choose(features)`` instead of ``ask()``; public features come back in ``tell(released, phi)``. A
learner never sees a reward, a user, or a random generator. ``ask`` and ``choose`` may be called
repeatedly and must return the same answer until the next ``tell``.
"""

from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from bandits_dp import _checks
from bandits_dp._types import Floats


class Noise(Protocol):
    """The public facts about the noise on a released sum; every privatizer has them.

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
    """The plays whose outcomes a learner needs next.

    Parameters
    ----------
    arms : ndarray of int, shape (s,)
        Arms (actions) to play, in this order.
    plays : ndarray of int, shape (s,)
        Number of plays of each arm, >= 1.
    clients : int
        Number of clients; each watches all plays and answers with one vector of averages. 0 if
        every play has a fresh user.
    decides : bool
        Whether the answer can change later plays. If not, no user needs to be asked, and the arms
        are played to the end.

    Raises
    ------
    ValueError
        If arms and plays have different lengths, an arm is repeated, or a number is out of range.

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
        """Copy to read-only arrays, and check everything but the number of arms."""
        for name, least in (("arms", 0), ("plays", 1)):
            given = getattr(self, name)
            try:
                array = np.array(given)
            except ValueError as error:  # lists of unequal length
                raise _no_integers(name, least, given) from error
            if (array.ndim != 1
                    or (len(array) and (array.dtype.kind not in "iu" or array.min() < least))
                    or np.ma.is_masked(given)):
                raise _no_integers(name, least, given)
            array.flags.writeable = False
            object.__setattr__(self, name, array)
        if len(self.arms) != len(self.plays) or len(set(self.arms.tolist())) != len(self.arms):
            raise ValueError(f"arms must be different and as many as plays, got {self.arms!r} and "
                             f"{self.plays!r}")
        _checks.integer("clients", self.clients, low=0)
        _checks.flag("decides", self.decides)


def _no_integers(name: str, least: int, given: object) -> ValueError:
    """Build the error for an argument that does not hold such integers."""
    return ValueError(f"{name} must be integers that are at least {least}, one per arm, got "
                      f"{_checks.told(given)}")


def able(name: str, value: Any, *verbs: str) -> Any:
    """Return ``value`` if it is an instance with these methods, else raise a TypeError."""
    if isinstance(value, type) or not all(callable(getattr(value, verb, None)) for verb in verbs):
        raise TypeError(f"{name} must be an object with "
                        f"{' and '.join(f'{verb}()' for verb in verbs)}, got {_checks.told(value)}")
    return value


class Learner:
    """Base class of the learners of this package.

    Attributes
    ----------
    changes : tuple of str
        Attributes that ``tell`` replaces. It changes no array in place, so a shallow copy is a
        snapshot.
    """

    changes: ClassVar[tuple[str, ...]]

    def __repr__(self) -> str:
        """Return the class and its state: numbers, short vectors, shapes of other arrays."""
        known = {name: getattr(self, name) for name in self.changes}
        return (f"{type(self).__name__}("
                f"{', '.join(f'{name}={_short(value)}' for name, value in known.items())})")


def _short(value: Any) -> str:
    """Format a number or a short vector with digits, any other array by its shape."""
    if isinstance(value, np.ndarray) and (value.ndim > 1 or value.size > 10):
        return f"array of shape {value.shape}"
    shown = isinstance(value, (np.ndarray, np.generic))
    return np.array2string(np.asarray(value), precision=4, separator=", ") if shown else repr(value)
