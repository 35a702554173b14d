r"""The simulation in the code that Chowdhury & Zhou 2022 name, to compare with their Figures 1 and 2. Nothing is proved.

The code is that of https://github.com/sayakrc/Differentially-Private-Bandits at commit ea7503b (16 June 2022): code by one of the
authors, by its first line a "Script to generate figures of the paper", whose settings are changed by hand. Facts about it which the
paper does not tell, or tells otherwise:

* **Shape of the noise.** The noise on matrices is :math:`(Z + Z^\top)/2` with Z i.i.d.: the stated std on the diagonal and
  :math:`1/\sqrt 2` of it elsewhere. (In the paper, and for P_Vec in the code, there is one draw for each unordered pair.) Vectors
  have noise of the stated std.
* **LDP and SDP-Amp** have stds without the factors of the theorems: per user :math:`\sqrt{\ln(2.5/\delta)} / \varepsilon` and
  :math:`\sqrt{\ln(2.5 B/\delta)} / (\varepsilon \sqrt B)`.
* **JDP** "simulates total noise in tree based algorithm" (a comment), and builds no tree. 1 + floor(ln T) matrices and vectors are
  drawn once, with std :math:`\sqrt{\ln T} \ln(2.5/\delta) / \varepsilon`, and after t rounds the first 1 + floor(ln(1 + t)) of them
  are added to the exact sums.
* **SDP-Vec** shifts every number by L, the largest norm of the features (:math:`\sqrt 2` there, see
  ``CodeLinear``), and encodes [0, 2 L] with :math:`g / L` levels per unit, :math:`g = \max(2
  \sqrt B, d, 4)` not rounded. A user's noise is Bin(b, 1/4) with :math:`b = s g^2 \ln^2(d/\delta) / (\varepsilon^2 B)`, s = 1
  in its line, which is set for epsilon = 0.2, and a comment says 10 for epsilon = 1 and 10 (here: 1 below epsilon = 1). The draw
  truncates b to an integer, the analyzer does not: every number of a batch comes out too small, by :math:`B L (b -
  \lfloor b \rfloor) / 4 g`, and these errors add up.
* **Radius** :math:`\sqrt{\Gamma d} + R \sqrt{d \ln((1 + T L^2 / \Gamma) T)}` in all rounds, with R = 1/2, and **regularizer**
  :math:`2 \Gamma`. :math:`\Gamma` is :math:`\sqrt{T d}` times the std per user; for JDP :math:`\sqrt{d \ln T}` times that of a
  noise; for SDP-Vec :math:`\sqrt{T d} \ln(d/\delta) / (4 \varepsilon \sqrt B)`; without privacy 1, with a regularizer of 1e-4.
* If V is not positive definite, some squared widths are negative, and the first arm of that kind is played: numpy's ``argmax``
  takes the first index that is not a number. With P_Vec at epsilon = 10 this happens in a third of all runs.
* For d = 10 and 15 (Figure 2, epsilon = 1) the comment does not say whether s = 10, too. With s = 1 at d = 10 SDP-Vec ends between
  JDP and LDP, as in the figure. With s = 10 there (b = 1060.38) and with s = 1 at d = 15 (b = 282.45) the errors of the truncated b
  decide: SDP-Vec ends above LDP, with b = 1060 and 282 below.
* The figures show *realised* regret, the best arm's reward minus the played arm's; pseudo-regret here. The means are equal.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bandits_dp import _checks
from bandits_dp.app.app import NO_END
from bandits_dp.app.streams import CountedBatches, FreshBatches, Stream
from bandits_dp.contextual.app import ContextsApp
from bandits_dp.contextual.linucb import LinUCB
from bandits_dp.contextual.problems import Contextual
from bandits_dp.contextual.radius import PublicWidth
from bandits_dp.continual import TreeCounter
from bandits_dp.continual.base import Counter
from bandits_dp.guarantee import Guarantee, no_guarantee
from bandits_dp.noise.grid import Grid
from bandits_dp.noise.noise_bits import NoiseBits
from bandits_dp.privatizers import Identity, LinearStatistics, Reals
from bandits_dp.privatizers.bit_sum import BitSum
from bandits_dp.privatizers.gaussian import UserNoise

SCALE = 10  # s at epsilon >= 1
CLAIM = "noise of the code that Chowdhury & Zhou 2022 name, which claims no guarantee for it"


def unproved(model: str, calibration: str = "experiment", text: str = CLAIM) -> Guarantee:
    """Say that nothing is promised."""
    return no_guarantee(model, "one round (phi, y)", "replace one user's round", calibration, text)


def _shape(dimension: int) -> NDArray[np.float64]:
    """Std of the noise on every entry, relative to the stated one."""
    row, column = np.triu_indices(dimension)
    return np.concatenate([np.ones(dimension), np.where(row == column, 1.0, math.sqrt(0.5))])


class FigureGaussian(UserNoise):
    """Gaussian noise of a std at every one of B users: the curves LinUCB-LDP (B = 1) and LinUCB-SDP-Amp."""

    def __init__(self, dimension: int, users: int, std: float, model: str) -> None:
        super().__init__(users, Reals(LinearStatistics(dimension).dimension))
        self.unit_stds = std * _shape(dimension)
        self.stds = std * math.sqrt(users) * _shape(dimension)  # of a batch's sum
        self.noise_std = std * math.sqrt(users)
        self.guarantee = unproved(model)

    def send(self, values: NDArray[np.float64], rng: np.random.Generator) -> NDArray[Any]:
        """Send the values plus the user's own noise."""
        return np.asarray(values + rng.normal(0.0, self.unit_stds, values.shape))

    def release_sum(self, total: ArrayLike, rng: np.random.Generator, batches: int = 1) -> NDArray[np.float64]:
        """Add the noise of so many batches, to every row its own."""
        total = np.asarray(total, dtype=float)
        return np.asarray(total + rng.normal(0.0, self.stds * math.sqrt(batches), total.shape))

    def draw_ahead(self, batches: int, rng: np.random.Generator) -> NDArray[np.float64]:
        """Draw the noise of every batch."""
        return rng.normal(0.0, self.stds, (batches, self.dimension))


