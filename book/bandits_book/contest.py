r"""A contest of learners on public instances, and what its numbers say.

**Instances.** See :mod:`bandits_book.instances`. On arms, :mod:`bandits_book.floors` says what nobody can beat.

**Contestants.** See :mod:`bandits_book.contestants`.

**Tuned.** One factor on a learner's width, of ``SCALES`` the one with the least mean share of random play's regret on the tuning
instances, the largest of equal ones. What is released is as private as before; the width is proved no longer.

**Intervals.** Instances differ by far more than learners do, so learners are compared on each instance by itself, by the difference
of their shares of random play's regret, and the 95% interval of the mean difference is Student's over the instances. Of twenty
normal differences it covers the mean in 95% of all cases, of twenty exponential ones in 92%. Each learner is compared with the
*favourite* of its trust model: the one with the least share on the tuning instances, whom no number of the comparison has chosen.

**Last.fm.** A fifth setting, ``"LastFM"``, has real answers (chapter 14), and is there where their files are. Its instances are
groups of listeners, drawn at random, no listener in two of them; what intervals cover is how much such groups differ. Nobody is
tuned on real answers: widths and favourites are those of contexts. Answers are not linear in the features, so no width is proved
there, and regret counts rounds without the artist whom the listener has heard.
"""

import json
import math
import time
from collections.abc import Callable, Iterable
from importlib.resources import files
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bandits_book.contestants import CHANGING, EPSILONS, LASTFM_EPSILONS, Contestant
from bandits_book.contestants import TRUSTS as TRUSTS
from bandits_book.contestants import contestants as contestants
from bandits_book.contestants import on_lastfm as on_lastfm
from bandits_book.contestants import usual as usual
from bandits_book.floors import fewest_lost as fewest_lost
from bandits_book.floors import lost_in_the_limit as lost_in_the_limit
from bandits_book.instances import HORIZONS as HORIZONS
from bandits_book.instances import INSTANCES, LASTFM, RUNS, Instance, instances
from bandits_book.instances import TUNING as TUNING
from bandits_book.scaled_width import scale_width
from bandits_dp import _checks
from bandits_dp._sizes import std
from bandits_dp.play.result import Result
from bandits_dp.play.simulate import simulate

SCALES = (1.0, 0.3, 0.1, 0.03)
Row = dict[str, Any]


def play(contestant: Contestant, instance: Instance, epsilon: float | None, scale: float = 1.0) -> Row:
    """Play one instance, and return what it gave; ``note`` says why if it gave nothing.

    The row holds the mean ``regret``, in how many of the runs the best arm was ``lost`` (one wrong arm is all that is played in the
    second half of the rounds; None where features change), ``bits`` per user, and ``seconds`` of a processor.

    Examples
    --------
    >>> from bandits_book import contest
    >>> nobody = contest.Contestant("Nobody", "arms", "local", lambda instance, epsilon: None)
    >>> contest.play(nobody, contest.instances("arms")[0], 1.0)
    {'note': 'TypeError: learner must be what make or combine returns, got None'}
    """
    started, T = time.process_time(), instance.horizon
    try:
        learner = contestant.make(instance, epsilon)
        _check(contestant, learner, T, epsilon)
        if scale != 1.0:
            scale_width(learner, scale)
        result = simulate(learner, instance.problem, T, instance.runs, instance.seed, progress=False)
    except Exception as error:  # whatever somebody's learner raises: the others go on
        return {"note": f"{type(error).__name__}: {error}"}
    lost = None if contestant.setting in CHANGING else int(_lost(result).sum())
    return {"regret": float(f"{result.mean[-1]:.6g}"), "lost": lost, "bits": float(f"{result.bits.mean() / T:.4g}"),
            "seconds": float(f"{time.process_time() - started:.3g}")}


