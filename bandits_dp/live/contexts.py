"""Live use of learners that are shown features: users come in batches, and choose with the model of the last batch end."""

from __future__ import annotations

import copy
from collections.abc import Hashable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bandits_dp import _checks
from bandits_dp._checks import LARGEST, LEAST_NORM, exact
from bandits_dp._state import locked, snapshot
from bandits_dp.app.randomness import explored, generator
from bandits_dp.app.streams import CountedBatches, FreshBatches, Stream
from bandits_dp.ask_tell import Learner
from bandits_dp.contextual.problems import Contextual, checked_features
from bandits_dp.learners.linucb import LinUCB, statistics
from bandits_dp.live.live import Live
from bandits_dp.live.slot import Slot
from bandits_dp.live.ticket import Ticket
from bandits_dp.privatizers.domain import SLACK, rows
from bandits_dp.privatizers.linear_statistics import triangle
from bandits_dp.problem import Problem

BILLBOARD = ("; the arms of everybody else are a function of the released sums and of data that are not the user's "
             "(billboard lemma, Hsu et al. 2016)")
Floats = NDArray[np.float64]
SENT = 2048  # users who send at once, about


def ours_learns(learner: Any) -> bool:
    """Whether a learner is a LinUCB of this package in all that it does when it is told something."""
    return isinstance(learner, LinUCB) and all(
        getattr(type(learner), name).__module__.startswith("bandits_dp.") for name in ("statistics", "tell", "_fit"))