class _Truncated(NoiseBits):
    """Bits of which the analyzer believes that there are ``believed``, which is not a whole number."""

    believed: float

    def mean(self, users: int) -> float:
        """Return what the analyzer takes for the mean."""
        return users * self.believed * self.p


class FigureBits(BitSum):
    """The curve LinUCB-SDP-Vec: encoded numbers and binomial noise, and a mean subtracted that is not the noise's.

    Numbers are shifted by L, with g > 0 levels per L; the analyzer believes in b >= 1 noise bits, the draw has their integer part.
    """

    needs_values = True

    def __init__(self, dimension: int, users: int, feature_norm: float, levels: float, bits: float) -> None:
        super().__init__(users, Reals(LinearStatistics(dimension).dimension))
        self.low, self.high = -feature_norm, feature_norm
        self.step, self.levels = feature_norm / levels, math.ceil(2 * levels)
        self.noise_bits = _Truncated(int(bits), 0, 0.25)
        self.noise_bits.believed = bits
        self.bits_per_user = float(self.dimension * (self.levels + int(bits)))
        self.noise_std = self.step * math.hypot(self.noise_bits.std(users), math.sqrt(users) / 2)
        self.span = users * (self.levels + int(bits)) * self.step
        self.guarantee = unproved("shuffle")


