r"""Warm start: a learner that begins with what a log knows, through the same privatizer as live users.

**What may learn from a log.** A row is somebody else's choice. It teaches soundly whoever can take an answer to any choice, if the
logging policy chose by what was shown and by chance only:

* *LinUCB and its kin* estimate by ridge regression, which is right for features chosen in any way before the reward is known.
  Every row is a round of theirs, in the log's order.
* *UCB1 and DP-UCB* count every arm by itself, for any number of pulls. Every row is a round.
* *Arm elimination and phased elimination of plain rewards* need so many fresh answers about the arms that a phase asks for, and no
  more. Each arm takes the log's rows that were shown it, in their order, batch after batch; where the log has no whole batch left,
  live users go on. Rows of eliminated arms, and those that no phase asks for, stay unused.

Others are refused: clients answer with averages of a whole phase, restarts would forget the log, perturbed features are not those
that were logged, and of a learner with features that is somebody's own nobody knows what it assumes.

**At once.** Nobody is shown anything while a log is read, so sums in between need not be released. UCB1, DP-UCB, and LinUCB with
fresh noise for every batch or with more than 1,000 batches of a counter, take all whole batches together, each row through the
privatizer as ever, and are told what comes out at the end. That is a part of what would have been released, so no promise changes;
and the noise in it is that of as many batches, or less, which is what widths and radii allow for. LinUCB-RewardTree is told after
1, 2, 4, ... batches, so that its public directions follow.

**Privacy.** The people in the log are people too. Their rows enter batches (or the counter) like those of live users, one row a
round, and only what the privatizer makes of a batch reaches the learner. A user is in no more batches than the guarantee says,
counting the log and live rounds together, because she is known by her id: so the log has to say who is who. Batches of different
users compose in parallel, so the guarantee of the run is what it was, and covers the log's users. What changes:

* *Whom it hides in.* No batch mixes the log's users and live ones, and rows that fill no batch stay unused. Whoever keeps the log
  draws the noise of its users and knows it, so live users would be hidden by what the others in their batch add, who are too few.
* *Whom it is against.* A local or shuffled learner keeps raw answers from the server. Whoever holds the log has them already. So
  it is everybody else who learns no more than epsilon and delta say about the log's users.
* *What it is about.* Plain arms protect a user's reward, not which arm she was shown, and LinUCB a round, features and reward,
  with the other rows as they are. If the logging policy learned from her answer, later rows carry traces of it that nothing here
  hides; those that it released privately cost their own epsilon, which adds up.
* *Public logs* (``log_is_public=True``): their users are promised nothing and are not counted. Where noise is fresh for every
  batch, whole batches (of elimination: whole phases) are told *exactly*, without noise. Widths and radii are never smaller than
  what the noise that is there needs. Counters add the same noise to every sum, with or without public rows.
"""

import copy
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bandits_book.logs.log import Log
from bandits_book.logs.replaying import check_fits, in_row
from bandits_dp import _checks
from bandits_dp._snapshot import snapshot
from bandits_dp.app.slot import Slot
from bandits_dp.app.streams import CountedBatches, FreshBatches
from bandits_dp.app.sums import SumsApp
from bandits_dp.arms.app import RunningApp
from bandits_dp.contextual.app import ContextsApp
from bandits_dp.learners import LinUCB
from bandits_dp.privatizers import Identity
from bandits_dp.serve.restarts import Restarts

MANY = 1000  # batches of a counter, which are taken one after the other if they are no more
SENT = 2048  # users who send at once, about