class LiveContexts(Live):
    """A learner that chooses by features, with a stream that releases its statistics.

    Parameters
    ----------
    learner : object
        ``choose(features)`` and ``tell(released)``, see :mod:`bandits_dp.ask_tell`.
    stream : Stream
        How running sums of users' statistics are released; it knows the batch size.
    problem : Contextual
        What is public of it is used: numbers of arms and dimensions, bounds on norms, the range of rewards.
    horizon : int
        Number of rounds T, >= 1.
    centre : ndarray, shape (dimension,), optional
        A vector whose product with all features is the middle of the reward's range. Then that middle is subtracted from every
        reward, what is left is linear in the features with parameter theta - ``centre``, and it is this that is learned.
    fidelity, appearances
        See :class:`bandits_dp.live.live.Live`.

    Attributes
    ----------
    batch_size : int
        Users per batch B.
    shown : tuple of ndarray
        With public features: those of the users who wait for the batch to fill.

    Raises
    ------
    ValueError
        If an argument is out of range, or the problem's bounds on features and rewards do not fit the stream's domain.
    """

    setting = "contextual"

    def __init__(
        self,
        learner: Any,
        stream: Stream,
        problem: Contextual,
        horizon: int,
        centre: Floats | None = None,
        fidelity: str = "aggregate",
        appearances: int = 1,
    ) -> None:
        if not LEAST_NORM <= problem.feature_norm <= LARGEST:
            raise ValueError(f"problem must have a feature_norm from {LEAST_NORM:g} to {LARGEST:g}, got {problem.feature_norm!r}")
        super().__init__(learner, problem.arms, horizon, stream.guarantee, fidelity, appearances)
        self.slots = [Slot(stream, stream.users)]
        self.batch_size, self.shown = stream.users, tuple[Floats, ...]()
        self.dimension, self.reward_range, self.feature_norm = problem.dimension, problem.reward_range, problem.feature_norm
        self.centre = centre
        self.reward_shift = 0.0 if centre is None else sum(problem.reward_range) / 2
        extremes = np.clip(problem.reward_range, -LARGEST, LARGEST) - self.reward_shift  # which may be infinite without privacy
        phi = np.outer([1.0, 1.0, -1.0, -1.0], np.eye(1, problem.dimension)) * problem.feature_norm
        # Longer features and larger rewards never come, so that our own statistics of them need no look later.
        stream.check(self.values(phi, np.tile(extremes, 2)), "features and rewards of the problem")

    @property
    def _accepts(self) -> str:
        low, high, norm = map(exact, (*self.reward_range, self.feature_norm))
        return f"rewards in [{low}, {high}] and features of norm at most {norm}"

    @property
    def _source(self) -> Any:
        return self.stream

    @property
    def stream(self) -> Any:
        """What releases running sums."""
        return self.slots[0].source

    @property
    def _open(self) -> int:
        """How many users have open tickets."""
        return sum(kept.users for kept in self.register.open.values())

    @property
    def counts(self) -> dict[str, Any]:
        """What a simulation counts besides regret and bits: how often LinUCB lifted its matrix."""
        return {"shifts": self.learner.shifts} if isinstance(self.learner, LinUCB) else {}

    @locked
    def act(
        self, features: Any, user: Hashable = None, rng: np.random.Generator | None = None, explore: float = 0.0
    ) -> Ticket:
        """Return a ticket for the next user, or for several users of the current batch.

        Parameters
        ----------
        features : array_like, shape (arms, dimension) or (users, arms, dimension), or a list of arrays of the first kind
            Feature vectors that each user is shown; at most ``missing`` users. The number of arms may vary. A norm that is too long
            by float32 rounding (1e-6) is shortened.
        user : int or str, optional
            Who she is: a user who gives her id is in no more batches than the guarantee says, and once in each.
        rng : numpy.random.Generator, optional
            Source of noise on features, for who perturbs them, and of exploration; that of the operating system if not given.
        explore : float
            Share of users who are shown an arm that is drawn uniformly, in [0, 1]. ``ticket.propensity`` then says with which
            probability its arm was drawn, so that a log of tickets can judge other policies. The coin knows nobody's data, so that
            no promise changes; radii hold for features that were chosen in any way before the reward, and a user loses at most this
            share of the largest gap, on average.

        Returns
        -------
        Ticket
            ``ticket.arm`` is what to show: one number, or one per user.

        Raises
        ------
        ValueError
            If the horizon is reached, there are too many users, features have another shape, are not finite, zero, or too long, or
            the user was in as many batches as are promised.

        Examples
        --------
        >>> import bandits_dp as bdp
        >>> problem = bdp.problems.ContextualLinear(arms=2, dimension=2)
        >>> learner = bdp.make("LinUCB-JDP", problem, horizon=1000, epsilon=1.0, delta=1e-3)
        >>> ticket = learner.act([[0.6, 0.8], [0.8, 0.6]], user="Ada")
        >>> learner.update(ticket, 1.0)
        >>> learner.played
        1
        """
        self._settle()
        self._must_go_on()
        ragged = isinstance(features, (list, tuple)) and len({np.shape(own) for own in features}) > 1
        several = ragged or np.ndim(features) == 3
        shown: Any = [self.checked(own, 2) for own in features] if ragged else self.checked(features, 3 if several else 2)
        count = len(shown) if several else 1
        if not 1 <= count <= self.missing:
            raise ValueError(f"features must be those of 1 to {self.missing} users, the rest of this batch, got {count}")
        if user is not None and several:
            raise ValueError(f"user must be left out for several users at once, got {user!r} for {count}")
        if user is not None and self.stream.context_std:  # before noise is drawn
            self.register.admitted(user)
        shown = [self._perturbed(own, rng) for own in shown] if ragged else self._perturbed(shown, rng)
        if not several:
            arm, chance = explored(int(self.choose(shown)), len(shown), explore, rng)
            return self.register.hand_out(self.slots[0], arm, 1, user, shown=shown[arm, None], propensity=chance)
        arms = np.array([self.choose(own) for own in shown]) if ragged else self.choose(shown)
        arms, chances = explored(arms, list(map(len, shown)), explore, rng)
        phi = np.array([own[arm] for own, arm in zip(shown, arms, strict=True)])
        return self.register.hand_out(self.slots[0], arms, count, shown=phi, propensity=chances)

    @locked
    def suggest(self, features: ArrayLike) -> Any:
        """Return the arm that looks best by what was released, for a user (or several) from whom nothing is learned.

        Nobody answers, nothing is counted or changed, and it costs her nothing: the arm is a function of releases, whose price is
        paid, and of her own features, which are forgotten. So it is for users whose budget is spent, and for all when the horizon
        is reached. LinUCB takes the largest estimate, as there is nothing to explore for; a learner of your own chooses as ever.

        Parameters
        ----------
        features : array_like, shape (arms, dimension) or (users, arms, dimension)
            What each user is shown.

        Examples
        --------
        >>> import bandits_dp as bdp
        >>> problem = bdp.problems.ContextualLinear(arms=2, dimension=2)
        >>> learner = bdp.make("LinUCB-JDP", problem, horizon=1000, epsilon=1.0, delta=1e-3)
        >>> learner.suggest([[0.6, 0.8], [0.8, 0.6]]), learner.tickets
        (0, {})
        """
        shown = self.checked(features, 3 if np.ndim(features) == 3 else 2)
        leading = getattr(self.learner, "leading", None)
        arms = leading(shown) if callable(leading) else self.choose(shown)
        return arms if shown.ndim == 3 else int(arms)

    def choose(self, shown: Floats) -> NDArray[np.intp]:
        """Ask the learner, whose class may be anybody's, for an arm of every user; nothing changes."""
        if isinstance(self.learner, LinUCB):
            return self.learner.choose(shown)
        learner: Any = self.learner if isinstance(self.learner, Learner) else copy.deepcopy(self.learner)  # forgets its notes
        chosen, users, arms = learner.choose(shown), shown.shape[:-2], shown.shape[-2]
        array = np.asarray(chosen)
        if array.shape != users or array.dtype.kind not in "iu" or array.min() < 0 or array.max() >= arms:
            raise ValueError(f"choose must return integers from 0 to {arms - 1} of shape {users}, one per user, got {chosen!r}")
        return array

    def _perturbed(self, features: Floats, rng: np.random.Generator | None) -> Floats:
        """Return the features that take the place of those that are shown."""
        if self.stream.context_std and self.learner.batch:
            return np.asarray(features + self.stream.context_std * generator(rng).normal(size=features.shape))
        return features

    def moved(self, features: Floats) -> Floats:
        """Do what acting does to features, in many runs at once, with the noise that was drawn for this round."""
        if self.stream.context_std and self.learner.batch:
            return np.asarray(features + self.stream.context_noise.reshape(len(features), 1, *features.shape[2:]))
        return features

    def checked(self, features: ArrayLike, axes: int) -> Floats:
        """Return features of one user, or of several on one more axis, or say what is wrong with them."""
        array = checked_features(features, (*(None,) * (axes - 1), self.dimension), self.feature_norm)
        if self.centre is not None and np.abs(array @ self.centre - self.reward_shift).max(initial=0.0) > SLACK:
            raise ValueError(f"features must have the product {self.reward_shift:g} with {self.centre} if rewards are centred, "
                             f"got {(array @ self.centre).min():g} to {(array @ self.centre).max():g}")
        return array

    def _values(self, ticket: Ticket, answers: ArrayLike) -> Floats:
        phi, longest = ticket.shown, self.feature_norm * (1 + SLACK)
        if phi is None or phi.shape != (ticket.users, self.dimension) or not (
                self.stream.context_std or np.maximum.reduce(np.einsum("ui,ui->u", phi, phi)) <= longest**2):
            raise ValueError(f"ticket must be what act() returned, with the features that {ticket.users} users were shown, got "
                             f"{ticket!r}")
        return self.values(phi, self._in_range(self._rewards(ticket, answers)[:, 0]) - self.reward_shift)

    def _in_range(self, y: Floats) -> Floats:
        """Return rewards, or say which is out of range."""
        low, high = self.reward_range
        for one in y.tolist():
            if not low <= one <= high:
                raise ValueError(f"rewards must be in [{low:g}, {high:g}], got {one}; nothing is clipped for you")
        return y

    def _take(self, place: int, ticket: Ticket, values: Floats, rng: np.random.Generator) -> None:
        never = self.played - self.slots[0].filled + self.batch_size > self.horizon  # fills: nobody sends anything
        self.played += ticket.users
        slot = self.slots[0] = self.slots[0].taking(ticket.users, None if never else values, rng)
        if never:
            return
        if self.stream.public:
            self.shown = (*self.shown, values[:, -self.stream.public :])
        if slot.filled < slot.users:
            return
        stream = snapshot(slot.source)
        released = stream.receive(slot.waiting, rng)
        public, self.shown = (np.concatenate(self.shown),) if self.shown else (), ()
        if self.register.open or self.register.here:  # somebody else was asked
            self.register.next_batch(late=self.late)
        self.slots = [Slot(stream, self.batch_size, shown=self._open)]
        self.bits += self.batch_size * stream.bits_per_user
        self.due = (released, *public)

    def _hear(self) -> None:
        self._tell(*self.due)

    def values(self, phi: Floats, y: Floats) -> Floats:
        """Return the numbers that users have, from the features of what they were shown and from their rewards."""
        if self.stream.public:
            g = self.learner.directions(phi)
            return np.concatenate([g * (y - self.stream.middle)[..., None], g, phi], axis=-1)
        own = getattr(self.learner, "statistics", None)
        if own is None:
            return statistics(phi, y, triangle(self.dimension))
        found = own(phi, y)
        if getattr(own, "__func__", None) is LinUCB.statistics:  # right features and rewards give right values
            return np.asarray(found)
        shape = (*y.shape, self.stream.dimension)
        array = _checks.numbers("statistics", found, f"a method that returns numbers of shape {shape}")
        if array.shape != shape:
            raise ValueError(f"statistics must return numbers of shape {shape}, got shape {array.shape}")
        name = "statistics of the learner"
        self.stream.check(rows(array.reshape(-1, shape[-1]), None, shape[-1], name), name)
        return array

    def checked_values(self, phi: Floats, rewards: Floats) -> Floats:
        """Return the numbers of users who were shown these features, one row each, or say what is wrong."""
        shown = self.checked(np.repeat(phi[:, None], 2, axis=1), 3)[:, 0]  # as a choice between it and itself
        return self.values(shown, self._in_range(rewards) - self.reward_shift)

    def learn(self, phi: Floats, rewards: Floats, rng: np.random.Generator, public: bool = False) -> None:
        """Take whole batches of different users who were shown something before; only the last running sums need be told.

        The noise on later sums is that of later batches only, less than the radius allows for. A counter takes all of them in one
        ``Counter.leap``, or, where a public whitener should follow, in some that double. One of our learners computes its model
        from the last sums, so that models in between, by which nobody is shown anything, are left out; its radius counts all
        batches.

        Parameters
        ----------
        phi, rewards : ndarray, shapes (users, dimension) and (users,)
            What was shown, and what it paid, of a multiple of ``batch_size`` users, for which :meth:`checked_values` finds nothing
            wrong.
        rng : numpy.random.Generator
            Source of the privatizer's randomness.
        public : bool
            Whether they are people to whom nothing is promised. Where noise is fresh for every batch, nobody sends anything then,
            and the sums are exact; a counter adds the noise that it has.
        """
        count, size, stream = len(phi), self.batch_size, snapshot(self.stream)
        batches, ours = count // size, ours_learns(self.learner)
        if self.slots[0].filled or not (isinstance(stream, FreshBatches) or (ours and isinstance(stream, CountedBatches))):
            raise ValueError(f"users must come at the start of a batch, got {self.slots[0].filled} users before them with "
                             f"{type(stream).__name__}")
        if isinstance(stream, CountedBatches):
            done = 0
            while done < batches:
                more = min(max(1, done), batches - done) if hasattr(self.learner, "whitener") else batches
                part = slice(done * size, (done + more) * size)
                values = self.checked_values(phi[part], rewards[part])
                released = stream.leap(values, more, rng)
                self._skip(more - 1)
                self._tell(released, *((values[:, -stream.public :],) if stream.public else ()))
                done += more
        elif batches:
            values, step = self.checked_values(phi, rewards), size * max(1, SENT // size)
            for start in range(0, count, step):
                sent = values[start : start + step] if public else stream.send(values[start : start + step], rng)
                for own in sent.reshape(-1, size, *sent.shape[1:]):
                    if public:
                        stream.total = stream.total + own.sum(axis=0)
                    else:
                        stream.receive(own.sum(axis=0) if stream.adds else rng.permutation(own), rng)
                    if not ours:
                        self._tell(stream.total)
            if ours:
                self._skip(batches - 1)
                self._tell(stream.total)
        self.played += count
        self.bits += 0.0 if public and isinstance(stream, FreshBatches) else count * stream.bits_per_user
        self.slots = [Slot(stream, size)]

    def _skip(self, batches: int) -> None:
        """Let the learner count batches that it is told nothing about."""
        self.learner = snapshot(self.learner)
        self.learner.batch += batches

    def check_problem(self, problem: Problem) -> None:
        """Raise a ValueError if this learner cannot play the problem."""
        super().check_problem(problem)
        for name in ("dimension", "reward_range", "feature_norm"):
            if getattr(problem, name) != getattr(self, name):
                raise ValueError(f"problem must have the {name} {getattr(self, name)}, for which the learner was made, "
                                 f"got {getattr(problem, name)}")
        if self.stream.context_std and getattr(problem, "fixed", False):
            raise ValueError("problem must show new features in every round, so that they can be perturbed, got fixed ones")

    def _pack(self) -> dict[str, ArrayLike]:
        return super()._pack() | {"shown": np.concatenate(self.shown) if self.shown else np.zeros((0, self.dimension))}

    def _unpack(self, state: dict[str, NDArray[Any]]) -> None:
        super()._unpack(state)
        self.shown = (state["shown"],) if len(state["shown"]) else ()

    def _reopen(self, state: dict[str, NDArray[Any]]) -> None:
        self.slots = [Slot(self.stream, self.batch_size, shown=self._open)]