def _check(contestant: Contestant, learner: Any, horizon: int, epsilon: float | None) -> None:
    """Raise an error unless a learner plays to the end, and promises what it is compared by."""
    _is_live(learner)
    if learner.horizon < horizon:
        raise ValueError(f"learner must play {horizon:,} rounds, got one for {learner.horizon:,}")
    model, _, _ = contestant.trust.partition(" ")
    promise, wanted = learner.guarantee, "central" if model == "pure" else model
    if model == "none":
        return
    if not promise.proved or promise.model != wanted or promise.epsilon > float(epsilon or 0) * (1 + 1e-9):
        raise ValueError(f"learner must promise epsilon = {epsilon:g} in the {wanted} model, got: {promise}")
    if promise.delta > (0.0 if model == "pure" else 0.1 / horizon * (1 + 1e-9)):
        raise ValueError(f"learner must promise a delta of at most {0.0 if model == 'pure' else 0.1 / horizon:g}, got: {promise}")


def _is_live(learner: Any) -> None:
    """Raise a TypeError unless a learner can be played and promises something, or nothing."""
    if not (hasattr(learner, "guarantee") and hasattr(learner, "horizon")):
        raise TypeError(f"learner must be what make or combine returns, got {_checks.told(learner)}")


def _lost(result: Result) -> NDArray[np.bool_]:
    """Say for each run whether one wrong arm was all that it played in the second half of the rounds."""
    late = result.rounds >= result.rounds[-1] / 2
    slopes = np.diff(result.regret[:, late]) / np.diff(result.rounds[late])
    return np.asarray((np.ptp(slopes, axis=1) < 1e-9) & (slopes.min(axis=1) > 1e-9))


def tune(contestant: Contestant, epsilon: float | None, play: Callable[..., Row] = play) -> dict[float, float] | str:
    """Return the mean share of random play's regret by scale, on the tuning instances; or why there is none."""
    shares: dict[float, float] = {}
    for scale in SCALES:
        played = [(play(contestant, one, epsilon, scale), one) for one in instances(contestant.setting, tuning=True)]
        for row, _ in played:
            if "note" in row:
                return shares or str(row["note"])  # without any width to scale it is as it is
        shares[scale] = float(f"{np.mean([row['regret'] / one.random for row, one in played]):.6g}")
    return shares


def interval(differences: ArrayLike) -> tuple[float, float]:
    """Return the mean of numbers and half the length of its 95% interval, Student's; infinite for a single number.

    Examples
    --------
    >>> from bandits_book import contest
    >>> mean, half = contest.interval([0.1, 0.3, 0.2, 0.2])
    >>> round(mean, 2), round(half, 2)
    (0.2, 0.13)
    """
    from scipy.stats import t  # takes a second to import

    array = np.asarray(differences, dtype=float)
    if array.size < 2:
        return float(array.mean()), math.inf
    return float(array.mean()), float(t.ppf(0.975, array.size - 1) * std(array) / math.sqrt(array.size))


def results(lastfm: bool = False) -> dict[str, Any]:
    """Return what ``make contest`` stored: how it was ``made``, what random play loses on the ``instances``, and the ``rows``.

    What the contest gave on Last.fm is stored apart; no listener, artist or listen is in it.

    Examples
    --------
    >>> from bandits_book import contest
    >>> contest.results()["instances"]["arms"]["1, easy, K = 2, T = 100,000"]
    7165.53
    """
    return dict(json.loads(files(__package__).joinpath(*["lastfm"] * lastfm, "contest.json").read_text("utf-8")))


def losses() -> dict[str, list[float]]:
    """Return what random play loses on the instances of each setting."""
    return {setting: list(lost.values()) for each in (False, True) for setting, lost in results(each)["instances"].items()}


