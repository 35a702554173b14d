r"""The simulation in the code that Chowdhury & Zhou 2022 name, to compare with their Figures 1 and 2. Nothing is proved.

The code is that of https://github.com/sayakrc/Differentially-Private-Bandits at commit ea7503b (16 June 2022): code by one of the
authors, and possibly not that of the figures. Facts about it which the paper does not tell, or tells otherwise:

* **Shape of the noise.** The noise on matrices is :math:`(Z + Z^\top)/2` with Z i.i.d.: the stated std on the diagonal and
  :math:`1/\sqrt 2` of it elsewhere. (In the paper, and for P_Vec in the code, there is one draw for each unordered pair.) Vectors
  have noise of the stated std.
* **LDP and SDP-Amp** have stds without the factors of the theorems: per user :math:`\sqrt{\ln(2.5/\delta)} / \varepsilon` and
  :math:`\sqrt{\ln(2.5 B/\delta)} / (\varepsilon \sqrt B)`.
* **JDP** builds no tree. 1 + floor(ln T) matrices and vectors are drawn once, with std :math:`\sqrt{\ln T} \ln(2.5/\delta) /
  \varepsilon`, and after t rounds the first 1 + floor(ln(1 + t)) of them are added to the exact sums.
* **SDP-Vec** shifts every number by L, the largest norm of the features (:math:`\sqrt 2` there, see
  ``problems.CodeLinear``), and encodes [0, 2 L] with :math:`g / L` levels per unit, :math:`g = \max(2
  \sqrt B, d, 4)` not rounded. A user's noise is Bin(b, 1/4) with :math:`b = s g^2 \ln^2(d/\delta) / (\varepsilon^2 B)`, s = 1
  in its line, which is set for epsilon = 0.2, and a comment says 10 for epsilon = 1 and 10 (here: 1 below epsilon = 1). The draw
  truncates b to an integer, the analyzer does not: every number of a batch comes out too small, by :math:`B L (b -
  \lfloor b \rfloor) / 4 g`, and these errors add up.
* **Radius** :math:`\sqrt{\Gamma d} + R \sqrt{d \ln((1 + T L^2 / \Gamma) T)}` in all rounds, with R = 1/2, and **regularizer**
  :math:`2 \Gamma`. :math:`\Gamma` is :math:`\sqrt{T d}` times the std per user; for JDP :math:`\sqrt{d \ln T}` times that of a
  noise; for SDP-Vec :math:`\sqrt{T d} \ln(d/\delta) / (4 \varepsilon \sqrt B)`; without privacy 1, with a regularizer of 1e-4.
* If V is not positive definite, some squared widths are negative, and the first arm of that kind is played: numpy's ``argmax``
  takes the first index that is not a number. With P_Vec at epsilon = 10 this happens in a third of all runs.
* For d = 10 and 15 (Figure 2) s is not known. At epsilon = 1 the errors of the truncated b decide: with s = 10 at d = 10 (b =
  1060.38) and with s = 1 at d = 15 (b = 282.45) SDP-Vec ends above LDP, with b = 1060 and 282 between JDP and LDP, as in
  the figure.
* The figures show *realised* regret, the best arm's reward minus the played arm's; pseudo-regret here. The means are equal.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from bandits_dp import _checks
from bandits_dp.companion.replicas.linucb_noise import FigureBits, FigureCounter, FigureGaussian, FigureTree, unproved
from bandits_dp.learners.linucb import LinUCB
from bandits_dp.live.contexts import LiveContexts
from bandits_dp.live.streams import CountedBatches, FreshBatches, Stream
from bandits_dp.privatizers import Identity, LinearStatistics, Reals
from bandits_dp.problems.contextual import Contextual
from bandits_dp.widths.ridge import FixedWidth

SCALE = 10  # s at epsilon >= 1


class FigureRadius(FixedWidth):
    r"""The regularizer and the constant radius of a curve.

    Parameters
    ----------
    dimension, horizon : int
        d and T, >= 1.
    gamma : float
        :math:`\Gamma`, > 0.
    regularizer : float
        > 0.
    feature_norm : float
        L, the largest norm of a feature vector.

    Examples
    --------
    >>> from bandits_dp.companion.replicas.linucb import FigureRadius
    >>> radius = FigureRadius(dimension=5, horizon=20_000, gamma=1.0, regularizer=1e-4, feature_norm=1.0)
    >>> [round(radius.beta(batch, 1.0, 1.0), 1) for batch in (1, 20_000)]  # the same in all rounds
    [7.2, 7.2]
    """

    def __init__(self, dimension: int, horizon: int, gamma: float, regularizer: float, feature_norm: float) -> None:
        inside = (1 + horizon * feature_norm**2 / gamma) * horizon
        super().__init__(math.sqrt(gamma * dimension) + 0.5 * math.sqrt(dimension * math.log(inside)), regularizer)


class FigureLinUCB(LinUCB):
    """LinUCB as the code plays it: V is never shifted, and the first arm of negative squared width is played, if there is one."""

    def widths(self, squares: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return roots, and such as nothing else reaches where the square is negative."""
        return np.where(squares < 0, 1e150, np.sqrt(np.abs(squares)))


def _figure(
    problem: Contextual, horizon: int, stream: Stream, gamma: float, regularizer: float, radius_scale: float
) -> LiveContexts:
    """Put a curve together."""
    if problem.reward_range != (0.0, 1.0):
        raise ValueError(f"problem must have rewards in [0, 1] for the experiment calibration, got {problem.reward_range}")
    radius = FigureRadius(problem.dimension, horizon, gamma, regularizer, problem.feature_norm)
    return LiveContexts(FigureLinUCB(problem.dimension, radius, radius_scale), stream, problem, horizon, visits=horizon)