def warm_start(
    learner: Any, log: Log, *, log_is_public: bool = False, skip_returning: bool = False, rng: np.random.Generator | None = None
) -> Any:
    """Return a learner that starts from a log; see :mod:`bandits_book.logs.warming` for what is sound and for promises.

    Parameters
    ----------
    learner : App
        A fresh learner, as ``make`` or ``combine`` returns it; it is not changed. Rows that it takes are rounds of its horizon.
    log : Log
        What was played before; propensities are not needed. For a private learner it says who the users are: ``range(len(log))``
        for rows of different people, none of whom will be asked again under another id.
    log_is_public : bool
        Whether nothing is promised to the log's users, and nobody has to be told who they are.
    skip_returning : bool
        Whether rows of a user who was in as many batches as are promised already, or in this one, are left out. If not, the
        first one is an error.
    rng : numpy.random.Generator, optional
        Source of the privatizer's randomness; that of the operating system if not given.

    Returns
    -------
    App
        A copy that has played ``played`` rows of the log, and goes on with live users. Its guarantee says that it has. What
        ``bandits_dp.serve.Served`` saves of it can be restored into a learner made by ``make``, whose guarantee does not say so.

    Raises
    ------
    ValueError
        If the learner is not fresh or cannot learn from a log soundly, the log does not fit it or leaves no round of its horizon,
        users are not known, or one of them is there too often.
    TypeError
        If an argument is of another kind.

    Examples
    --------
    >>> import numpy as np
    >>> import bandits_dp as bdp
    >>> from bandits_book import logs
    >>> problem = bdp.problems.BernoulliArms([0.9, 0.2])
    >>> log = logs.record("uniform", problem, 2000, np.random.default_rng(1))
    >>> learner = bdp.make("SDP-AE", problem, horizon=5000, epsilon=1.0, delta=1e-3, batch_size=100)
    >>> warm = logs.warm_start(learner, log, rng=np.random.default_rng(2))
    >>> learner.played, warm.played, warm.learner.viable.tolist()
    (0, 200, [0])
    """
    _checks.flag("log_is_public", log_is_public)
    _checks.flag("skip_returning", skip_returning)
    check_fits(learner, log)
    _check_learner(learner)
    rows = _Rows(log, learner, log_is_public, skip_returning)
    if rows.counted and log.users is None:
        raise ValueError(f"users must be in the log for {learner.name}, which promises privacy to each of them, got None; say "
                         "users=range(n) if its n rows are of different people, or log_is_public=True if nobody there needs it")
    warm = copy.deepcopy(learner)
    warm.must_go_on()
    source = np.random.default_rng() if rng is None else _checks.generator(rng)
    (_fill_phases if isinstance(warm, SumsApp) else _play_rows)(warm, rows, source)
    if not rows.hidden:
        words = f"it started from {warm.played} rows of a log"
    elif log_is_public:
        words = f"it started from {warm.played} rows of a public log, to whose users nothing is promised"
    else:
        words = (f"{warm.played} of its rounds come from a log, whose users are promised the same against everybody but who keeps "
                 "the log, the other rows being as they are")
    warm.guarantee = replace(warm.guarantee, reason=f"{warm.guarantee.reason}; {words}")
    return warm


def _check_learner(learner: Any) -> None:
    """Raise a ValueError, with the reason, if a learner cannot start from a log."""
    if isinstance(learner, Restarts):
        raise ValueError(f"learner must be one for a known horizon, got {learner.name}, whose restarts forget the log")
    if learner.played or learner.open:
        raise ValueError(f"learner must be fresh, but it has played {learner.played} rounds and has {len(learner.open)} open "
                         "tickets; make another one")
    if isinstance(learner, ContextsApp):
        if not isinstance(learner.learner, LinUCB):
            raise ValueError("learner must be a LinUCB to learn from what another policy chose, got a "
                             f"{type(learner.learner).__name__}, of which nobody knows whether it may")
        if learner.stream.context_std:
            raise ValueError(f"learner must see features as they were logged, got {learner.name}, which perturbs them")


class _Rows:
    """The rows of a log, each given to a learner once, with its user if she is to be counted."""

    def __init__(self, log: Log, app: Any, public: bool, skip_returning: bool) -> None:
        self.log, self.skip_returning = log, skip_returning
        self.chosen = log.chosen if isinstance(app, ContextsApp) else np.zeros((0, 0))
        self.hidden = app.guarantee.model != "none"  # somebody's answers are, if not those of the log's users
        self.counted = self.hidden and not public

    def user(self, row: int) -> Hashable:
        """Return who is to be counted."""
        return self.log.users[row] if self.counted and self.log.users else None

    def visit(self, app: Any, batch: list[int]) -> None:
        """Count the users of a batch."""
        for row in batch:
            if (user := self.user(row)) is not None:
                with in_row(row):
                    app.check_user(user)
                app.visits[user], app.here[user] = app.visits.get(user, 0) + 1, None

    def batches(self, app: Any, rows: Iterable[int], size: int) -> Iterator[list[int]]:
        """Yield rows for whole batches, as long as there are; and what is left, if nobody's answers are hidden."""
        batch: list[int] = []
        for row in rows:
            user = self.user(row) if self.skip_returning else None
            if user is None or (app.visits.get(user, 0) < app.appearances and user not in map(self.user, batch)):
                batch.append(row)
            if len(batch) == size:
                yield batch
                batch = []
        if batch and not self.hidden:
            yield batch


