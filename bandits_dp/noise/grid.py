r"""Gaussian and Laplace noise that a computer can draw exactly: integer multiples of a step.

In a sum of a value and real noise in doubles the last bits reveal the value (Mironov 2012). So
releases avoid such sums: values are rounded to a grid whose step is a power of two, their sums are
exact, the noise is an integer number of steps from :class:`bandits_dp.noise.exact.Coins`, and
the returned double is a function of the integer result. The guarantee thus holds for every bit of
it. Below, numbers are in steps; chapter 13 attacks the last digits of the result.

*Rounding.* Two values at distance at most D have distance at most :math:`D + \sqrt d` after
rounding their d coordinates (D + d in the l1 norm). The scale of the noise grows by that factor, by
the tolerance of the domain's check, by a factor of 1 + 2^-40 for rounding errors of these
computations, and by one step.

*Laplace noise.* For integers at most k apart in the l1 norm, the privacy loss of discrete noise of
integer scale t is at most k / t, always. For one number with a delta: with
:math:`q = e^{-(k/t - \varepsilon)/2}` the delta is at most :math:`1 - q / \cosh(1 / 2t)`, where
noise with a density has 1 - q. The extra step of t outweighs this: it lowers k / t by k / t^2 and
so raises q by a factor of :math:`e^{k/2t^2}`, which exceeds :math:`\cosh(1/2t)`.

*Gaussian noise.* Discrete noise of parameter s around an integer a is as private as continuous
noise of variance s^2 - 9, because it can be computed from the latter: draw y from N(a, s^2 - 9),
then an integer x with probability proportional to :math:`e^{-(x - y)^2 / 18}`. If the sum of these
weights did not depend on y, the probability of x would be proportional to the integral over y,
:math:`e^{-(x - a)^2 / 2 s^2}`, and x would be discrete Gaussian. By Poisson's summation formula the
sum depends on y only by a factor of :math:`1 \pm \eta` with
:math:`\eta < 2.1\, e^{-18 \pi^2} < 10^{-76}`. So, with d coordinates, the probabilities under the
two distributions differ by factors of at most :math:`(1 \pm 3 \eta)^d`; the surplus of 2^-40
outweighs this by far. The extra step of s covers the smaller variance:
:math:`\sqrt{s^2 - 9} \ge s - 1` if s is at least 5.

All this makes the noise larger than noise with a density by less than a relative 10^-7; crowds of
millions of users, or an epsilon below 10^-4, need a coarser grid and a little more noise. Widths
use the std of the density.
"""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from bandits_dp._types import Floats
from bandits_dp.noise.exact import Coins

FINE = 36  # bits of the smaller of scale and distance
LARGE = 2.0**50  # most steps of a scale, or of a sum of values
MOST = 2.0**52  # most steps of a scale after allowing for rounding
COARSE = 2.0**10  # least steps of a scale
SURPLUS = 1 + 2.0**-40

_integers = np.frompyfunc(int, 1, 1)


def whole(values: Floats, step: float) -> NDArray[np.object_]:
    """Round values to steps, as integers of any length."""
    return np.asarray(_integers(np.rint(values / step)), dtype=object)


@dataclass(frozen=True)
class Grid:
    """Multiples of a step, and the scale of the noise on them.

    Parameters
    ----------
    law : {"gaussian", "laplace"}
        Distribution of the noise.
    step : float
        A power of two.
    scale : float
        Scale of the corresponding continuous noise, in steps: the std, or the mean size for Laplace
        noise.

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

    def near(self, values: Floats) -> Floats:
        """Round values to the grid. Their sums are exact up to 2^53 steps."""
        return np.asarray(np.rint(values / self.step) * self.step)

    def noise(self, shape: tuple[int, ...], rng: np.random.Generator,
              factor: float = 1.0) -> NDArray[np.int64]:
        """Draw noise in steps, with ``factor`` times the scale."""
        coins, size = Coins(rng), math.ceil(self.scale * factor) + 1
        draw = coins.gaussian if self.law == "gaussian" else coins.laplace
        return draw(size, math.prod(shape)).reshape(shape)

    def whole(self, values: Floats) -> NDArray[np.object_]:
        """Round values to steps, as integers of any length."""
        return whole(values, self.step)

    def real(self, whole: NDArray[np.object_]) -> Floats:
        """Convert integers of steps to doubles."""
        return whole.astype(float) * self.step

    def noisy(self, values: Floats, rng: np.random.Generator) -> Floats:
        """Round values to the grid, and add noise to every coordinate."""
        whole = np.rint(values / self.step).astype(np.int64)
        return np.asarray((whole + self.noise(whole.shape, rng)) * self.step)


@lru_cache(maxsize=1024)
def grid(law: str, scale: float, distance: float, coordinates: int, room: float = 0.0,
         largest: float = 0.0) -> Grid:
    """Return a grid on which the noise is as private as noise with a density of this scale.

    Parameters
    ----------
    law : {"gaussian", "laplace"}
        Distribution of the noise.
    scale : float
        Std of the Gaussian noise, or scale of the Laplace noise, that suffices in real numbers.
    distance : float
        Largest distance between neighbouring values, in the l2 norm, or the l1 norm for Laplace
        noise.
    coordinates : int
        Numbers per value d.
    room : float
        Excess of that distance that rounding allows, >= 0.
    largest : float
        Size of the largest sum that must be exact.

    Returns
    -------
    Grid
        The step is 2^-36 of the smaller of scale and distance, or coarser if numbers would not be
        exact.

    Raises
    ------
    ValueError
        If the sums are too large for the noise's steps in doubles, or the noise is too large for a
        user's part.
    """
    finest = max(math.ldexp(min(scale, distance), -FINE), scale / LARGE, largest / LARGE)
    step = math.ldexp(1.0,
                      math.frexp(finest)[1] - (finest <= math.ldexp(min(scale, distance), -FINE)))
    if scale < COARSE * step:
        raise ValueError(f"users must be so few that sums up to {largest:g} are exact in steps of "
                         f"which noise of scale {scale:g} has {COARSE:g}, got sums that are exact "
                         f"in steps of {step:g}")
    moved = step * (math.sqrt(coordinates) if law == "gaussian" else coordinates) + room
    steps = scale / step * (1 + moved / distance) * SURPLUS
    if steps > MOST:
        raise ValueError(f"epsilon must be so large that noise is at most {LARGE:.3g} times as "
                         f"large as one user's part, which is {distance:g}, got noise of scale "
                         f"{scale:g}")
    return Grid(law, step, steps)
