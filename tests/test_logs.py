"""Logs: what they refuse, and what replay, weighted estimates and warm starts make of them, against loops and enumerations."""

import copy
import itertools
import math
from datetime import date, datetime
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

import bandits_dp as bdp
from bandits_dp.companion.logs import Log, evaluate, record, replay, warm_start
from bandits_dp.problems import BernoulliArms, ContextualLinear, GradedArms, PoolContextual, Rounds, SphericalArms, SphericalClients

MEANS = np.array([0.9, 0.3, 0.6])
TINY = [[0.2, 0.9, 0.4], [0.7, 0.1, 0.5]]  # mean rewards of three actions in two kinds of rows


def tiny(**changes):
    """Return the arguments of a small log of plain arms, some of them changed."""
    return {"actions": [0, 2, 1, 1], "rewards": [1, 0, 1, 0.5], "propensities": [0.5, 0.2, 0.3, 0.3], "arms": 3} | changes


# What is wrong is named by column and row.

NAN = math.nan
WRONG = [
    ({"actions": [0, 3, 1, 1]}, "actions must be one of 3 arms, an integer from 0 to 2, got 3 in row 1"),
    ({"actions": [0, -1, 1, 1]}, "actions must be one of 3 arms.* got -1 in row 1"),
    ({"actions": [0, 0.5, 1, 1]}, "actions must be an integer from 0 to 2, got 0.5 in row 1"),
    ({"actions": [0, NAN, 1, 1]}, "actions must be an integer from 0 to 2, got nan in row 1"),
    ({"actions": [0, 2**70, 1, 1]}, "actions must be an integer from 0 to 2, got 1180591620717411303424 in row 1"),
    ({"actions": np.ma.array([0, 1, 1, 1], mask=[0, 0, 1, 0])}, "actions must be known, got 'a masked entry' in row 2"),
    ({"propensities": True}, "propensities must be .* got True in row 0"),
    ({"users": {1: 0, 2: 0, 3: 0, 4: 0}}, "users must have 4 entries"),
    ({"users": {1, 2, 3, 4}}, "users must have 4 entries"),
    ({"rounds": [date(2026, 1, 2), date(2026, 1, 1), date(2026, 1, 3), date(2026, 1, 3)]}, "rounds must be in .* in row 1"),
    ({"rounds": [date(2026, 1, 2), datetime(2026, 1, 3), date(2026, 1, 3), date(2026, 1, 3)]}, "rounds must be times of one kind"),
    ({"actions": [True, False, True, False]}, "actions must be an integer from 0 to 2, got True in row 0"),
    ({"actions": ["A", "B", "A", "A"]}, "actions must be an integer from 0 to 2, got 'A' in row 0"),
    ({"actions": [[0], [1]]}, r"actions must have one entry per row, got shape \(2, 1\)"),
    ({"actions": [[0], [1, 2]]}, "actions must have one entry per row"),
    ({"actions": 1}, "actions must have one entry per row, got a single value"),
    ({"actions": [], "rewards": []}, "actions must have a row at least"),
    ({"actions": [0, None, 1, 1]}, "actions must be an integer from 0 to 2, got None in row 1"),
    ({"rewards": [1, 0, 1]}, r"rewards must have 4 entries, one per row of actions, got shape \(3,\)"),
    ({"rewards": [1, 0, 1.5, 1]}, r"rewards must be a number in \[0, 1\], got 1.5 in row 2"),
    ({"rewards": [1, 0, -1, -1]}, r"rewards must be a number in \[0, 1\], got -1.0 in row 2 \(and 1 more rows\)"),
    ({"rewards": [1, NAN, 1, 1]}, "rewards must be .* got nan in row 1"),
    ({"rewards": [1, math.inf, 1, 1], "reward_range": (0, math.inf)}, "rewards must be .* got inf in row 1"),
    ({"rewards": [1, None, 1, 1]}, "rewards must be .* got None in row 1"),
    ({"rewards": [1, "1", 1, 1]}, "rewards must be .* got '1' in row 0"),
    ({"rewards": ["a"] * 4}, "rewards must be .* got 'a' in row 0"),
    ({"rewards": [1j] * 4}, "rewards must be .* got 1j in row 0"),
    ({"propensities": [0.5, 0, 0.3, 0.3]}, r"propensities must be a number in \(0, 1\], got 0.0 in row 1"),
    ({"propensities": [0.5, 1.2, 0.3, 0.3]}, "propensities must be .* got 1.2 in row 1"),
    ({"propensities": [0.5, 0.2, NAN, 0.3]}, "propensities must be .* got nan in row 2"),
    ({"propensities": [-0.5, 0.2, 0.3, 0.3]}, "propensities must be .* got -0.5 in row 0"),
    ({"propensities": 0}, "propensities must be .* got 0.0 in row 0"),
    ({"propensities": [0.5, 0.2]}, "propensities must have 4 entries"),
    ({"arms": None}, "arms must be the number of arms of a log without features, got None"),
    ({"arms": 0}, "arms must be an integer that is at least 1"),
    ({"arms": 2.5}, "arms must be an integer"),
    ({"reward_range": 1}, "reward_range must be a pair"),
    ({"reward_range": (1, 0)}, "reward_range must be a number"),
    ({"reward_range": (0, NAN)}, "reward_range must be a number"),
    ({"reward_range": (0.0, 0.5)}, r"rewards must be a number in \[0, 0.5\], got 1.0 in row 0"),
    ({"users": [1, 2]}, "users must have 4 entries"),
    ({"users": 7}, "users must have 4 entries"),
    ({"users": "anna"}, "users must have 4 entries"),
    ({"users": [1, 2, None, 4]}, "users must be an integer or a word, got None in row 2"),
    ({"users": [1, 2, 3.5, 4]}, "users must be an integer or a word, got 3.5 in row 2"),
    ({"users": np.array([1.0, 2, 3, 4])}, "users must be an integer or a word, got 1.0 in row 0"),
    ({"rounds": [1, 2, 4, 3]}, "rounds must be in the order in which rounds were played, at least 4 as in row 2, got 3 in row 3"),
    ({"rounds": [1, 2, NAN, 3]}, "rounds must be .* got nan in row 2"),
    ({"rounds": [1, 2]}, "rounds must have 4 entries"),
    ({"rounds": np.array(["2026-01-02", "2026-01-01", "2026-01-03", "2026-01-04"], "M8[D]")}, "rounds must be in .* in row 1"),
    ({"rounds": np.array(["2026-01-02", "NaT", "2026-01-03", "2026-01-04"], "M8[D]")}, "rounds must be a time.* in row 1"),
    ({"rounds": ["monday", "tuesday", "x", "y"]}, "rounds must be a number"),
    ({"features": np.ones(3), "arms": None}, r"features must have shape \(arms, dimension\).* got \(3,\)"),
    ({"features": np.ones((3, 3, 2)), "arms": None}, "features must have 4 entries, one per row"),
    ({"features": np.ones((4, 0, 2)), "arms": None}, "features must have shape"),
    ({"features": np.ones((2, 2)), "arms": None}, "actions must be one of 2 arms, an integer from 0 to 1, got 2 in row 1"),
    ({"features": np.ones((3, 2)), "arms": 4}, "arms must be left out of a log with features, or be their number, got 4"),
    ({"features": np.where(np.arange(24).reshape(4, 3, 2) == 13, NAN, 1.0), "arms": None}, "features must be .* nan in row 2"),
    ({"features": [np.ones((3, 2)), np.ones((3, 2)), np.ones((2, 3)), np.ones((2, 2))], "arms": None},
     r"features must have shape \(arms, dimension\), of one dimension in all rows, got \(2, 3\) in row 2"),
    ({"features": [np.ones((3, 2)), np.ones((2, 2)), np.ones((2, 2)), np.ones((2, 2))], "arms": None},
     "actions must be one of 2 arms, .* got 2 in row 1"),
    ({"features": [np.ones((3, 2)), np.ones((2, 2))], "arms": None}, "features must have 4 entries, one per row of actions, got 2"),
    ({"features": "abc", "arms": None}, "features must be numbers"),
    ({"features": {"a": 1}, "arms": None}, "features must be numbers"),
    ({"features": [[1, 0], [0, NAN], [1, 1]], "arms": None}, "features must be finite numbers, got nan"),
]