def figure_exact(problem: Contextual, epsilon: None, delta: None, horizon: int, radius_scale: float = 1.0) -> LiveContexts:
    """Return the curve LinUCB.

    Examples
    --------
    >>> import bandits_dp as bdp
    >>> from bandits_dp.companion.replicas.linucb import figure_exact
    >>> learner = figure_exact(bdp.problems.CodeLinear(arms=10, dimension=3), None, None, horizon=1000)
    >>> learner.batch_size, learner.guarantee.proved
    (1, False)
    """
    stream = FreshBatches(Identity(1, Reals(LinearStatistics(problem.dimension).dimension)))
    stream.guarantee = unproved("none", "certified", "features and rewards are used as they are")
    return _figure(problem, horizon, stream, 1.0, 1e-4, radius_scale)


def figure_local(problem: Contextual, epsilon: float, delta: float, horizon: int, radius_scale: float = 1.0) -> LiveContexts:
    """Return the curve LinUCB-LDP.

    Examples
    --------
    >>> import bandits_dp as bdp
    >>> from bandits_dp.companion.replicas.linucb import figure_local
    >>> learner = figure_local(bdp.problems.CodeLinear(arms=10, dimension=3), epsilon=1.0, delta=0.1, horizon=1000)
    >>> learner.guarantee.model, learner.guarantee.proved  # noise that nobody proved anything about
    ('local', False)
    """
    std = math.sqrt(math.log(2.5 / _checks.delta(delta))) / _checks.epsilon(epsilon)
    stream = FreshBatches(FigureGaussian(problem.dimension, 1, std, "local"))
    return _noisy(problem, horizon, stream, std * math.sqrt(horizon * problem.dimension), radius_scale)


def figure_central(
    problem: Contextual, epsilon: float, delta: float, horizon: int, counter: str = "prefixes", radius_scale: float = 1.0
) -> LiveContexts:
    """Return the curve LinUCB-JDP; ``counter="tree"`` has a real binary tree whose nodes have the same noise.

    Examples
    --------
    >>> import bandits_dp as bdp
    >>> from bandits_dp.companion.replicas.linucb import figure_central
    >>> learner = figure_central(bdp.problems.CodeLinear(arms=10, dimension=3), epsilon=1.0, delta=0.1, horizon=1000)
    >>> learner.guarantee.model, learner.guarantee.proved  # noise that nobody proved anything about
    ('central', False)
    """
    horizon = _checks.integer("horizon", horizon, low=2)
    std = math.sqrt(math.log(horizon)) * math.log(2.5 / _checks.delta(delta)) / _checks.epsilon(epsilon)
    kind = FigureTree if _checks.choice("counter", counter, ("prefixes", "tree")) == "tree" else FigureCounter
    gamma = std * math.sqrt(math.log(horizon) * problem.dimension)
    return _noisy(problem, horizon, CountedBatches(kind(problem.dimension, horizon, std)), gamma, radius_scale)


def figure_amplified(
    problem: Contextual, epsilon: float, delta: float, horizon: int, batch_size: int = 20, radius_scale: float = 1.0
) -> LiveContexts:
    """Return the curve LinUCB-SDP-Amp.

    Examples
    --------
    >>> import bandits_dp as bdp
    >>> from bandits_dp.companion.replicas.linucb import figure_amplified
    >>> learner = figure_amplified(bdp.problems.CodeLinear(arms=10, dimension=3), epsilon=1.0, delta=0.1, horizon=1000)
    >>> learner.guarantee.model, learner.guarantee.proved  # noise that nobody proved anything about
    ('shuffle', False)
    """
    users = _checks.integer("batch_size", batch_size)
    std = math.sqrt(math.log(2.5 * users / _checks.delta(delta))) / (_checks.epsilon(epsilon) * math.sqrt(users))
    stream = FreshBatches(FigureGaussian(problem.dimension, users, std, "shuffle"))
    return _noisy(problem, horizon, stream, std * math.sqrt(horizon * problem.dimension), radius_scale)


def figure_vector(
    problem: Contextual, epsilon: float, delta: float, horizon: int, batch_size: int = 20, radius_scale: float = 1.0
) -> LiveContexts:
    """Return the curve LinUCB-SDP-Vec.

    Examples
    --------
    >>> import bandits_dp as bdp
    >>> from bandits_dp.companion.replicas.linucb import figure_vector
    >>> learner = figure_vector(bdp.problems.CodeLinear(arms=10, dimension=3), epsilon=1.0, delta=0.1, horizon=1000)
    >>> learner.guarantee.model, learner.guarantee.proved  # noise that nobody proved anything about
    ('shuffle', False)
    """
    users, d = _checks.integer("batch_size", batch_size), problem.dimension
    std = math.log(d / _checks.delta(delta)) / (_checks.epsilon(epsilon) * math.sqrt(users))
    levels = max(2 * math.sqrt(users), d, 4)
    bits = (SCALE if epsilon >= 1 else 1) * (levels * std) ** 2
    stream = FreshBatches(FigureBits(d, users, problem.feature_norm, levels, bits))
    return _noisy(problem, horizon, stream, std * math.sqrt(horizon * d) / 4, radius_scale)


def _noisy(problem: Contextual, horizon: int, stream: Stream, gamma: float, radius_scale: float) -> LiveContexts:
    return _figure(problem, horizon, stream, gamma, 2 * gamma, radius_scale)
