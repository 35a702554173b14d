"""Logs: what they refuse, and what replay, weighted estimates and warm starts make of them, against loops and enumerations."""

import copy
import itertools
import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import binom

import bandits_dp as bdp
from bandits_book.logs import Log, evaluate, record, warm_start
from bandits_dp.problems import BernoulliArms, ContextualLinear, GradedArms, PoolContextual, Rounds, SphericalArms, SphericalClients
from tests.small_problems import refused, served

MEANS = np.array([0.9, 0.3, 0.6])
TINY = [[0.2, 0.9, 0.4], [0.7, 0.1, 0.5]]  # mean rewards of three actions in two kinds of rows


def tiny(**changes):
    """Return the arguments of a small log of plain arms, some of them changed."""
    return {"actions": [0, 2, 1, 1], "rewards": [1, 0, 1, 0.5], "propensities": [0.5, 0.2, 0.3, 0.3], "arms": 3} | changes


# What is wrong is named by column and row.
NAN = math.nan
WRONG = [
    ({"actions": [0, 3, 1, 1]}, "actions must be one of 3 arms, an integer from 0 to 2, got 3 in row 1"),
    ({"actions": np.ma.array([0, 1, 1, 1], mask=[0, 0, 1, 0])}, "actions must be known, got 'a masked entry' in row 2"),
    ({"actions": [[0], [1]]}, r"actions must have one entry per row, got shape \(2, 1\)"),
    ({"actions": [], "rewards": []}, "actions must have a row at least"),
    ({"rewards": [1, 0, 1]}, r"rewards must have 4 entries, one per row of actions, got shape \(3,\)"),
    ({"rewards": [1, 0, -1, -1]}, r"rewards must be a number in \[0, 1\], got -1.0 in row 2 \(and 1 more rows\)"),
    ({"rewards": [True, False, None, True]}, r"rewards must be a number in \[0, 1\], got None in row 2$"),
    ({"rewards": np.ones(4, "m8[s]")}, r"rewards must be numbers, got times of the type timedelta64\[s\]"),
    *(({"reward_range": wrong}, "reward_range must be a pair") for wrong in ((1, 0), (0, NAN), 1, ("0", "1"))),
    ({"rewards": [1, math.inf, 1, 1], "reward_range": (0, math.inf)}, "rewards must be .* got inf in row 1"),
    ({"propensities": [0.5, 0, 0.3, 0.3]}, r"propensities must be a number in \(0, 1\], got 0.0 in row 1"),
    ({"arms": None}, "arms must be the number of arms of a log without features, got None"),
    ({"reward_range": (0.0, 0.5)}, r"rewards must be a number in \[0, 0.5\], got 1.0 in row 0"),
    *(({"users": wrong}, "users must have 4 entries") for wrong in ("anna", dict.fromkeys(range(4)), {1, 2, 3, 4})),
    ({"users": [1, 2, 3.5, 4]}, "users must be an integer or a word, got 3.5 in row 2"),
    ({"features": np.ones((2, 2)), "arms": None}, "actions must be one of 2 arms, an integer from 0 to 1, got 2 in row 1"),
    ({"features": np.ones((3, 2)), "arms": 4}, "arms must be left out of a log with features, or be their number, got 4"),
    ({"features": np.where(np.arange(24).reshape(4, 3, 2) == 13, NAN, 1.0), "arms": None}, "features must be .* nan in row 2"),
    ({"features": [np.ones((3, 2)), np.ones((3, 2)), np.ones((2, 3)), np.ones((2, 2))], "arms": None},
     r"features must have shape \(arms, dimension\), of one dimension in all rows, got \(2, 3\) in row 2"),
    ({"features": [np.ones((3, 2)), *[np.ones((2, 2))] * 3], "arms": None}, "actions must be one of 2 arms, .* got 2 in row 1"),
    ({"features": [np.ones((3, 2)), np.ones((2, 2))], "arms": None}, "features must have 4 entries, one per row of actions, got 2"),
]


@pytest.mark.parametrize(("changes", "text"), WRONG, ids=[f"{next(iter(changes))}-{i}" for i, (changes, _) in enumerate(WRONG)])
def test_a_log_names_column_and_row(changes, text):
    refused(text, Log, **tiny(**changes))


