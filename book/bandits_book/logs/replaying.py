r"""Replay: a live learner plays against a log (Li, Chu, Langford, Wang 2011).

Row by row the learner is asked what it would show. If that is the logged action, it is told the reward, and the row counts as one
of its rounds; if not, the row is skipped, as if nobody had come. When actions were logged uniformly, a row is used with
probability 1/K whatever it shows and whatever the learner did before. So the rows that are used are rounds as the learner would
have lived through them: same joint distribution of features, choices, rewards and noise (Theorem 1 there).

**Other logging policies.** A row in which the choices agree is used with probability :math:`c / p`, where p is its propensity and
c a lower bound on the propensities of *all* actions. Then every row is used with probability c, again whatever it shows.

**How sure.** Let n rows be used (n does not depend on what they show), and let :math:`\mu_s` be the mean reward of what the
learner chose in round s, given the rounds before. Rewards have a range of length R, so :math:`\sum_s (r_s - \mu_s)` is a sum of
bounded martingale differences, and :math:`|\frac1n \sum_s r_s - \frac1n \sum_s \mu_s| \le R \sqrt{\ln(2 / \alpha) / 2 n}` with
probability at least :math:`1 - \alpha`, for every n (Hoeffding's and Azuma's inequality). That is about what *this run* chose.
Another run, with other noise and other users, may choose otherwise, of which one replay says nothing.
"""

import copy
import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bandits_book.logs.log import Log
from bandits_dp import _checks
from bandits_dp.app.app import App
from bandits_dp.contextual.app import ContextsApp
from bandits_dp.serve.restarts import Restarts


@contextmanager
def in_row(row: int) -> Iterator[None]:
    """Name the row in errors about it."""
    try:
        yield
    except ValueError as error:
        raise ValueError(f"row {row} of the log: {error}") from error


def check_fits(learner: Any, log: Log) -> None:
    """Raise an error if a learner cannot have played a log, or one of them is something else.

    The learner itself looks at features and rewards when it comes to their row.
    """
    _checks.one_of("log", log, Log, "a bandits_book.logs.Log")
    _checks.one_of("learner", learner, App, "what make() or combine() returned")
    app: Any = learner.app if isinstance(learner, Restarts) else learner
    if app.setting == "clients":
        raise ValueError(f"learner must show one arm to one user, got {app.name}, whose clients watch a whole phase and answer "
                         "with averages: a row of a log is no such answer")
    if isinstance(app, ContextsApp):
        if log.features is None:
            raise ValueError(f"features must be in the log for {app.name}, got plain arms")
        return
    if (log.sizes != app.arms).any():
        raise ValueError(f"log must have {app.arms} arms in every row, for which the learner was made, got {log!r}")
    actions = getattr(app.learner, "actions", None)
    if log.features is not None and (actions is None or not np.array_equal(actions, log.features)):
        raise ValueError(f"features must be left out of the log for {app.name}, or be its actions, the same in all rows")


@dataclass(frozen=True)
class Replay:
    """What a learner earned in a replay.

    Parameters
    ----------
    value : float
        Mean reward of the rows that were used.
    low, high, confidence : float
        Ends of the interval for the mean reward of what the learner chose, and how often it covers at least.
    used, rows : int
        Rows that were used, the rounds that the learner played, and that were looked at, until the log or the horizon ended.
    rewards, which : ndarray, shape (used,)
        What it earned, round by round, and the rows that were used.
    learner : App
        The learner after the replay; the one that was given has not changed. Its guarantee says that every row was taken for
        another user's: ``warm_start`` counts users, and so makes a learner to serve people with.

    Examples
    --------
    >>> import numpy as np
    >>> import bandits_dp as bdp
    >>> from bandits_book import logs
    >>> problem = bdp.problems.BernoulliArms([0.9, 0.2])
    >>> log = logs.record("uniform", problem, 1000, np.random.default_rng(1))
    >>> result = logs.replay(bdp.make("UCB1", problem, horizon=1000), log, rng=np.random.default_rng(2))
    >>> 0.4 < result.used / result.rows < 0.6, result.value > 0.55  # half of the rows; blind choice earns 0.55
    (True, True)
    """

    value: float
    low: float
    high: float
    confidence: float
    used: int
    rows: int
    rewards: NDArray[np.float64] = field(repr=False)
    which: NDArray[np.int64] = field(repr=False)
    learner: Any = field(repr=False)

    def __str__(self) -> str:
        """Return the result in a line."""
        return (f"{self.learner.name}: {self.value:.4g} a round, {self.confidence:.0%} interval {self.low:.4g} to {self.high:.4g}; "
                f"{self.used:,} of {self.rows:,} rows used")


