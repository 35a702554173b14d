r"""Margins of phased elimination: exact ones for every pair of actions, and printed ones.

The learner drops an action if the best estimate exceeds its own by more than a margin. The best
action :math:`x^*` survives a phase if :math:`\langle\tilde\theta_l - \theta^*, b - x^*\rangle`
stays below the margin of b for every active b; then every surviving action is worse than
:math:`x^*` by at most two margins.

**Assumptions of exact margins.** The users or clients of a phase are new, and mean rewards are
linear. Two deviations from linearity are in none of the margins: the projection of the means of
signs (``projection_bias`` of :class:`bandits_dp.linear.client_problems.ClientPopulation`), and
clipping, if used.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from bandits_dp import _checks
from bandits_dp._types import Floats
from bandits_dp.ask_tell import Noise

# Arguments of log-moment generating functions, in units of one over the noise's std. Optimal
# ones are below sqrt(2 ln(1 / beta)).
GRID = np.geomspace(0.01, 20.0, 201)
LIMITS = slice(3, None, 4)  # intervals of the grid at whose ends a quadratic bound may stop


@dataclass(frozen=True)
class Phase:
    """The data of a phase that margins depend on.

    Attributes
    ----------
    length : float
        h_l, the number of plays before rounding up.
    plays : ndarray of int, shape (s,)
        T_l(x), number of plays of each action of the support.
    people : int
        Number of answers to each play: one user, or the clients of the phase.
    noise : tuple of Noise
        One per action of the support, or a single one for a vector of dimension s; each is the
        noise on a sum over its ``users``.

    Examples
    --------
    >>> import numpy as np
    >>> import bandits_dp as bdp
    >>> from bandits_dp.linear.widths import Phase
    >>> noise = bdp.privatizers.CentralLaplace(100, epsilon=1.0)
    >>> phase = Phase(length=200.0, plays=np.array([100, 100]), people=1, noise=(noise, noise))
    >>> [round(one.noise_std / one.users, 3) for one in phase.noise]  # std of released means
    [0.014, 0.014]
    """

    length: float
    plays: NDArray[np.int64]
    people: int
    noise: tuple[Noise, ...]


class DesignWidth(Protocol):
    """Bounds on the error of the difference of two estimates."""

    def margins(self, phase: Phase, differences: Floats, coefficients: Floats) -> Floats:
        """Return the margin of each difference of two actions at the end of a phase, shape (n,).

        ``coefficients``, shape (n, s), times the released means give the estimates for
        ``differences`` of actions, shape (n, d).
        """


class ExactWidth:
    r"""Rigorous margins from the noise's distribution, per pair of actions (certified calibration).

    The estimate of :math:`\langle\theta^*, b - x\rangle` is a combination
    :math:`\sum_j C_j \tilde y_j` of the released means. Its error has three independent parts:
    :math:`\sigma_r` sub-Gaussian rewards contribute the variance
    :math:`v = \sigma_r^2 \sum_j C_j^2 / (T_j |U|)`, clients with their own parameters add
    :math:`\sigma^2 \lVert b - x\rVert^2 / |U|` to v, and the noises have log-moment generating
    functions of at most :math:`\psi_j`. So

    .. math:: \ln E\, e^{s \cdot \mathrm{error}}
              \le \tfrac12 v s^2 + \sum_j \psi_j(s\, |C_j| / n_j),

    and by Chernoff's bound every s gives a margin :math:`(\ln(1/\beta) + \text{this}) / s` that is
    exceeded with probability at most :math:`\beta = 1 / (k T)`. Only the k differences that involve
    :math:`x^*` matter in each phase, on two sides: some margin fails in one of P phases with
    probability at most 2 P / T, which costs a regret of at most 4 P. The proofs are in chapters 8
    and 9 ("Certified margins hold", "The certified margin").

    **Clipping voids it.** The means of clipped answers are not linear in the actions, so the best
    action may be dropped; this happened in 3 to 18% of runs with bounds 0.5 to 0.05 on averages.
    The guarantee of such a learner says so; its privacy holds.

    **Few evaluations.** Each :math:`\psi` is convex with :math:`\psi(0) = 0`. On each interval of a
    grid its chord lies above it, so :math:`\psi(s) \le \psi(s_1) + \tfrac12 \kappa_g s^2` for all
    :math:`s \le s_g`, with :math:`\kappa_g` the maximum of :math:`2\,\mathrm{chord}(s) / s^2` up to
    :math:`s_g`. So for each g a quadratic in s bounds the exponent up to :math:`s_g`, and the best
    g is used. This loses nothing for Gaussian noise, under 1% for bits, and at most 5% for a few
    draws of Laplace noise.

    Parameters
    ----------
    arms, horizon : int
        k and T, >= 1.
    reward_std : float
        Sub-Gaussian parameter sigma_r of a reward, > 0.
    client_std : float
        sigma, >= 0: a client's parameter times x is sigma * norm(x) sub-Gaussian around the mean; 0
        if there are no clients.

    Examples
    --------
    >>> import numpy as np
    >>> import bandits_dp as bdp
    >>> from bandits_dp.linear.widths import ExactWidth, Phase
    >>> noise = bdp.privatizers.CentralLaplace(1000, epsilon=1.0)
    >>> phase = Phase(length=2000.0, plays=np.array([1000, 1000]), people=1, noise=(noise, noise))
    >>> differences = np.array([[1.0, -1.0], [0.1, -0.1]])  # of two played actions
    >>> width = ExactWidth(arms=3, horizon=10_000)
    >>> width.margins(phase, differences, differences).round(2).tolist()
    [0.2, 0.02]
    """

    @_checks.checked()
    def __init__(self, arms: int, horizon: int, reward_std: float = 1.0,
                 client_std: float = 0.0) -> None:
        self.log_failure = log_failure(arms, horizon)
        self.reward_std, self.client_std = reward_std, client_std

    def margins(self, phase: Phase, differences: Floats, coefficients: Floats) -> Floats:
        """Return the margin of each difference, shape (n,)."""
        squares = coefficients**2
        variance = squares @ (self.reward_std**2 / (phase.plays * phase.people))
        variance += (
            self.client_std**2 / phase.people * np.einsum("ij,ij->i", differences, differences))
        if phase.noise[0].noise_std == 0:
            return np.sqrt(2 * variance * self.log_failure)
        # several actions may share one
        bounds = {noise: _quadratics(noise) for noise in set(phase.noise)}
        noises = phase.noise * (len(phase.plays) // len(phase.noise))
        std = np.array([noise.noise_std / noise.users for noise in noises])
        # shape (s, limits)
        curvature = np.array([bounds[noise][0] for noise in noises]) * std[:, None] ** 2
        budget = self.log_failure + sum(bounds[noise][1] for noise in noises)
        total = variance[:, None] + squares @ curvature
        largest = np.abs(coefficients * std).max(axis=1, keepdims=True)
        # equal actions differ by 0, without error
        with np.errstate(divide="ignore", invalid="ignore"):
            s = np.minimum(np.sqrt(2 * budget / total), GRID[1:][LIMITS] / largest)
            best = (total * s / 2 + budget / s).min(axis=1)
        return np.where(largest[:, 0] > 0, best, np.sqrt(2 * variance * budget))


def _quadratics(noise: Noise) -> tuple[Floats, float]:
    """Return kappa_g, shape (limits,), and psi at the first point, in units of the noise's std."""
    psi = noise.log_mgf(GRID / noise.noise_std)
    finite = np.minimum(psi, 1e100)
    slope = np.diff(finite) / np.diff(GRID)
    offset = finite[:-1] - slope * GRID[:-1]  # of the chord; <= 0 up to rounding
    with np.errstate(divide="ignore"):
        top = np.clip(-2 * offset / slope, GRID[:-1], GRID[1:])  # where chord(s) / s^2 is largest
    kappa = np.max([2 * (offset + slope * s) / s**2 for s in (GRID[:-1], top, GRID[1:])], axis=0)
    return np.maximum.accumulate(kappa)[LIMITS], float(psi[0])