def test_a_log_is_a_copy_that_nobody_can_change():
    given = {name: np.array(value) for name, value in tiny().items() if name != "arms"}
    features = np.ones((4, 3, 2))
    log = Log(**given, features=features, users=["a", "b", "c", 4])
    for array in (*given.values(), features):
        array[:] = 0
    assert log.actions.tolist() == [0, 2, 1, 1] and log.rewards.tolist() == [1, 0, 1, 0.5] and (log.features == 1).all()
    for array in (log.actions, log.rewards, log.propensities, log.features):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0
    part = log[2:]
    assert part.users == ("c", 4) and part.actions.tolist() == [1, 1] and len(part) == 2
    assert log[log.actions == 1].users == ("c", 4)
    with pytest.raises(ValueError, match="keeps its order"):
        log[[2, 1]]


def test_a_log_says_what_it_knows():
    assert repr(Log([0, 1, 1], [1, 0, 1], arms=2, users=["a", "b", "a"])) == "Log(3 rows, arms=2, 2 users)"
    assert repr(Log(**tiny())) == "Log(4 rows, arms=3, propensities 0.2 to 0.5)"
    uneven = Log([2, 0], [1, 0], [1 / 3, 1 / 2], features=[np.ones((3, 2)), np.zeros((2, 2))])
    assert repr(uneven) == "Log(2 rows, arms=2 to 3, dimension=2, propensities 0.333 to 0.5)"
    assert uneven.sizes.tolist() == [3, 2] and uneven.shown(1).shape == (2, 2) and not uneven.uniform
    assert uneven.chosen.tolist() == [[1, 1], [0, 0]] and uneven[1:].sizes.tolist() == [2]
    with pytest.raises(ValueError, match="features must be known, got None: this log is one of plain arms"):
        Log(**tiny()).chosen  # noqa: B018


def test_columns_of_tables_are_columns():
    """Those of a data base may be decimal, those of pandas may have labels, and floats in the place of integers."""
    log = Log(**tiny(rewards=[Decimal("0.5"), 1, Fraction(1, 4), 0]))
    assert log.rewards.tolist() == [0.5, 1.0, 0.25, 0.0]
    pd = pytest.importorskip("pandas")
    table = pd.DataFrame({"shown": ["B", "A", "B"], "slept": [1, 0, 1], "chance": [0.8, 0.2, 0.8], "who": ["n", "m", "k"]})
    columns, arms = [table["slept"], table["chance"]], {"A": 0, "B": 1}
    log = Log(table["shown"].map(arms), *columns, users=table["who"], arms=2)
    assert log.actions.tolist() == [1, 0, 1] and log.propensities.tolist() == [0.8, 0.2, 0.8] and log.users == ("n", "m", "k")
    assert Log(table["slept"].astype(float), *columns, arms=2).actions.tolist() == [1, 0, 1]
    with pytest.raises(ValueError, match="actions must be one of 2 arms, an integer from 0 to 1, got nan in row 0"):
        Log(table["shown"].map({"A": 0, "C": 1}), *columns, arms=2)


# Recording.
class Regulars(ContextualLinear):
    """A problem that says who comes, and what each round pays."""

    def round_means(self, numbers):
        return np.tile([0.0, 1.0, 0.0], (len(numbers), 1))

    def users(self, numbers):
        return np.arange(len(numbers)) % 7


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
    log = record("uniform", Regulars(3, 2, fixed=False), 50, np.random.default_rng(1))
    assert log.users[:8] == (0, 1, 2, 3, 4, 5, 6, 0) and (log.rewards == (log.actions == 1)).all()


