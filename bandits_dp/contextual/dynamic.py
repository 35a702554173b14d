r"""Noise of dynamic sensitivity on parameters that are released after every round.

Wang, Zhao, Wang (2022) release :math:`A_t^{-1} b_t + \eta_t`, with noise that shrinks as a reward
moves the parameter less and less. No noise is drawn before its round.

**Certified** (:class:`DynamicGaussian`): their idea, with a proof. Since :math:`A_t` is public, so
is the bound :math:`\lVert A_t^{-1} x_j (r_j - r_j') \rVert_2 \le c L / \lambda_{\min}(A_t)`, where
c is the length of the rewards' range; it needs no assumption on contexts. A reward is in all T
releases, whose noise is independent, so each release gets Gaussian noise of std
:math:`\sqrt T c L / (\lambda_{\min}(A_t) \mu)`, where :math:`1 / \mu` is the noise of one exact
Gaussian mechanism of sensitivity 1. Given the past, the shift in units of the noise is always at
most :math:`\mu / \sqrt T`; T such shifts compose to one of at most :math:`\mu`
(:mod:`bandits_dp.contextual.linucb_rewards`). The price of independent noise on parameters is a
factor of the order of :math:`\sqrt T`, where a counter's noise grows like :math:`\log T`. In live
use :math:`A_t` and :math:`b_t` are exact sums of integers, so the ridge never gets lost in
rounding; :math:`A_t^{-1} b_t` is an exact fraction, which is rounded and gets noise as in
:mod:`bandits_dp.noise.grid`.

**As we read the paper** (:class:`DynamicLaplace`; Algorithm 1). The release after round t gets, in
every coordinate, one Laplace noise of scale :math:`\Delta_\tau \log_2 T / \varepsilon` for each
node of the dyadic decomposition of t. :math:`\Delta_\tau` bounds how far a reward moves a parameter
and shrinks with :math:`\tau`. The proof of Theorem 2 has :math:`\tau = t - 2^i + 1` for bit i (line
6 of Algorithm 1 is garbled in our copy); the proof of Theorem 1 and an early code use the node's
right end as :math:`\tau`. The two agree if all lower bits of t are ones. The early code is in
https://github.com/HCDM/BanditLib, branch ``dz/experiment`` at commit 460554f (22 May 2019),
``lib/PrivateLinUCB.py`` and ``lib/partial_sums.py``: by one of the authors, and possibly not the
code behind the figures.

*Fresh or kept.* In Algorithms 1 and 2 as printed, noise is drawn anew for every t; "we only use the
tree mechanism to sample noise for each partial sum" (appendix) may also mean that the noise of a
node is drawn once and kept, as in the early code (here: *explicit tree*). The difference is large:
kept noise cancels in :math:`\theta_t - \theta_{p(t)}`, with p(t) the parent of t in the tree, so
all releases together reveal as much as T independent releases of

.. math:: \theta_t - \theta_{p(t)} + \text{noise}_t ,
          \qquad \text{moved by } h_t - h_{p(t)} ,\quad h_t = A_t^{-1} x_j (r_j - r_j') ,

whose shifts are small for the many short nodes. For nodes after j they are not zero, though; the
appendix notes that an increment depends "on not only incoming" features and reward, "but also the
historical statistics summarized in" :math:`A_t`. (It depends on :math:`b_t`, too.)

*Unknown horizon.* The hybrid mechanism (Chan, Shi, Song 2011) splits the rounds at powers of two.
The sums up to these get half of epsilon, and a tree of k levels inside the last segment, of length
:math:`2^k`, gets the other half: the factor :math:`\log_2 T` becomes 2 and 2 k.

*Proofs:* chapter 12 has a table. With fresh noise the claimed privacy of arms fails for very many
rounds; kept noise with Lemma 1's scale is private in one dimension; the rest is open, so there is
no guarantee. ``DynamicLaplace.privacy`` bounds epsilon for a given sequence of features and an
adversary who sees the parameters.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bandits_dp import _checks
from bandits_dp._types import Floats
from bandits_dp.accounting.dynamic import laplace_sums_epsilon, parameter_shifts
from bandits_dp.accounting.gaussian import gaussian_noise_std
from bandits_dp.continual.intervals import climb_bits, climb_segments
from bandits_dp.noise.grid import grid

CHUNK = 4096  # rounds of noise drawn together


class DynamicGaussian:
    """Certified noise: sensitivity bounded by the public matrix, composed over all rounds.

    Parameters
    ----------
    dimension, horizon : int
        d and T, >= 1.
    epsilon, delta : float
        The guarantee; epsilon > 0, delta in (0, 1).
    change : float
        c L: length of the rewards' range times the bound on the norm of features.
    """

    changes: ClassVar[tuple[str, ...]] = ()

    def __init__(self, dimension: int, horizon: int, epsilon: float, delta: float,
                 change: float) -> None:
        self.dimension, self.horizon, self.change = dimension, horizon, change
        self.scale = gaussian_noise_std(epsilon, delta, change) * math.sqrt(horizon)

    def factor(self, A: Floats, ridge: float) -> Floats:
        """Return the std of the noise, given matrices A >= ridge I, shape (..., d, d)."""
        values = np.linalg.eigvalsh(A)
        least = np.maximum(values[..., 0] - 1e-13 * values[..., -1], ridge)  # allows for rounding
        return np.asarray(self.scale / least)[..., None]

    def release(self, parameter: list[Fraction], A: Floats, ridge: float, moved: float,
                rng: np.random.Generator) -> Floats:
        """Release the exact parameter of an exact matrix >= ridge I, of which A is a rounded copy.

        The parameter is rounded to a grid that depends on A only. Rounding may add ``moved`` to the
        distance ``change`` of neighbouring sums of x r.
        """
        factor = float(self.factor(A, ridge)[0])
        by = grid("gaussian", factor, self.change * factor / self.scale, self.dimension,
                  moved * factor / self.scale)
        whole = np.array([round(number / Fraction(by.step)) for number in parameter], dtype=object)
        return by.real(whole + by.noise(whole.shape, rng).astype(object))

    def path(self, rng: np.random.Generator, rounds: int) -> Floats:
        """Draw a run's noise before multiplication by ``factor``, shape (rounds, d)."""
        return rng.normal(size=(rounds, self.dimension))