def _play_rows(app: Any, rows: _Rows, rng: np.random.Generator) -> None:
    """Let every row be a round: whole batches at once where that is sound, else one batch after the other."""
    log, size = rows.log, getattr(app, "batch_size", 1)
    # At once: whole batches of which nobody is shown a sum in between, and only the last is told.
    together = isinstance(app, RunningApp) or isinstance(app.stream, FreshBatches) or (
        isinstance(app.stream, CountedBatches) and ours_learns(app.learner) and len(log) > MANY * app.batch_size
        and (app.appearances == 1 or not rows.counted))
    taken: list[int] = []
    for batch in rows.batches(app, range(len(log)), size):
        if (end := app.played + len(taken) + len(batch)) >= app.horizon:
            raise ValueError(f"horizon must leave rounds to play after the {end} rows up to row {batch[-1]}, which it counts, got "
                             f"{app.horizon}")
        if together and len(batch) == size:
            taken += batch
            rows.visit(app, batch)
            app.here = {}
            continue
        _learn(app, rows, taken, rng)  # before what is left
        taken = []
        _values(app, rows, batch)
        rows.visit(app, batch)
        phi = rows.chosen[batch]
        app.update(app.act(np.repeat(phi[:, None], 2, axis=1)), log.rewards[batch], rng)  # a choice between it and itself
    _learn(app, rows, taken, rng)


def _learn(app: Any, rows: _Rows, taken: list[int], rng: np.random.Generator) -> None:
    """Let the learner take rows, whose users are counted."""
    if not taken:
        return
    if isinstance(app, ContextsApp):
        (_count_batches if isinstance(app.stream, CountedBatches) else _add_batches)(app, rows, taken, rng)
        app.played += len(taken)
        return
    for arm in np.unique(rows.log.actions[taken]).tolist():
        own = [row for row in taken if rows.log.actions[row] == arm]
        _learn_arm(app, arm, _values(app, rows, own), rng)


def ours_learns(learner: Any) -> bool:
    """Whether a learner is a LinUCB of bandits_dp in all that it does when it is told something."""
    return isinstance(learner, LinUCB) and all(
        getattr(type(learner), name).__module__.startswith("bandits_dp.") for name in ("statistics", "tell", "_fit"))


def _count_batches(app: ContextsApp, rows: _Rows, taken: list[int], rng: np.random.Generator) -> None:
    """Let a counter take whole batches in one ``Counter.leap``, or, where a public whitener should follow, in some that double.

    The noise on a running sum is that of fewer nodes than the radius allows for. One of our learners computes its model from the
    last sums, so that models in between, by which nobody is shown anything, are left out; its radius counts all batches.
    """
    size, stream, done = app.batch_size, snapshot(app.stream), 0
    batches = len(taken) // size
    _values(app, rows, taken)  # if a row is wrong, before anything is released
    while done < batches:
        more = min(max(1, done), batches - done) if hasattr(app.learner, "whitener") else batches
        values = _values(app, rows, taken[done * size : (done + more) * size])
        released = stream.leap(values, more, rng)
        _skip(app, more - 1)
        app._told(released, *((values[:, -stream.public :],) if stream.public else ()))
        done += more
    app.bits += len(taken) * stream.bits_per_user
    app.slots = [Slot(stream, size)]