def test_recorded_frequencies_are_the_propensities():
    """Exact binomial tails, 1e-7 in all: arms as often as they are drawn, and pay what they pay."""
    shares = [0.7, 0.25, 0.05]
    log = record(shares, BernoulliArms(MEANS), 20_000, np.random.default_rng(2))
    for arm, share in enumerate(shares):
        here = log.actions == arm
        assert set(log.propensities[here]) == {share}
        for got, n, p in ((here.sum(), 20_000, share), (log.rewards[here].sum(), here.sum(), MEANS[arm])):
            assert min(binom.cdf(got, n, p), binom.sf(got - 1, n, p)) > 1e-8
    for problem, kind, text in ((SphericalClients(12, 3), ValueError, "whose clients"), ([0.5], TypeError, "problem must be")):
        refused(text, record, "uniform", problem, 10, np.random.default_rng(1), error=kind)


# Weighted estimates.
LOGGING = [[0.6, 0.3, 0.1], [0.2, 0.2, 0.6]]
TARGET = [[0.0, 0.8, 0.2], [0.5, 0.25, 0.25]]
TRUTH = sum(0.5 * np.dot(TARGET[k], TINY[k]) for k in (0, 1))


def enumerated(estimate, rows):
    """Return the mean of an estimate over every possible log of so many rows, each with its probability: no sampling, no error.

    A row is one of two kinds, each with probability 1/2; features tell which. Rewards are 0 or 1 with means ``TINY``.
    """
    outcomes = list(itertools.product((0, 1), (0, 1, 2), (0, 1)))  # kind, action, reward
    shown = np.stack([np.hstack([np.eye(3), np.full((3, 1), float(kind))]) for kind in (0, 1)])
    total = mass = 0.0
    for history in itertools.product(outcomes, repeat=rows):
        p = math.prod(0.5 * LOGGING[k][a] * (TINY[k][a] if r else 1 - TINY[k][a]) for k, a, r in history)
        kinds, actions, rewards = map(list, zip(*history, strict=True))
        log = Log(actions, rewards, [LOGGING[k][a] for k, a, _ in history], features=shown[kinds])
        total, mass = total + p * estimate(lambda x: np.array(TARGET[int(x[0, 3])]), log), mass + p
    assert mass == pytest.approx(1, abs=1e-12)
    return total


def agrees(policy, log):
    return any(policy(log.shown(row))[log.actions[row]] for row in range(len(log)))


def test_ips_is_unbiased_over_every_possible_log():
    """Its mean over all 1,728 logs of three rows, weighted by their probability, is the value of the policy to rounding."""
    mean = enumerated(lambda policy, log: evaluate(policy, log).value if agrees(policy, log) else 0.0, rows=3)
    assert mean == pytest.approx(TRUTH, abs=1e-12)
    twice = [[0.5, 0.4, 0.1], LOGGING[1]]  # propensities that are not those of the log: then it is biased
    wrong = enumerated(lambda policy, log: float(np.mean(log.rewards * [
        policy(x)[a] / twice[int(x[0, 3])][a] for x, a in zip(log.features, log.actions, strict=True)])), rows=3)
    assert abs(wrong - TRUTH) > 0.05


def test_doubly_robust_is_unbiased_over_every_possible_log():
    """With predictions that are fitted to other rows; where no row agrees, these are all there is."""
    def estimate(policy, log):
        if agrees(policy, log):
            return evaluate(policy, log, "dr").value
        return float(np.mean([policy(log.shown(i)) @ q for i, q in enumerate(oracle_predictions(log))]))

    assert enumerated(estimate, rows=2) == pytest.approx(TRUTH, abs=1e-12)


def oracle_predictions(log):
    """Return predictions of every row's arms: ridge regression on rows of the other parity, as augmented least squares."""
    found = []
    for i in range(len(log)):
        others = range(1 - i % 2, len(log), 2)
        x = np.vstack([*(log.shown(j)[log.actions[j]] for j in others), np.eye(log.dimension)])
        found.append(log.shown(i) @ np.linalg.lstsq(x, np.append(log.rewards[list(others)], np.zeros(log.dimension)))[0])
    return found


