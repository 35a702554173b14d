r"""Continual counters: running sums of a stream, released after every value.

One user brings one value :math:`x_t` in each round, and the trusted server (central model) releases
every running sum :math:`x_1 + \dots + x_t`. With :math:`A` the lower-triangular matrix of ones,
every counter here is a factorization :math:`A = L R`: the server releases

.. math:: L (R x + z) = A x + L z,

where :math:`R x` are partial sums, :math:`z` is independent noise on them, drawn once, and
:math:`L` determines which noisy partial sums are added.

*Why it is private.* L is lower triangular with a positive diagonal, so the first t released sums
and the first t entries of :math:`y = R x + z` determine each other. Hence it suffices that y is
private. Replacing one user's values changes x by :math:`\Delta`, zero except in that user's rounds
S, where each row of :math:`\Delta` has norm at most the domain's diameter D. Then

.. math:: \lVert R \Delta \rVert_F^2
          = \sum_{s, t \in S} \langle \Delta_s, \Delta_t \rangle (R^\top R)_{st}
          \le D^2 \sum_{s, t \in S} (R^\top R)_{st},

because R has no negative entry here, with equality if all nonzero rows of :math:`\Delta` are the
same vector of norm D. The maximum of the right side over all sets S of at most M0 rounds is the
squared l2-sensitivity (for M0 = 1, D times the largest column norm of R, squared), and Gaussian
noise is exactly as private as one Gaussian mechanism of this sensitivity (Balle & Wang 2018,
Theorem 8). Values may depend on earlier releases: given these, y_t is Gaussian with a mean shifted
by row t of :math:`R \Delta`, and Gaussian shifts whose squares sum to at most the squared
sensitivity compose as if they were fixed in advance (Denisov et al. 2022, on adaptive streams; for
several rounds of one user, Smith & Thakurta 2022; chapter 4 has a proof of both). Laplace noise
uses the l1-sensitivity in the same way and gives pure privacy.

A learner whose answer to each user depends only on these sums and that user's own data is jointly
private with the same epsilon and delta (billboard lemma, Hsu et al. 2014).

*In bits.* ``add`` and ``step`` compute in integer steps of a grid
(:mod:`bandits_dp.noise.grid`). A value is rounded once, on arrival, so rows of :math:`\Delta`
have norm at most D plus :math:`\sqrt d` steps: the counter has a slightly larger domain. Given any
past, y_t is discrete Gaussian noise around an integer, which can be computed from a continuous
Gaussian with the same shift; so all y_t together compose as above. (The privacy loss of discrete
Laplace noise is at most its l1 shift over its scale, given any past.) The released doubles are
functions of the integers y. For simulators, ``noise_path`` draws from densities, and ``count`` adds
such noise.
"""

from __future__ import annotations

import copy
import math
from abc import ABC, abstractmethod
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bandits_dp import _checks
from bandits_dp._types import Floats
from bandits_dp.accounting.gaussian import gaussian_noise_std
from bandits_dp.accounting.laplace import laplace_scale
from bandits_dp.guarantee import EXACT, Guarantee, no_guarantee
from bandits_dp.noise.grid import Grid
from bandits_dp.privatizers.domain import UNIT_INTERVAL, Domain, checked_domain, domain_grid, noun

NOISES = ("gaussian", "laplace")
LAST = 2**53  # round of a stream without a horizon


def known_horizon(counter: Counter, noise: str) -> int:
    """Return the horizon of a counter with this noise, or raise an error if it has none."""
    _checks.one_of("counter", counter, Counter, "a counter of bandits_dp.continual")
    if counter.horizon is None or counter.noise != noise:
        raise ValueError(f"counter must have a horizon and {noise.capitalize()} noise, "
                         f"got {counter!r}")
    return counter.horizon


