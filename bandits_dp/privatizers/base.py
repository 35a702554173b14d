r"""The privatizer P = (R, S, A), the central concept of this package.

Each user randomizes its own value (R), a middleman passes the messages on, shuffled or not (S), and
an analyzer estimates the sum of the values (A). Learners see only the result of
:meth:`Privatizer.release`, so another trust model needs another privatizer and the same learner.

Two fidelities have one distribution: ``"messages"`` makes, shuffles and analyzes every message;
``"aggregate"`` draws only the numbers that the answer depends on. Both are private releases.
Simulators use ``release_sum``, the distribution in real numbers, which takes the same time for two
users and for a billion.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bandits_dp import _checks
from bandits_dp._types import Floats
from bandits_dp.guarantee import EXACT, Guarantee, no_guarantee
from bandits_dp.privatizers.domain import UNIT_INTERVAL, Domain, checked_domain, noun, rows

FIDELITIES = ("aggregate", "messages")


class Privatizer(ABC):
    """A private sum of one vector per user, for a batch of a known size.

    A subclass calls ``super().__init__``, defines ``randomize``, ``analyze`` and, for a shuffler,
    ``shuffle``, and sets ``guarantee``, ``noise_std`` and ``bits_per_user``. The exact distribution
    of a sum (``release_sum``, ``span``) makes simulators fast; ``log_mgf`` gives its tails to
    certified widths.

    Parameters
    ----------
    users : int
        Number of users n in the batch, from 1 to 10^12.
    domain : Domain
        Allowed values of one user; by default a number in [0, 1].
    clip : bool
        Whether to move values outside the domain, infinities too, to its border, and NaN to its
        middle; then no user is left out of a release because of her value, which an observer could
        notice. If False, such values raise.

    Attributes
    ----------
    users : int
        The batch size n.
    domain : Domain
        Allowed values of one user.
    dimension : int
        Numbers per user d.
    guarantee : Guarantee
        Guarantee of one release to each user of the batch.
    noise_std : float
        Standard deviation of each coordinate of the released sum around the true sum, in the units
        of one value; the largest one if it depends on the values.
    bits_per_user : float
        Length of one user's message, in bits.
    span : float
        Largest possible difference between two releases of one coordinate; ``inf`` for unbounded
        noise.
    adds : bool
        Whether :meth:`receive` takes the sum of all that users :meth:`send`, so that single
        messages need not be kept.
    needs_values : bool
        Whether the distribution of a release depends on more than the sum of the values; then
        :meth:`release_sum` raises.
    gaussian : bool
        Whether the noise of each coordinate is Gaussian with std ``noise_std``, independent of
        everything.
    ahead : int
        Number of random numbers per batch that :meth:`draw_ahead` draws before the values are
        known; 0 if it is not available.

    Raises
    ------
    ValueError
        If ``users`` is not an integer from 1 to 10^12.
    TypeError
        If ``domain`` is not a domain.

    Examples
    --------
    >>> import numpy as np
    >>> import bandits_dp as bdp
    >>> class Open(bdp.privatizers.Privatizer):
    ...     noise_std, bits_per_user = 0.0, 1.0
    ...     guarantee = bdp.Guarantee(
    ...         np.inf, 1.0, "none", "no data", "none", "certified", "nothing is hidden")
    ...     def randomize(self, values, rng):
    ...         return np.asarray(values)
    ...     def analyze(self, messages, rng):
    ...         return messages.sum(axis=0)
    >>> Open(3).release([1, 0, 1], np.random.default_rng(1)).tolist()
    [2.0]
    """

    model: str  # trust model
    guarantee: Guarantee
    noise_std: float
    bits_per_user: float
    batches = 1  # batches that one user may be in
    span: float = math.inf
    adds = needs_values = gaussian = False
    ahead = 0

    @_checks.checked(users=_checks.crowd)
    def __init__(self, users: int, domain: Domain = UNIT_INTERVAL, clip: bool = False) -> None:
        self.users, self.domain, self.clip = users, checked_domain(domain), clip
        self.dimension = domain.dimension

    def _protected(self) -> tuple[str, str]:
        """Return the unit of privacy, with clipping if any, and the neighbouring relation."""
        kind, clipped = noun(self.domain), ", after clipping to it" if self.clip else ""
        unit = "reward" if self.dimension == 1 else f"user's {kind}"
        return (f"one {unit} in {self.domain}{clipped}",
                f"replace one user's {'round' if kind == 'round' else 'reward'}")

    def _each(self, epsilon: float, delta: float, strict: bool) -> tuple[float, float]:
        """Return each batch's (epsilon, delta) such that all batches of a user have this total."""
        return epsilon, delta

    def _promise(self, epsilon: float, delta: float, calibration: str, reason: str, gap: str = "",
                 rho: float = math.inf) -> None:
        """Set the guarantee with its reason, or, if the proof has a gap, set none."""
        about = self.model, *self._protected(), calibration
        self.guarantee = (no_guarantee(*about, gap) if gap
                          else Guarantee(epsilon, delta, *about, reason, holds=EXACT, rho=rho))

    @abstractmethod
    def randomize(self, values: ArrayLike, rng: np.random.Generator) -> NDArray[Any]:
        """Turn (R) users' values, shape (any, dimension), into messages, one row per user."""

    def shuffle(self, messages: NDArray[Any], rng: np.random.Generator) -> NDArray[Any]:
        """Pass (S) the messages on; the identity unless the trust model has a shuffler."""
        return messages

    @abstractmethod
    def analyze(self, messages: NDArray[Any], rng: np.random.Generator) -> Floats:
        """Estimate (A) the sum of the values from the delivered messages, shape (dimension,)."""

    @property
    def knows_sums(self) -> bool:
        """Whether :meth:`release_sum` is defined, so that simulators need not make messages."""
        return type(self).release_sum is not Privatizer.release_sum

    def release_sum(self, total: ArrayLike, rng: np.random.Generator,
                    batches: int = 1) -> Floats:
        """Draw the analyzer's answer from its exact distribution, given the true sums.

        Parameters
        ----------
        total : array_like
            True sums; each entry is a coordinate (or, in one dimension, a batch of its own) with
            its own noise.
        rng : numpy.random.Generator
            Source of randomness.
        batches : int
            Number of independent releases, of ``users`` users each, that an entry adds up.

        Returns
        -------
        ndarray
            Noisy sums, shaped like ``total``.
        """
        raise NotImplementedError

    def release_tally(self, values: Floats, counts: NDArray[np.int64],
                      rng: np.random.Generator, batches: int = 1) -> Floats:
        """Draw the analyzer's answers from their exact distribution, given counts of values.

        Parameters
        ----------
        values : ndarray, shape (values,)
            The possible values, one-dimensional.
        counts : ndarray of int, shape (sums, values)
            Number of users with each value, for each sum over ``batches * users`` users.
        rng : numpy.random.Generator
            Source of randomness.
        batches : int
            Number of independent releases, of ``users`` users each, that a sum adds up.

        Returns
        -------
        ndarray, shape (sums,)
            Noisy sums. By default they depend on the true sums only.
        """
        return self.release_sum(counts @ values, rng, batches)

    def log_mgf(self, s: Floats) -> Floats:
        """Bound log E exp(±s (released - true sum)) for any values, each s > 0; shape of ``s``."""
        raise ValueError(f"width must need no tails of the noise, got a {type(self).__name__}, "
                         "which has no log_mgf")

    def release(self, values: ArrayLike, rng: np.random.Generator,
                fidelity: str = "aggregate") -> Floats:
        """Release a private estimate of the sum of the values.

        Parameters
        ----------
        values : array_like, shape (users, dimension), or (users,) if the dimension is 1
            One value per user, in the domain.
        rng : numpy.random.Generator
            Source of randomness.
        fidelity : {"aggregate", "messages"}
            Draw only the numbers that the answer depends on, or make every message. The
            distribution is the same.

        Returns
        -------
        ndarray, shape (dimension,)
            Unbiased estimate of the sum.

        Raises
        ------
        ValueError
            If values have another shape, are not finite or outside the domain (without ``clip``),
            ``rng`` is not a Generator, or the fidelity is unknown.
        """
        array = self.check(values, self.users)
        _checks.generator(rng)
        if _checks.choice("fidelity", fidelity, FIDELITIES) == "messages":
            return self._analyzed(self._randomized(array, rng), rng)
        return self._aggregate(array, rng)

    def simulate(self, values: ArrayLike, rng: np.random.Generator) -> Floats:
        """Draw a :meth:`release` for simulators, in real numbers where that is faster."""
        array = self.check(values, self.users)
        return (self.release_sum(array.sum(axis=0), rng) if self.knows_sums
                else self._aggregate(array, rng))

    def _aggregate(self, array: Floats,
                   rng: np.random.Generator) -> Floats:
        """Draw the answer, from the sum of all messages or values if that suffices."""
        if self.adds:
            return self.receive(self.send(array, rng).sum(axis=0), rng)
        return (self.release_sum(array.sum(axis=0), rng) if self.knows_sums
                else self.receive(self.send(array, rng), rng))

    def send(self, values: Floats, rng: np.random.Generator) -> NDArray[Any]:
        """Return one row per user to keep until the batch is full: its messages or their sum.

        Values, shape (any, dimension), must be in the domain; they are not checked.
        """
        return self._randomized(values, rng)

    def receive(self, waiting: NDArray[Any], rng: np.random.Generator) -> Floats:
        """Turn all rows of :meth:`send`, or their sum if ``adds``, into the answer (dimension,)."""
        return self._analyzed(waiting, rng)

    def _randomized(self, array: Floats, rng: np.random.Generator) -> NDArray[Any]:
        """Randomize, and check the result, which may come from a user's class."""
        messages = self.randomize(array, rng)
        if not isinstance(messages, np.ndarray) or messages.shape[:1] != array.shape[:1]:
            raise ValueError("randomize must return an array with one row for each of "
                             f"{len(array)} users, got {_checks.told(messages)}")
        return messages

    def _analyzed(self, messages: NDArray[Any], rng: np.random.Generator) -> Floats:
        """Shuffle and analyze, and check the results, which may come from a user's class."""
        delivered = self.shuffle(messages, rng)
        if not isinstance(delivered, np.ndarray):
            raise ValueError("shuffle must return an array of messages, got "
                             f"{_checks.told(delivered)}")
        answer = self.analyze(delivered, rng)
        array = np.asarray(answer)
        if (array.shape != (self.dimension,) or array.dtype.kind not in "biuf"
                or not np.isfinite(array).all()):
            raise ValueError(f"analyze must return finite numbers of shape ({self.dimension},), "
                             f"got {_checks.told(answer)}")
        return array

    @property
    def sub_gaussian_std(self) -> float:
        """Sub-Gaussian std of the noise of a coordinate, for any values; infinite if there is none.

        Given the values, coordinates must be independent. It is ``noise_std`` for Gaussian noise,
        and otherwise by default half the ``span`` (Hoeffding's lemma).
        """
        return self.noise_std if self.gaussian else self.span / 2

    def draw_ahead(self, batches: int, rng: np.random.Generator) -> Floats:
        """Draw the random numbers of releases, shape (batches, ahead); for simulators."""
        raise NotImplementedError

    def noise_from(self, rows: Floats,
                   values: Floats) -> Floats:
        """Turn such rows and values (releases, users, dimension) into (released - true sum)."""
        raise NotImplementedError

    def check(self, values: ArrayLike, users: int | None = None) -> Floats:
        """Return checked values, shape (users, dimension); any number of users if None."""
        array = rows(values, users, self.dimension, finite=not self.clip)
        if self.clip:
            return self.domain.clip(array)
        self.domain.check(array)
        return array

    def __repr__(self) -> str:
        """Return the class, the batch size and the noise."""
        return f"{type(self).__name__}(users={self.users}, noise_std={self.noise_std:.4g})"