def oracle(policy, log, method, clip):
    """Return an estimate and its standard error by plain loops: ips is dr that predicts 0, snips is by the ratio."""
    said, n = [policy(log.shown(row)) for row in range(len(log))], len(log)
    weights = [min(p[a] / chance, clip or math.inf) for p, a, chance in zip(said, log.actions, log.propensities, strict=True)]
    if method == "snips":
        shares = [w / sum(weights) for w in weights]
        value = sum(share * r for share, r in zip(shares, log.rewards, strict=True))
        return value, math.sqrt(sum(share**2 * (r - value) ** 2 for share, r in zip(shares, log.rewards, strict=True)))
    q = oracle_predictions(log) if method == "dr" else [[0.0] * len(p) for p in said]
    terms = [sum((p[b] - (w if b == a else 0)) * own[b] for b in range(len(p))) + w * r
             for p, own, w, a, r in zip(said, q, weights, log.actions, log.rewards, strict=True)]
    pairs = sum((s - t) ** 2 for s in terms for t in terms) / 2  # n times the sum of squares around the mean
    return sum(terms) / n, math.sqrt(pairs / n / (n - 1) / n)


@pytest.mark.parametrize("clip", [None, 1.5])
@pytest.mark.parametrize("method", ["ips", "snips", "dr"])
def test_estimates_match_plain_loops(method, clip):
    def policy(x):
        return np.exp(3 * x[:, 0]) / np.exp(3 * x[:, 0]).sum()

    log = record([0.1, 0.2, 0.3, 0.4], ContextualLinear(4, 3, fixed=False), 300, np.random.default_rng(3))
    got, (value, error) = evaluate(policy, log, method, clip=clip), oracle(policy, log, method, clip)
    assert got.value == pytest.approx(value, rel=1e-9) and got.std_error == pytest.approx(error, rel=1e-9)
    assert got.high - got.value == pytest.approx(1.959963985 * error, rel=1e-7) and got.rows == 300
    assert (got.clipped > 0) == (clip is not None) and (clip is None or got.largest_weight == clip)
    assert f"{method}: {value:.4g}, 95% interval" in str(got)


def exactly(log, chances, method):
    """Return value, squared standard error and effective rows of plain arms as fractions."""
    n, rewards = len(log), [Fraction(r) for r in log.rewards]
    weights = [Fraction(chances[a]) / Fraction(p) for a, p in zip(log.actions, log.propensities, strict=True)]
    effective = sum(weights) ** 2 / sum(w**2 for w in weights)
    if method == "snips":
        value = sum(w * r for w, r in zip(weights, rewards, strict=True)) / sum(weights)
        return value, sum((w * (r - value)) ** 2 for w, r in zip(weights, rewards, strict=True)) / sum(weights) ** 2, effective
    terms = []
    for row, (w, r) in enumerate(zip(weights, rewards, strict=True)):
        seen = [[rewards[i] for i in range(1 - row % 2, n, 2) if log.actions[i] == arm] for arm in range(log.sizes[0])]
        q = [sum(own, Fraction(0)) / (len(own) + 1) if method == "dr" else Fraction(0) for own in seen]
        terms.append(sum(Fraction(c) * one for c, one in zip(chances, q, strict=True)) + w * (r - q[log.actions[row]]))
    value = sum(terms) / n
    return value, sum((term - value) ** 2 for term in terms) / (n - 1) / n, effective


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("p", [0.25, math.exp(-300), 1e-160, math.exp(-400), 1e-300])
@pytest.mark.parametrize("method", ["ips", "snips", "dr"])
def test_tiny_propensities_and_weights_are_computed_with(method, p):
    """Squares of weights overflowed, or were 0: there were NaN and infinite intervals, and errors of 0."""
    for chances, propensities in (([0.3, 0.7], [0.5, p, 0.5, 0.9]), ([1 - p, p], [0.5, 0.5, 0.5, 0.9])):
        log = Log([0, 1, 1, 1], [1.0, 0.5, 0.25, 0.5], propensities, arms=2)
        got, (value, variance, effective) = evaluate(chances, log, method), exactly(log, chances, method)
        assert got.value == pytest.approx(float(value), rel=1e-12)
        assert got.effective_rows == pytest.approx(float(effective), rel=1e-12)
        error = (Decimal(variance.numerator) / Decimal(variance.denominator)).sqrt()
        assert got.std_error == pytest.approx(float(error), rel=1e-6)
        assert got.high - got.low == pytest.approx(2 * 1.959963985 * got.std_error, rel=1e-6, abs=1e-15 * got.value)


