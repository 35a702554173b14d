r"""LinUCB-DGS, as we read it: Laplace noise on every released parameter, for a sensitivity that shrinks.

**The noise** (Wang, Zhao, Wang 2022, Algorithm 1). The release after round t gets, in every coordinate, one Laplace noise for each
node of the dyadic decomposition of t, of scale :math:`\Delta_\tau \log_2 T / \varepsilon`. The bound :math:`\Delta_\tau` on how far
a reward moves a parameter shrinks with :math:`\tau`. The proof of Theorem 2 prints :math:`\tau = t - 2^i + 1` for bit i (line 6 of
Algorithm 1 is garbled in our copy); the proof of Theorem 1 and an early code have the node's right end. They agree if all lower
bits of t are ones. The early code is that of https://github.com/HCDM/BanditLib, branch ``dz/experiment`` at commit 460554f (22
May 2019), ``lib/PrivateLinUCB.py`` and ``lib/partial_sums.py``: code by one of the authors, and possibly not the figures'.

*Fresh or kept.* As Algorithms 1 and 2 print it, noise is drawn anew for every t; "we only use the tree mechanism to sample noise
for each partial sum" (appendix) may also mean that the noise of a node is drawn once and kept, as in the early code (here:
*explicit tree*). That is a great difference: kept noise cancels in :math:`\theta_t - \theta_{p(t)}`, p(t) the parent of t in the
tree, so all releases together tell as much as T independent ones of

.. math:: \theta_t - \theta_{p(t)} + \text{noise}_t ,
          \qquad \text{moved by } h_t - h_{p(t)} ,\quad h_t = A_t^{-1} x_j (r_j - r_j') ,

and these shifts are small for the many short nodes. They are not zero for nodes after j, though; the appendix notes that increments
depend on "the historical statistics".

*Unknown horizon.* With the hybrid mechanism (Chan, Shi, Song 2011) t is split at the powers of two up to t, whose sums get half
of epsilon, and inside its last segment of length :math:`2^k`, where a tree of k levels gets the other half: the factor
:math:`\log_2 T` becomes 2 and 2 k.

*What is proved:* chapter 12 has a table. Fresh noise contradicts the claimed privacy of arms for very many rounds; kept noise with
Lemma 1's scale is private in one dimension; the rest is open, so the guarantee says "none". ``DynamicLaplace.privacy`` bounds
epsilon for a given sequence of features, if parameters are seen.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bandits_dp import _checks
from bandits_dp.accounting.dynamic import laplace_sums_epsilon, parameter_shifts
from bandits_dp.continual.intervals import climb_bits
from bandits_dp.guarantee import Guarantee
from bandits_dp.learners.reward_private_noise import ParameterNoise
from bandits_dp.widths.ridge import NoiseLaw

CHUNK = 4096  # rounds whose noise is drawn together


@dataclass(frozen=True)
class DynamicBound:
    """Delta_tau: a bound on how far a reward moves a parameter that shrinks like 1 / tau.

    Parameters
    ----------
    rate : float
        The bound is rate / tau, and at most ``early``.
    early : float
        The bound up to round ``start``.
    start : float
        See above.
    """

    rate: float
    early: float = math.inf
    start: float = 0.0

    def __call__(self, tau: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the bound for rounds tau >= 1."""
        return np.where(tau > self.start, np.minimum(self.rate / tau, self.early), self.early)