@pytest.mark.parametrize(("changes", "text"), WRONG, ids=[f"{next(iter(changes))}-{i}" for i, (changes, _) in enumerate(WRONG)])
def test_a_log_names_column_and_row(changes, text):
    with pytest.raises(ValueError, match=text):
        Log(**tiny(**changes))


def test_a_log_is_a_copy_that_nobody_can_change():
    given = {name: np.array(value) for name, value in tiny().items() if name != "arms"}
    features = np.ones((4, 3, 2))
    log = Log(**given, features=features, users=["a", "b", "c", 4], rounds=[1, 1, 2, 9])
    for array in (*given.values(), features):
        array[:] = 0
    assert log.actions.tolist() == [0, 2, 1, 1] and log.rewards.tolist() == [1, 0, 1, 0.5] and (log.features == 1).all()
    for array in (log.actions, log.rewards, log.propensities, log.features, log.rounds):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0
    part = log[2:]
    assert part.users == ("c", 4) and part.actions.tolist() == [1, 1] and part.rounds.tolist() == [2, 9] and len(part) == 2
    assert log[log.actions == 1].users == ("c", 4)
    with pytest.raises(ValueError, match="keeps its order"):
        log[[2, 1]]


def test_numbers_of_other_kinds_are_numbers():
    """Columns of a data base may be decimal."""
    log = Log(**tiny(rewards=[Decimal("0.5"), 1, Fraction(1, 4), 0]))
    assert log.rewards.tolist() == [0.5, 1.0, 0.25, 0.0]


