"""The contest: public instances, intervals that cover, rows for whoever fails, and stored numbers that come out again."""

import json
import math
import re
from dataclasses import replace
from functools import partial
from itertools import pairwise

import numpy as np
import pytest
from scipy.stats import binom

import bandits_dp as bdp
import play_contest
from bandits_book import contest, contestants, instances
from bandits_book.lastfm import files
from bandits_book.lastfm.data import load_listening
from bandits_dp.play import simulate
from checkout import ROOT
from tests.book_helpers import build
from tests.small_problems import served
from tests.test_lastfm import real_folder

STORED = contest.results()
SYSTEMS = {one.name: one for one in contest.contestants()}
FAST = ("KL-UCB", "VB-SDP-AE", "DP-SE", "LDP-AE", "SDP-PE", "CDP-DPE", "LinUCB-SDP-Vec", "LinUCB-Batched-JDP")


@pytest.mark.parametrize("setting, name, random", [
    ("arms", "2, hard, K = 20, T = 100,000", 4866.94), ("linear", "2, hard, K = 20, d = 8, T = 100,000", 26340.2),
    ("clients", "2, hard, K = 40, d = 8, T = 1,000,000", 251823.0), ("contextual", "2, hard, K = 5, d = 5, T = 20,000", 2462.22),
])  # fmt: skip
def test_instances_are_fixed_by_their_seeds(setting, name, random):
    drawn = contest.instances(setting)
    assert (drawn[1].name, drawn[1].random) == (name, random)
    assert [[one.name, one.random] for one in drawn] == [list(pair) for pair in STORED["instances"][setting].items()]
    assert len({one.seed for one in (*drawn, *contest.instances(setting, tuning=True))}) == contest.INSTANCES + contest.TUNING
    assert [one.name.split(", ")[1] for one in drawn] == ["easy", "hard"] * (contest.INSTANCES // 2)


def test_groups_of_listeners_are_drawn_once_and_share_nobody(monkeypatch):
    """On the stand-in; and what random play loses is exact."""
    listening = load_listening("synthetic")
    monkeypatch.setattr(instances, "load_listening", {"files": listening}.__getitem__)
    drawn = instances._drawn.__wrapped__("LastFM", False)
    assert [one.name for one in drawn[:2]] == [f"{i}, 10 listeners, K = {K}, d = 10, T = 2,000" for i, K in ((1, 5), (2, 10))]
    histories = [tuple(own) for one in drawn for own in np.split(one.problem.listening.heard, one.problem.listening.starts[1:-1])]
    whole = [tuple(own) for own in np.split(listening.heard, listening.starts[1:-1])]
    assert sorted(histories) == sorted(whole) and {one.random for one in drawn} == {1600.0, 1800.0, 1900.0}
    assert contest.instances("LastFM", True) is contest.instances("contextual", True)
    made = contest.play(contest.on_lastfm()[-1], drawn[0], 1.0)
    again = bdp.simulate(contest.on_lastfm()[-1].make(drawn[0], 1.0), drawn[0].problem, 2000, 1, drawn[0].seed, progress=False)
    assert made["regret"] == again.mean[-1] and made["lost"] is None


@pytest.mark.parametrize("setting", ["arms", "linear", "clients"])
def test_gaps_are_exact(setting):
    """They are multiples of a power of two that is large enough for the regret of all rounds, so no order of addition matters."""
    for one in contest.instances(setting):
        whole = one.problem.gaps * instances.GRID ** (1 if setting == "arms" else 2)
        assert (whole == np.rint(whole)).all() and whole.max() * one.horizon < 2**53 and (one.problem.gaps == 0).sum() == 1
        if setting != "arms":
            assert np.linalg.norm(one.problem.actions, axis=1).max() <= 1 and np.linalg.norm(one.problem.theta) <= 1


def test_contexts_have_means_of_rewards():
    """Means are in [0, 1], and theta is as near to the centre as learners are told."""
    for one in contest.instances("contextual")[:6]:
        means = one.problem.means(one.problem.contexts(one.problem.numbers(np.random.default_rng(0), 1000)))
        assert means.min() > -1e-12 and means.max() < 1 + 1e-12
        centre, norm = one.problem.centre
        assert np.linalg.norm(one.problem.theta - centre) <= norm + 1e-12


def test_the_paired_interval_covers():
    """Of 10,000 intervals of normal differences 5% miss; false alarms: 1e-6. Of very skewed ones, under 10%."""
    rng = np.random.default_rng(25)

    def missed(draw):
        pairs = (contest.interval(draw(contest.INSTANCES)) for _ in range(10_000))
        return sum(abs(mean - 1) > half for mean, half in pairs)

    normal = missed(partial(rng.normal, 1.0, 3.0))
    assert binom.ppf(5e-7, 10_000, 0.05) <= normal <= binom.isf(5e-7, 10_000, 0.05)
    assert missed(partial(rng.exponential, 1.0)) < binom.ppf(5e-7, 10_000, 0.1)
    assert contest.interval([0.5]) == (0.5, math.inf)
    mean, half = contest.interval([1.0, 2.0, 4.0])
    for size in (2.0**-600, 2.0**1000):  # whose squares are 0 and infinite
        assert contest.interval([size, 2 * size, 4 * size]) == (size * mean, size * half)


def row(system, regret, tuning=0.1, **more):
    common = {"setting": "arms", "trust": "local", "epsilon": 1.0, "system": system, "tuned": False, "scale": 1.0, "note": ""}
    return common | {"tuning": tuning, "regret": regret, "lost": [0] * len(regret), "bits": 1.0, "seconds": 0.1} | more


def test_standings_compare_in_pairs_with_the_favourite_of_other_instances():
    """By hand: a constant difference has no error, whatever instances add; the favourite is chosen by tuning instances alone."""
    random = {"arms": [100.0, 1000.0, 10.0]}
    rows = [row("A", [50.0, 100.0, 9.0], 0.3), row("B", [40.0, 0.0, 8.0], 0.2, lost=[4, 0, 2]), row("C", [90.0, 900.0], 0.4)]
    a, b, c = contest.standings(rows, random)
    assert (a["favourite"], a["played"]) == ("B", 2) and np.allclose(a["difference"], (0.1, 0.0)) and b["difference"] == (0.0, 0.0)
    assert [one["rank"] for one in (a, b, c)] == [2.0, 1.0, 3.0] and b["lost"] == 0.5 and c["share"] == pytest.approx((0.9, 0.0))
    alone, out = contest.standings([row("A", [50.0]), row("B", [], note="it raised")], random)
    assert sorted(["share" in alone, "share" in out]) == [False, True]


def entrant(name, **own):
    """Return what makes a learner for an instance; options of its own come before the instance's, and ``...`` leaves one out."""
    def make(instance, epsilon):
        given = {"horizon": instance.horizon, "epsilon": epsilon, "delta": instance.delta} | own
        return bdp.make(name, instance.problem, **{key: value for key, value in given.items() if value is not ...})

    return make


halving = entrant("SDP-AE", batch_size=300)


def broken(instance, epsilon):
    raise RuntimeError("no such thing")


def late(instance, epsilon):
    live = halving(instance, epsilon)
    live.learner.width.after = broken
    return live


@pytest.mark.parametrize("learner, setting, words", [
    (broken, "arms", "RuntimeError: no such thing"), (entrant("LDP-AE", horizon=1000, delta=...), "arms", "must play"),
    (entrant("LDP-AE", epsilon=2.0, delta=...), "arms", "must promise epsilon = 1"),
    (entrant("SDP-AE", delta=1e-3, batch_size=300), "arms", "must promise a delta"), (late, "arms", "RuntimeError: no such thing"),
    (lambda *_: None, "arms", "learner must be what make or combine returns, got None"),
    (entrant("UCB1", epsilon=..., delta=...), "arms", "must promise something"),
    (entrant("SDP-PE"), "arms", "problem must be of the setting 'linear'"),
    (entrant("SDP-AE", delta=...), "arms", "delta must be in (0, 1) for SDP-AE"),
    (entrant("LinUCB-DGS", calibration="theorem"), "contextual",
     "least_eigenvalue must be a positive number, the least eigenvalue of E[x x'] that Lemma 1"),
])  # fmt: skip
def test_whoever_fails_gets_a_row_that_says_so(learner, setting, words):
    made = contest.enter("Mine", learner, setting, 1.0, count=2)
    assert made["system"] == "Mine" and "share" not in made
    assert words in made["note"]


def test_a_promise_that_nobody_else_makes_is_compared_with_nobody():
    def rewards_only(instance, epsilon):
        learner = bdp.make("LinUCB-SDP-Vec", instance.problem, horizon=instance.horizon, epsilon=epsilon, delta=instance.delta)
        learner.guarantee = replace(learner.guarantee, unit="one reward")
        return learner

    assert "nobody in the contest promises the like" in contest.enter("Mine", rewards_only, "contextual", 1.0, count=1)["note"]


@pytest.mark.parametrize("setting, epsilon, count, words", [
    ("arm", 1.0, 2, "setting must be one of 'arms', 'linear'"),
    ("arms", 0.5, 2, "epsilon must be one of 0.1, 0.3, 1, 3, 10, got 0.5"),
    ("arms", 1.0, 0, "count must be an integer"), ("arms", 1.0, 21, "count must be an integer from 1 to 20"),
    ("LastFM", 0.3, 2, "epsilon must be one of 0.1, 1, 10"),
])  # fmt: skip
def test_who_would_be_compared_with_nobody_is_refused(setting, epsilon, count, words):
    with pytest.raises(ValueError, match=re.escape(words)):
        contest.enter("Mine", halving, setting, epsilon, count)


def test_an_anytime_learner_may_play():
    def anytime(instance, epsilon):
        return served("VB-SDP-AE", instance.problem, epsilon=epsilon, delta=instance.delta)

    for name in ("Mine", "VB-SDP-AE"):  # whose stored row is not returned for its own
        assert contest.enter(name, anytime, "arms", 1.0, count=1)["played"] == 1


def test_a_learner_of_ones_own_gets_its_row():
    """Its numbers are those of the same calls by hand."""
    made = contest.enter("Mine", halving, "arms", 1, count=3)
    assert made["favourite"] != "Mine" and made["played"] <= 3 and made["trust"] == "shuffle" and not made["note"]
    one = contest.instances("arms")[1]
    result = bdp.simulate(halving(one, 1.0), one.problem, one.horizon, contest.RUNS, one.seed, progress=False)
    assert made["regret"][1] == float(f"{result.mean[-1]:.6g}")
    assert all(math.isfinite(number) for number in (*made["share"], *made["difference"], made["rank"]))


def test_lost_is_one_wrong_arm_for_half_of_the_time():
    problem = bdp.problems.BernoulliArms([0.5, 0.25, 0.75])
    live = bdp.make("AE", problem, horizon=10_000, batch_size=10)
    contest.scale_width(live, 1e-6)  # whoever is behind after a first batch is out
    result = bdp.simulate(live, problem, 10_000, runs=200, progress=False)
    wrong = contest._lost(result)
    last = np.diff(result.regret[:, -2:]).ravel() / np.diff(result.rounds[-2:])
    assert 0 < wrong.sum() < 200 and (wrong == (last > 0.1)).all()
    assert not contest._lost(bdp.simulate(bdp.make("UCB1", problem, horizon=10_000), problem, 10_000, runs=3, progress=False)).any()


@pytest.mark.parametrize("name", SYSTEMS)
def test_a_scaled_width_is_as_private_and_says_that_it_is_not_proved(name):
    one = SYSTEMS[name]
    instance = min(contest.instances(one.setting), key=lambda each: (each.horizon, each.problem.arms))
    live, plain = one.make(instance, 1.0), one.make(instance, 1.0)
    contest.scale_width(live, 0.5)
    for promise in ("epsilon", "delta", "model", "unit"):
        assert getattr(live.guarantee, promise) == getattr(plain.guarantee, promise)
    assert "scaled by 0.5, for which nothing is proved" in live.guarantee.reason
    if name == "DP-SE":
        first, usual = live.asked.plays[0], plain.asked.plays[0]
        assert first < 0.75 * usual and live.learner.schedule.size(1, 2) == first
    learner, noise = live.learner, bdp.privatizers.CentralLaplace(500, epsilon=1.0)
    if hasattr(getattr(plain.learner, "width", None), "forget"):
        half, whole = (each.learner.width.forget(1, 2).after(noise).half_width() for each in (live, plain))
        assert half == 0.5 * whole
    if hasattr(learner, "radius_scale"):
        assert learner.radius_scale == 0.5 and np.allclose(learner.beta, plain.learner.beta / 2)


def test_every_learner_of_the_catalogue_is_a_contestant():
    named = {(one.name, one.setting) for one in contest.contestants()}
    assert named == {(system.name, system.setting) for system in bdp.systems()}
    assert {one.trust for one in contest.contestants()} == set(contest.TRUSTS)


@pytest.fixture
def little(monkeypatch, tmp_path):
    """A contest of three, one of whom raises, on two instances, with two scales, that counts the runs it plays."""
    drawn, played, real = contest.instances, [], simulate._play
    monkeypatch.setattr(contest, "instances", lambda setting, tuning=False: drawn(setting, tuning)[4:6])
    monkeypatch.setattr(contest, "SCALES", (1.0, 0.3))
    monkeypatch.setattr(contestants, "EPSILONS", (1.0,))
    monkeypatch.setattr(play_contest, "CACHE", tmp_path / "cache")
    monkeypatch.setattr(simulate, "_play", lambda *about: played.extend(about[4]) or real(*about))
    everybody = [SYSTEMS["VB-SDP-AE"], SYSTEMS["KL-UCB"], contest.Contestant("Broken", "arms", "local", broken)]
    return play_contest.entries(everybody=everybody), played


def test_a_contest_goes_on_where_it_was_stopped(little, monkeypatch):
    listed, played = little
    real, calls = contest.play, []

    def stopped(*about):
        calls.append(about)
        if len(calls) == 14:  # eight of tuning for each of two, and then some
            raise KeyboardInterrupt
        return real(*about)

    monkeypatch.setattr(contest, "play", stopped)
    with pytest.raises(KeyboardInterrupt):
        list(play_contest.rows(listed, 1, 2))
    before = len(played)
    monkeypatch.setattr(contest, "play", real)
    *_, made = play_contest.rows(listed, 1, 2)
    between = len(played)
    *_, again = play_contest.rows(listed, 1, 2)
    assert made == again and before > 0
    assert between > before and len(played) == between
    assert [one["note"] for one in made[4:]] == ["RuntimeError: no such thing"] * 2
    assert [len(one["regret"]) for one in made] == [2, 2, 2, 2, 0, 0]


def test_rows_that_nobody_asked_for_stay(little):
    listed, _ = little
    *_, made = play_contest.rows(listed[:2], 1, 1)
    old = {"rows": [row("LDP-AE", [1.0]), row("VB-SDP-AE", [1.0], trust="shuffle")]}
    told = json.loads(play_contest.text(made[:2], "arms shuffle", old))
    names = [(one["system"], one["regret"] == [1.0]) for one in told["rows"]]
    assert names == [("VB-SDP-AE", False), ("VB-SDP-AE", False), ("LDP-AE", True)]
    assert json.loads(play_contest.text(made, "", old))["rows"] == [play_contest.stored_row(one) for one in
                                                                   sorted(made, key=lambda one: one["trust"] != "none")]


@pytest.mark.parametrize("name", FAST)
def test_stored_numbers_come_out_again_to_the_last_digit(name):
    for one in STORED["rows"]:
        if one["system"] == name and one["epsilon"] in (None, 1.0) and one["regret"]:
            who = next(each for each in contest.contestants() if (each.name, each.trust) == (name, one["trust"]))
            given = contest.play(who, contest.instances(one["setting"])[0], one["epsilon"], one["scale"])
            assert (given["regret"], given["lost"]) == (one["regret"][0], one["lost"][0])


def test_stored_numbers_of_real_listeners_come_out_again(monkeypatch):
    """Where the files are; everywhere, who plays what, with the factors of contexts."""
    stored, known = contest.results(lastfm=True), {(one.trust, one.name): one for one in contest.on_lastfm()}
    assert stored["made"]["package"] == bdp.__version__ and {row["setting"] for row in stored["rows"]} == {"LastFM"}
    pairs = {(trust, name, epsilon) for trust, name in known for epsilon in known[trust, name].epsilons}
    assert sorted((row["trust"], row["system"], row["epsilon"]) for row in stored["rows"]) == sorted([*pairs, *pairs])
    for row in stored["rows"]:
        chosen = play_contest.as_contexts((known[row["trust"], row["system"]], row["epsilon"]))
        assert row["note"] or chosen[row["scale"]] == row["tuning"]
        assert len(row["regret"]) == len(stored["rows"][0]["regret"]) and all(one == int(one) for one in row["regret"])
    if (folder := real_folder()) is None:
        return
    monkeypatch.setenv(files.VARIABLE, str(folder))
    first = contest.instances("LastFM")[0]
    assert [[one.name, one.random] for one in contest.instances("LastFM")] == [*map(list, stored["instances"]["LastFM"].items())]
    for name in ("LinUCB-SDP-Vec", "LinUCB-Batched-JDP"):
        for row in stored["rows"]:
            if (row["system"], row["epsilon"]) == (name, 1.0):
                given = contest.play(known[row["trust"], name], first, 1.0, row["scale"])
                assert given["regret"] == row["regret"][0]


def test_the_file_holds_what_the_page_shows():
    known = {(one.setting, one.trust, one.name) for one in contest.contestants()}
    for one in STORED["rows"]:
        assert tuple(one[key] for key in play_contest.KEYS) in known and len(one["regret"]) <= contest.INSTANCES
    assert STORED["made"]["package"] == bdp.__version__
    assert "{standings}" in (ROOT / "book" / "contest.md").read_text("utf-8")


def test_the_page_shows_every_row(tmp_path):
    """With what can be filtered and sorted by; a row that failed says why, and one that has played little says that."""
    file = tmp_path / "book" / "bandits_book" / "contest.json"
    file.parent.mkdir(parents=True)
    rows = [row("A", [50.0, 100.0], 0.3), row("B", [40.0, 0.0], 0.2, scale=0.5), row("C", [], note="RuntimeError: no such thing")]
    file.write_text(json.dumps({"rows": rows, "instances": contest.results()["instances"]}))
    (tmp_path / "page.md").write_text("# A page\n\n```{standings}\n```\n", "utf-8")
    status, told = build(tmp_path, "standings")
    assert status == 0, told
    page = (tmp_path / "_built" / "page.html").read_text("utf-8")
    assert page.count('data-learner="') == 3 and "RuntimeError: no such thing" in page
    assert "2 of 20 instances" in page and "the favourite" in page and 'data-trust="local"' in page
    shares = [int(found) for found in re.findall(r'data-share="(\d+)"', page)]
    assert len(shares) == 2 and shares == sorted(shares)


def test_the_floor_is_a_floor_and_falls_with_epsilon():
    one = contest.instances("arms")[1]
    floors = [contest.fewest_lost(one, epsilon) for epsilon in contest.EPSILONS]
    assert floors[0] > 0 and all(high >= low >= 0 for high, low in pairwise(floors))
    assert floors[0] < contest.play(SYSTEMS["DP-KLUCB"], one, 0.1)["regret"]
    two = contest.Instance("", bdp.problems.BernoulliArms([0.6, 0.5]), round(math.exp(10)), 0, 1.0)
    kl = 0.5 * math.log(0.5 / 0.6) + 0.5 * math.log(0.5 / 0.4)
    assert contest.lost_in_the_limit(two, 0.41) == pytest.approx(1.0 / kl, rel=1e-5)  # from ln 1.5 on privacy is free
    assert contest.lost_in_the_limit(two, 1e-4) == pytest.approx(1e5, rel=1e-2)