class DynamicLaplace(ParameterNoise):
    """The noise of Algorithm 1.

    Parameters
    ----------
    dimension, horizon, guarantee, arms, context_std
        As in :class:`ParameterNoise`.
    epsilon : float
        Nominal epsilon, > 0.
    sensitivity : DynamicBound
        Delta_tau.
    change : float
        Length of the rewards' range.
    explicit_tree : bool
        Whether the noise of a node is kept.
    hybrid : bool
        Whether the noise does without the horizon.
    printed : bool
        Whether tau is t - 2^i + 1, as in the proof of Theorem 2, and not the node's right end (fresh tree noise only).
    """

    def __init__(
        self,
        dimension: int,
        horizon: int,
        guarantee: Guarantee,
        arms: int,
        epsilon: float,
        sensitivity: DynamicBound,
        change: float = 2.0,
        explicit_tree: bool = False,
        hybrid: bool = False,
        printed: bool = False,
        context_std: float = 0.0,
    ) -> None:
        super().__init__(dimension, horizon, guarantee, arms, context_std)
        self.epsilon = _checks.epsilon(epsilon)
        self.sensitivity, self.change = sensitivity, change
        self.explicit_tree, self.hybrid, self.printed = explicit_tree, hybrid, printed
        variance = 2 * (self.scales() ** 2).sum(axis=1)
        if explicit_tree:
            variance = self._climbed(variance[:, None])[:, 0]
        self.law = NoiseLaw(np.sqrt(variance), np.zeros(horizon))

    def scales(self) -> NDArray[np.float64]:
        """Return the scales of the Laplace noises drawn for every release, shape (horizon, k); zero where there is none."""
        t = np.arange(1, self.batches + 1)[:, None]
        top = np.frexp(t.astype(float))[1] - 1  # floor(log2 t)
        if self.explicit_tree:
            return self.sensitivity(t) * self._share(top, (t & (t - 1)) == 0)
        bit = np.arange(self.batches.bit_length())
        end = t >> bit << bit
        inside = self.sensitivity(np.maximum(t - 2**bit + 1 if self.printed else end, 1)) * self._share(top, np.array(False))
        drawn = (t >> bit) & 1 == 1
        if not self.hybrid:
            return np.where(drawn, inside, 0.0)
        sums = np.where(bit <= top, self.sensitivity(2**bit) * self._share(top, np.array(True)), 0.0)
        return np.hstack([sums, np.where(drawn & (bit < top), inside, 0.0)])

    def _share(self, top: NDArray[np.int64], at_power: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Return the inverse of the epsilon of one node, in a segment that starts at 2^top."""
        if not self.hybrid:
            return np.full(top.shape, max(1.0, math.log2(self.batches)) / self.epsilon)
        return np.where(at_power, 2.0, 2.0 * np.maximum(top, 1)) / self.epsilon

    def _climbed(self, draws: NDArray[np.float64]) -> NDArray[np.float64]:
        """Add to every round's row those of the nodes before, shape (rounds, any)."""
        rows = np.vstack([np.zeros((1, draws.shape[1])), draws])
        if not self.hybrid:
            climb_bits(rows)
            return rows[1:]
        powers = 1 << np.arange(len(draws).bit_length())
        rows[powers] = rows[powers].cumsum(axis=0)
        for start in powers.tolist():
            climb_bits(rows[start : 2 * start])
        return rows[1:]

    def parameter_noise(self, rng: np.random.Generator, rounds: int) -> NDArray[np.float64]:
        """Draw one noise per scale, and add them up."""
        scales = self.scales()[:rounds]
        if self.explicit_tree:
            return self._climbed(rng.laplace(size=(rounds, self.dimension)) * scales)
        noise = np.empty((rounds, self.dimension))
        for start in range(0, rounds, CHUNK):
            chunk = scales[start : start + CHUNK]
            drawn = rng.laplace(size=(np.count_nonzero(chunk), self.dimension)) * chunk[chunk > 0][:, None]
            first = np.concatenate([[0], np.count_nonzero(chunk, axis=1).cumsum()[:-1]])
            noise[start : start + CHUNK] = np.add.reduceat(drawn, first)
        return noise

    def privacy(self, features: ArrayLike, ridge: float, delta: float, record: int = 0) -> tuple[float, float]:
        """Bound the true epsilon from below and above, for one record and a given sequence of features.

        Parameters
        ----------
        features : array_like, shape (rounds, d)
            Features of the arms that were played, at most ``horizon`` rounds.
        ridge : float
            lambda, > 0.
        delta : float
            Failure mass, in [0, 1).
        record : int
            The round whose reward is attacked, from 0.

        Returns
        -------
        tuple of float
            See :func:`bandits_dp.accounting.dynamic.laplace_sums_epsilon`.

        Raises
        ------
        ValueError
            If an argument is out of range.
        """
        shifts = parameter_shifts(features, ridge, record, self.change)
        if len(shifts) > self.batches:
            raise ValueError(f"features must be of at most {self.batches} rounds, got {len(shifts)}")
        if self.explicit_tree:
            t = np.arange(1, len(shifts) + 1)
            parent = t & (t - 1)
            if self.hybrid:
                parent = np.where(parent == 0, t // 2, parent)
            shifts = shifts - np.vstack([np.zeros((1, self.dimension)), shifts])[parent]
        return laplace_sums_epsilon(shifts, self.scales()[: len(shifts)], delta)
