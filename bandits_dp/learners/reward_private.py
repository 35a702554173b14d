r"""LinUCB when only rewards are private: contexts are public, and so is every matrix that is made of features.

Three learners release different things about the rewards (:math:`A_t = \lambda I + \sum x_s x_s^\top` is public in all of them):

* **LinUCB-Tree** (Neel & Roth 2018): :math:`b_t = \sum x_s r_s` through a Laplace tree; :math:`\theta = A_t^{-1} \tilde b_t`.
* **LinUCB-RewardTree**: :math:`\sum g_s r_s` through a Gaussian counter, :math:`g_s` public unit vectors of the server's choice
  (:mod:`bandits_dp.learners.reward_private_model`). One reward moves one term by at most the length of its range.
* **LinUCB-DGS** (Wang, Zhao, Wang 2022): :math:`A_t^{-1} b_t` with noise that shrinks, fresh in every round or kept
  (:mod:`bandits_dp.learners.reward_private_dgs`; bounds on what it protects: :mod:`bandits_dp.accounting.dynamic`).

**Privacy of a run.** Neighbouring inputs differ in the reward that one round pays, whatever arm is played in it. Contexts must
not depend on that reward other than through arms. Fix the releases up to round t: by induction all arms up to t are then the same
under both inputs, because an arm is a function of the contexts and of earlier releases. So the features up to t, A_t and all
:math:`g_s` are the same, too, and the next release differs by a shift that is *known*: :math:`g_j (r_j - r_j')` in one leaf of a
counter, or :math:`A_t^{-1} x_j (r_j - r_j')` in every later parameter. That features were chosen adaptively changes nothing:
conditioned on the past, Gaussian shifts whose squares add up to at most D^2 surely are one Gaussian mechanism of sensitivity D
(``bandits_dp.continual``), and Laplace shifts add up likewise. All arms, and all that is computed from releases and
public data, is post-processing. Since arms are functions of releases, whoever sees every arm, also that of the user's own round,
learns no more.

A counter treats a continual release as one mechanism. Parameters with fresh noise cannot: a reward stays in all later ones.
"""

from __future__ import annotations

import copy
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from bandits_dp.learners.base import Played
from bandits_dp.learners.linucb_old import LinUCB
from bandits_dp.learners.linucb_play import play_runs
from bandits_dp.learners.linucb_release import Release
from bandits_dp.learners.reward_private_model import RewardModel
from bandits_dp.problems import Contextual, Problem
from bandits_dp.widths.ridge import Radius


class RewardPrivateLinUCB(LinUCB):
    """LinUCB whose model decides what is released about rewards; also records how far the estimate is from theta.

    Parameters
    ----------
    problem : Contextual
        What is public of it is used.
    horizon : int
        Number of rounds T, >= 1.
    release : Release
        The noise.
    radius : Radius
        Regularizer and width.
    model : callable
        ``model(release, radius, runs, radius_scale)`` makes a fresh model.
    radius_scale : float
        Factor on the width, >= 0.

    Notes
    -----
    ``Played.curves["parameter error"]`` is the distance between theta and its estimate in Euclidean norm, for problems that have
    a ``theta``.
    """

    def __init__(
        self,
        problem: Contextual,
        horizon: int,
        release: Release,
        radius: Radius,
        model: Callable[[Release, Radius, int, float], RewardModel] = RewardModel,
        radius_scale: float = 1.0,
    ) -> None:
        self._model = model
        super().__init__(problem, horizon, release, radius, radius_scale)

    def new_model(self, runs: int) -> RewardModel:
        """Return a fresh model of so many runs."""
        return self._model(self.release, self.radius, runs, self.radius_scale)

    def check_problem(self, problem: Problem) -> None:
        """Raise a ValueError if this learner cannot play the problem."""
        super().check_problem(problem)
        if isinstance(self.model, RewardModel) and self.model.perturbs and getattr(problem, "fixed", False):
            raise ValueError("problem must show new features in every round, so that they can be perturbed, got fixed ones")

    def play(
        self,
        problem: Contextual,
        rngs: list[np.random.Generator],
        rounds: NDArray[np.int64],
        tick: Callable[[int], object],
    ) -> Played:
        """Play one run per generator; runs advance together."""
        instances = [problem.draw(copy.deepcopy(rng).spawn(2)[0]) for rng in rngs]  # those that the runs will draw
        thetas = [getattr(instance, "theta", None) for instance in instances]
        batches = rounds // self.batch_size
        models: list[RewardModel] = []

        def watched(release: Release, radius: Radius, runs: int, radius_scale: float) -> RewardModel:
            models.append(self._model(release, radius, runs, radius_scale))
            models[-1].watch(batches)
            return models[-1]

        player = copy.copy(self)
        player._model = watched
        played = play_runs(player, problem, rngs, rounds, tick)
        if any(theta is None for theta in thetas):
            return played
        estimates = np.concatenate([model.watched(batches) for model in models])  # (runs, checkpoints, d)
        error = np.linalg.norm(estimates - np.array(thetas)[:, None], axis=2)
        return Played(played.regret, played.bits, played.counts, played.curves | {"parameter error": error})
