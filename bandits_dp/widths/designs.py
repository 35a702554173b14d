r"""Margins of phased elimination: exact ones for every pair of actions, and the printed ones.

An action is dropped when the best estimate exceeds its own by more than a margin. The best action :math:`x^*` survives a phase if
:math:`\langle\tilde\theta_l - \theta^*, b - x^*\rangle` stays below the margin of b for every active b; then every other action
that survives is worse than :math:`x^*` by two margins at most.

**What exact margins rest on.** The users or clients of a phase are new, and mean rewards are linear. Two things bend them a little,
and no margin contains that: the projection of the means of signs (``projection_bias`` of
:class:`bandits_dp.problems.clients.ClientPopulation`), and clipping, where it was asked for.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from bandits_dp import _checks
from bandits_dp.ask_tell import Floats, Noise

# Arguments of log-moment generating functions, in units of one over the noise's std. Optimal ones are below sqrt(2 ln(1 / beta)).
GRID = np.geomspace(0.01, 20.0, 201)
LIMITS = slice(3, None, 4)  # of the intervals of the grid, those up to whose ends a quadratic is tried


@dataclass(frozen=True)
class Phase:
    """What margins depend on of a phase.

    Attributes
    ----------
    length : float
        h_l, the number of plays before rounding up.
    plays : ndarray of int, shape (s,)
        T_l(x), how often each action of the support is played.
    people : int
        How many answer each play: one user, or the clients of the phase.
    noise : tuple of Noise
        One per action of the support, or a single one of a vector of dimension s; each is that of a sum over its ``users``.

    Examples
    --------
    >>> import numpy as np
    >>> import bandits_dp as bdp
    >>> from bandits_dp.widths.designs import Phase
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
    """How far the difference of two estimates may be from the difference of the means."""

    def margins(self, phase: Phase, differences: Floats, coefficients: Floats) -> Floats:
        """Return the margin of each difference of two actions, shape (n,), when a phase has ended.

        The estimates of the differences, shape (n, d), are the coefficients, shape (n, s), times the released means.
        """


