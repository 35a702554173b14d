r"""LinUCB with any release of its statistics: the generic algorithm of Chowdhury & Zhou (2022, Algorithm 1).

Users come in batches of B. In batch m every user plays :math:`\arg\max_a \langle \phi_a, \hat\theta_{m-1} \rangle + \beta_{m-1}
\sqrt{\phi_a^\top V_{m-1}^{-1} \phi_a}` with the model of the last batch end. When a batch is full, its sums of
:math:`\phi y` and :math:`\phi \phi^\top` are released, and the model is computed anew. Only the release tells the trust
models apart (:mod:`bandits_dp.learners.linucb_release`), only the radius the calibrations (:mod:`bandits_dp.widths.ridge`).

**Privacy of a run.** A user's arm depends on the user's own features and on the releases before, so whoever sees all arms but the
user's own sees a function of the releases and of data that are not the user's (billboard lemma, Hsu et al. 2016, Lemma
9). A batch that the horizon cuts short is not released.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bandits_dp import _checks
from bandits_dp.learners.base import Learner, Played
from bandits_dp.learners.linucb_model import LinearModel
from bandits_dp.learners.linucb_play import play_runs
from bandits_dp.learners.linucb_release import Release
from bandits_dp.privatizers.domain import SLACK
from bandits_dp.problems import Problem
from bandits_dp.problems.contextual import Contextual, checked_features
from bandits_dp.widths.ridge import Radius


class LinUCB(Learner[Contextual]):
    """LinUCB with batches, any release and any radius.

    Parameters
    ----------
    problem : Contextual
        What is public of it is used: numbers of arms and dimensions, bounds on norms, the range of rewards.
    horizon : int
        Number of rounds T, >= 1.
    release : Release
        How running sums are released; it knows the batch size.
    radius : Radius
        Regularizer and confidence radius.
    radius_scale : float
        Factor on the radius, >= 0; 1 keeps what the radius promises.
    centre : ndarray, shape (dimension,), optional
        A vector whose product with all features is the middle of the reward's range. Then that middle is subtracted from every
        reward, what is left is linear in the features with parameter theta - ``centre``, and it is this that is learned.

    Attributes
    ----------
    dimension, batch_size : int
        Numbers per feature vector d, users per batch B.
    model : LinearModel
        Noisy sums, estimate and radius.
    bits : float
        Bits sent so far.

    Raises
    ------
    ValueError
        If an argument is out of range.
    """

    setting = "contextual"

    def __init__(
        self,
        problem: Contextual,
        horizon: int,
        release: Release,
        radius: Radius,
        radius_scale: float = 1.0,
        centre: NDArray[np.float64] | None = None,
    ) -> None:
        super().__init__(problem.arms, horizon)
        self.dimension = problem.dimension
        self.reward_range = problem.reward_range
        self.feature_norm = problem.feature_norm
        self.release, self.radius = release, radius
        self.radius_scale = _checks.real("radius_scale", radius_scale, 0.0, np.inf, ends="[)")
        self.centre = centre
        self.reward_shift = 0.0 if centre is None else sum(problem.reward_range) / 2
        self.guarantee = release.guarantee
        self.batch_size = release.users
        self.bits = 0.0
        self.model = self.new_model(1)
        self._shown = np.empty((0, self.dimension))  # chosen features of users whose rewards are still to come
        self._phi = np.empty((0, self.dimension))  # of the current batch's users who have answered
        self._y = np.empty(0)

    def new_model(self, runs: int) -> LinearModel:
        """Return a fresh model of so many runs."""
        return LinearModel(self.release, self.radius, runs, self.radius_scale)

    def check_problem(self, problem: Problem) -> None:
        """Raise a ValueError if this learner cannot play the problem."""
        super().check_problem(problem)
        for name in ("dimension", "reward_range", "feature_norm"):
            if getattr(problem, name) != getattr(self, name):
                raise ValueError(f"problem must have the {name} {getattr(self, name)}, for which the learner was made, "
                                 f"got {getattr(problem, name)}")

    @property
    def missing(self) -> int:
        """How many more users play with the current model."""
        return min(self.batch_size - len(self._y), self.horizon - self.played)

    def act(self, features: ArrayLike) -> int | NDArray[np.intp]:  # type: ignore[override]  # the arms must be shown
        """Return the arm for the next user, or the arms for several users of the current batch.

        What was shown is remembered until :meth:`update`; acting again replaces it.

        Parameters
        ----------
        features : array_like, shape (arms, dimension) or (users, arms, dimension)
            Feature vectors that each user is shown; at most ``missing`` users.

        Returns
        -------
        int, or ndarray of int, shape (users,)
            In range(arms).

        Raises
        ------
        ValueError
            If the horizon is reached, there are too many users, or features have another shape, are not finite, zero, or too long.
        """
        self._must_go_on()
        several = np.ndim(features) == 3
        shape = (self.arms, self.dimension)
        shown = checked_features(features, (None, *shape) if several else shape, self.feature_norm)
        shown = shown.reshape(-1, *shape)
        if self.centre is not None and np.abs(shown @ self.centre - self.reward_shift).max() > SLACK:
            raise ValueError(f"features must have the product {self.reward_shift:g} with {self.centre} if rewards are centred, "
                             f"got {(shown @ self.centre).min():g} to {(shown @ self.centre).max():g}")
        if not 1 <= len(shown) <= self.missing:
            raise ValueError(f"features must be those of 1 to {self.missing} users, the rest of this batch, got {len(shown)}")
        arms = self.model.choose(shown[None])[0]
        self._shown = shown[np.arange(len(arms)), arms]
        return arms if several else int(arms[0])

    def update(self, rewards: ArrayLike, rng: np.random.Generator) -> None:
        """Take the rewards of the users who were shown ``act(features)``; release when the batch is full.

        Parameters
        ----------
        rewards : array_like
            One reward, or one per user.
        rng : numpy.random.Generator
            Source of the noise.

        Raises
        ------
        ValueError
            If nobody was shown anything since the last update, there is another number of rewards, or one is out of range. The
            learner stays as it was.

        Warnings
        --------
        After any other exception, as from Ctrl-C, throw the learner away: going on may release the same users once more, which no
        guarantee covers.
        """
        self._must_go_on()
        if not len(self._shown):
            raise ValueError("act must be called before update: nobody was shown anything since the last update")
        try:
            y = np.atleast_1d(np.asarray(rewards, dtype=float))
        except (TypeError, ValueError) as error:
            raise ValueError(f"rewards must be numbers, got {rewards!r}") from error
        if y.shape != (len(self._shown),):
            raise ValueError(f"rewards must be {len(self._shown)}, one for each user who was shown something, got shape {y.shape}")
        low, high = self.reward_range
        bad = ~((y >= low) & (y <= high))
        if bad.any():
            raise ValueError(f"rewards must be in [{low:g}, {high:g}], got {y[bad][0]}; nothing is clipped for you")
        _checks.generator(rng)
        phi, shifted = np.concatenate([self._phi, self._shown]), np.concatenate([self._y, y - self.reward_shift])
        if len(shifted) == self.batch_size:
            self.model.learn(phi[None], shifted[None], [rng])  # before anything changes, as a release may be refused
            self.bits += self.batch_size * self.release.bits_per_user
            phi, shifted = phi[:0], shifted[:0]
        self.played += len(y)
        self._phi, self._y = phi, shifted
        self._shown = self._shown[:0]

    def _pack(self) -> dict[str, ArrayLike]:
        return {"played": self.played, "bits": self.bits, "shown": self._shown, "phi": self._phi, "y": self._y, **self.model.pack()}

    def _unpack(self, state: dict[str, NDArray[Any]]) -> None:
        self.played, self.bits = int(state["played"]), float(state["bits"])
        self._shown, self._phi = (state[key].reshape(-1, self.dimension) for key in ("shown", "phi"))
        self._y = state["y"].reshape(len(self._phi))
        self.model.unpack(state)

    def play(
        self,
        problem: Contextual,
        rngs: list[np.random.Generator],
        rounds: NDArray[np.int64],
        tick: Callable[[int], object],
    ) -> Played:
        """Play one run per generator; runs advance together, as many as fit into some 100 MB."""
        return play_runs(self, problem, rngs, rounds, tick)