@dataclass(frozen=True)
class DynamicBound:
    """Delta_tau: a bound, shrinking like 1 / tau, on how far a reward moves a parameter.

    Parameters
    ----------
    rate : float
        The bound after round ``start`` is rate / tau, and at most ``early``.
    early : float
        The bound up to round ``start``.
    start : float
        Last round of the bound ``early``.
    """

    rate: float
    early: float = math.inf
    start: float = 0.0

    def __call__(self, tau: NDArray[np.int64]) -> Floats:
        """Return the bound for rounds tau >= 1."""
        return np.where(tau > self.start, np.minimum(self.rate / tau, self.early), self.early)


class DynamicLaplace:
    """The noise of Algorithm 1 (Wang, Zhao, Wang 2022); see the module's text.

    Parameters
    ----------
    dimension, horizon : int
        d and T, >= 1.
    epsilon : float
        Nominal epsilon, > 0.
    sensitivity : DynamicBound
        Delta_tau.
    change : float
        Length of the rewards' range.
    explicit_tree : bool
        Whether the noise of a node is drawn once and kept.
    hybrid : bool
        Whether the noise is independent of the horizon.
    printed : bool
        Whether tau is t - 2^i + 1, as in the proof of Theorem 2, and not the node's right end
        (fresh tree noise only).

    Attributes
    ----------
    steps : int
        Number of releases so far.
    kept : ndarray, shape (levels, d)
        With an explicit tree: the noise of the last release of every level; the level of a round is
        the number of times that 2 divides it.
    """

    changes: ClassVar[tuple[str, ...]] = ("steps", "kept")

    def __init__(self, dimension: int, horizon: int, epsilon: float, sensitivity: DynamicBound,
                 change: float = 2.0, explicit_tree: bool = False, hybrid: bool = False,
                 printed: bool = False) -> None:
        self.dimension, self.horizon, self.epsilon = dimension, horizon, _checks.epsilon(epsilon)
        self.sensitivity, self.change = sensitivity, change
        self.explicit_tree, self.hybrid, self.printed = explicit_tree, hybrid, printed
        self.steps = 0
        self.kept = np.zeros((horizon.bit_length() if explicit_tree else 0, dimension))

    def scales(self, rounds: ArrayLike | None = None) -> Floats:
        """Return the Laplace scales of rounds (all if None), shape (rounds, k); 0 for no noise."""
        t = np.asarray(np.arange(1, self.horizon + 1) if rounds is None else rounds,
                       dtype=np.int64)[:, None]
        top = np.frexp(t.astype(float))[1] - 1  # floor(log2 t)
        # 1 / epsilon of one node: at a power of two, and in the segment that starts there.
        whole = max(1.0, math.log2(self.horizon))
        power, inner = (2.0, 2.0 * np.maximum(top, 1)) if self.hybrid else (whole, whole)
        if self.explicit_tree:
            return self.sensitivity(t) * (np.where((t & (t - 1)) == 0, power, inner) / self.epsilon)
        bit = np.arange(self.horizon.bit_length())
        end = t >> bit << bit
        inside = (self.sensitivity(np.maximum(t - 2**bit + 1 if self.printed else end, 1))
                  * (inner / self.epsilon))
        drawn = (t >> bit) & 1 == 1
        if not self.hybrid:
            return np.where(drawn, inside, 0.0)
        sums = np.where(bit <= top, self.sensitivity(2**bit) * (power / self.epsilon), 0.0)
        return np.hstack([sums, np.where(drawn & (bit < top), inside, 0.0)])

    def stds(self) -> Floats:
        """Return the standard deviation of the noise of every release, shape (horizon,)."""
        variance = 2 * (self.scales() ** 2).sum(axis=1)
        return np.sqrt(self._climbed(variance[:, None])[:, 0] if self.explicit_tree else variance)

    def parents(self, t: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the parents of rounds t: round t keeps its parent's noise; 0 for none."""
        parent = t & (t - 1)
        return np.where(parent == 0, t // 2, parent) if self.hybrid else parent

    def _climbed(self, draws: Floats) -> Floats:
        """Add to every round's row the rows of its ancestors, shape (rounds, any)."""
        rows = np.vstack([np.zeros((1, draws.shape[1])), draws])
        (climb_segments if self.hybrid else climb_bits)(rows)
        return rows[1:]

    def factor(self, A: Floats, ridge: float) -> Floats:
        """Return 1: this noise does not depend on A."""
        return np.ones(1)

    def release(self, parameter: list[Fraction], A: Floats, ridge: float, moved: float,
                rng: np.random.Generator) -> Floats:
        """Add the next release's noise, in floating point, as there is no guarantee to keep."""
        return np.array(parameter, dtype=float) + self.step(rng)

    def step(self, rng: np.random.Generator) -> Floats:
        """Draw the noise of the next release."""
        self.steps += 1
        t = np.array([self.steps])
        scales = self.scales(t)
        scales = scales[scales > 0]
        noise = np.asarray(
            (rng.laplace(size=(len(scales), self.dimension)) * scales[:, None]).sum(axis=0))
        if self.explicit_tree:
            parent = int(self.parents(t)[0])
            if parent:
                noise = noise + self.kept[_level(parent)]
            self.kept = self.kept.copy()
            self.kept[_level(self.steps)] = noise
        return noise

    def path(self, rng: np.random.Generator, rounds: int) -> Floats:
        """Draw a run's noise, shape (rounds, d), from the same random numbers as :meth:`step`."""
        scales = self.scales()[:rounds]
        if self.explicit_tree:
            return self._climbed(rng.laplace(size=(rounds, self.dimension)) * scales)
        noise = np.empty((rounds, self.dimension))
        for start in range(0, rounds, CHUNK):
            chunk = scales[start : start + CHUNK]
            drawn = rng.laplace(size=(np.count_nonzero(chunk),
                                      self.dimension)) * chunk[chunk > 0][:, None]
            first = np.concatenate([[0], np.count_nonzero(chunk, axis=1).cumsum()[:-1]])
            noise[start : start + CHUNK] = np.add.reduceat(drawn, first)
        return noise

    def privacy(self, features: ArrayLike, ridge: float, delta: float,
                record: int = 0) -> tuple[float, float]:
        """Bound the true epsilon from both sides, for one record and given features.

        Parameters
        ----------
        features : array_like, shape (rounds, d)
            Features of the arms that were played, at most ``horizon`` rounds.
        ridge : float
            lambda, > 0.
        delta : float
            Failure mass, in [0, 1).
        record : int
            Round whose reward is attacked, counted from 0.

        Returns
        -------
        tuple of float
            Lower and upper bound, see :func:`bandits_dp.accounting.dynamic.laplace_sums_epsilon`.

        Raises
        ------
        ValueError
            If an argument is out of range, or there are too many rounds.
        """
        shifts = parameter_shifts(features, ridge, record, self.change)
        if len(shifts) > self.horizon:
            raise ValueError(f"features must be of at most {self.horizon} rounds, got "
                             f"{len(shifts)}")
        if self.explicit_tree:
            parents = self.parents(np.arange(1, len(shifts) + 1))
            shifts = shifts - np.vstack([np.zeros((1, self.dimension)), shifts])[parents]
        return laplace_sums_epsilon(shifts, self.scales()[: len(shifts)], delta)


def _level(t: int) -> int:
    """Return how often 2 divides t. Later rounds have parents among each level's last round."""
    return (t & -t).bit_length() - 1
