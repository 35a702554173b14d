r"""How LinUCB's running sums are released: the exact sums of (phi y, phi phi') over all full batches so far, plus noise.

The learner hands over what the users of a batch showed and answered, and gets back the noise on the running sums; it never learns
who added it. A :class:`Release` is the recipe, shared by all runs; a :class:`Tape` is the noise of some runs while they advance
together. The simulator has many runs in a tape, live use has one.

**Tapes.** A release draws the random numbers of the next ``tape`` batches of a run in one call. The length of a tape
depends on nothing but the release, so that a run consumes its generator in the same way whoever plays it, alone or with others.

**Order of the numbers.** With d features, the first d numbers of a noise row belong to the vector, the d (d + 1) / 2 others, if
the matrix is private, to the upper triangle of the matrix, row by row (:class:`bandits_dp.privatizers.domain.LinearStatistics`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bandits_dp import _checks
from bandits_dp.guarantee import Guarantee, no_guarantee
from bandits_dp.widths.ridge import NoiseLaw

Floats = NDArray[np.float64]
Rngs = list[np.random.Generator]
TAPE = 2**15  # numbers that a tape holds per run, about, unless all are drawn at once


def triangle(dimension: int) -> int:
    """Numbers in the upper triangle of a symmetric matrix."""
    return dimension * (dimension + 1) // 2


class Release(ABC):
    """Running sums with noise, after each full batch.

    Parameters
    ----------
    dimension : int
        Numbers per feature vector d, >= 1.
    users : int
        Users per batch B, >= 1.
    batches : int
        Full batches M of the horizon, >= 0.

    Attributes
    ----------
    guarantee : Guarantee
        What all releases together promise to each user.
    bits_per_user : float
        Length of one user's message, in bits.
    law : NoiseLaw
        Law of the noise.
    private_matrix : bool
        Whether the matrix gets noise; if not, noise rows have d numbers.
    private : bool
        Whether there is any noise.
    width : int
        Random numbers per batch and run.
    tape : int
        Batches whose random numbers are drawn in one call.
    """

    guarantee: Guarantee
    bits_per_user: float
    law: NoiseLaw
    private_matrix = True
    private = True

    def __init__(self, dimension: int, users: int, batches: int) -> None:
        self.dimension = _checks.integer("dimension", dimension)
        self.users = _checks.integer("users", users)
        self.batches = _checks.integer("batches", batches, low=0)
        self.width = self.entries
        self.tape = max(1, TAPE // max(1, self.width))

    @property
    def entries(self) -> int:
        """Numbers per noise row."""
        return self.dimension + (triangle(self.dimension) if self.private_matrix else 0)

    @abstractmethod
    def draw(self, rng: np.random.Generator, batches: int) -> NDArray[np.float64]:
        """Draw the random numbers of the next ``batches`` batches of one run, shape (batches, width)."""

    @abstractmethod
    def noise(self, before: Floats, row: Floats, phi: Floats, y: Floats, rngs: Rngs) -> Floats:
        """Return the noise on the running sums after one more batch.

        Parameters
        ----------
        before : ndarray, shape (runs, entries)
            Noise on the running sums so far.
        row : ndarray, shape (runs, width)
            This batch's random numbers.
        phi : ndarray, shape (runs, users, dimension) or (runs, 1, dimension)
            Features of the arms played by the users of the batch; one row if all played the same arm.
        y : ndarray, shape (runs, users)
            Their rewards.
        rngs : list of numpy.random.Generator
            One per run, for who must draw during the run.

        Returns
        -------
        ndarray, shape (runs, entries)
            A new array.
        """


class ExactSums(Release):
    """No noise: the non-private learner."""

    private = False
    private_matrix = False

    def __init__(self, dimension: int, users: int, batches: int) -> None:
        super().__init__(dimension, users, batches)
        self.width = 0
        self.law = NoiseLaw(np.zeros(batches), np.zeros(batches), additive=True)
        self.bits_per_user = 64.0 * (dimension + triangle(dimension))
        text = "features and rewards are used as they are"
        self.guarantee = no_guarantee("none", "one round (phi, y)", "replace one user's round", "certified", text)

    def draw(self, rng: np.random.Generator, batches: int) -> NDArray[np.float64]:
        """Draw nothing."""
        return np.empty((batches, 0))

    def noise(self, before: Floats, row: Floats, phi: Floats, y: Floats, rngs: Rngs) -> Floats:
        """Return zeros."""
        return before


class Tape:
    """Noise on the running sums of several runs of one release, batch after batch.

    Parameters
    ----------
    release : Release
        The recipe.
    runs : int
        Number of runs.

    Attributes
    ----------
    noise : ndarray, shape (runs, entries)
        Noise on the current running sums; zeros at first.
    batch : int
        Number of batches released.
    """

    def __init__(self, release: Release, runs: int) -> None:
        self.release = release
        self.noise = np.zeros((runs, release.entries))
        self.batch = 0
        self._rows = np.empty((runs, 0, release.width))
        self._used = 0

    def add(self, phi: NDArray[np.float64], y: NDArray[np.float64], rngs: Rngs) -> NDArray[np.float64]:
        """Release one more batch: return the noise on the running sums (see :meth:`Release.noise` for shapes)."""
        release, rows, used = self.release, self._rows, self._used
        if used == rows.shape[1]:
            length = min(release.tape, release.batches - self.batch)
            rows, used = np.empty((len(rngs), length, release.width)), 0
            for own, rng in zip(rows, rngs, strict=True):
                own[:] = release.draw(rng, length)
        self.noise = release.noise(self.noise, rows[:, used], phi, y, rngs)  # a release that raises leaves the tape as it was
        self._rows, self._used = rows, used + 1
        self.batch += 1
        return self.noise

    def pack(self) -> dict[str, ArrayLike]:
        """Return what changes, by name, for a single run; that is noise to come, too, so a state must be restored once only."""
        return {"tape_batch": self.batch, "tape_noise": self.noise[0], "tape_rows": self._rows[0, self._used :]}

    def unpack(self, state: dict[str, NDArray[Any]]) -> None:
        """Take back what ``pack`` returned."""
        self.batch = int(state["tape_batch"])
        self.noise = state["tape_noise"].reshape(1, self.release.entries)
        self._rows = state["tape_rows"].reshape(1, len(state["tape_rows"]), self.release.width)  # the width may be 0
        self._used = 0
