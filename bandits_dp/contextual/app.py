"""The app of learners that are shown features: users come in batches that share a model."""

from __future__ import annotations

import copy
from collections.abc import Hashable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bandits_dp import _checks
from bandits_dp._checks import LARGEST, LEAST_NORM
from bandits_dp._snapshot import snapshot
from bandits_dp._types import Floats
from bandits_dp.app.app import App
from bandits_dp.app.randomness import generator
from bandits_dp.app.slot import Slot
from bandits_dp.app.streams import CountedBatches, FreshBatches, Stream
from bandits_dp.app.ticket import Ticket
from bandits_dp.ask_tell import Learner
from bandits_dp.contextual.linucb import LinUCB, statistics
from bandits_dp.contextual.problems import Contextual, checked_features
from bandits_dp.contextual.radius import check_ridge
from bandits_dp.continual import Counter
from bandits_dp.privatizers import LinearStatistics
from bandits_dp.privatizers.base import complete
from bandits_dp.privatizers.domain import SLACK, rows
from bandits_dp.privatizers.linear_statistics import triangle
from bandits_dp.problem import Problem

BILLBOARD = ("; the arms of everybody else are a function of the released sums and of data that "
             "are not the user's (billboard lemma, Hsu et al. 2016)")


class ContextsApp(App):
    """An app whose learner chooses by features, with a stream that releases its statistics.

    Parameters
    ----------
    learner : object
        It has ``choose(features)`` and ``tell(released)``, see :mod:`bandits_dp.ask_tell`.
    stream : Stream
        It releases running sums of users' statistics, and has the batch size.
    problem : Contextual
        The app uses its public facts: numbers of arms and dimensions, bounds on norms, and the
        range of rewards.
    horizon : int
        Number of rounds T, >= 1.
    centre : ndarray, shape (dimension,), optional
        A vector whose product with all features is the middle of the rewards' range. That middle is
        subtracted from every reward, and theta - ``centre`` is learned.
    fidelity, appearances
        See :class:`bandits_dp.app.app.App`.

    Attributes
    ----------
    batch_size : int
        Users per batch B.
    shown : tuple of ndarray
        If features are public, those of the users whose batch is not full yet.

    Raises
    ------
    ValueError
        If an argument is out of range, or the problem's bounds do not fit the stream's domain.

    Examples
    --------
    >>> import numpy as np
    >>> import bandits_dp as bdp
    >>> from bandits_dp.contextual.app import ContextsApp
    >>> from bandits_dp.learners import LinUCB
    >>> from bandits_dp.app.streams import FreshBatches
    >>> from bandits_dp.contextual.radius import FixedWidth
    >>> problem = bdp.problems.ContextualLinear(arms=2, dimension=2)
    >>> statistics = bdp.privatizers.LinearStatistics(2)
    >>> gaussian = bdp.privatizers.CentralGaussian(3, 1.0, 1e-3, domain=statistics)
    >>> learner = LinUCB(2, FixedWidth(width=0.3, regularizer=1.0))
    >>> app = ContextsApp(learner, FreshBatches(gaussian), problem, horizon=1000)
    >>> ticket = app.act([[0.6, 0.8], [0.8, 0.6]], user="Ada")
    >>> app.update(ticket, 1.0)
    >>> app.played, app.missing
    (1, 2)
    """

    setting = "contextual"

    def __init__(
        self, learner: Any, stream: Stream, problem: Contextual, horizon: int,
        centre: Floats | None = None, fidelity: str = "aggregate", appearances: int = 1,
    ) -> None:
        norm = problem.feature_norm
        if not LEAST_NORM <= norm <= LARGEST:
            raise ValueError(f"problem must have a feature_norm from {LEAST_NORM:g} to "
                             f"{LARGEST:g}, got {norm!r}")
        super().__init__(learner, problem.arms, horizon, stream.guarantee, fidelity, appearances)
        self.slots = [Slot(stream, stream.users)]
        self.batch_size, self.shown = stream.users, tuple[Floats, ...]()
        self.dimension, self.feature_norm = problem.dimension, norm
        self.reward_range, self.centre = problem.reward_range, centre
        self.reward_shift = 0.0 if centre is None else sum(problem.reward_range) / 2
        # The range may be infinite without privacy.
        extremes = np.clip(problem.reward_range, -LARGEST, LARGEST) - self.reward_shift
        phi = np.outer([1.0, 1.0, -1.0, -1.0], np.eye(1, problem.dimension)) * norm
        # These are the largest features and rewards, so our own statistics need no later check.
        stream.check(self.values(phi, np.tile(extremes, 2)), "features and rewards of the problem")

    @property
    def stream(self) -> Any:
        """The stream, which releases running sums."""
        return self.slots[0].source

    @property
    def counts(self) -> dict[str, Any]:
        """Further counts for simulations: how often LinUCB lifted its matrix."""
        return {"shifts": self.learner.shifts} if isinstance(self.learner, LinUCB) else {}

    def act(
        self, features: Any, user: Hashable = None, rng: np.random.Generator | None = None
    ) -> Ticket:
        """Return a ticket for the next user, or for several users of the current batch.

        Parameters
        ----------
        features : array_like
            Feature vectors of one user, shape (arms, dimension); or of at most ``missing`` users,
            shape (users, arms, dimension) or a list of arrays of the first kind. The number of arms
            may vary. A norm that is too long by float32 rounding (1e-6) is shortened.
        user : hashable, optional
            The user's id. A user with an id is in at most ``appearances`` batches, and once in
            each.
        rng : numpy.random.Generator, optional
            Source of noise on features, where they are perturbed; the operating system's if not
            given.

        Returns
        -------
        Ticket
            ``ticket.arm`` is what to show: one number, or one per user.

        Raises
        ------
        ValueError
            If the horizon is reached, there are too many users, features have another shape, are
            not finite, zero or too long, or the user was in ``appearances`` batches or in this one.
        """
        seen = self.seen(features, user=user, rng=rng)
        return self.offer(seen, self.pick(seen), user)

    def seen(self, features: Any, *, user: Hashable, rng: np.random.Generator | None) -> Any:
        """Return features as the learner sees them, checked and perhaps perturbed."""
        self.tell()
        self.must_go_on()
        listed = isinstance(features, (list, tuple))
        ragged = listed and len({np.shape(own) for own in features}) > 1
        several = ragged or np.ndim(features) == 3
        seen: Any = ([self.checked(own, 2) for own in features] if ragged
                     else self.checked(features, 3 if several else 2))
        count = len(seen) if several else 1
        if not 1 <= count <= self.missing:
            raise ValueError(f"features must be those of 1 to {self.missing} users, the rest of "
                             f"this batch, got {count}")
        if user is not None and several:
            raise ValueError("user must be left out for several users at once, got "
                             f"{_checks.told(user)} for {count}")
        if user is not None and self.stream.context_std:  # before noise is drawn
            self.check_user(user)
        if ragged:
            return [self._perturbed(own, rng) for own in seen]
        return self._perturbed(seen, rng)

    def pick(self, seen: Any) -> NDArray[np.intp]:
        """Return the arm that the learner chooses for a user, or for each of several."""
        if isinstance(seen, list):
            return np.array([self.choose(own) for own in seen])
        return self.choose(seen)

    def offer(self, seen: Any, arms: Any, user: Hashable = None) -> Ticket:
        """Return a ticket for these arms, whether the learner chose them or not."""
        if not np.ndim(arms):
            arm = int(arms)
            return self.hand_out(self.slots[0], arm, 1, user, shown=seen[arm, None])
        phi = np.array([own[arm] for own, arm in zip(seen, arms, strict=True)])
        return self.hand_out(self.slots[0], arms, len(arms), user, shown=phi)

    def choose(self, shown: Floats) -> NDArray[np.intp]:
        """Return the learner's arm for every user, checked unless the learner is a LinUCB."""
        if isinstance(self.learner, LinUCB):
            return self.learner.choose(shown)
        ours = isinstance(self.learner, Learner)
        learner: Any = self.learner if ours else copy.deepcopy(self.learner)  # choose may change it
        chosen, users, arms = learner.choose(shown), shown.shape[:-2], shown.shape[-2]
        array = np.asarray(chosen)
        fits = array.shape == users and array.dtype.kind in "iu"
        if not fits or array.min() < 0 or array.max() >= arms:
            raise ValueError(f"choose must return integers from 0 to {arms - 1} of shape {users}, "
                             f"one per user, got {chosen!r}")
        return array

    def _perturbed(self, features: Floats, rng: np.random.Generator | None) -> Floats:
        """Return the features, with noise if the stream perturbs them (from batch 2 on)."""
        std = self.stream.context_std
        if std and self.learner.batch:
            return features + std * generator(rng).normal(size=features.shape)
        return features

    def moved(self, features: Floats) -> Floats:
        """Perturb the features of many runs as ``act`` would, with this round's drawn noise."""
        if self.stream.context_std and self.learner.batch:
            noise = self.stream.context_noise.reshape(len(features), 1, *features.shape[2:])
            return features + noise
        return features

    def checked(self, features: ArrayLike, axes: int) -> Floats:
        """Check and return features of one user, or of several on one more axis."""
        shape = (*(None,) * (axes - 1), self.dimension)
        array = checked_features(features, shape, self.feature_norm)
        if self.centre is not None:
            product = array @ self.centre
            if np.abs(product - self.reward_shift).max(initial=0.0) > SLACK:
                raise ValueError(f"features must have the product {self.reward_shift:g} with "
                                 f"{self.centre} if rewards are centred, got {product.min():g} to "
                                 f"{product.max():g}")
        return array

    def _values(self, ticket: Ticket, answers: ArrayLike) -> Floats:
        rewards = self.in_range(self._rewards(ticket, answers)[:, 0])
        return self.values(ticket.shown, rewards - self.reward_shift)

    def in_range(self, rewards: Floats) -> Floats:
        """Return the rewards, or raise a ValueError that names one out of range."""
        low, high = self.reward_range
        for one in rewards.tolist():
            if not low <= one <= high:
                raise ValueError(f"rewards must be in [{low:g}, {high:g}], got {one}; nothing is "
                                 "clipped for you")
        return rewards

    def _take(self, place: int, ticket: Ticket, values: Floats, rng: np.random.Generator) -> None:
        start = self.played - self.slots[0].filled
        never = start + self.batch_size > self.horizon  # fills: its users send nothing
        self.played += ticket.users
        slot = self.slots[0].with_answers(ticket.users, None if never else values, rng)
        self.slots[0] = slot
        if never:
            return
        if self.stream.public:
            self.shown = (*self.shown, values[:, -self.stream.public :])
        if slot.filled < slot.users:
            return
        stream = snapshot(slot.source)
        released = stream.receive(slot.waiting, rng)
        public, self.shown = (np.concatenate(self.shown),) if self.shown else (), ()
        self._close()
        self.slots = [Slot(stream, self.batch_size)]
        self.bits += self.batch_size * stream.bits_per_user
        self.due = (released, *public)

    def _hear(self) -> None:
        self._told(*self.due)

    def values(self, phi: Floats, y: Floats) -> Floats:
        """Return users' values for the stream, from the features of their arms and from rewards."""
        if self.stream.public:
            g = self.learner.directions(phi)
            return np.concatenate([g * (y - self.stream.middle)[..., None], g, phi], axis=-1)
        own = getattr(self.learner, "statistics", None)
        if own is None:
            return statistics(phi, y, triangle(self.dimension))
        found = own(phi, y)
        if getattr(own, "__func__", None) is LinUCB.statistics:
            return np.asarray(found)
        shape, name = (*y.shape, self.stream.dimension), "statistics of the learner"
        array = _checks.numbers("statistics", found,
                                f"a method that returns numbers of shape {shape}")
        if array.shape != shape:
            raise ValueError(f"statistics must return numbers of shape {shape}, "
                             f"got shape {array.shape}")
        self.stream.check(rows(array.reshape(-1, shape[-1]), None, shape[-1], name), name)
        return array

    def check_problem(self, problem: Problem) -> None:
        """Raise a ValueError if this app cannot play a problem, or a TypeError if it is none."""
        super().check_problem(problem)
        for name in ("dimension", "reward_range", "feature_norm"):
            own, other = getattr(self, name), getattr(problem, name)
            if own != other:
                raise ValueError(f"problem must have the {name} {own}, for which the learner was "
                                 f"made, got {other}")
        if self.stream.context_std and getattr(problem, "fixed", False):
            raise ValueError("problem must show new features in every round, so that they can be "
                             "perturbed, got fixed ones")


