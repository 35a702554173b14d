r"""The hybrid counter, for unknown horizons: sums between powers of two, and a tree in each.

Chan, Shi, Song 2011, "hybrid mechanism". Segment k is :math:`(2^{k-1}, 2^k]`; round 1 is a segment
of its own. At its end the *logarithmic* mechanism releases the segment's noisy sum; running sum
:math:`2^k` adds up the sums of all segments so far. Before the end, a tree over the segment's first
:math:`2^{k-1} - 1` values, each in at most :math:`h = k - 1` nodes, gives the rest.

*Composition used here.* A value lies in one segment, so it enters one segment sum and at most h
nodes, for streams of any length. With Gaussian noise of std :math:`\sigma \sqrt{1 + \sqrt h}` on
the segment sum and :math:`\sigma \sqrt{h + \sqrt h}` on each node, the exact composition is

.. math:: \frac{1}{1 + \sqrt h} + \frac{h}{h + \sqrt h} = 1

release of sensitivity D with noise :math:`\sigma`, in every segment. With Laplace noise the scales
are :math:`b (1 + h^{2/3})` and :math:`b (h + h^{1/3})`, whose inverses also add up to 1/b. Both
splits nearly minimise the largest error. The paper gives half of epsilon to each mechanism, and its
tree also answers in the segment's last round.
"""

import numpy as np
from numpy.typing import NDArray

from bandits_dp._types import Floats
from bandits_dp.continual.intervals import IntervalCounter, bit_parents, climb_segments


class HybridCounter(IntervalCounter):
    """Tree for an unknown horizon: the guarantee holds for a stream of any length.

    With M0 rounds per user, m of them in one segment, that segment contributes at most m^2 D^2 /
    sigma^2, as each sum contains at most m of them. The sum of m^2 over segments is at most M0^2,
    so the sensitivity is M0 D; no smaller bound holds for every length.

    Parameters, attributes and errors as for :class:`Counter`, except that ``horizon`` may be None:
    then any number of values can be added, and ``noise_path`` needs ``steps``. The noise does not
    depend on ``horizon``. ``noise_std`` is sigma, the std in rounds 1 and 2; later draws have more
    noise, and ``sensitivity`` is for sums scaled to noise sigma. Memory: O(log t) noises.

    Examples
    --------
    Error (std) of sum 1000 and of sum 1,000,000 of a stream without an end, at (1, 1e-6):

    >>> import bandits_dp as bdp
    >>> counter = bdp.continual.HybridCounter(None, epsilon=1.0, delta=1e-6)
    >>> counter.error_std([1000, 10**6]).round(1).tolist()
    [39.2, 61.7]
    """

    _what = "a segment's sum and the nodes of its tree together, for a stream of any length"
    endless = True
    _open = staticmethod(bit_parents)  # down to the power of two that starts the segment
    _climb = staticmethod(climb_segments)

    def _parent(self, t: int) -> int:
        rest = t & (t - 1)
        return rest if rest > 0 else t // 2

    def _scale(self, t: NDArray[np.int64]) -> Floats:
        # h of the segment's tree: floor(log2(t - 1)), or 0 at t = 1
        h = np.maximum(np.frexp(t - 1.0)[1] - 1.0, 0.0)
        ends = (t & (t - 1)) == 0
        if self.noise == "gaussian":
            return np.sqrt(np.where(ends, 1.0, h) + np.sqrt(h))
        return np.where(ends, 1 + np.cbrt(h) ** 2, h + np.cbrt(h))

    def _column_norm(self, rounds: int, power: int) -> float:
        return float(rounds)

    def _variance(self, t: NDArray[np.int64]) -> Floats:
        powers = 1 << np.arange(int(t.max(initial=1)).bit_length())
        segments = np.cumsum(self._scale(powers) ** 2)
        last = np.frexp(t.astype(float))[1] - 1  # floor(log2 t)
        inside = np.bitwise_count(t) - 1.0
        return segments[last] + inside * self._scale(t) ** 2