def replay(
    learner: Any, log: Log, *, least_propensity: float | None = None, confidence: float = 0.95,
    rng: np.random.Generator | None = None,
) -> Replay:
    """Play a learner against a log, and return what it earned in the rows where its choice is the logged one.

    The estimate is made of users' answers without any noise: it is not private, whatever the learner is.

    Parameters
    ----------
    learner : App
        What ``make`` or ``combine`` returns, fresh or after some rounds; a copy plays. Users are not told to it: every row is a new
        one.
    log : Log
        With propensities: all 1 / K, or else ``least_propensity`` must be given.
    least_propensity : float, optional
        A lower bound on the logging policy's propensities of all actions in all rows, in (0, 1], not only of those that it did
        choose. Rows are then used by rejection sampling.
    confidence : float
        Of the interval, in (0, 1).
    rng : numpy.random.Generator, optional
        Source of the learner's noise, and of rejections; that of the operating system if not given.

    Raises
    ------
    ValueError
        If the log does not fit the learner, propensities are unknown, not uniform, or below the bound that was given, or no row is
        used.
    TypeError
        If an argument is of another kind.

    Examples
    --------
    >>> import numpy as np
    >>> import bandits_dp as bdp
    >>> from bandits_book import logs
    >>> problem = bdp.problems.BernoulliArms([0.9, 0.2])
    >>> log = logs.record("uniform", problem, 4000, np.random.default_rng(1))
    >>> learner = bdp.make("SDP-AE", problem, horizon=4000, epsilon=1.0, delta=1e-3, batch_size=100)
    >>> result = logs.replay(learner, log, rng=np.random.default_rng(2))
    >>> result.used == result.learner.played
    True
    """
    check_fits(learner, log)
    confidence = _checks.real("confidence", confidence, 0.0, 1.0)
    chance = _chances(log, least_propensity)
    source = np.random.default_rng() if rng is None else _checks.generator(rng)
    player: Any = copy.deepcopy(learner)
    contexts = player.setting == "contextual"
    which, rows, ticket = [], 0, None
    for row, action in enumerate(log.actions.tolist()):
        if player.played >= player.horizon:
            break
        rows = row + 1
        with in_row(row):
            if ticket is None:  # plain arms: whoever comes next is shown the same, until somebody was
                ticket = player.act(log.shown(row), rng=source) if contexts else player.act()
            if ticket.arm == action and (chance is None or source.random() < chance[row]):
                player.update(ticket, log.rewards[row], source)
                which.append(row)
                ticket = None
            elif contexts:
                app = player.app if isinstance(player, Restarts) else player
                del app.open[ticket.number]  # nobody was shown it
                app.slots[0].shown, ticket = app.slots[0].shown - 1, None
    if not which:
        rejecting = "" if chance is None else f", by rejection sampling with least_propensity = {_checks.told(least_propensity)}"
        raise ValueError(f"log must agree with the learner in one row at least, got none of {rows}{rejecting}")
    if player.guarantee.model != "none":
        player.guarantee = replace(player.guarantee, reason=f"{player.guarantee.reason}; {len(which)} of its rounds replay a log, "
                                   "whose rows are taken for those of different users, none of whom comes again")
    used = np.array(which)
    rewards = log.rewards[used]
    value, (low, high) = float(rewards.mean()), log.reward_range
    half = (high - low) * math.sqrt(math.log(2 / (1 - confidence)) / (2 * len(used)))
    return Replay(value, max(low, value - half), min(high, value + half), confidence, len(used), rows, rewards, used, player)


def _chances(log: Log, least: float | None) -> NDArray[np.float64] | None:
    """Return the probability with which an agreeing row is used; None if it is 1."""
    p = log.known_propensities()
    if least is None:
        if log.uniform:
            return None
        raise ValueError("least_propensity must be given unless the log is uniform, with propensities 1/K and as many arms in "
                         f"every row, got {log!r}")
    bound = _checks.real("least_propensity", least, 0.0, 1.0, ends="(]")
    if bound > 1 / log.sizes.max() * (1 + 1e-9):
        raise ValueError(f"least_propensity must be at most 1/{log.sizes.max()}, as there are so many arms, got {bound:g}")
    low = np.flatnonzero(p < bound * (1 - 1e-9))
    if len(low):
        raise ValueError(f"least_propensity must be a lower bound on all propensities, got {bound:g}, and {p[low[0]]:g} in row "
                         f"{low[0]}")
    return np.minimum(1.0, bound / p)