class ExactWidth:
    r"""Rigorous margins from the law of the noise, one for each difference of two actions (certified calibration).

    The estimate of :math:`\langle\theta^*, b - x\rangle` is a combination :math:`\sum_j C_j \tilde y_j` of the released means. Its
    error has three independent parts: rewards, :math:`\sigma_r` sub-Gaussian, contribute the variance :math:`v = \sigma_r^2 \sum_j
    C_j^2 / (T_j |U|)`, clients with parameters of their own add :math:`\sigma^2 \lVert b - x\rVert^2 / |U|` to v, and the noises
    have log-moment generating functions of at most :math:`\psi_j`. So

    .. math:: \ln E\, e^{s \cdot \mathrm{error}} \le \tfrac12 v s^2 + \sum_j \psi_j(s\, |C_j| / n_j),

    and by Chernoff's bound every s gives a margin :math:`(\ln(1/\beta) + \text{this}) / s` that is exceeded with probability
    :math:`\beta = 1 / (k T)` at most. Only differences that involve :math:`x^*` matter, k in each phase, on two sides: one of them
    fails in one of P phases with probability 2 P / T at most, which costs no more regret than 4 P. The proofs are in chapters 8 and
    9 ("Certified margins hold", "The certified margin").

    **Clipping voids it.** Clipped answers have other means, which are not linear in the actions, so the best action may be dropped:
    it was in 3 to 18% of runs with bounds 0.5 to 0.05 on averages. The guarantee of such a learner says so; its privacy holds.

    **Few evaluations.** Each :math:`\psi` is convex, and 0 at 0. On each interval of a grid its chord is above it, so
    :math:`\psi(s) \le \psi(s_1) + \tfrac12 \kappa_g s^2` for all :math:`s \le s_g`, with :math:`\kappa_g` the largest of
    :math:`2\,\mathrm{chord}(s) / s^2` up to there. So the exponent is below a quadratic in s, up to a limit, for each g; the best g
    wins. Nothing is lost for Gaussian noise, under 1% for bits, and 5% at worst for a few draws of Laplace noise.

    Parameters
    ----------
    arms, horizon : int
        k and T, >= 1.
    reward_std : float
        Sub-Gaussian parameter sigma_r of a reward around its mean, > 0.
    client_std : float
        sigma: a client's parameter times x is sigma * norm(x) sub-Gaussian around the mean; 0 if there are no clients. >= 0.

    Examples
    --------
    >>> import numpy as np
    >>> import bandits_dp as bdp
    >>> from bandits_dp.widths.designs import ExactWidth, Phase
    >>> noise = bdp.privatizers.CentralLaplace(1000, epsilon=1.0)
    >>> phase = Phase(length=2000.0, plays=np.array([1000, 1000]), people=1, noise=(noise, noise))
    >>> differences = np.array([[1.0, -1.0], [0.1, -0.1]])  # of two actions, which were played themselves
    >>> ExactWidth(arms=3, horizon=10_000).margins(phase, differences, differences).round(2).tolist()
    [0.2, 0.02]
    """

    @_checks.checked()
    def __init__(self, arms: int, horizon: int, reward_std: float = 1.0, client_std: float = 0.0) -> None:
        self.log_failure = log_failure(arms, horizon)
        self.reward_std, self.client_std = reward_std, client_std

    def margins(self, phase: Phase, differences: Floats, coefficients: Floats) -> Floats:
        """Return the margin of each difference, shape (n,)."""
        squares = coefficients**2
        variance = squares @ (self.reward_std**2 / (phase.plays * phase.people))
        variance += self.client_std**2 / phase.people * np.einsum("ij,ij->i", differences, differences)
        if phase.noise[0].noise_std == 0:
            return np.asarray(np.sqrt(2 * variance * self.log_failure))
        bounds = {noise: _quadratics(noise) for noise in set(phase.noise)}  # several actions may share one
        noises = phase.noise * (len(phase.plays) // len(phase.noise))
        std = np.array([noise.noise_std / noise.users for noise in noises])
        curvature = np.array([bounds[noise][0] for noise in noises]) * std[:, None] ** 2  # shape (s, limits)
        budget = self.log_failure + sum(bounds[noise][1] for noise in noises)
        total = variance[:, None] + squares @ curvature
        largest = np.abs(coefficients * std).max(axis=1, keepdims=True)
        with np.errstate(divide="ignore", invalid="ignore"):  # a difference of equal actions has no error at all
            s = np.minimum(np.sqrt(2 * budget / total), GRID[1:][LIMITS] / largest)
            best = (total * s / 2 + budget / s).min(axis=1)
        return np.where(largest[:, 0] > 0, best, np.sqrt(2 * variance * budget))


def _quadratics(noise: Noise) -> tuple[Floats, float]:
    """Return kappa_g and psi at the first point, both in units of the noise's std: shape (limits,), and a number."""
    psi = noise.log_mgf(GRID / noise.noise_std)
    finite = np.minimum(psi, 1e100)
    slope = np.diff(finite) / np.diff(GRID)
    offset = finite[:-1] - slope * GRID[:-1]  # of the chord; not positive, but for rounding errors
    with np.errstate(divide="ignore"):
        top = np.clip(-2 * offset / slope, GRID[:-1], GRID[1:])  # where chord(s) / s^2 is largest
    kappa = np.max([2 * (offset + slope * s) / s**2 for s in (GRID[:-1], top, GRID[1:])], axis=0)
    return np.maximum.accumulate(kappa)[LIMITS], float(psi[0])


class PrintedWidth:
    r"""Margins as printed (theorem calibration): twice :math:`W_l`, the same for all actions.

    .. math:: W_l = \sqrt{\frac{4 d}{|U_l| h_l} \ln\frac1\beta} + \sqrt{\frac{2 \sigma^2}{|U_l|} \ln\frac1\beta}
              + \sqrt{2 \sigma_n^2 \ln\frac1\beta}, \qquad \beta = \frac{1}{k T},

    (Li, Zhou, Ji 2022, equations 3 and 54) with a :math:`\sigma_n` for each trust model.

    Parameters
    ----------
    arms, dimension, horizon : int
        k, d and T, >= 1.
    private_std : callable
        sigma_n of a phase.
    client_std : float
        sigma, >= 0.

    Examples
    --------
    >>> import numpy as np
    >>> from bandits_dp.widths.designs import Phase, PrintedWidth
    >>> width = PrintedWidth(arms=3, dimension=2, horizon=10_000, private_std=lambda phase: 0.002)
    >>> phase = Phase(length=2000.0, plays=np.array([1000, 1000]), people=1, noise=())
    >>> differences = np.array([[1.0, -1.0], [0.1, -0.1]])  # near or far, the margin is the same
    >>> width.margins(phase, differences, differences).round(2).tolist()
    [0.42, 0.42]
    """

    @_checks.checked(private_std=_checks.called)
    def __init__(self, arms: int, dimension: int, horizon: int, private_std: Callable[[Phase], float],
                 client_std: float = 0.0) -> None:
        self.log_failure = log_failure(arms, horizon)
        self.dimension, self.private_std, self.client_std = dimension, private_std, client_std

    def margins(self, phase: Phase, differences: Floats, coefficients: Floats) -> Floats:
        """Return the margin of each difference, shape (n,)."""
        terms = (4 * self.dimension / (phase.people * phase.length), 2 * self.client_std**2 / phase.people,
                 2 * self.private_std(phase) ** 2)
        return np.full(len(differences), 2 * sum(math.sqrt(term * self.log_failure) for term in terms))


@_checks.checked()
def log_failure(arms: int, horizon: int) -> float:
    """Return ln(1 / beta) with beta = 1 / (k T).

    Examples
    --------
    >>> from bandits_dp.widths.designs import log_failure
    >>> round(log_failure(arms=10, horizon=1000), 2)  # the logarithm of 10,000
    9.21
    """
    return math.log(arms) + math.log(horizon)