def complete(privatizer: object) -> Privatizer:
    """Return ``privatizer``, or raise a TypeError that names what a user's class lacks."""
    if not isinstance(privatizer, Privatizer):
        raise TypeError("privatizer must be an instance of a subclass of "
                        f"bandits_dp.privatizers.Privatizer, got {_checks.told(privatizer)}")
    missing = [name for name in ("users", "domain", "guarantee", "noise_std", "bits_per_user")
               if not hasattr(privatizer, name)]
    if missing:
        raise TypeError("privatizer must call super().__init__(users, domain) and set guarantee, "
                        f"noise_std and bits_per_user, but {type(privatizer).__name__} lacks "
                        f"{', '.join(missing)}")
    if not isinstance(privatizer.guarantee, Guarantee):
        raise TypeError("guarantee must be a bandits_dp.Guarantee, got "
                        f"{_checks.told(privatizer.guarantee)} in {_checks.told(privatizer)}")
    return privatizer


def certified(calibration: str, what: str,
              why: str = "no paper publishes a figure with it") -> bool:
    """Return whether the calibration is "certified", not "theorem"; refuse "experiment"."""
    if calibration == "experiment":
        raise ValueError(f"calibration must be 'certified' or 'theorem' for {what}, got "
                         f"'experiment': {why}")
    return calibration == "certified"
