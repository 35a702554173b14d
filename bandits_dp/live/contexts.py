"""Live use of learners that are shown features: users come in batches, and choose with the model of the last batch end."""

from __future__ import annotations

import copy
import math
from collections.abc import Hashable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bandits_dp._state import WrongEntry, pack, snapshot, unpack
from bandits_dp.learners import LinUCB
from bandits_dp.learners.ask_tell import Learner
from bandits_dp.live.inbox import Inbox
from bandits_dp.live.live import Live
from bandits_dp.live.restored import FARTHEST
from bandits_dp.live.streams import CountedBatches, FreshBatches, Stream
from bandits_dp.live.ticket import Ticket
from bandits_dp.privatizers.bit_sum import BitSum
from bandits_dp.privatizers.domain import SLACK, triangle
from bandits_dp.problems import Problem
from bandits_dp.problems.contextual import Contextual, checked_features

BILLBOARD = ("; the arms of everybody else are a function of the released sums and of data that are not the user's "
             "(billboard lemma, Hsu et al. 2016)")


class LiveContexts(Live):
    """A learner that chooses by features, with a stream that releases its statistics.

    Parameters
    ----------
    learner : object
        ``choose(features)`` and ``tell(released)``, see :mod:`bandits_dp.learners.ask_tell`.
    stream : FreshBatches or CountedBatches
        How running sums of users' statistics are released; it knows the batch size.
    problem : Contextual
        What is public of it is used: numbers of arms and dimensions, bounds on norms, the range of rewards.
    horizon : int
        Number of rounds T, >= 1.
    centre : ndarray, shape (dimension,), optional
        A vector whose product with all features is the middle of the reward's range. Then that middle is subtracted from every
        reward, what is left is linear in the features with parameter theta - ``centre``, and it is this that is learned.
    fidelity, visits
        See :class:`Live`.

    Attributes
    ----------
    batch_size : int
        Users per batch B.

    Raises
    ------
    ValueError
        If an argument is out of range, or the problem's bounds on features and rewards do not fit the stream's domain.
    """

    setting, one_arm = "contextual", False

    def __init__(
        self,
        learner: Any,
        stream: Stream,
        problem: Contextual,
        horizon: int,
        centre: NDArray[np.float64] | None = None,
        fidelity: str = "aggregate",
        visits: int = 1,
    ) -> None:
        super().__init__(learner, problem.arms, horizon, stream.guarantee, fidelity, visits)
        self.stream = stream
        self.batch_size = stream.users
        self.dimension, self.reward_range, self.feature_norm = problem.dimension, problem.reward_range, problem.feature_norm
        self.centre = centre
        self.reward_shift = 0.0 if centre is None else sum(problem.reward_range) / 2
        extremes = np.clip(problem.reward_range, -1e6, 1e6) - self.reward_shift  # which may be infinite without privacy
        phi = np.outer([1.0, 1.0, -1.0, -1.0], np.eye(1, problem.dimension)) * problem.feature_norm
        # Longer features and larger rewards never come, so that single values need no look later.
        stream.check(self.values(phi, np.tile(extremes, 2)), "features and rewards of the problem")
        self.inbox: Inbox | None = None
        self.filled = 0  # answers of the current batch

    def _lacks(self, arm: int | None) -> int:
        return min(self.batch_size - self.filled, self.horizon - self.played)

    def act(self, features: Any, user: Hashable = None, rng: np.random.Generator | None = None) -> Ticket:
        """Return a ticket for the next user, or for several users of the current batch.

        Parameters
        ----------
        features : array_like, shape (arms, dimension) or (users, arms, dimension), or a list of arrays of the first kind
            Feature vectors that each user is shown; at most ``missing`` users. The number of arms may vary. A norm that is too long
            by float32 rounding (1e-6) is shortened.
        user : int or str, optional
            Who she is: a user who gives her id is in no more batches than the guarantee says, and once in each.
        rng : numpy.random.Generator, optional
            Source of noise on features, for who perturbs them; that of the operating system if not given.

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
        self._must_go_on()
        ragged = isinstance(features, (list, tuple)) and len({np.shape(own) for own in features}) > 1
        several = ragged or np.ndim(features) == 3
        shown: Any = [self._shown(own, 2) for own in features] if ragged else self._shown(features, 3 if several else 2)
        count = len(shown) if several else 1
        if not 1 <= count <= self.missing:
            raise ValueError(f"features must be those of 1 to {self.missing} users, the rest of this batch, got {count}")
        if user is not None and several:
            raise ValueError(f"user must be left out for several users at once, got {user!r} for {count}")
        if user is not None:
            self.visits.check(user)
        shown = [self._perturbed(own, rng) for own in shown] if ragged else self._perturbed(shown, rng)
        arms = np.array([self._choose(own) for own in shown]) if ragged else self._choose(shown)
        if user is not None:
            self.visits.admit(user)
        if not several:
            arm = int(arms)
            return self._ticket(arm, 1, user, shown=shown[arm, None])
        return self._ticket(arms, count, shown=np.array([own[arm] for own, arm in zip(shown, arms, strict=True)]))

    def _choose(self, shown: NDArray[np.float64]) -> NDArray[np.intp]:
        """Ask the learner, whose class may be anybody's, for an arm of every user."""
        learner: Any = self.learner if isinstance(self.learner, Learner) else copy.deepcopy(self.learner)  # forgets its notes
        chosen, users, arms = learner.choose(shown), shown.shape[:-2], shown.shape[-2]
        array = np.asarray(chosen)
        if array.shape != users or array.dtype.kind not in "iu" or array.min() < 0 or array.max() >= arms:
            raise ValueError(f"choose must return integers from 0 to {arms - 1} of shape {users}, one per user, got {chosen!r}")
        return array

    def _perturbed(self, features: NDArray[np.float64], rng: np.random.Generator | None) -> NDArray[np.float64]:
        """Return the features that take the place of those that are shown."""
        return features

    def _shown(self, features: ArrayLike, axes: int) -> NDArray[np.float64]:
        """Return features of one user, or of several on one more axis, or say what is wrong with them."""
        array = checked_features(features, (*(None,) * (axes - 1), self.dimension), self.feature_norm)
        if self.centre is not None and np.abs(array @ self.centre - self.reward_shift).max(initial=0.0) > SLACK:
            raise ValueError(f"features must have the product {self.reward_shift:g} with {self.centre} if rewards are centred, "
                             f"got {(array @ self.centre).min():g} to {(array @ self.centre).max():g}")
        return array

    def _checked(self, ticket: Ticket, answers: ArrayLike) -> NDArray[np.float64]:
        if ticket.shown is None or ticket.shown.shape != (ticket.users, self.dimension) or not np.isfinite(ticket.shown).all():
            raise ValueError(f"ticket must be what act() returned, with the features that {ticket.users} users were shown, got "
                             f"{ticket!r}")
        return self._in_range(self._rewards(ticket, answers)[:, 0])

    def _in_range(self, y: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return rewards, or say which is out of range."""
        low, high = self.reward_range
        if not (low <= y.min() and y.max() <= high and np.isfinite(y).all()):
            bad = ~((y >= low) & (y <= high) & np.isfinite(y))
            raise ValueError(f"rewards must be in [{low:g}, {high:g}], got {y[bad][0]}; nothing is clipped for you")
        return y

    def _take(self, ticket: Ticket, answers: NDArray[np.float64], rng: np.random.Generator) -> None:
        started = self.played - self.filled
        self.played += ticket.users
        self.filled += ticket.users
        if started + self.batch_size > self.horizon:  # a batch that never fills: nobody sends anything
            return
        sent = self.stream.send(self.values(ticket.shown, answers - self.reward_shift), rng)
        inbox = Inbox(sent) if self.inbox is None else self.inbox.put(sent)
        if self.filled < self.batch_size:
            self.inbox = inbox
            return
        self.stream = snapshot(self.stream)
        released = self.stream.add(inbox.rows, rng)
        told = self.told(released, inbox.rows)
        self.bits += self.batch_size * self.stream.bits_per_user
        self.inbox, self.filled = None, 0
        self._expire()
        self.visits = self.visits.next_batch()
        self._tell(*told)

    def told(self, released: NDArray[np.float64], values: NDArray[np.float64]) -> tuple[NDArray[np.float64], ...]:
        """Return what the learner is told after a batch of these values, of one run or of many."""
        return (released,)

    def values(self, phi: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return (phi y, upper triangle of phi phi') of every user, shape (..., users, numbers)."""
        row, column = triangle(phi.shape[-1])
        return np.concatenate([phi * y[..., None], phi[..., row] * phi[..., column]], axis=-1)

    def moved(self, features: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the features that take the place of those that are shown, in many runs at once."""
        return features

    @property
    def counts(self) -> dict[str, Any]:
        """What a simulation counts besides regret and bits."""
        return {"shifts": self.learner.shifts} if isinstance(self.learner, LinUCB) else {}

    def learn_publicly(self, phi: NDArray[np.float64], rewards: NDArray[np.float64]) -> int:
        """Take whole batches from people to whom nothing is promised: the learner is told exact sums, and nobody sends anything.

        The noise on later sums is that of later batches only, less than the radius allows for.

        Parameters
        ----------
        phi : ndarray, shape (users, dimension)
            Features of what was shown.
        rewards : ndarray, shape (users,)
            What it paid.

        Returns
        -------
        int
            Users who were taken, whole batches of them.
        """
        if self.filled or not isinstance(self.stream, FreshBatches):
            raise ValueError("users must come at the start of a batch, each of which has noise of its own, got "
                             f"{self.filled} users before them with {type(self.stream).__name__}")
        batches = min(len(phi), self.horizon - self.played) // self.batch_size
        count = batches * self.batch_size
        if not count:
            return 0
        shown = self._shown(np.repeat(phi[:count, None], 2, axis=1), 3)[:, 0]  # as a choice between it and itself
        values = self.values(shown, self._in_range(rewards[:count]) - self.reward_shift)
        self.stream = snapshot(self.stream)
        for batch in values.reshape(batches, self.batch_size, -1):
            self.stream.total = self.stream.total + batch.sum(axis=0)
            self.played += self.batch_size
            self._tell(self.stream.total)
        return count

    def _try(self) -> None:
        self._choose(np.eye(2, self.dimension) * self.feature_norm)

    def check_problem(self, problem: Problem) -> None:
        """Raise a ValueError if this learner cannot play the problem."""
        super().check_problem(problem)
        for name in ("dimension", "reward_range", "feature_norm"):
            if getattr(problem, name) != getattr(self, name):
                raise ValueError(f"problem must have the {name} {getattr(self, name)}, for which the learner was made, "
                                 f"got {getattr(problem, name)}")

    def _pack(self) -> dict[str, ArrayLike]:
        sent = {} if self.inbox is None else {"sent": self.inbox.rows}
        return super()._pack() | {"filled": self.filled, **pack(self.stream, "stream_")} | sent

    def _unpack(self, state: dict[str, NDArray[Any]]) -> None:
        super()._unpack(state)
        self.filled = int(state["filled"])
        self.stream = snapshot(self.stream)
        unpack(self.stream, state, "stream_")
        fills = self.filled and self.played - self.filled + self.batch_size <= self.horizon
        phi = np.eye(1, self.dimension) * self.feature_norm
        one = self.stream.send(self.values(phi, np.zeros(1)), np.random.default_rng(0))
        self.inbox = Inbox.restored(state["sent"], self.filled, one) if fills else None
        self._check_sums(state)

    def _check_sums(self, state: dict[str, NDArray[Any]]) -> None:
        """Raise a WrongEntry for sums, noise and messages that are larger than answers and noise ever are."""
        batches, stream = max(1, self.played // self.batch_size), self.stream
        if isinstance(stream, FreshBatches):
            std = stream.privatizer.noise_std * math.sqrt(batches)
            ours = type(stream.privatizer).__module__.startswith("bandits_dp.")
        elif isinstance(stream, CountedBatches):
            std, ours = float(stream.counter.error_std(np.arange(1, batches + 1)).max()), True
        else:
            return
        reward = float(np.clip(np.abs(self.reward_range), 1.0, 1e6).max())
        most = FARTHEST * std + (self.played + 1) * reward * max(1.0, self.feature_norm) ** 2 * (1 + SLACK)
        sent = math.inf  # other people's messages, and integers modulo something, may be anything
        if isinstance(stream, FreshBatches) and isinstance(stream.privatizer, BitSum):
            sent = stream.privatizer.bits_per_user
        elif ours and self.inbox is not None and self.inbox.rows.dtype.kind == "f":
            sent = most
        for key, value in state.items():
            told = key.startswith("stream_") or (key == "learner_sums" and isinstance(self.learner, LinUCB))
            limit = sent if key == "sent" else most if told and not key.endswith("steps") else math.inf
            if limit < math.inf and not ((-limit <= value) & (value <= limit)).all():
                raise WrongEntry(key, f"after {self.played} rounds nothing is larger than {limit:g}")

    def _check_learner(self, state: dict[str, NDArray[Any]]) -> None:
        filled = int(state["filled"])
        batches, rest = divmod(self.played - filled, self.batch_size)
        if rest or not 0 <= filled < self.batch_size:
            raise WrongEntry("filled", f"{self.played} rounds are not so many answers after whole batches of {self.batch_size}")
        for counted in sorted(state.keys() & {"learner_batch", "stream_counter_steps", "stream_eta_steps"}):
            if state[counted] != batches and not self._is_foreign(counted):
                raise WrongEntry(counted, f"{batches} batches were released")
        super()._check_learner(state)
