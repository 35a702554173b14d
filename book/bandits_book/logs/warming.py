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
from bandits_dp.app.streams import CountedBatches, FreshBatches
from bandits_dp.learners import LinUCB
from bandits_dp.live.arms import LiveArms
from bandits_dp.live.contexts import LiveContexts, ours_learns
from bandits_dp.live.counted import LiveCounted
from bandits_dp.live.restarts import Restarts

MANY = 1000  # batches of a counter, which are taken one after the other if they are no more


def warm_start(
    learner: Any, log: Log, *, log_is_public: bool = False, skip_returning: bool = False, rng: np.random.Generator | None = None
) -> Any:
    """Return a learner that starts from a log; see :mod:`bandits_book.logs.warming` for what is sound and for promises.

    Parameters
    ----------
    learner : Live
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
    Live
        A copy that has played ``played`` rows of the log, and goes on with live users. Its guarantee says that it has. It can be
        saved, and restored into a learner made by ``make``, whose guarantee does not say so.

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
    warm._must_go_on()
    source = np.random.default_rng() if rng is None else _checks.generator(rng)
    (_fill_phases if isinstance(warm, LiveArms) else _play_rows)(warm, rows, source)
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
    if learner.played or learner.tickets:
        raise ValueError(f"learner must be fresh, but it has played {learner.played} rounds and has {len(learner.tickets)} open "
                         "tickets; make another one")
    if isinstance(learner, LiveContexts):
        if not isinstance(learner.learner, LinUCB):
            raise ValueError("learner must be a LinUCB to learn from what another policy chose, got a "
                             f"{type(learner.learner).__name__}, of which nobody knows whether it may")
        if learner.stream.context_std:
            raise ValueError(f"learner must see features as they were logged, got {learner.name}, which perturbs them")


class _Rows:
    """The rows of a log, each given to a learner once, with its user if she is to be counted."""

    def __init__(self, log: Log, live: Any, public: bool, skip_returning: bool) -> None:
        self.log, self.skip_returning = log, skip_returning
        self.chosen = log.chosen if isinstance(live, LiveContexts) else np.zeros((0, 0))
        self.hidden = live.guarantee.model != "none"  # somebody's answers are, if not those of the log's users
        self.counted = self.hidden and not public

    def user(self, row: int) -> Hashable:
        """Return who is to be counted."""
        return self.log.users[row] if self.counted and self.log.users else None

    def visit(self, live: Any, batch: list[int]) -> None:
        """Count the users of a batch."""
        for row in batch:
            if (user := self.user(row)) is not None:
                with in_row(row):
                    live.register.visit(user)

    def batches(self, live: Any, rows: Iterable[int], size: int) -> Iterator[list[int]]:
        """Yield rows for whole batches, as long as there are; and what is left, if nobody's answers are hidden."""
        batch: list[int] = []
        for row in rows:
            user = self.user(row) if self.skip_returning else None
            if user is None or (live.register.appearances_of(user) < live.register.most and user not in map(self.user, batch)):
                batch.append(row)
            if len(batch) == size:
                yield batch
                batch = []
        if batch and not self.hidden:
            yield batch


def _play_rows(live: Any, rows: _Rows, rng: np.random.Generator) -> None:
    """Let every row be a round: whole batches at once where that is sound, else one batch after the other."""
    log, size = rows.log, getattr(live, "batch_size", 1)
    # At once: whole batches of which nobody is shown a sum in between, and only the last is told.
    together = isinstance(live, LiveCounted) or isinstance(live.stream, FreshBatches) or (
        isinstance(live.stream, CountedBatches) and ours_learns(live.learner) and len(log) > MANY * live.batch_size
        and (live.register.most == 1 or not rows.counted))
    taken: list[int] = []
    for batch in rows.batches(live, range(len(log)), size):
        if (end := live.played + len(taken) + len(batch)) >= live.horizon:
            raise ValueError(f"horizon must leave rounds to play after the {end} rows up to row {batch[-1]}, which it counts, got "
                             f"{live.horizon}")
        if together and len(batch) == size:
            taken += batch
            rows.visit(live, batch)
            live.register.next_batch()
            continue
        _learn(live, rows, taken, rng)  # before what is left
        taken = []
        _values(live, rows, batch)
        rows.visit(live, batch)
        phi = rows.chosen[batch]
        live.update(live.act(np.repeat(phi[:, None], 2, axis=1)), log.rewards[batch], rng)  # a choice between it and itself
    _learn(live, rows, taken, rng)


def _learn(live: Any, rows: _Rows, taken: list[int], rng: np.random.Generator) -> None:
    """Let the learner take rows, whose users are counted."""
    log = rows.log
    if not taken:
        return
    if isinstance(live, LiveContexts):
        _values(live, rows, taken)
        live.learn(rows.chosen[taken], log.rewards[taken], rng, public=not rows.counted)
        return
    for arm in np.unique(log.actions[taken]).tolist():
        own = [row for row in taken if log.actions[row] == arm]
        live.learn(arm, _values(live, rows, own), rng)


def _values(live: Any, rows: _Rows, batch: list[int]) -> NDArray[np.float64]:
    """Return the numbers in rows, one row each, as the learner's privatizer takes them; if a row is wrong, say which."""
    def values(some: list[int]) -> Any:
        rewards = rows.log.rewards[some]
        if isinstance(live, LiveContexts):
            return live.checked_values(rows.chosen[some], rewards)
        if live.sample.clip:
            return live.sample.domain.clip(rewards[:, None])
        live.sample.domain.check(rewards[:, None], "rewards")
        return rewards[:, None]

    try:
        return np.asarray(values(batch))
    except ValueError:
        for row in batch:
            with in_row(row):
                values([row])
        raise


def _fill_phases(live: LiveArms, rows: _Rows, rng: np.random.Generator) -> None:
    """Answer what phases ask for, as long as the log has whole batches of it."""
    left = [iter(np.flatnonzero(rows.log.actions == arm).tolist()) for arm in range(live.arms)]
    while live.decides and len(live.asked.arms):
        asked, plays = live.asked, live.asked.plays.tolist()
        found: Iterable[list[int]] = (next(rows.batches(live, left[arm], size), [])
                                      for arm, size in zip(asked.arms, plays, strict=True))
        if not rows.counted:
            found = list(found)
            if list(map(len, found)) == plays:
                live.learn_publicly([rows.log.rewards[batch] for batch in found])
                continue
        for turn, batch in enumerate(found):
            if batch:
                values, slot = _values(live, rows, batch)[:, 0], live.slots[turn]
                rows.visit(live, batch)
                live.update(live.register.hand_out(slot, slot.arm, len(batch)), values, rng)
        if live.asked is asked:
            return  # live users go on with this phase