def test_rewards_are_predicted_from_features_of_any_size():
    """Numbers near 1e9 in two equal columns made a matrix that is singular by rounding, and a raw LinAlgError."""
    for size in (1.0, 1e9, 1e100):
        log = Log([0, 1, 0, 1], [1.0, 0.5, 0.0, 1.0], 0.5, features=[[size, size], [size, size]])
        assert evaluate("uniform", log, "dr").value == pytest.approx(0.625, rel=1e-9)  # both halves have a mean


def test_plain_arms_and_frozen_learners_are_judged():
    problem, contextual = BernoulliArms(MEANS), ContextualLinear(3, 2, fixed=False)
    log = record("uniform", problem, 3000, np.random.default_rng(4))
    for learner in (bdp.make("AE", problem, horizon=3000), served("AE", problem)):
        assert evaluate(learner, log).value == pytest.approx(evaluate("uniform", log).value) == pytest.approx(log.rewards.mean())
    best = evaluate([1, 0, 0], log, "snips").value
    assert best == pytest.approx(log.rewards[log.actions == 0].mean())
    for name in ("AE", "UCB1"):
        assert evaluate(warm_start(bdp.make(name, problem, horizon=4000), log), log, "snips").value == best
    one = int((log.actions == 1).argmax())
    assert evaluate([0, 1, 0], log[one : one + 1], "snips").std_error == math.inf
    linear = warm_start(bdp.make("LinUCB", contextual, horizon=900), record("uniform", contextual, 300, np.random.default_rng(5)))
    shown = record("uniform", contextual, 50, np.random.default_rng(6))
    chosen = [copy.deepcopy(linear).act(shown.shown(row)).arm for row in range(50)]
    assert evaluate(linear, shown).value == pytest.approx(np.mean((shown.actions == chosen) * 3 * shown.rewards))
    assert linear.played == 300 and len(set(chosen)) == 3


@pytest.mark.parametrize(("call", "text"), [
    (lambda log: evaluate("uniform", Log([0], [1], arms=2)), "propensities must be known to judge a policy by a log, got None"),
    (lambda log: evaluate(bdp.make("LinUCB-DGS", ContextualLinear(3, 2, fixed=False), horizon=9, epsilon=1.0, delta=0.1,
                                   calibration="experiment", perturb_contexts=0.1), log),
     "policy must be a function of features, got LinUCB-DGS, which perturbs them"),
    (lambda log: evaluate([0, 0, 1], log[2:]), "policy must choose an action of the log at least once"),
    (lambda log: evaluate([0.3, 0.7], Log([0, 1], [1, 1], [0.5, 5e-324], arms=2)),
     "propensities must be so large that every weight is finite, got 4.94066e-324 in row 1, where .* probability 0.7; clip="),
    (lambda log: evaluate([0.3, 0.7], Log([0, 1], [1, 1e50], [0.5, 1e-300], arms=2, reward_range=(0, 1e99))),
     r"log must have rewards and weights whose products .* rewards up to 1e\+50 and weights up to 7e\+299 in size"),
    (lambda log: Log([0], [1e200], 0.5, arms=2, reward_range=(0, math.inf)), r"rewards must be .* at most 1e\+100 in size, got 1e"),
    (lambda log: Log([0], [1], 0.5, features=[[1e200, 0.0]]), r"features must be finite numbers, at most 1e\+100 in size, got 1e"),
    (lambda log: evaluate("uniform", Log([0, 1], [1, 1], [0.5, 1.0], arms=2)), "propensities must leave room .* got 1 in row 1"),
    (lambda log: evaluate(bdp.make("LinUCB", ContextualLinear(3, 3), horizon=9), log), "features must be in the log for LinUCB"),
    (lambda log: evaluate(bdp.make("DPE", SphericalClients(3, 2), horizon=9), log), "policy must show one arm to one user"),
])
def test_evaluate_says_what_is_wrong(call, text):
    refused(text, call, Log(**tiny()))