class Counter(ABC):
    """Private running sums of at most ``horizon`` values.

    ``add`` replaces attributes and changes no array in place, so a shallow copy is a snapshot.

    Parameters
    ----------
    horizon : int
        Number of rounds T, >= 1.
    epsilon : float
        Privacy parameter, > 0; below 1 in the theorem calibration.
    delta : float
        Failure mass, in (0, 1). Laplace noise ignores it (0 is allowed), and its guarantee has
        delta 0.
    domain : Domain
        Allowed values; the diameter bounds how far one round moves a sum. For regression statistics
        use :class:`bandits_dp.privatizers.linear_statistics.LinearStatistics`, in which each
        unordered pair of a symmetric matrix gets one noise.
    calibration : {"certified", "theorem", "experiment"}
        Exact noise for the sensitivity of all releases together, or a paper's formula
        (:class:`TreeCounter` only).
    appearances : int
        M0, >= 1, the largest number of rounds of one user; the guarantee protects all of them
        together.
    clip : bool
        Whether to move values outside the domain to its border. If False, they raise.
    noise : {"gaussian", "laplace"}
        Distribution of one draw of noise.
    strict : bool
        Whether the theorem calibration refuses an epsilon that the theorem does not cover.

    Attributes
    ----------
    steps : int
        Number of values added so far.
    dimension : int
        Numbers per value.
    sensitivity : float
        How far one user moves the vector of all noisy partial sums: in the l2 norm for Gaussian
        noise, in the l1 norm for Laplace noise, in the units of one value.
    noise_std : float
        Standard deviation of one draw per coordinate, in the units of one value; if draws differ,
        the smallest.
    guarantee : Guarantee
        Guarantee of all released sums together to each user.

    Raises
    ------
    ValueError
        If an argument is out of range, or the counter has no such calibration.

    Examples
    --------
    >>> import numpy as np
    >>> import bandits_dp as bdp
    >>> counter = bdp.continual.TreeCounter(1000, epsilon=1.0, delta=1e-6)
    >>> released = counter.add(1.0, np.random.default_rng(1))
    >>> counter.steps, released.shape
    (1, (1,))
    """

    noises: tuple[str, ...] = NOISES
    roundings = 1  # separately rounded summands that one user has in a coordinate of a value
    endless = False  # whether the horizon may be None
    _what: str  # the noisy quantities, in words, for the guarantee

    @_checks.checked(horizon=_checks.unchecked, delta=_checks.unchecked)
    def __init__(self, horizon: int | None, epsilon: float, delta: float,
                 domain: Domain = UNIT_INTERVAL, calibration: str = "certified",
                 appearances: int = 1, clip: bool = False, noise: str = "gaussian",
                 strict: bool = True) -> None:
        self.horizon = (None if horizon is None and self.endless
                        else _checks.integer("horizon", horizon))
        self._last = LAST if self.horizon is None else self.horizon
        self.domain = checked_domain(domain)
        self.dimension, self.appearances, self.clip = domain.dimension, appearances, clip
        if _checks.choice("noise", noise, NOISES) not in self.noises:
            raise ValueError(f"noise must be {self.noises[0]!r} for a {type(self).__name__}, got "
                             f"{noise!r}: one round moves its partial sums by an l1 distance that "
                             "grows like the square root of the horizon")
        self.noise = noise
        self._prepare()
        delta = _checks.delta(delta, zero=noise == "laplace")
        diameter, power = ((domain.l2_diameter, 2) if noise == "gaussian"
                           else (domain.l1_diameter, 1))
        self.sensitivity = diameter * self._column_norm(min(appearances, self._last), power)
        if calibration == "certified":
            self._certify(epsilon, delta)
        else:
            self._publish(epsilon, delta, calibration, strict)
        self.reset()

    def _certify(self, epsilon: float, delta: float) -> None:
        """Set the smallest noise proved for this sensitivity, and its guarantee."""
        size, rho = f"{self.sensitivity:.4g} for {self._what}", math.inf
        if self.noise == "gaussian":
            self.noise_std = gaussian_noise_std(epsilon, delta, self.sensitivity)
            rho = (self.sensitivity / self.noise_std) ** 2 / 2
            reason = (f"exact Gaussian mechanism, l2-sensitivity {size} (Balle & Wang 2018, "
                      "Theorem 8)")
        else:
            delta = 0.0
            self.noise_std = math.sqrt(2) * laplace_scale(epsilon, delta, self.sensitivity)
            reason = f"Laplace mechanism, l1-sensitivity {size} (Dwork et al. 2006)"
        self._promise(epsilon, delta, "certified", reason, rho=rho)

    def _promise(self, epsilon: float, delta: float, calibration: str, reason: str, gap: str = "",
                 rho: float = math.inf) -> None:
        """Set the guarantee with its reason, or, if the proof has a gap, set none."""
        kind, many = noun(self.domain), self.appearances
        unit, neighbours = f"one user's {kind}", f"replace one user's {kind}"
        if many > 1:
            unit, neighbours = (f"one user's at most {many} {kind}s",
                                f"replace all {kind}s of one user")
        unit += f" in {self.domain}" + (", after clipping to it" if self.clip else "")
        about = "central", unit, neighbours, calibration
        self.guarantee = (no_guarantee(*about, gap) if gap
                          else Guarantee(epsilon, delta, *about, reason, holds=EXACT, rho=rho))

    def _publish(self, epsilon: float, delta: float, calibration: str, strict: bool) -> None:
        """Set a paper's noise and its guarantee; most counters have none and raise."""
        raise ValueError(f"calibration must be 'certified' for a {type(self).__name__}, got "
                         f"{calibration!r}: nothing else is known, as none of the papers runs this "
                         "counter")

    def _prepare(self) -> None:  # noqa: B027 - most have nothing to prepare
        """Prepare for the sensitivity; called once horizon, domain and noise are set."""

    @property
    def description(self) -> str:
        """All that the noise depends on, which a saved state must match."""
        return (f"{type(self).__name__}(horizon={self.horizon}, domain={self.domain!r}, "
                f"appearances={self.appearances}, noise={self.noise!r}, "
                f"noise_std={self.noise_std!r})")

    @abstractmethod
    def _column_norm(self, rounds: int, power: int) -> float:
        """Largest l1 or l2 norm (``power`` 1, 2) of a sum of ``rounds`` columns of R, std 1."""

    @abstractmethod
    def _next(self, value: NDArray[np.object_], rng: np.random.Generator) -> Floats:
        """Release the running sum after this value, given in steps; keep state for later sums."""

    @abstractmethod
    def _accumulate(self, draws: Floats) -> Floats:
        """Turn draws into the noise on running sums (multiply by L); both (steps, dimension)."""

    @abstractmethod
    def _variance(self, t: NDArray[np.int64]) -> Floats:
        """Variance of sum t in units of noise_std^2 (squared row norms of L); shape of ``t``."""

    def _draw(self, rng: np.random.Generator, size: tuple[int, ...]) -> Floats:
        """Draw independent noise of std ``noise_std``, for simulators."""
        if self.noise == "gaussian":
            return rng.normal(0.0, self.noise_std, size)
        return rng.laplace(0.0, self.noise_std / math.sqrt(2), size)

    @property
    def grid(self) -> Grid:
        """The grid of values and released sums, and the noise of one draw on it."""
        scale = self.noise_std if self.noise == "gaussian" else self.noise_std / math.sqrt(2)
        return domain_grid(self.noise, scale, self.domain, roundings=self.roundings)

    def reset(self) -> None:
        """Forget the stream and start a new one, of other users."""
        self.steps = 0
        self._total = np.zeros(self.dimension)  # of simulators

    def _pack(self) -> dict[str, ArrayLike]:
        """Return all that changes during a run, by name, for :mod:`bandits_dp.serve`."""
        return {"steps": self.steps}

    def _unpack(self, state: dict[str, NDArray[Any]]) -> None:
        """Restore what ``_pack`` returned, given as arrays."""
        self.steps = int(state["steps"])

    def __copy__(self) -> Self:
        """Copy deeply: two that go on from one must not overwrite each other's values."""
        return copy.deepcopy(self)

    def add(self, value: ArrayLike, rng: np.random.Generator) -> Floats:
        """Take the next value and release the private running sum.

        Parameters
        ----------
        value : array_like, shape (dimension,), or a number if the dimension is 1
            The value of this round, in the domain.
        rng : numpy.random.Generator
            Source of randomness.

        Returns
        -------
        ndarray, shape (dimension,)
            Unbiased estimate of the sum of all values so far, with std ``error_std(steps)`` per
            coordinate.

        Raises
        ------
        ValueError
            If all ``horizon`` values have been added, the value has another shape, is not finite or
            is outside the domain, or ``rng`` is not a Generator. The counter is then unchanged.
        """
        if self.steps >= self._last:
            raise ValueError(f"value must not be added past the horizon: {self.horizon} values are "
                             "in, and the noise is calibrated to no more")
        return self.step(self._check_value(value), _checks.generator(rng))

    def step(self, value: Floats, rng: np.random.Generator) -> Floats:
        """Do the same as :meth:`add` without checks, also for a sum of several users' values."""
        released = self._next(self.grid.whole(value), rng)
        self.steps += 1
        return released

    def leap(self, values: Floats, rounds: int,
             rng: np.random.Generator) -> Floats:
        """Add checked values of different users and release only the sum after ``rounds`` rounds.

        ``values`` has one row per user. By default all values form one round, which contains every
        user once, so the guarantee of :meth:`step` holds. Later sums have the noise of fewer
        rounds, which is no larger, as a factorization's variance grows with the rounds.
        """
        released = self._next(self.grid.whole(values).sum(axis=0), rng)
        self.steps += 1
        return released

    def count(self, value: Floats, noise: Floats) -> Floats:
        """Add the next value, of one or many runs, and release with this noise; for simulators."""
        self.steps += 1
        self._total = self._total + value
        return self._total + noise

    def _check_value(self, value: ArrayLike) -> Floats:
        """Return the value with shape (dimension,), or raise a ValueError."""
        expected = f"({self.dimension},)"
        array = _checks.numbers("value", value, f"numbers of shape {expected}")
        if self.dimension == 1 and array.shape == ():
            array = array[None]
        if array.shape != (self.dimension,):
            raise ValueError(f"value must have shape {expected}, got shape {array.shape}")
        if not _checks.usable(array).all():
            raise ValueError(f"value must be finite, got {_checks.told(value)}")
        if self.clip:
            return self.domain.clip(array[None])[0]
        self.domain.check(array[None], "value")
        return array

    def noise_path(self, rng: np.random.Generator, steps: int | None = None) -> Floats:
        """Draw the noise on all running sums of a new stream, as in :meth:`add` but off the grid.

        Parameters
        ----------
        rng : numpy.random.Generator
            Source of randomness.
        steps : int, optional
            Number of rounds, from 1 to the horizon, which is the default.

        Returns
        -------
        ndarray, shape (steps, dimension)
            The noise; add it to the true running sums.

        Raises
        ------
        ValueError
            If ``steps`` is out of range, or missing without a horizon, or ``rng`` is not a
            Generator.
        """
        if steps is None and self.horizon is None:
            raise ValueError("steps must be given, as this counter has no horizon, got None")
        length = int(self._check_times(self.horizon if steps is None
                                       else _checks.integer("steps", steps), "steps"))
        _checks.room("steps", length * self.dimension)
        return self._accumulate(self._draw(_checks.generator(rng), (length, self.dimension)))

    def error_std(self, t: ArrayLike) -> Floats:
        """Exact standard deviation of each coordinate of running sum t.

        Parameters
        ----------
        t : int or array_like of int
            Rounds, each from 1 to the horizon.

        Returns
        -------
        ndarray, shaped like ``t``
            Standard deviations, in the units of one value.

        Raises
        ------
        ValueError
            If ``t`` holds anything but integers from 1 to the horizon.
        """
        return np.asarray(self.noise_std * np.sqrt(self._variance(self._check_times(t, "t"))))

    def _check_times(self, t: ArrayLike | None, name: str) -> NDArray[np.int64]:
        """Return rounds as integers, or raise a ValueError."""
        allowed = ("integers that are at least 1"
                   + ("" if self.horizon is None else f" and at most the horizon {self.horizon}"))
        try:
            array = np.asarray(None if np.ma.is_masked(t) else t)
        except (TypeError, ValueError) as error:
            raise ValueError(f"{name} must be {allowed}, got {_checks.told(t)}") from error
        if array.dtype.kind not in "iu":
            raise ValueError(f"{name} must be {allowed}, got {_checks.told(t)}")
        bad = (array < 1) | (array > self._last)
        if bad.any():
            raise ValueError(f"{name} must be {allowed}, got {array[bad].flat[0]}")
        return array.astype(np.int64)

    def __repr__(self) -> str:
        """Return the class, the horizon and the noise of one draw."""
        return f"{type(self).__name__}(horizon={self.horizon}, noise_std={self.noise_std:.4g})"
