r"""Rare events in floating point: noise that is needed with probability :math:`10^{-16}` must not be drawn as none.

numpy draws with uniform numbers that are multiples of :math:`2^{-53}`. A bit is one with a multiple of that, no matter what was
asked for; a binomial or Poisson number of a small mean is 0 whenever the uniform number is at most the probability of 0, so too
often by one step (for good, from a mean of :math:`2^{-53}` down). At a large epsilon, or in a huge crowd, that is much or all of
the noise. So samplers here draw rare events one step or two too often: less than what rounding may take, and never too little.
"""

from __future__ import annotations

import math

STEP = 2.0**-53  # of numpy's uniform numbers
RARE = 2.0**-10  # probabilities below which a step is more than 1e-13


def drawable(p: float, draws: int) -> float:
    """Return the probability, at most 1/2, with which a bit that should be one with ``p`` is to be drawn.

    Parameters
    ----------
    p : float
        Wanted probability, in (0, 1/2].
    draws : int
        How many such bits are drawn as one binomial number, >= 1. That number is at least 1 as often as it should be, or more.

    Returns
    -------
    float
        p itself from 2^-10 on; below, at least p + 2^-52 / draws, and a multiple of 2^-53, so that its difference from 1 is exact.
    """
    return p if p >= RARE else math.ceil((p + 2 * STEP / draws) / STEP) * STEP