class PrintedWidth:
    r"""Margins as printed (theorem calibration): twice :math:`W_l`, the same for all actions.

    .. math:: W_l = \sqrt{\frac{4 d}{|U_l| h_l} \ln\frac1\beta}
              + \sqrt{\frac{2 \sigma^2}{|U_l|} \ln\frac1\beta}
              + \sqrt{2 \sigma_n^2 \ln\frac1\beta}, \qquad \beta = \frac{1}{k T},

    (Li, Zhou, Ji 2022, equations 3 and 54) with a :math:`\sigma_n` that depends on the trust model.

    Parameters
    ----------
    arms, dimension, horizon : int
        k, d and T, >= 1.
    private_std : callable
        Returns sigma_n of a :class:`Phase`.
    client_std : float
        sigma, >= 0.

    Examples
    --------
    >>> import numpy as np
    >>> from bandits_dp.linear.widths import Phase, PrintedWidth
    >>> width = PrintedWidth(arms=3, dimension=2, horizon=10_000, private_std=lambda phase: 0.002)
    >>> phase = Phase(length=2000.0, plays=np.array([1000, 1000]), people=1, noise=())
    >>> differences = np.array([[1.0, -1.0], [0.1, -0.1]])  # the margin is the same for both
    >>> width.margins(phase, differences, differences).round(2).tolist()
    [0.42, 0.42]
    """

    @_checks.checked(private_std=_checks.called)
    def __init__(self, arms: int, dimension: int, horizon: int,
                 private_std: Callable[[Phase], float], client_std: float = 0.0) -> None:
        self.log_failure = log_failure(arms, horizon)
        self.dimension, self.private_std, self.client_std = dimension, private_std, client_std

    def margins(self, phase: Phase, differences: Floats, coefficients: Floats) -> Floats:
        """Return the margin of each difference, shape (n,)."""
        terms = (4 * self.dimension / (phase.people * phase.length),
                 2 * self.client_std**2 / phase.people, 2 * self.private_std(phase) ** 2)
        return np.full(len(differences),
                       2 * sum(math.sqrt(term * self.log_failure) for term in terms))


@_checks.checked()
def log_failure(arms: int, horizon: int) -> float:
    """Return ln(1 / beta) with beta = 1 / (k T).

    Examples
    --------
    >>> from bandits_dp.linear.widths import log_failure
    >>> round(log_failure(arms=10, horizon=1000), 2)  # the logarithm of 10,000
    9.21
    """
    return math.log(arms) + math.log(horizon)
