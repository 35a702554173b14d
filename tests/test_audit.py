"""The audit: a bound that is right as often as declared, tight where the truth is known, and finds what careless noise leaves."""

import math
import pickle
from functools import partial

import numpy as np
import pytest
from scipy import stats

from bandits_dp import make
from bandits_dp.accounting import gaussian_noise_std
from bandits_dp.audit.audit import Vectorized, audit
from bandits_dp.audit.runs import check_independence
from bandits_dp.audit.views import view_of
from bandits_dp.privatizers import BinarySum, CentralLaplace, Identity, RandomizedResponse, SkellamSum
from bandits_dp.problems import BernoulliArms, ClientPopulation, ContextualLinear

FALSE_ALARM = 1e-6  # of each statistical test here, with fixed seeds
BITS = BernoulliArms([0.5, 0.5])
CONTEXTS = ContextualLinear(arms=2, dimension=2)
CLIENTS = ClientPopulation(np.eye(2), [0.5, 0.5])


def quiet(mechanism, a, b, epsilon=None, delta=None, trials=1000, seed=0, **options):
    return audit(mechanism, a, b, epsilon, delta, trials, rng=np.random.default_rng(seed), progress=False, **options)


def most_failures(seeds, chance):
    """Most failures that a binomial test at the declared false-alarm rate allows."""
    return stats.binom.isf(FALSE_ALARM, seeds, chance)


def gaussian(std):
    return Vectorized(lambda data, rng, runs: data + rng.normal(0, std, runs))


def answer(truth):
    return Vectorized(lambda data, rng, runs: np.where(rng.random(runs) < truth, data, 1 - data))


@pytest.mark.parametrize(("delta", "goal"), ((0.1, 0.9), (1e-5, 0.6)))
@pytest.mark.parametrize("score", (None, lambda output: -output))
def test_bound_on_an_exact_gaussian_reaches_its_goal(delta, goal, score):
    """Claim (1, delta), exactly calibrated, 1e6 runs: the median bound of five audits, none above 1."""
    mechanism = gaussian(gaussian_noise_std(1.0, delta, 1.0))
    bounds = [quiet(mechanism, 0.0, 1.0, 1.0, delta, 10**6, seed, score=score).epsilon_lower for seed in range(5)]
    assert np.median(bounds) >= goal and max(bounds) <= 1


@pytest.mark.parametrize(("delta", "trials"), ((0.0, 5000), (0.05, 200)))
def test_bound_covers_the_truth(delta, trials):
    """At confidence 0.6 bounds exceed the true epsilon in at most 40% of 1000 audits: no run that chose is tested on."""
    truth, wrong = 0.55, 0
    epsilon = max(math.log((truth - delta) / (1 - truth)), 0.0)
    for seed in range(1000):
        result = quiet(answer(truth), 0.0, 1.0, 4.0, delta, trials, seed, confidence=0.6)
        wrong += result.epsilon_lower > epsilon
    assert wrong <= most_failures(1000, 0.4)


def test_bound_covers_zero_where_nothing_leaks():
    """Pure noise: any positive bound is a false alarm; vectors offer the search many chances to fool itself."""
    noise = Vectorized(lambda data, rng, runs: rng.normal(size=(runs, 3)))
    wrong = sum(quiet(noise, 0, 1, 2.0, 0.0, 300, seed, confidence=0.6).epsilon_lower > 0 for seed in range(200))
    assert wrong <= most_failures(200, 0.4)