def test_a_log_says_what_it_knows():
    assert repr(Log([0, 1, 1], [1, 0, 1], arms=2, users=["a", "b", "a"])) == "Log(3 rows, arms=2, 2 users)"
    assert repr(Log(**tiny())) == "Log(4 rows, arms=3, propensities 0.2 to 0.5)"
    uneven = Log([2, 0], [1, 0], features=[np.ones((3, 5)), np.ones((2, 5))])
    assert repr(uneven) == "Log(2 rows, arms=2 to 3, dimension=5)"
    with pytest.raises(ValueError, match="features must be known, got None: this log is one of plain arms"):
        Log(**tiny()).chosen  # noqa: B018


def test_rows_may_have_different_numbers_of_arms():
    log = Log([2, 0], [1, 0], [1 / 3, 1 / 2], features=[np.ones((3, 2)), np.zeros((2, 2))])
    assert log.sizes.tolist() == [3, 2] and log.dimension == 2 and log.shown(1).shape == (2, 2) and not log.uniform
    assert log.chosen.tolist() == [[1, 1], [0, 0]] and log[1:].sizes.tolist() == [2]


def test_tables_are_logs():
    pd = pytest.importorskip("pandas")
    table = pd.DataFrame({
        "shown": ["B", "A", "B"], "slept": [1, 0, 1], "chance": [0.8, 0.2, 0.8], "who": ["n", "m", "k"], "when": [1, 2, 3],
        "a0": [0.1, 0.2, 0.3], "a1": [1.0, 1, 1], "b0": [0.4, 0.5, 0.6], "b1": [0.0, 0, 0],
    })
    names = {"action": "shown", "reward": "slept", "propensity": "chance", "user": "who", "round": "when"}
    log = Log.from_dataframe(table, **names, arms=["A", "B"], features=[["a0", "a1"], ["b0", "b1"]])
    assert log.actions.tolist() == [1, 0, 1] and log.users == ("n", "m", "k") and log.rounds.tolist() == [1, 2, 3]
    assert log.features.tolist() == [[[0.1, 1], [0.4, 0]], [[0.2, 1], [0.5, 0]], [[0.3, 1], [0.6, 0]]]
    table["both"] = list(log.features)
    assert (Log.from_dataframe(table, **names, arms=["A", "B"], features="both").features == log.features).all()
    fixed = Log.from_dataframe(table, **names | {"propensity": 0.5}, arms=["A", "B"], features=np.eye(2))
    assert fixed.uniform and fixed.shown(2).tolist() == [[1, 0], [0, 1]]
    listed = Log.from_dataframe(table, **names, arms=["A", "B"], features=[[1, 0], [0, 1]])
    assert (listed.features == fixed.features).all()  # numbers, and no names of columns
    with pytest.raises(ValueError, match="reward must name one column, got 'slept', which 2 columns are called"):
        Log.from_dataframe(pd.concat([table, table[["slept"]]], axis=1), **names, arms=["A", "B"])
    for column, value, text in [("slept", 2, r"column 'slept' must be a number in \[0, 1\], got 2.0 in row 1"),
                                ("chance", 0, r"column 'chance' must be a number in \(0, 1\], got 0.0 in row 1"),
                                ("slept", None, "column 'slept' must be .* got nan in row 1"),
                                ("shown", "C", "column 'shown' must be one of the arms 'A', 'B', got 'C' in row 1"),
                                ("who", None, "column 'who' must be an integer or a word, got (None|nan) in row 1"),
                                ("when", 0, "column 'when' must be in the order .* got 0 in row 1")]:
        wrong = table.copy()
        wrong[column] = wrong[column].where(wrong.index != 1, value)
        with pytest.raises(ValueError, match=text):
            Log.from_dataframe(wrong, **names, arms=["A", "B"])
    for more, text in [({"action": "Shown"}, "action must name a column of the table, one of 'shown', .* got 'Shown'"),
                       ({"arms": None}, "arms must be the number"), ({"arms": 2}, "column 'shown' must be an integer"),
                       ({"arms": [["A"], ["B"]]}, "arms must be labels"),
                       ({"arms": ["A", "A"]}, "arms must be different labels"),
                       ({"features": [["a0", "a1"], ["b0"]]}, "features must name as many columns for every arm"),
                       ({"features": [["a0", "a1"], ["b0", "c"]]}, "features must name a column of the table")]:
        with pytest.raises(ValueError, match=text):
            Log.from_dataframe(table, **names | {"arms": ["A", "B"]} | more)
    times = table.assign(when=pd.to_datetime(["2026-01-01", "2026-01-02", "2026-01-03"], utc=True), shown=[1.0, 0.0, 1.0])
    assert Log.from_dataframe(times, **names, arms=2).actions.tolist() == [1, 0, 1]
    with pytest.raises(ValueError, match="column 'when' must be in the order"):
        Log.from_dataframe(times[::-1], **names, arms=2)
    with pytest.raises(TypeError, match=r"frame must be a pandas.DataFrame, got dict"):
        Log.from_dataframe({"action": [1]}, arms=2)


