"""Ask and tell: all that passes between a learner and the rest of the world.

``ask()`` says what the learner wants to know, ``tell(released, noise)`` brings what a privatizer released, and the law of the noise in
it, which is public. A learner with features has ``choose(features)`` in the place of ``ask()``; if they are public, ``tell(released,
phi)`` brings them. It never sees a reward, a user, or a random generator.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

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
    """

    arms: NDArray[np.intp]
    plays: NDArray[np.int64]
    clients: int = 0
    decides: bool = True


class Learner:
    """What the learners of this package share.

    Attributes
    ----------
    changes : tuple of str
        The attributes that ``tell`` replaces. It changes no array in place, so a shallow copy is a snapshot.
    """

    changes: ClassVar[tuple[str, ...]]