def _add_batches(app: ContextsApp, rows: _Rows, taken: list[int], rng: np.random.Generator) -> None:
    """Let whole batches send, each with fresh noise, and tell their sum, or, of a learner of somebody's own, every sum.

    To the users of a public log nothing is promised: they send nothing, and the sums are exact.
    """
    size, stream, public, ours = app.batch_size, snapshot(app.stream), not rows.counted, ours_learns(app.learner)
    values, step = _values(app, rows, taken), size * max(1, SENT // size)
    for start in range(0, len(taken), step):
        sent = values[start : start + step] if public else stream.send(values[start : start + step], rng)
        for own in sent.reshape(-1, size, *sent.shape[1:]):
            if public:
                stream.total = stream.total + own.sum(axis=0)
            else:
                stream.receive(own.sum(axis=0) if stream.adds else rng.permutation(own), rng)
            if not ours:
                app._told(stream.total)
    if ours:
        _skip(app, len(taken) // size - 1)
        app._told(stream.total)
    app.bits += 0.0 if public else len(taken) * stream.bits_per_user
    app.slots = [Slot(stream, size)]


def _skip(app: ContextsApp, batches: int) -> None:
    """Let the learner count batches that it is told nothing about."""
    app.learner = snapshot(app.learner)
    app.learner.batch += batches


def _learn_arm(app: RunningApp, arm: int, values: NDArray[np.float64], rng: np.random.Generator) -> None:
    """Take rewards of different users who were shown an arm before: only the last sum is told; see ``Counter.leap``."""
    slot = app.slots[arm] = snapshot(app.slots[arm])
    source = slot.source = snapshot(slot.source)
    if isinstance(source, CountedBatches):
        released = source.leap(values, len(values), rng)
    else:
        for sent in source.send(values, rng):
            released = source.receive(sent, rng)
    app.played, app.bits = app.played + len(values), app.bits + len(values) * source.bits_per_user
    learner = app.learner = snapshot(app.learner)
    learner.pulls = learner.pulls + (len(values) - 1) * np.eye(1, app.arms, arm, dtype=np.int64)[0]
    app._told(released, (source,), arm)
    app.asked = app.learner.ask()


def _values(app: Any, rows: _Rows, batch: list[int]) -> NDArray[np.float64]:
    """Return the numbers in rows, one row each, as the learner's privatizer takes them; if a row is wrong, say which."""
    def values(some: list[int]) -> Any:
        rewards = rows.log.rewards[some]
        if isinstance(app, ContextsApp):
            shown = app.checked(np.repeat(rows.chosen[some][:, None], 2, axis=1), 3)[:, 0]  # as a choice between it and itself
            return app.values(shown, app.in_range(rewards) - app.reward_shift)
        if app.sample.clip:
            return app.sample.domain.clip(rewards[:, None])
        app.sample.domain.check(rewards[:, None], "rewards")
        return rewards[:, None]

    try:
        return np.asarray(values(batch))
    except ValueError:
        for row in batch:
            with in_row(row):
                values([row])
        raise


def _fill_phases(app: SumsApp, rows: _Rows, rng: np.random.Generator) -> None:
    """Answer what phases ask for, as long as the log has whole batches of it."""
    left = [iter(np.flatnonzero(rows.log.actions == arm).tolist()) for arm in range(app.arms)]
    while app.decides and len(app.asked.arms):
        asked, plays = app.asked, app.asked.plays.tolist()
        found: Iterable[list[int]] = (next(rows.batches(app, left[arm], size), [])
                                      for arm, size in zip(asked.arms, plays, strict=True))
        if not rows.counted:
            found = list(found)
            if list(map(len, found)) == plays:
                _learn_phase(app, [_values(app, rows, batch) for batch in found])
                continue
        for turn, batch in enumerate(found):
            if batch:
                values, slot = _values(app, rows, batch)[:, 0], app.slots[turn]
                rows.visit(app, batch)
                app.update(app.hand_out(slot, slot.arm, len(batch), None), values, rng)
        if app.asked is asked:
            return  # live users go on with this phase


def _learn_phase(app: SumsApp, values: list[NDArray[np.float64]]) -> None:
    """Take a whole phase from people to whom nothing is promised: the learner is told exact sums, and nobody sends anything."""
    app.played += int(app.asked.plays.sum())
    app._told(np.array([own.sum() for own in values]), [Identity(len(own), app.sample.domain) for own in values])
    app.begin()