# Recording.


@pytest.mark.parametrize("problem", [
    BernoulliArms(MEANS), GradedArms([0, 0.5, 1], [[0.2, 0.3, 0.5], [0.6, 0.2, 0.2], [1, 0, 0]]), SphericalArms(3, 2),
    ContextualLinear(3, 3), ContextualLinear(3, 3, fixed=False), PoolContextual(3, 2, 10, clip=True),
    Rounds(lambda rng: ((None, own) for own in rng.random((60, 3))), arms=3),
    Rounds(lambda rng: ((np.full((2 + n % 2, 2), 0.5), rng.random(2 + n % 2)) for n in range(60)), arms=3, dimension=2),
], ids=repr)
def test_every_problem_but_clients_can_be_recorded(problem):
    log = record("uniform", problem, 50, np.random.default_rng(1))
    assert len(log) == 50 and log.users == tuple(range(50)) and np.allclose(log.propensities, 1 / log.sizes)
    again = record("uniform", problem, 50, np.random.default_rng(1))
    assert (log.actions == again.actions).all() and (log.rewards == again.rewards).all()


def test_recorded_frequencies_are_the_propensities():
    """Exact binomial tails, 1e-7 in all: arms as often as they are drawn, and pay what they pay."""
    from scipy.stats import binom

    shares = [0.7, 0.25, 0.05]
    log = record(shares, BernoulliArms(MEANS), 20_000, np.random.default_rng(2))
    for arm, share in enumerate(shares):
        here = log.actions == arm
        assert set(log.propensities[here]) == {share}
        for got, n, p in ((here.sum(), 20_000, share), (log.rewards[here].sum(), here.sum(), MEANS[arm])):
            assert min(binom.cdf(got, n, p), binom.sf(got - 1, n, p)) > 1e-8
    with pytest.raises(ValueError, match="whose clients"):
        record("uniform", SphericalClients(12, 3), 10, np.random.default_rng(1))
    with pytest.raises(TypeError, match="problem must be"):
        record("uniform", [0.5], 10, np.random.default_rng(1))
    with pytest.raises(ValueError, match="rng must be"):
        record("uniform", BernoulliArms(MEANS), 10, 1)


