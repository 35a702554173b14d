r"""The privatizer P = (R, S, A), the one idea of this package.

Users hold values. Each randomizes its own value (R), a middleman passes the messages on, shuffled or not (S), and an analyzer
estimates the sum of the values (A). Learners call :meth:`Privatizer.release` and see nothing else, so changing the trust model
means changing the privatizer and not the learner.

Two fidelities, one distribution: ``"messages"`` makes, shuffles and analyzes every message; ``"aggregate"`` draws what the answer
depends on, where that is less. Both are releases. Simulators draw from the law of real numbers (``release_sum``), which takes the
same time for two users and for a billion.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bandits_dp import _checks
from bandits_dp.guarantee import EXACT, Guarantee, no_guarantee
from bandits_dp.privatizers.domain import UNIT_INTERVAL, Domain, checked_domain, noun, rows

FIDELITIES = ("aggregate", "messages")


class Privatizer(ABC):
    """A private sum of one vector per user, for a batch of a known size.

    A subclass calls ``super().__init__``, writes ``randomize`` and ``analyze``, ``shuffle`` if somebody shuffles, and sets
    ``guarantee``, ``noise_std`` and ``bits_per_user``. The exact law of a sum (``release_sum``, ``span``) lets simulators be fast,
    and its tails (``log_mgf``) are for certified widths.

    Parameters
    ----------
    users : int
        Number of users n in the batch, from 1 to 10^12.
    domain : Domain
        Where one user's value may lie; a number in [0, 1] if not said otherwise.
    clip : bool
        Whether values outside the domain are moved to its border, infinities too, and NaN to its middle, so that no value keeps
        anybody out of a release, which an observer could notice. If not, they raise.

    Attributes
    ----------
    users : int
        The batch size n.
    domain : Domain
        Where one user's value may lie.
    dimension : int
        Numbers per user d.
    guarantee : Guarantee
        What one release promises to each user of the batch.
    noise_std : float
        Standard deviation of each coordinate of the released sum around the true sum, in the units of one value; where it
        depends on the values, the largest.
    bits_per_user : float
        Length of one user's message, in bits.
    span : float
        Largest possible difference between two releases of one coordinate; ``inf`` for unbounded noise.
    adds : bool
        Whether :meth:`receive` takes the sum of what users :meth:`send`, so that nobody needs to keep what a single user sent.
    needs_values : bool
        Whether the law of a release depends on more than the sum of the values, so that :meth:`release_sum` refuses.
    gaussian : bool
        Whether the noise of each coordinate is Gaussian with std ``noise_std``, independent of everything.
    ahead : int
        How many random numbers of a batch :meth:`draw_ahead` draws before its values are known; 0 if it cannot.

    Raises
    ------
    ValueError
        If ``users`` is not an integer from 1 to 10^12.
    TypeError
        If ``domain`` is none.

    Examples
    --------
    >>> import numpy as np
    >>> import bandits_dp as bdp
    >>> class Open(bdp.privatizers.Privatizer):
    ...     noise_std, bits_per_user = 0.0, 1.0
    ...     guarantee = bdp.Guarantee(np.inf, 1.0, "none", "nobody's data", "none", "certified", "nothing is hidden")
    ...     def randomize(self, values, rng):
    ...         return np.asarray(values)
    ...     def analyze(self, messages, rng):
    ...         return messages.sum(axis=0)
    >>> Open(3).release([1, 0, 1], np.random.default_rng(1)).tolist()
    [2.0]
    """

    model: str  # of trust
    guarantee: Guarantee
    noise_std: float
    bits_per_user: float
    batches = 1  # in how many of them a user may be
    span: float = math.inf
    adds = needs_values = gaussian = False
    ahead = 0

    @_checks.checked(users=_checks.crowd)
    def __init__(self, users: int, domain: Domain = UNIT_INTERVAL, clip: bool = False) -> None:
        self.users, self.domain, self.clip = users, checked_domain(domain), clip
        self.dimension = domain.dimension

    def _protected(self) -> tuple[str, str]:
        """Return the unit of privacy, with the clipping that was asked for, and what neighbouring inputs differ in."""
        kind, clipped = noun(self.domain), ", after clipping to it" if self.clip else ""
        unit = "reward" if self.dimension == 1 else f"user's {kind}"
        return f"one {unit} in {self.domain}{clipped}", f"replace one user's {'round' if kind == 'round' else 'reward'}"

    def _each(self, epsilon: float, delta: float, strict: bool) -> tuple[float, float]:
        """Return the (epsilon, delta) that each batch needs, for all batches of a user together to have this one."""
        return epsilon, delta

    def _promise(self, epsilon: float, delta: float, calibration: str, reason: str, gap: str = "", rho: float = math.inf) -> None:
        """Set the guarantee, for the reason given, or say that there is none, because of a gap in the proof."""
        about = self.model, *self._protected(), calibration
        self.guarantee = no_guarantee(*about, gap) if gap else Guarantee(epsilon, delta, *about, reason, holds=EXACT, rho=rho)

    @abstractmethod
    def randomize(self, values: ArrayLike, rng: np.random.Generator) -> NDArray[Any]:
        """Turn (R) the values of some users, shape (any, dimension), into their messages, one row per user."""

    def shuffle(self, messages: NDArray[Any], rng: np.random.Generator) -> NDArray[Any]:
        """Pass (S) the messages on; the identity unless the trust model has a shuffler."""
        return messages

    @abstractmethod
    def analyze(self, messages: NDArray[Any], rng: np.random.Generator) -> NDArray[np.float64]:
        """Estimate (A) the sum of the values from what the middleman delivers, shape (dimension,)."""

    @property
    def knows_sums(self) -> bool:
        """Whether :meth:`release_sum` is there, so that a simulator can draw sums from their law and need not make messages."""
        return type(self).release_sum is not Privatizer.release_sum

    def release_sum(self, total: ArrayLike, rng: np.random.Generator, batches: int = 1) -> NDArray[np.float64]:
        """Draw the analyzer's answer from its exact law, given the true sums.

        Parameters
        ----------
        total : array_like
            True sums; each entry is a coordinate (or, for one-dimensional sums, a batch of its own) with its own noise.
        rng : numpy.random.Generator
            Source of randomness.
        batches : int
            How many independent releases of ``users`` users each entry adds up.

        Returns
        -------
        ndarray
            Noisy sums, shaped like ``total``.
        """
        raise NotImplementedError

    def release_tally(self, values: NDArray[np.float64], counts: NDArray[np.int64], rng: np.random.Generator,
                      batches: int = 1) -> NDArray[np.float64]:
        """Draw the analyzer's answers from their exact law, given how many users hold which value.

        Parameters
        ----------
        values : ndarray, shape (values,)
            One-dimensional values that users hold.
        counts : ndarray of int, shape (sums, values)
            How many hold them, for each sum of ``batches * users`` users.
        rng : numpy.random.Generator
            Source of randomness.
        batches : int
            How many independent releases of ``users`` users each sum adds up.

        Returns
        -------
        ndarray, shape (sums,)
            Noisy sums. The true sum is all that they depend on, unless a subclass knows better.
        """
        return self.release_sum(counts @ values, rng, batches)

    def log_mgf(self, s: NDArray[np.float64]) -> NDArray[np.float64]:
        """Bound log E exp(±s (released - true sum)), whatever the values, for each s > 0; shape of ``s``."""
        raise ValueError(f"width must be one that needs no tails of the noise, for {type(self).__name__} has no log_mgf")

    def release(self, values: ArrayLike, rng: np.random.Generator, fidelity: str = "aggregate") -> NDArray[np.float64]:
        """Release a private estimate of the sum of the values.

        Parameters
        ----------
        values : array_like, shape (users, dimension), or (users,) if the dimension is 1
            One value per user, in the domain.
        rng : numpy.random.Generator
            Source of randomness.
        fidelity : {"aggregate", "messages"}
            Draw only what the answer depends on, or really make every message. The law is the same.

        Returns
        -------
        ndarray, shape (dimension,)
            Unbiased estimate of the sum.

        Raises
        ------
        ValueError
            If values have another shape, are not finite or outside the domain (unless they are clipped), ``rng`` is
            not a Generator, or the fidelity is unknown.
        """
        array = self.check(values, self.users)
        _checks.generator(rng)
        if _checks.choice("fidelity", fidelity, FIDELITIES) == "messages":
            return self._analyzed(self._randomized(array, rng), rng)
        return self._aggregate(array, rng)

    def simulate(self, values: ArrayLike, rng: np.random.Generator) -> NDArray[np.float64]:
        """Draw what :meth:`release` returns for such values, for simulators: from the law of real numbers where that is faster."""
        array = self.check(values, self.users)
        return self.release_sum(array.sum(axis=0), rng) if self.knows_sums else self._aggregate(array, rng)

    def _aggregate(self, array: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.float64]:
        """Draw the answer: add up what users send, if that is all that counts, or else the values, if the law of a sum is known."""
        if self.adds:
            return self.receive(self.send(array, rng).sum(axis=0), rng)
        return self.release_sum(array.sum(axis=0), rng) if self.knows_sums else self.receive(self.send(array, rng), rng)

    def send(self, values: NDArray[np.float64], rng: np.random.Generator) -> NDArray[Any]:
        """Return what waits until all users of the batch are there, one row per user: the messages, or what they add up to.

        Values, shape (any, dimension), must be known to be in the domain.
        """
        return self._randomized(values, rng)

    def receive(self, waiting: NDArray[Any], rng: np.random.Generator) -> NDArray[np.float64]:
        """Turn what all users have sent into the answer, shape (dimension,): the sum of it if it ``adds``, else the rows."""
        return self._analyzed(waiting, rng)

    def _randomized(self, array: NDArray[np.float64], rng: np.random.Generator) -> NDArray[Any]:
        """Randomize, and check what somebody's own class returns."""
        messages = self.randomize(array, rng)
        if not isinstance(messages, np.ndarray) or messages.shape[:1] != array.shape[:1]:
            raise ValueError(f"randomize must return an array with one row for each of {len(array)} users, got "
                             f"{_checks.told(messages)}")
        return messages

    def _analyzed(self, messages: NDArray[Any], rng: np.random.Generator) -> NDArray[np.float64]:
        """Shuffle and analyze, and check what somebody's own class returns."""
        delivered = self.shuffle(messages, rng)
        if not isinstance(delivered, np.ndarray):
            raise ValueError(f"shuffle must return an array of messages, got {_checks.told(delivered)}")
        answer = self.analyze(delivered, rng)
        array = np.asarray(answer)
        if array.shape != (self.dimension,) or array.dtype.kind not in "biuf" or not np.isfinite(array).all():
            raise ValueError(f"analyze must return finite numbers of shape ({self.dimension},), got {_checks.told(answer)}")
        return array

    @property
    def sub_gaussian_std(self) -> float:
        """Sub-Gaussian std of the noise of a coordinate, whatever the values are; infinite if there is none.

        Given the values, coordinates must be independent. The std itself if the noise is Gaussian; half the ``span`` by Hoeffding's
        lemma if not, unless a subclass knows better.
        """
        return self.noise_std if self.gaussian else self.span / 2

    def draw_ahead(self, batches: int, rng: np.random.Generator) -> NDArray[np.float64]:
        """Draw the random numbers of so many releases, shape (batches, ahead); for simulators."""
        raise NotImplementedError

    def noise_from(self, rows: NDArray[np.float64], values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Turn such rows, one per release of values (releases, users, dimension), into (released - true sum)."""
        raise NotImplementedError

    def check(self, values: ArrayLike, users: int | None = None) -> NDArray[np.float64]:
        """Return values as an array of shape (users, dimension), of any length if None, or say what is wrong."""
        array = rows(values, users, self.dimension, finite=not self.clip)
        if self.clip:
            return self.domain.clip(array)
        self.domain.check(array)
        return array

    def __repr__(self) -> str:
        """Return the class, the batch size and the noise."""
        return f"{type(self).__name__}(users={self.users}, noise_std={self.noise_std:.4g})"


def complete(privatizer: object) -> Privatizer:
    """Return a privatizer, or raise the TypeError that says what a class of somebody's own lacks."""
    if not isinstance(privatizer, Privatizer):
        raise TypeError(f"privatizer must be an instance of a subclass of bandits_dp.privatizers.Privatizer, got "
                        f"{_checks.told(privatizer)}")
    missing = [name for name in ("users", "domain", "guarantee", "noise_std", "bits_per_user") if not hasattr(privatizer, name)]
    if missing:
        raise TypeError(f"privatizer must call super().__init__(users, domain) and set guarantee, noise_std and bits_per_user, but "
                        f"{type(privatizer).__name__} lacks {', '.join(missing)}")
    if not isinstance(privatizer.guarantee, Guarantee):
        raise TypeError(f"guarantee must be a bandits_dp.Guarantee, got {_checks.told(privatizer.guarantee)} in "
                        f"{_checks.told(privatizer)}")
    return privatizer


def certified(calibration: str, what: str, why: str = "no paper publishes a figure with it") -> bool:
    """Return whether the calibration is "certified", and not "theorem"; refuse "experiment", and say why there is none."""
    if calibration == "experiment":
        raise ValueError(f"calibration must be 'certified' or 'theorem' for {what}, got 'experiment': {why}")
    return calibration == "certified"