def standings(rows: Iterable[Row], random: dict[str, list[float]] | None = None) -> list[Row]:
    """Compare the stored rows of a contest, group by group, on the instances that all of a group have played.

    Parameters
    ----------
    rows : iterable of dict
        Rows as ``make contest`` stores them.
    random : dict of list of float, optional
        What random play loses on the instances of each setting, if they are not those of the stored contest.

    Returns
    -------
    list of dict
        The rows, and in each without a note: the ``share`` of random play's regret, and its ``difference`` from the
        ``favourite``'s, each a pair of mean and half length of its interval; ``rank``, the mean rank; ``played``, the number of
        instances; and ``lost``, the share of runs.
    """
    from scipy.stats import rankdata

    def group(row: Row) -> tuple[str, ...]:
        return tuple(str(row[key]) for key in ("setting", "trust", "epsilon", "tuned"))

    told, lost_by_chance = [], random or losses()
    for _, members in groupby(sorted(rows, key=group), group):  # a stable sort: members stay in order
        listed = list(members)
        there = [row for row in listed if not row["note"] and row["regret"]]
        told += [row for row in listed if row not in there]
        if not there:
            continue
        n = min(len(row["regret"]) for row in there)
        shares = np.array([row["regret"][:n] for row in there]) / lost_by_chance[there[0]["setting"]][:n]
        first = min(range(len(there)), key=lambda i: there[i]["tuning"])
        ranks = rankdata(shares, axis=0).mean(axis=1)
        for row, own, rank in zip(there, shares, ranks, strict=True):
            lost = None if None in row["lost"] else sum(row["lost"][:n]) / (RUNS * n)
            told.append(row | {"share": interval(own), "difference": interval(own - shares[first]), "rank": float(rank),
                               "played": n, "favourite": there[first]["system"], "lost": lost})
    return told


def enter(
    name: str, make_learner: Callable[[Instance, float | None], Any], setting: str, epsilon: float, count: int = INSTANCES
) -> Row:
    """Play a learner of your own in the contest, and return its row of :func:`standings`.

    Parameters
    ----------
    name : str
        What to call it; under the name of a system it takes that one's place.
    make_learner : callable
        ``make_learner(instance, epsilon)`` returns a fresh learner for ``instance.problem``, ``instance.horizon`` and
        ``instance.delta``, as ``make`` or ``combine`` do.
    setting : {"arms", "linear", "clients", "contextual", "LastFM"}
        Which instances it plays.
    epsilon : float
        One of those of the contest.
    count : int
        How many instances it plays, from the first.

    Returns
    -------
    dict
        Its row; with a ``note`` if it raised, does not play to the end, or does not promise what it is compared by.

    Raises
    ------
    ValueError
        If there is no such setting, its instances were not played at this epsilon, or there are not so many.
    TypeError
        If ``make_learner`` is no function.
    """
    _checks.words("name", name)
    _checks.called("make_learner", make_learner)
    allowed = LASTFM_EPSILONS if setting == LASTFM else EPSILONS
    if (epsilon := _checks.epsilon(epsilon)) not in allowed:
        raise ValueError(f"epsilon must be one of {', '.join(f'{one:g}' for one in allowed)}, got {epsilon:g}")
    here = instances(setting)[: _checks.integer("count", count, high=INSTANCES)]
    try:
        learner = make_learner(here[0], epsilon)
        _is_live(learner)
        promise = learner.guarantee
        if not promise.proved:
            raise ValueError(f"learner must promise something, got: {promise}")
    except Exception as error:
        return {"system": name, "setting": setting, "note": f"{type(error).__name__}: {error}"}
    model = "pure" if promise.model == "central" and promise.delta == 0 else promise.model
    model += " rewards" if setting in CHANGING and promise.unit.startswith("one reward") else ""
    own = {"setting": setting, "trust": model, "epsilon": epsilon, "system": name, "tuned": False, "scale": 1.0, "note": "",
           "tuning": math.inf}
    others = [row for row in results(setting == LASTFM)["rows"] if row["system"] != name]
    group = [row for row in others if all(row[key] == own[key] for key in ("setting", "trust", "epsilon", "tuned"))]
    if not group:
        return own | {"note": f"nobody in the contest promises the like: {promise}"}
    played = [play(Contestant(name, setting, model, make_learner), one, epsilon) for one in here]
    if note := next((row["note"] for row in played if "note" in row), ""):
        return own | {"note": note}
    own |= {key: [row[key] for row in played] for key in ("regret", "lost", "bits", "seconds")}
    random = {setting: [one.random for one in here]}
    return next(row for row in standings([*group, own], random) if row["system"] == name)