@pytest.mark.parametrize(("policy", "text"), [
    ([0.5, 0.5], "policy must give 3 probabilities"), ([0.5, 0.6, 0.5], "add up to 1"), ([1.5, -0.5, 0], "policy must give"),
    ([NAN, 0.5, 0.5], "policy must give"), ("greedy", "policy must be 'uniform', probabilities"), (lambda x: "a", "in row 0"),
    (lambda x: None, "policy must give"), ({"a": 1}, "policy must be"), (object(), "policy must be"),
])
def test_policies_are_probabilities(policy, text):
    with pytest.raises(ValueError, match=text):
        record(policy, BernoulliArms(MEANS), 5, np.random.default_rng(1))
    with pytest.raises(ValueError, match=text):
        evaluate(policy, Log(**tiny()))


# Weighted estimates.


def enumerated(logging, target, estimate, rows=3):
    """Return the mean of an estimate over every possible log of so many rows, each with its probability: no sampling, no error.

    A row is one of two kinds, each with probability 1/2; features tell which. Rewards are 0 or 1 with means ``TINY``.
    """
    outcomes = [(kind, action, reward) for kind in (0, 1) for action in (0, 1, 2) for reward in (0, 1)]
    chance = {(k, a, r): 0.5 * logging[k][a] * (TINY[k][a] if r else 1 - TINY[k][a]) for k, a, r in outcomes}
    shown = np.stack([np.hstack([np.eye(3), np.full((3, 1), float(kind))]) for kind in (0, 1)])
    total = mass = 0.0
    for history in itertools.product(outcomes, repeat=rows):
        p = math.prod(chance[one] for one in history)
        if p == 0:
            continue
        kinds, actions, rewards = map(list, zip(*history, strict=True))
        log = Log(actions, rewards, [logging[k][a] for k, a, _ in history], features=shown[kinds])
        total, mass = total + p * estimate(lambda x: target[int(x[0, 3])], log), mass + p
    return total, mass


LOGGING = [[0.6, 0.3, 0.1], [0.2, 0.2, 0.6]]
TARGET = [[0.0, 0.8, 0.2], [0.5, 0.25, 0.25]]
TRUTH = sum(0.5 * np.dot(TARGET[k], TINY[k]) for k in (0, 1))


def test_ips_is_unbiased_over_every_possible_log():
    """Its mean over all 1,728 logs of three rows, weighted by their probability, is the value of the policy to rounding."""
    mean, mass = enumerated(LOGGING, TARGET, lambda policy, log: evaluate(policy, log).value if agrees(policy, log) else 0.0)
    assert mass == pytest.approx(1, abs=1e-12) and mean == pytest.approx(TRUTH, abs=1e-12)
    twice = [[0.5, 0.4, 0.1], LOGGING[1]]  # propensities that are not those of the log: then it is biased
    wrong, _ = enumerated(LOGGING, TARGET, lambda policy, log: float(np.mean(log.rewards * [
        policy(x)[a] / twice[int(x[0, 3])][a] for x, a in zip(log.features, log.actions, strict=True)])))
    assert abs(wrong - TRUTH) > 0.05


def agrees(policy, log):
    return any(policy(log.shown(row))[log.actions[row]] for row in range(len(log)))


@pytest.mark.parametrize("model", [None, lambda x: np.array([0.3, 0.1, 0.9])], ids=["fitted", "any"])
def test_doubly_robust_is_unbiased_over_every_possible_log(model):
    """With predictions that are fitted to other rows, and with bad ones of somebody's own."""
    def estimate(policy, log):
        if agrees(policy, log):
            return evaluate(policy, log, "dr", model=model).value
        q = oracle_predictions(log) if model is None else [model(None)] * len(log)
        return float(np.mean([policy(log.shown(i)) @ q[i] for i in range(len(log))]))

    assert enumerated(LOGGING, TARGET, estimate, rows=2)[0] == pytest.approx(TRUTH, abs=1e-12)