def combined(learner: Any, privatizer: Any, problem: Contextual, horizon: int,
             fidelity: str) -> ContextsApp:
    """Return the app of a custom learner and its source of sums; see :func:`bandits_dp.combine`."""
    if isinstance(learner, LinUCB) and len(learner.theta) != problem.dimension:
        raise ValueError(f"learner must be for features of length {problem.dimension}, got one for "
                         f"{len(learner.theta)}")
    if isinstance(learner, LinUCB) and not learner.radius.floor(0):  # no noise lifts its matrix
        ridge = learner.radius.regularizer(0)
        check_ridge("the regularizer of learner", ridge, problem.dimension, horizon,
                    problem.feature_norm)
    app = ContextsApp(learner, _stream(privatizer, problem, horizon), problem, horizon,
                      fidelity=fidelity)
    # a user's own arm depends on her features
    if app.guarantee.model == "central" and app.guarantee.proved:
        app.guarantee = replace(app.guarantee, reason=app.guarantee.reason + BILLBOARD, joint=True)
    return app


def _stream(source: Any, problem: Any, horizon: int) -> FreshBatches | CountedBatches:
    """Return the stream of a privatizer or counter, or raise a ValueError if it does not fit."""
    if isinstance(source, Counter):
        if source.steps or (source.horizon is not None and source.horizon < horizon):
            raise ValueError(f"privatizer must be a fresh counter for {horizon} rounds, got "
                             f"{_checks.told(source)} after {source.steps} values")
    else:
        source = complete(source)
    domain = LinearStatistics(problem.dimension)
    if source.dimension != domain.dimension:
        raise ValueError(f"privatizer must be for {domain.dimension} numbers per user, {domain!r}, "
                         f"got {_checks.told(source)} for {source.dimension}")
    return CountedBatches(source) if isinstance(source, Counter) else FreshBatches(source)