def test_a_log_is_a_table():
    """With all that it knows, and nothing that it does not."""
    pd = pytest.importorskip("pandas")
    table = Log(**tiny(), users=["Ada", 3, "Eve", 3]).to_dataframe()
    assert table.to_dict("list") == {"action": [0, 2, 1, 1], "reward": [1.0, 0.0, 1.0, 0.5], "propensity": [0.5, 0.2, 0.3, 0.3],
                                     "user": ["Ada", 3, "Eve", 3], "arms": [3] * 4}
    features = [[[1.0, 0.0], [0.5, 0.5]], [[0.0, 1.0], [1.0, 0.0], [0.2, 0.3]]]
    table = Log([1, 2], [0, 1], features=features).to_dataframe()
    assert isinstance(table, pd.DataFrame) and list(table) == ["action", "reward", "arms", "feature_0", "feature_1"]
    assert table["arms"].tolist() == [2, 3] and table[["feature_0", "feature_1"]].to_numpy().tolist() == [[0.5, 0.5], [0.2, 0.3]]


@pytest.mark.parametrize("name", ["DP-UCB", "LinUCB-SDP-Vec"])
def test_tickets_of_a_learner_that_explores_judge_other_policies(name):
    """A fifth of 3,000 users is shown a random arm: the value of "always arm 1" is within its interval of 1 - 1e-7."""
    rng = np.random.default_rng(5)
    world = ContextualLinear(3, 2, fixed=False).draw(rng) if "LinUCB" in name else BernoulliArms(MEANS)
    live = served(name, world, 3000, epsilon=1.0, delta=1e-3)
    rows, truth = [], []
    for user in range(3000):
        shown = (world.contexts(world.numbers(rng, 1))[0],) if "LinUCB" in name else ()
        means = shown[0] @ world.theta if shown else MEANS
        ticket = live.act(*shown, user=user, rng=rng, explore=0.2)
        assert ticket.propensity == pytest.approx(0.2 / 3) or ticket.propensity == pytest.approx(0.2 / 3 + 0.8)
        assert live.ticket(ticket.token).propensity == ticket.propensity
        reward = float(rng.random() < means[ticket.arm])
        live.update(ticket, reward, rng)
        rows.append((ticket.arm, reward, ticket.propensity, *shown))
        truth.append(means[1])
    arms, rewards, chances, *shown = zip(*rows, strict=True)
    log = Log(arms, rewards, chances, features=np.array(shown[0]) if shown else None, arms=None if shown else 3)
    found = evaluate(lambda features: [0, 1, 0], log, confidence=1 - 1e-7)
    assert found.low < np.mean(truth) < found.high and found.std_error < 0.05
    few = np.mean(np.array(chances) < 0.2)  # two of three drawn arms are not the learner's own
    assert abs(few - 0.2 * 2 / 3) < 5.4 * np.sqrt(0.1156 / 3000)


def test_exploration_is_a_share_of_several_users_and_costs_nothing_if_it_is_none():
    world = ContextualLinear(3, 2, fixed=False)
    one, other = (served("LinUCB", world, 9000, batch_size=9000) for _ in range(2))
    features = world.draw(np.random.default_rng(0)).contexts(world.numbers(np.random.default_rng(1), 4000))
    rng, same = np.random.default_rng(2), np.random.default_rng(2)
    ticket = one.act(features, rng=rng)
    assert ticket.propensity is None and rng.random() == same.random()  # nothing was drawn
    mixed = other.act([*features[:-1], features[-1][:2]], rng=rng, explore=0.5)
    own = mixed.propensity > 0.5
    assert set(np.round(mixed.propensity, 6)) <= {round(0.5 / 3, 6), round(0.5 / 3 + 0.5, 6), 0.25, 0.75}
    assert ((mixed.arm == ticket.arm) == own)[:-1].all() and abs(own.mean() - 2 / 3) < 5.4 * np.sqrt(2 / 9 / 4000)
    np.testing.assert_array_equal(mixed.shown[:-1], features[np.arange(3999), mixed.arm[:-1]])
    for wrong in (-0.1, 1.1, "0.1", math.nan):
        refused(r"explore must be", one.act, features[0], explore=wrong)