def oracle_predictions(log):
    """Return predictions of every row's arms: ridge regression on rows of the other parity, as augmented least squares."""
    d = log.dimension
    found = []
    for i in range(len(log)):
        others = [j for j in range(len(log)) if j % 2 != i % 2]
        x = np.vstack([log.shown(j)[log.actions[j]] for j in others] + [np.eye(d)]) if others else np.eye(d)
        y = np.append([log.rewards[j] for j in others], np.zeros(d))
        found.append(log.shown(i) @ np.linalg.lstsq(x, y)[0])
    return found


def oracle(policy, log, method, clip=None):
    """Return an estimate and its standard error by plain loops: for ips as a sum over repeated rows, for snips by the ratio."""
    n = len(log)
    weights = []
    for row in range(n):
        weight = policy(log.shown(row))[log.actions[row]] / log.propensities[row]
        weights.append(weight if clip is None or weight < clip else clip)
    if method == "snips":
        total = sum(weights)
        value = sum(w / total * r for w, r in zip(weights, log.rewards, strict=True))
        return value, math.sqrt(sum((w / total) ** 2 * (r - value) ** 2 for w, r in zip(weights, log.rewards, strict=True)))
    if method == "ips":
        terms = [w * r for w, r in zip(weights, log.rewards, strict=True)]
    else:
        q, terms = oracle_predictions(log), []
        for row in range(n):
            chances, a, w = policy(log.shown(row)), log.actions[row], weights[row]
            terms.append(sum((chances[b] - (w if b == a else 0)) * q[row][b] for b in range(len(chances))) + w * log.rewards[row])
    value = sum(terms) / n
    pairs = sum((s - t) ** 2 for s in terms for t in terms) / 2  # n times the sum of squares around the mean
    return value, math.sqrt(pairs / n / (n - 1) / n)


@pytest.mark.parametrize("clip", [None, 1.5])
@pytest.mark.parametrize("method", ["ips", "snips", "dr"])
def test_estimates_match_plain_loops(method, clip):
    rng = np.random.default_rng(3)
    problem = ContextualLinear(4, 3, fixed=False).draw(rng)

    def policy(x):
        exponents = np.exp(3 * x[:, 0])
        return exponents / exponents.sum()

    log = record([0.1, 0.2, 0.3, 0.4], problem, 300, rng)
    got = evaluate(policy, log, method, clip=clip)
    value, error = oracle(policy, log, method, clip)
    assert got.value == pytest.approx(value, rel=1e-9) and got.std_error == pytest.approx(error, rel=1e-9)
    assert got.high - got.value == pytest.approx(1.959963985 * error, rel=1e-7) and got.rows == 300
    assert (got.clipped > 0) == (clip is not None) and (clip is None or got.largest_weight == clip)
    assert f"{method}: {value:.4g}, 95% interval" in str(got)


def test_plain_arms_and_frozen_learners_are_judged():
    log = record("uniform", BernoulliArms(MEANS), 3000, np.random.default_rng(4))
    learner = bdp.make("AE", BernoulliArms(MEANS), horizon=3000)
    assert evaluate(learner, log).value == pytest.approx(evaluate("uniform", log).value) == pytest.approx(log.rewards.mean())
    warm = warm_start(learner, log)
    assert warm.learner.viable.tolist() == [0]
    best = evaluate(warm, log, "snips").value
    (one,) = np.flatnonzero(log.actions == 1)[:1]
    assert evaluate([0, 1, 0], log[one : one + 1], "snips").std_error == math.inf
    assert best == pytest.approx(log.rewards[log.actions == 0].mean()) and best == evaluate([1, 0, 0], log, "snips").value
    ucb = warm_start(bdp.make("UCB1", BernoulliArms(MEANS), horizon=4000), log)
    assert evaluate(ucb, log, "snips").value == best
    contextual = ContextualLinear(3, 2, fixed=False)
    linear = warm_start(bdp.make("LinUCB", contextual, horizon=900), record("uniform", contextual, 300, np.random.default_rng(5)))
    shown = record("uniform", contextual, 50, np.random.default_rng(6))
    chosen = [copy.deepcopy(linear).act(shown.shown(row)).arm for row in range(50)]
    assert evaluate(linear, shown).value == pytest.approx(np.mean((shown.actions == chosen) * 3 * shown.rewards))
    assert linear.played == 300 and len(set(chosen)) == 3
    restarts = bdp.make("AE", BernoulliArms(MEANS), horizon=None)
    assert evaluate(restarts, log).value == pytest.approx(log.rewards.mean())