class _FigureNoise(Counter):
    """A counter whose draws have the code's noise, of a std, and a privacy that nobody promises."""

    def __init__(self, dimension: int, horizon: int, node_std: float) -> None:
        self.node_stds = node_std * _shape(dimension)
        super().__init__(horizon, 1.0, 0.5, Reals(LinearStatistics(dimension).dimension))

    def _certify(self, epsilon: float, delta: float) -> None:
        self.noise_std, self.guarantee = float(self.node_stds[0]), unproved("central")

    @property
    def grid(self) -> Grid:
        """A grid that nobody counts on."""
        return Grid("gaussian", step=2.0**-30, scale=2.0**30)

    def _draw(self, rng: np.random.Generator, size: tuple[int, ...]) -> NDArray[np.float64]:
        return rng.normal(0.0, self.node_stds, size)

    def _draw_steps(self, rng: np.random.Generator, factor: float) -> NDArray[np.object_]:
        return self.grid.whole(factor * self._draw(rng, (self.dimension,)))


class FigureCounter(_FigureNoise):
    """The curve LinUCB-JDP: after t rounds the first 1 + floor(ln(1 + t)) of a few noises that are drawn once.

    The code has the first of them before the first round, too; here that round has none.
    """

    _what = "some prefix sums"

    def _column_norm(self, rounds: int, power: int) -> float:
        return 1.0

    def _variance(self, t: NDArray[np.int64]) -> NDArray[np.float64]:
        return 1 + np.floor(np.log1p(t))  # as many noises are in running sum t

    def reset(self) -> None:
        """Forget the stream."""
        super().reset()
        self._sum = self._noise = np.array([0] * self.dimension, dtype=object)
        self._drawn = 0

    def _next(self, value: NDArray[np.object_], rng: np.random.Generator) -> NDArray[np.float64]:
        while self._drawn < self._variance(np.array(self.steps + 1)):
            self._noise, self._drawn = self._noise + self._draw_steps(rng, 1.0), self._drawn + 1
        self._sum = self._sum + value
        return self.grid.real(self._sum + self._noise)

    def _accumulate(self, draws: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(np.cumsum(draws, axis=0))

    def noise_path(self, rng: np.random.Generator, steps: int | None = None) -> NDArray[np.float64]:
        """Draw the noises, and return those on all running sums."""
        assert self.horizon is not None
        count = self._variance(np.arange(1, (steps or self.horizon) + 1)).astype(np.int64)
        return self._accumulate(self._draw(rng, (int(count[-1]), self.dimension)))[count - 1]

    def _pack(self) -> dict[str, ArrayLike]:
        return super()._pack() | {"total": self._sum, "noise": self._noise, "drawn": self._drawn}

    def _unpack(self, state: dict[str, NDArray[Any]]) -> None:
        super()._unpack(state)
        self._sum, self._noise = (state[name].reshape(self.dimension) for name in ("total", "noise"))
        self._drawn = int(state["drawn"])


class FigureTree(_FigureNoise, TreeCounter):
    """What LinUCB-JDP would be with a real binary tree, whose nodes have the noise of :class:`FigureCounter`."""


class FigureLinUCB(LinUCB):
    """LinUCB as the code plays it: V is not shifted, and the first arm of negative squared width is played, if there is one."""

    def widths(self, squares: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return roots, and such as nothing else reaches where the square is negative."""
        return np.where(squares < 0, 1e150, np.sqrt(np.abs(squares)))


def _figure(problem: Contextual, horizon: int, stream: Stream, gamma: float, radius_scale: float,
            regularizer: float | None = None) -> ContextsApp:
    """Put a curve together: a constant radius, V never shifted, and, if no regularizer is given, twice gamma."""
    if problem.reward_range != (0.0, 1.0):
        raise ValueError(f"problem must have rewards in [0, 1] for the experiment calibration, got {problem.reward_range}")
    d, inside = problem.dimension, (1 + horizon * problem.feature_norm**2 / gamma) * horizon
    radius = PublicWidth(math.sqrt(gamma * d) + 0.5 * math.sqrt(d * math.log(inside)), regularizer or 2 * gamma)
    return ContextsApp(FigureLinUCB(d, radius, radius_scale), stream, problem, horizon, appearances=NO_END)


def figure_exact(problem: Contextual, epsilon: None, delta: None, horizon: int, radius_scale: float = 1.0) -> ContextsApp:
    """Return the curve LinUCB.

    Examples
    --------
    >>> from bandits_book.replicas import CodeLinear
    >>> from bandits_book.replicas.linucb import figure_exact
    >>> learner = figure_exact(CodeLinear(arms=10, dimension=3), None, None, horizon=1000)
    >>> learner.batch_size, learner.guarantee.proved
    (1, False)
    """
    stream = FreshBatches(Identity(1, Reals(LinearStatistics(problem.dimension).dimension)))
    stream.guarantee = unproved("none", "certified", "features and rewards are used as they are")
    return _figure(problem, horizon, stream, 1.0, radius_scale, regularizer=1e-4)


def figure_local(problem: Contextual, epsilon: float, delta: float, horizon: int, radius_scale: float = 1.0) -> ContextsApp:
    """Return the curve LinUCB-LDP.

    Examples
    --------
    >>> from bandits_book.replicas import CodeLinear
    >>> from bandits_book.replicas.linucb import figure_local
    >>> learner = figure_local(CodeLinear(arms=10, dimension=3), epsilon=1.0, delta=0.1, horizon=1000)
    >>> learner.guarantee.model, learner.guarantee.proved  # noise that nobody proved anything about
    ('local', False)
    """
    return _gaussian(problem, epsilon, delta, horizon, 1, "local", radius_scale)


def figure_central(problem: Contextual, epsilon: float, delta: float, horizon: int, counter: str = "prefixes",
                   radius_scale: float = 1.0) -> ContextsApp:
    """Return the curve LinUCB-JDP; ``counter="tree"`` has a real binary tree whose nodes have the same noise."""
    horizon = _checks.integer("horizon", horizon, low=2)
    std = math.sqrt(math.log(horizon)) * math.log(2.5 / _checks.delta(delta)) / _checks.epsilon(epsilon)
    kind = FigureTree if _checks.choice("counter", counter, ("prefixes", "tree")) == "tree" else FigureCounter
    gamma = std * math.sqrt(math.log(horizon) * problem.dimension)
    return _figure(problem, horizon, CountedBatches(kind(problem.dimension, horizon, std)), gamma, radius_scale)


def figure_amplified(problem: Contextual, epsilon: float, delta: float, horizon: int, batch_size: int = 20,
                     radius_scale: float = 1.0) -> ContextsApp:
    """Return the curve LinUCB-SDP-Amp."""
    return _gaussian(problem, epsilon, delta, horizon, _checks.integer("batch_size", batch_size), "shuffle", radius_scale)


def _gaussian(problem: Contextual, epsilon: float, delta: float, horizon: int, users: int, model: str,
              radius_scale: float) -> ContextsApp:
    """Return a curve whose users add Gaussian noise."""
    std = math.sqrt(math.log(2.5 * users / _checks.delta(delta))) / (_checks.epsilon(epsilon) * math.sqrt(users))
    stream = FreshBatches(FigureGaussian(problem.dimension, users, std, model))
    return _figure(problem, horizon, stream, std * math.sqrt(horizon * problem.dimension), radius_scale)


def figure_vector(problem: Contextual, epsilon: float, delta: float, horizon: int, batch_size: int = 20,
                  radius_scale: float = 1.0) -> ContextsApp:
    """Return the curve LinUCB-SDP-Vec."""
    users, d = _checks.integer("batch_size", batch_size), problem.dimension
    std = math.log(d / _checks.delta(delta)) / (_checks.epsilon(epsilon) * math.sqrt(users))
    levels = max(2 * math.sqrt(users), d, 4)
    bits = (SCALE if epsilon >= 1 else 1) * (levels * std) ** 2
    stream = FreshBatches(FigureBits(d, users, problem.feature_norm, levels, bits))
    return _figure(problem, horizon, stream, std * math.sqrt(horizon * d) / 4, radius_scale)