def test_direction_is_chosen_before_the_test():
    """What the first half says about the direction stands, even where the second half says the opposite."""
    turning = Vectorized(lambda data, rng, runs: np.where(np.arange(runs) < runs // 2, data, 1 - data))
    result = quiet(turning, 0.0, 1.0, 1.0, 0.0, 1000)
    assert {result.hits_a, result.hits_b} == {0, 500} and result.epsilon_lower == 0


def test_counts_and_limits_are_those_of_clopper_and_pearson():
    result = quiet(answer(0.7), 0.0, 1.0, 3.0, 0.02, 3000)
    more, less = (result.hits_a, result.hits_b) if result.likelier == "a" else (result.hits_b, result.hits_a)
    assert result.tested == 1500 and more > less
    p = stats.binomtest(more, 1500).proportion_ci(0.99, "exact")
    q = stats.binomtest(less, 1500).proportion_ci(0.99, "exact")
    assert result.epsilon_lower == pytest.approx(math.log((p.low - 0.02) / q.high))


def test_privatizers_are_audited_through_what_they_release(monkeypatch):
    """The view "sum" was a simulator's law: a server that adds no noise passed with the digits of the sound one.

    No way to a release may be without noise: what users send and a server receives, or ``release``, of sums or of messages.
    """
    one, none = np.eye(1, 5)[0], np.zeros(5)
    sound = [CentralLaplace(5, 0.2), BinarySum(5, 0.2, 1e-6), SkellamSum(5, 0.2, 1e-6), RandomizedResponse(5, 0.2)]
    views = [quiet(each, one, none, confidence=1 - FALSE_ALARM) for each in sound]
    assert [each.view for each in views] == ["sum", "sum", "sum", "messages"] and all(each.passed for each in views)
    assert "in the view 'sum' happened in" in str(views[0])
    for place, way, bare in ((0, "receive", lambda self, waiting, rng: self.grid.near(waiting)),
                             (2, "send", lambda self, values, rng: self._round(values, rng)),
                             (2, "_aggregate", lambda self, values, rng: values.sum(axis=0)),
                             (1, "randomize", lambda self, values, rng: np.uint8(values)),
                             (3, "send", lambda self, values, rng: np.int64(values))):
        with monkeypatch.context() as patch:
            patch.setattr(type(sound[place]), way, bare)
            found = quiet(sound[place], one, none)
        assert not found.passed, f"{sound[place]}.{way}: {found}"
    assert not quiet(Identity(2), [0, 0], [1, 0], 1.0, 0.0, 300).passed


def test_learners_are_audited_through_reward_tapes():
    """A non-private learner betrays one reward by its arms or its sums; a private one keeps its promise."""
    tape = np.tile([0.0, 1.0], (4, 1))
    neighbour = tape.copy()
    neighbour[0] = 1.0
    open_book = make("UCB1", BITS, horizon=4)
    views = ("suggestions", "releases", lambda live: live.learner.sums)
    for view in views:
        assert not quiet(open_book, tape, neighbour, 1.0, 0.0, 200, view=view).passed
    private = make("LDP-AE", BITS, horizon=4, epsilon=1.0)
    for view in ("messages", "suggestions"):
        assert quiet(private, tape, neighbour, trials=200, view=view, confidence=1 - FALSE_ALARM).passed
    assert open_book.played == private.played == 0


def test_whoever_is_listened_to_is_the_same_learner():
    """It used to get another class meanwhile, one that could not be pickled."""
    learner = make("LDP-AE", BITS, horizon=4, epsilon=1.0)
    seen = view_of(learner, lambda player: [type(player) is type(learner), pickle.loads(pickle.dumps(player)).played])
    assert seen(np.ones((4, 2)), np.random.default_rng(0)) == [True, 4]


def heard(name, problem, data, horizon, **options):
    learner = make(name, problem, horizon=horizon, epsilon=1e4, delta=0.5, **options)
    return view_of(learner, "messages")(data, np.random.default_rng(0))


def test_in_the_local_model_messages_are_what_every_user_sends():
    """Also of a batch that is not full yet; not of users of one that never is, who send nothing."""
    bits = np.array([[1, 1], [0, 0], [1, 1], [1, 1.0]])
    assert heard("LDP-AE", BITS, bits, 9, batch_size=3).tolist() == [1, 0, 1, 1]
    assert np.isnan(heard("LDP-AE", BITS, bits, 4, batch_size=3)).all()
    features = np.array([[[1.0, 0.0]] * 2, [[0.0, 1.0]] * 2, [[0.6, 0.8]] * 2])
    sent = heard("LinUCB-Batched-LDP", CONTEXTS, (features, np.ones((3, 2))), 3, batch_size=2)
    assert sent == pytest.approx([1, 0, 1, 0, 0, 0, 1, 0, 0, 1] + [np.nan] * 5, abs=0.2, nan_ok=True)
    means = np.array([[0.5, -0.5], [0.25, 1.0], [0, 0]])
    assert heard("LDP-DPE", CLIENTS, means, 3) == pytest.approx([0.5, -0.5, 0.25, 1.0, np.nan, np.nan], abs=0.2, nan_ok=True)


def test_in_the_shuffle_model_messages_are_what_a_full_batch_delivers():
    """Of bits, how many are ones; of vectors, all of them in an order that says nothing; of a batch that waits, nothing."""
    bits = np.array([[1, 1], [0, 0], [1, 1], [1, 1.0]])
    full, rest = heard("SDP-AE", BITS, bits, 9, batch_size=3)[:2]
    assert full == heard("SDP-AE", BITS, bits[[1, 0, 2]], 9, batch_size=3)[0]  # the noise of one seed is the same
    assert full == heard("SDP-AE", BITS, bits[:1].repeat(3, axis=0), 9, batch_size=3)[0] - 1 and np.isnan(rest)
    features = np.array([[[1.0, 0.0]] * 2, [[0.0, 1.0]] * 2])
    learner = make("LinUCB-SDP-Amp", CONTEXTS, horizon=2, epsilon=600.0, delta=0.5, batch_size=2)
    rng, first = np.random.default_rng(0), []
    for _ in range(40):
        delivered = np.reshape(view_of(learner, "messages")((features, np.ones((2, 2))), rng), (2, 5))
        first.append(bool(delivered[0, 0] > delivered[1, 0]))
        assert sorted(delivered[:, 0]) == pytest.approx([0, 1], abs=0.4)
    assert stats.binomtest(sum(first), 40).pvalue > FALSE_ALARM


@pytest.mark.parametrize("name", ("UCB1", "DP-SE", "Dist-DP-AE"))
def test_messages_are_seen_only_where_the_guarantee_is_about_them(name):
    learner = make(name, BITS, horizon=900, epsilon=None if name == "UCB1" else 1.0)
    with pytest.raises(ValueError, match=r"view must be 'releases' or 'suggestions' for a learner of the model .*, got 'messages'"):
        view_of(learner, "messages")
    assert view_of(learner).keywords["view"] == "releases"


def test_rare_exact_values_are_caught():
    """One output in 200 is exact, in the middle of the distribution: no threshold shows it, an atom does."""
    def sometimes_exact(data, rng, runs):
        return np.where(rng.random(runs) < 0.005, data, data + rng.laplace(0, 2.0, runs))

    result = quiet(Vectorized(sometimes_exact), 0.3, 0.7, 1.0, 0.0, 100_000)
    assert not result.passed and result.low == result.high and "output = " in result.event


@pytest.mark.parametrize("strange", (math.nan, math.inf, -math.inf))
@pytest.mark.parametrize("size", ((), (3,)))
def test_nan_and_infinity_are_outputs_too(strange, size):
    def fails_on_one(data, rng, runs):
        outputs = rng.normal(0, 10.0, (runs, *size))
        outputs[rng.random(runs) < 0.02 * data] = strange
        return outputs

    assert not quiet(Vectorized(fails_on_one), 1.0, 0.0, 1.0, 0.0, 20_000).passed
    assert quiet(Vectorized(fails_on_one), 1.0, 0.5, 1.0, 0.0, 20_000).passed  # a ratio of 2 is below e


def swapped_pairs(d, r, n):
    """Entries 0, 1 agree and 2, 3 oppose each other, or the other way round: only the covariance tells."""
    x = r.normal(0, 1, (n, 4))
    x[:, [1, 3]] = np.array([0.95, -0.95]) * (2 * d - 1) * x[:, [0, 2]] + 0.3 * x[:, [1, 3]]
    return x


def second_pair(d, r, n, jitter):
    """Entries 0 and 1 are always equal (or not close), and now and then entries 2 and 3 are, up to a jitter."""
    x = r.normal(0, 1, (n, 6))
    if not jitter:
        x[:, 1] = x[:, 0]
    x[:, 3] = np.where(r.random(n) < 0.05 * d, x[:, 2] + jitter * r.random(n), x[:, 3])
    return x


def with_infinity(d, r, n):
    """A sequence that repeats too often, behind an entry that is infinite (an unexplored arm's bonus)."""
    arms = np.where(r.random((n, 1)) < 0.03 * d, np.arange(6) % 3, r.integers(0, 3, (n, 6)))
    return np.hstack([np.full((n, 1), np.inf), arms])


TRACES = {
    "narrow cluster": lambda d, r, n: np.where(r.random(n) < 0.02, d + r.normal(0, 1e-9, n), r.normal(0, 3.0, n)),
    "variance": lambda d, r, n: r.normal(0, 1.0 + d, (n, 4)),
    "correlation": swapped_pairs,
    "reused noise": lambda d, r, n: np.array([d, 3.0]) + r.normal(0, 10.0, (n, 1)),
    "a second repeated entry": partial(second_pair, jitter=0.0),
    "nearly repeated entries": partial(second_pair, jitter=1e-12),
    "repeated output": with_infinity,
    "one of many entries": lambda d, r, n: np.eye(300)[7] * 6 * d + r.normal(0, 1, (n, 300)),
    "spread over many entries": lambda d, r, n: 0.4 * d * (-1.0) ** np.arange(200) + r.normal(0, 1, (n, 200)),
    "spread over entries before some that never happen": lambda d, r, n: np.hstack(
        [0.4 * d * (-1.0) ** np.arange(100) + r.normal(0, 1, (n, 100)), np.full((n, 9), np.nan)]),
    "a matrix": lambda d, r, n: d * np.eye(3) + r.normal(0, 0.3, (n, 3, 3)),
}


@pytest.mark.parametrize("name", TRACES)
def test_generic_search_finds(name):
    """Traces that careless noise leaves, each far beyond (1, 0), without a score."""
    result = quiet(Vectorized(TRACES[name]), 1.0, 0.0, 1.0, 0.0, 10_000)
    assert not result.passed, str(result)


@pytest.mark.parametrize("sign", (1, -1))
def test_both_tails_of_a_score_are_searched(sign):
    """One-sided noise: small outputs happen on a only, while the large ones have a ratio of e at most."""
    exponential = Vectorized(lambda data, rng, runs: data + rng.exponential(1.0, runs))
    for a, b in ((0.0, 1.0), (1.0, 0.0)):
        assert not quiet(exponential, a, b, 2.0, 0.0, 5000, score=lambda output: sign * output).passed


def test_a_score_may_be_infinite_and_point_either_way():
    """The exact log-likelihood ratio of uniform noise is infinite outside the overlap; its negative serves as well."""
    uniform = Vectorized(lambda data, rng, runs: data + rng.random(runs))

    def ratio(output):
        return np.where(output < 0.5, np.inf, np.where(output > 1, -np.inf, 0.0))

    for score in (ratio, lambda output: -ratio(output)):
        result = quiet(uniform, 0.0, 0.5, 1.0, 0.4, 4000, score=score)
        assert not result.passed and result.event.startswith("score")


def every_other(draw):
    """Use what was drawn for a run in the next one, too."""
    kept = []
    return lambda data, rng: data + (kept.pop() if kept else kept.append(draw(rng)) or kept[0])


@pytest.mark.parametrize("draw", (lambda rng: rng.laplace(), lambda rng: rng.integers(4), lambda rng: rng.normal(size=3)))
def test_noise_that_is_used_again_in_the_next_run_is_refused(draw):
    """Every run alone has the right law; an audit trusted that runs are independent, and passed."""
    with pytest.raises(ValueError, match=r"independent runs, got, on a, entry . of the output the same in 75 of 75 pairs"):
        quiet(every_other(draw), 0.0, 0.5, 1.0, 0.0, 300)
    turned = every_other(draw)
    with pytest.raises(ValueError, match=r"on the same side of the median in .* it reuses noise"):
        quiet(lambda data, rng: turned(data, rng) + 1e-9 * rng.normal(), 0.0, 0.1, 1.0, 0.0, 500)


def test_runs_that_are_independent_are_not_refused():
    """In 2,000 samples of every kind none is, also where outputs repeat, or are NaN; the bound says one in a thousand millions."""
    rng = np.random.default_rng(0)
    for _ in range(2000):
        p, size = rng.random(), rng.integers(1, 5)
        a, b = (np.where(rng.random((120, size)) < p, rng.choice([0.0, np.nan]), rng.integers(0, 3, (120, size))) for _ in "ab")
        check_independence(a, b)


def test_same_seed_same_verdict_and_plain_functions_work():
    mechanism = gaussian(1.0)
    first, second, other = (quiet(mechanism, 0.0, 1.0, 1.0, 0.1, 5000, seed) for seed in (1, 1, 2))
    assert first == second != other
    plain = quiet(lambda data, rng: data + rng.normal(), 0.0, 1.0, 1.0, 0.1, 5000, 1)
    assert plain == first  # one draw per run, in the same order
    assert isinstance(mechanism(0.0, np.random.default_rng(0)), np.float64)


def test_result_prints_verdict_and_evidence():
    broken = quiet(gaussian(0.1), 0.0, 1.0, 1.0, 0.1, 2000)
    assert str(broken).startswith("FAILED: epsilon is at least 5.") and "(1, 0.1) is claimed" in str(broken)
    assert f"in {broken.hits_a:,} of 1,000 runs on a and in {broken.hits_b:,} on b." in str(broken)
    assert str(quiet(gaussian(9.0), 0.0, 1.0, 1.0, 0.1, 2000)).startswith("Passed: epsilon is at least 0")


def test_too_few_trials_are_refused_with_the_number_needed():
    """One trial less than the number named is refused; with that number a mechanism without noise fails."""
    needed = r"trials must be at least (\d+) for any mechanism to fail an audit of epsilon = 3, delta = 0"
    with pytest.raises(ValueError, match=needed) as caught:
        quiet(gaussian(1.0), 0.0, 1.0, 3.0, 0.0, 10)
    needed = int(str(caught.value).split()[5])
    exact = Vectorized(lambda data, rng, runs: np.full(runs, data))
    assert not quiet(exact, 0.0, 1.0, 3.0, 0.0, needed).passed
    with pytest.raises(ValueError, match=f"at least {needed} .* got {needed - 1}"):
        quiet(exact, 0.0, 1.0, 3.0, 0.0, needed - 1)


GOOD = {"mechanism": gaussian(1.0), "a": 0.0, "b": 1.0, "epsilon": 1.0, "delta": 0.1, "trials": 500,
        "rng": np.random.default_rng(0), "progress": False}


def growing(data, rng):
    return np.zeros(1 + int(rng.random() < 0.5))


def spoiling(data, rng):
    data += rng.normal()
    return data.sum()


@pytest.mark.parametrize(("change", "text"), [
    ({"b": 0.0}, "a and b must differ in one user's data"),
    ({"mechanism": growing}, r"mechanism must return outputs of one shape, got \(\d,\) first and \(\d,\) later"),
    ({"mechanism": Vectorized(lambda data, rng, runs: np.zeros((runs, 1 + int(data))))}, r"got \(1,\) first and \(2,\) later"),
    ({"mechanism": Vectorized(lambda data, rng, runs: np.zeros(3))}, "must return 500 rows when asked for 500 runs"),
    ({"mechanism": lambda data, rng: np.zeros(0)}, "mechanism must return at least one number"),
    ({"mechanism": lambda data, rng: "five"}, "mechanism must return a number or an array of numbers, got 'five'"),
    ({"mechanism": spoiling, "a": np.zeros(2), "b": np.ones(2)}, "mechanism must not change its input"),
    ({"score": lambda x: x[:, None]}, r"score must return one number per output, shape \(250,\), got shape \(250, 1\)"),
    ({"score": lambda x: x * math.nan}, "score must not be NaN, got NaN for output 0"),
])  # fmt: skip
def test_bad_arguments_are_named(change, text):
    with pytest.raises(ValueError, match=text):
        audit(**(GOOD | change))