def test_intervals_cover_as_often_as_they_say():
    """Mild weights, 400 logs each: between 90% and 99% of the 95% intervals; false alarms below 1e-6 if coverage is exact."""
    rng, problem = np.random.default_rng(5), BernoulliArms(MEANS)
    target = [0.6, 0.3, 0.1]
    truth = float(np.dot(target, MEANS))
    logs = [record([0.3, 0.3, 0.4], problem, 250, rng) for _ in range(400)]
    for method in ("ips", "snips", "dr"):
        inside = sum((found := evaluate(target, log, method)).low < truth < found.high for log in logs)
        assert 358 <= inside <= 398, (method, inside)


@pytest.mark.parametrize(("call", "text"), [
    (lambda log: evaluate("uniform", Log([0], [1], arms=2)), "propensities must be known to judge a policy by a log, got None"),
    (lambda log: evaluate("uniform", log, "dm"), "method must be one of 'ips', 'snips', 'dr', got 'dm'"),
    (lambda log: evaluate("uniform", log, clip=0), "clip must be a number"),
    (lambda log: evaluate("uniform", log, clip=NAN), "clip must be a number"),
    (lambda log: evaluate("uniform", log, confidence=1), "confidence must be a number"),
    (lambda log: evaluate("uniform", log, confidence=95), "confidence must be a number"),
    (lambda log: evaluate("uniform", log, model=lambda x: x), "model must be a function of features, and is for method='dr' only"),
    (lambda log: evaluate("uniform", log, "dr", model=3), "model must be a function"),
    (lambda log: evaluate("uniform", log, "dr", model=lambda x: [1]), "model must give 3 predicted rewards, .* in row 0"),
    (lambda log: evaluate("uniform", log, "dr", model=lambda x: [1, NAN, 0]), "model must give 3 predicted rewards"),
    (lambda log: evaluate("uniform", log, "dr", model=lambda x: "abc"), "model must give 3 predicted rewards, .* 'abc' in row 0"),
    (lambda log: evaluate(bdp.make("LinUCB-DGS", ContextualLinear(3, 2, fixed=False), horizon=9, epsilon=1.0, delta=0.1,
                                   calibration="experiment", perturb_contexts=0.1), log),
     "policy must be a function of features, got LinUCB-DGS, which perturbs them"),
    (lambda log: evaluate([0, 0, 1], log[2:]), "policy must choose an action of the log at least once"),
    (lambda log: evaluate("uniform", Log([0, 1], [1, 1], [0.5, 1.0], arms=2)), "propensities must leave room .* got 1 in row 1"),
    (lambda log: evaluate(bdp.make("LinUCB", ContextualLinear(3, 3), horizon=9), log), "features must be in the log for LinUCB"),
    (lambda log: evaluate(bdp.make("DPE", SphericalClients(3, 2), horizon=9), log), "policy must show one arm to one user"),
])
def test_evaluate_says_what_is_wrong(call, text):
    with pytest.raises(ValueError, match=text):
        call(Log(**tiny()))


def test_the_log_must_be_a_log():
    for call in (lambda: evaluate("uniform", [1]), lambda: replay(bdp.make("UCB1", BernoulliArms(MEANS), horizon=9), [1]),
                 lambda: warm_start(bdp.make("UCB1", BernoulliArms(MEANS), horizon=9), None)):
        with pytest.raises(TypeError, match="log must be"):
            call()


def test_a_problem_may_say_who_comes_and_what_each_round_pays():
    class Regulars(ContextualLinear):
        def round_means(self, numbers):
            return np.tile([0.0, 1.0, 0.0], (len(numbers), 1))

        def users(self, numbers):
            return np.arange(len(numbers)) % 7

    log = record("uniform", Regulars(3, 2, fixed=False), 50, np.random.default_rng(1))
    assert log.users[:8] == (0, 1, 2, 3, 4, 5, 6, 0) and (log.rewards == (log.actions == 1)).all()
