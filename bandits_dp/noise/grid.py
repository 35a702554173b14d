r"""Gaussian and Laplace noise as a computer can draw it exactly: whole numbers of steps of a grid.

A double is a whole number of tiny steps, and sums of real noise in doubles have last bits that tell which value they began with
(Mironov 2012). So what is really released is made differently: values are rounded to a grid whose step is a power of two, sums of
them are exact, the noise is a whole number of steps from :class:`bandits_dp.noise.exact.Coins`, and the double that is
returned is a function of the whole number that comes out. What is proved holds for every bit of it. Below, numbers are in steps;
chapter 13 attacks the last digits of what comes out.

*Rounding.* Two values that were at most D apart are at most :math:`D + \sqrt d` apart after each of their d coordinates was rounded
(D + d in the l1 norm). The scale of the noise grows by that factor, by what the domain's check lets pass, by 2^-40 for what is
computed here, and by one step.

*Laplace noise.* With integers at most k apart in the l1 norm, discrete noise of the whole scale t loses at most k / t, surely. For
one number and the part of delta that Laplace noise can use: with :math:`q = e^{-(k/t - \varepsilon)/2}` its delta is at most
:math:`1 - q / \cosh(1 / 2t)`, where noise of a density has 1 - q. The step by which t is too large is worth more than that: it
makes k / t smaller by k / t^2, and q larger by a factor of :math:`e^{k/2t^2}`, which is more than :math:`\cosh(1/2t)`.

*Gaussian noise.* Discrete noise of parameter s around an integer a has the privacy of continuous noise of variance s^2 - 9, for it
is computed from that: draw y from N(a, s^2 - 9), and then an integer x with a probability proportional to
:math:`e^{-(x - y)^2 / 18}`. If what these weights add up to did not depend on y, the law of x would be proportional to the
integral over y, :math:`e^{-(x - a)^2 / 2 s^2}`, and be the discrete Gaussian. By Poisson's summation formula it does depend on y,
but only by a factor of :math:`1 \pm \eta` with :math:`\eta < 2.1\, e^{-18 \pi^2} < 10^{-76}`. So, with d coordinates, the
probabilities of the two laws differ by factors of at most :math:`(1 \pm 3 \eta)^d`; the surplus of 2^-40 is worth far more. And
:math:`\sqrt{s^2 - 9} \ge s - 1` if s is at least 5: that is the step by which s is too large.

All that makes the noise larger than that of a density by less than 10^-7, relatively; crowds of millions of users, or an epsilon
below 10^-4, need a coarser grid, and a little more. Widths use the std of the density.
"""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from bandits_dp.noise.exact import Coins

FINE = 36  # bits of the smaller one of scale and distance
LARGE = 2.0**50  # steps that a scale, or a sum of values, has at most
MOST = 2.0**52  # steps of a scale with what rounding adds to it
COARSE = 2.0**10  # steps that a scale has at least
SURPLUS = 1 + 2.0**-40

_integers = np.frompyfunc(int, 1, 1)


def whole(values: NDArray[np.float64], step: float) -> NDArray[np.object_]:
    """Round values to steps, as integers of any length."""
    return np.asarray(_integers(np.rint(values / step)), dtype=object)


@dataclass(frozen=True)
class Grid:
    """Multiples of a step, and the scale of the noise on them.

    Parameters
    ----------
    law : {"gaussian", "laplace"}
        Of the noise.
    step : float
        A power of two.
    scale : float
        Of the noise, in steps, if it were continuous: its std, or, of Laplace noise, its mean size.

    Examples
    --------
    >>> import numpy as np
    >>> from bandits_dp.noise.grid import Grid
    >>> coarse = Grid("gaussian", step=0.25, scale=8.0)
    >>> coarse.near(np.array([0.3, -1.0])).tolist()
    [0.25, -1.0]
    >>> bool((coarse.noisy(np.array([0.3, -1.0]), np.random.default_rng(1)) % 0.25 == 0).all())
    True
    """

    law: str
    step: float
    scale: float

    def near(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Round values to the grid. Sums of them are exact while they have no more than 2^53 steps."""
        return np.asarray(np.rint(values / self.step) * self.step)

    def noise(self, shape: tuple[int, ...], rng: np.random.Generator, factor: float = 1.0) -> NDArray[np.int64]:
        """Draw noise in steps, of the scale times a factor."""
        coins, size = Coins(rng), math.ceil(self.scale * factor) + 1
        draw = coins.gaussian if self.law == "gaussian" else coins.laplace
        return draw(size, math.prod(shape)).reshape(shape)

    def whole(self, values: NDArray[np.float64]) -> NDArray[np.object_]:
        """Round values to steps, as integers of any length."""
        return whole(values, self.step)

    def real(self, whole: NDArray[np.object_]) -> NDArray[np.float64]:
        """Return so many steps as doubles."""
        return np.asarray(whole.astype(float) * self.step)

    def noisy(self, values: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.float64]:
        """Round values to the grid, and add noise to every coordinate."""
        whole = np.rint(values / self.step).astype(np.int64)
        return np.asarray((whole + self.noise(whole.shape, rng)) * self.step)


@lru_cache(maxsize=1024)
def grid(law: str, scale: float, distance: float, coordinates: int, room: float = 0.0, largest: float = 0.0) -> Grid:
    """Return a grid on which the noise is as private as a density of this scale is.

    Parameters
    ----------
    law : {"gaussian", "laplace"}
        Of the noise.
    scale : float
        Std of the Gaussian noise, or scale of the Laplace noise, that is known to be enough.
    distance : float
        For which distance between neighbouring values: in the l2 norm, or the l1 norm for Laplace noise.
    coordinates : int
        Numbers per value d.
    room : float
        By how much neighbouring values may be further apart, because of rounding.
    largest : float
        Size of the largest sum that is to be exact.

    Returns
    -------
    Grid
        With a step of 2^-36 of the smaller one of scale and distance, or coarser if a number is not exact else.

    Raises
    ------
    ValueError
        If so large sums and so little noise do not fit into doubles, or noise is so large that its steps hide what one user does.
    """
    finest = max(math.ldexp(min(scale, distance), -FINE), scale / LARGE, largest / LARGE)
    step = math.ldexp(1.0, math.frexp(finest)[1] - (finest <= math.ldexp(min(scale, distance), -FINE)))
    if scale < COARSE * step:
        raise ValueError(f"users must be so few that sums up to {largest:g} are exact in steps that noise of scale {scale:g} has "
                         f"{COARSE:g} of, got sums that are exact in steps of {step:g}")
    moved = step * (math.sqrt(coordinates) if law == "gaussian" else coordinates) + room
    steps = scale / step * (1 + moved / distance) * SURPLUS
    if steps > MOST:
        raise ValueError(f"epsilon must be so large that noise is at most {LARGE:.3g} times as large as one user's part, which is "
                         f"{distance:g}, got noise of scale {scale:g}")
    return Grid(law, step, steps)
