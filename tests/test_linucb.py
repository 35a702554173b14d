"""The LinUCB family: a plain loop as oracle, proved radii checked by simulation, live use, and errors that leave it usable."""

import math

import numpy as np
import pytest
from scipy import stats

import bandits_dp as bdp
from bandits_dp.continual import TreeCounter
from bandits_dp.learners.linucb import LinUCB
from bandits_dp.learners.linucb_fixed import ExactFixedArms, FixedArms
from bandits_dp.learners.linucb_model import LinearModel, norm_bound
from bandits_dp.learners.linucb_release import ExactSums, NoiseLaw, Tape
from bandits_dp.learners.linucb_releases import CountedSums, privatized, statistics
from bandits_dp.privatizers import LocalGaussian, VectorSum
from bandits_dp.privatizers.centred import CentredStatistics
from bandits_dp.privatizers.domain import LinearStatistics
from bandits_dp.problems import BernoulliArms, ContextualLinear
from bandits_dp.widths.ridge import PlainRadius, Shape
from bandits_dp.widths.ridge_private import CertifiedRadius, LemmaRadius, mean_norm, norm_bounds, quadratic_quantile
from tests.benchmarks import reference_linucb

FALSE_ALARM = 1e-6  # of each statistical test here, with fixed seeds
FIXED = ContextualLinear(arms=8, dimension=3)
FRESH = ContextualLinear(arms=8, dimension=3, fixed=False)
FAMILY = {
    "LinUCB": {}, "LinUCB-LDP": {}, "LinUCB-JDP": {}, "LinUCB-SDP-Amp": {"batch_size": 7}, "LinUCB-SDP-Vec": {"batch_size": 7},
    "LinUCB-Batched-LDP": {"batch_size": 7}, "LinUCB-Batched-JDP": {"batch_size": 7},
}
VARIANTS = [
    *FAMILY.items(), ("LinUCB", {"batch_size": 9}), ("LinUCB-JDP", {"counter": "factorization"}),
    ("LinUCB-SDP-Vec", {"batch_size": 6, "centred": True, "fidelity": "messages", "levels": 40}),
    ("LinUCB-LDP", {"fidelity": "messages"}), ("LinUCB-JDP", {"centred": True, "radius_scale": 0.3}),
]


def make(name, problem=FIXED, horizon=400, epsilon=4.0, calibration="certified", **options):
    return bdp.make(name, problem, horizon=horizon, epsilon=epsilon, delta=0.1, calibration=calibration, **options)


def generator(seed, run=0):
    """The generator of a run of ``simulate``."""
    return np.random.default_rng(np.random.SeedSequence(seed).spawn(run + 1)[run])


@pytest.mark.parametrize("problem", (FIXED, FRESH), ids=("fixed", "fresh"))
@pytest.mark.parametrize(("name", "options"), VARIANTS, ids=lambda value: str(value))
def test_parallel_runs_follow_the_plain_loop(name, options, problem):
    """Three parallel runs against three plain loops on the same random numbers: the same regret in every round."""
    if name == "LinUCB-SDP-Vec":  # noise bits are drawn ahead of the rounding; real messages are not
        options = options | {"fidelity": "messages"}
    learner = make(name, problem, **options)
    result = bdp.simulate(learner, problem, 400, runs=3, seed=5)
    for run in range(3):
        regret, shifts = reference_linucb.play(learner, problem, generator(5, run), 400)
        assert result.regret[run] == pytest.approx(regret[result.rounds - 1])
        assert result.counts["shifts"][run] == shifts
    assert result.regret.std() > 0


def test_plain_loop_agrees_in_the_theorem_calibration_and_when_the_matrix_must_be_shifted():
    """Much noise: V is often not positive definite, and both shift it equally often; then a constant radius."""
    learner = make("LinUCB-LDP", FRESH, epsilon=0.05)
    learner.radius.mean_norm /= 20  # too small a regularizer, so that much has to be shifted
    result = bdp.simulate(learner, FRESH, 400, runs=2, seed=1)
    for run in range(2):
        regret, shifts = reference_linucb.play(learner, FRESH, generator(1, run), 400)
        assert shifts > 50 and result.counts["shifts"][run] == shifts
        assert result.regret[run] == pytest.approx(regret[result.rounds - 1])
    learner = make("LinUCB-LDP", FIXED, epsilon=0.9, calibration="theorem")
    regret, _ = reference_linucb.play(learner, FIXED, generator(2), 400)
    result = bdp.simulate(learner, FIXED, 400, runs=1, seed=2)
    assert result.regret[0] == pytest.approx(regret[result.rounds - 1])


@pytest.mark.parametrize("name", ("LinUCB-SDP-Amp", "LinUCB-SDP-Vec"))
def test_fidelities_have_the_same_law(name):
    """Final regret with real messages against noise drawn from its law (Kolmogorov-Smirnov), and the noise itself."""
    last = {}
    for fidelity in ("aggregate", "messages"):
        learner = make(name, FIXED, horizon=300, batch_size=10, fidelity=fidelity, **({"levels": 30} if "Vec" in name else {}))
        last[fidelity] = bdp.simulate(learner, FIXED, 300, runs=150, seed=8).regret[:, -1].round(9)
    assert stats.ks_2samp(last["aggregate"], last["messages"], method="asymp").pvalue > FALSE_ALARM
    assert np.ptp(last["aggregate"]) > 0


def test_noise_of_shuffled_bits_has_the_privatizers_law():
    """The noise that the parallel runs add, coordinate by coordinate, against VectorSum's own releases; its std, too."""
    privatizer = VectorSum(6, 2.0, 0.1, LinearStatistics(2), levels=9)
    release = privatized(privatizer, 1)
    runs = 4000
    rng = np.random.default_rng(0)
    phi, y = np.broadcast_to([[0.6, 0.3]], (runs, 1, 2)), np.broadcast_to([0, 1, 1, 0, 1, 0.3], (runs, 6))
    tape = Tape(release, runs)
    fast = tape.add(phi, y, [np.random.default_rng((1, i)) for i in range(runs)])
    values = statistics(phi[0], y[0])
    slow = np.array([privatizer.release(values, rng) for _ in range(runs)]) - values.sum(axis=0)
    for j in range(release.entries):
        assert stats.ks_2samp(fast[:, j].round(9), slow[:, j].round(9), method="asymp").pvalue > FALSE_ALARM / 5
    assert fast.std(axis=0) == pytest.approx(privatizer.noise_std, rel=0.1)
    assert release.law.vector_std[0] >= fast.std(axis=0).max() * 0.97  # sub-Gaussian, so at least the std


@pytest.mark.parametrize("problem", (FIXED, FRESH), ids=("fixed", "fresh"))
@pytest.mark.parametrize(("name", "options"), FAMILY.items(), ids=lambda value: str(value))
def test_live_use_replays_the_simulator(name, options, problem):
    """Somebody's own loop with the run's two generators, some users at a time, saved and restored on the way."""
    result = bdp.simulate(make(name, problem, **options), problem, 400, runs=2, seed=3)
    answers, noise = generator(3, 1).spawn(2)
    instance = problem.draw(answers)
    learner, lost, regret = make(name, problem, **options), 0.0, []
    sizes = np.random.default_rng(0)
    while learner.played < 400:
        count = int(sizes.integers(1, learner.missing + 1))
        numbers = instance.numbers(answers, count)
        features = instance.contexts(numbers)
        arms = learner.act(features) if count > 1 else np.array([learner.act(features[0])])
        if sizes.random() < 0.05:  # between showing and answering
            state, learner = learner.save(), make(name, problem, **options)
            learner.restore(state)
        means = instance.means(features)
        picked = means[np.arange(count), arms]
        learner.update(instance.reward_quantiles(picked, instance.chances(numbers)), noise)
        for value in means.max(axis=1) - picked:
            lost += value
            regret.append(lost)
    assert result.regret[1] == pytest.approx(np.array(regret)[result.rounds - 1])
    assert learner.bits == result.bits[1] and learner.model.shifts[0] == result.counts["shifts"][1]


@pytest.mark.parametrize("name", FAMILY)
def test_a_run_does_not_depend_on_the_others(name, monkeypatch):
    """Exactly the same numbers, alone, in company, and in groups that memory forces."""
    learner = make(name, FRESH, **FAMILY[name])
    three = bdp.simulate(learner, FRESH, 300, runs=3).regret
    assert np.array_equal(three[:2], bdp.simulate(learner, FRESH, 300, runs=2).regret)
    monkeypatch.setattr("bandits_dp.learners.linucb_play.MEMORY", 1.0)
    assert np.array_equal(three, bdp.simulate(learner, FRESH, 300, runs=3).regret)


def test_rank_one_updates_do_not_drift():
    """20,000 rounds of rank-one updates, and indices from scratch at the end."""
    rng = np.random.default_rng(0)
    features = np.stack([FIXED.draw(rng).features for _ in range(3)])
    models = [LinearModel(ExactSums(3, 1, 20_000), PlainRadius(3, 1, 0.5, 0.1), 3) for _ in range(2)]
    fast, slow = ExactFixedArms(models[0], features), FixedArms(models[1], features)
    assert np.array_equal(fast.choose(), slow.choose())
    for _ in range(20_000):
        arms, y = fast.choose(), (rng.random((3, 1)) < 0.5).astype(float)
        fast.learn(arms, y, [])
        slow.model.gram += features[np.arange(3), arms][:, :, None] * features[np.arange(3), arms][:, None]
        slow.model.vector += features[np.arange(3), arms] * y
    slow.model.tape.batch = 20_000
    slow.model._refresh()
    assert fast.scores == pytest.approx((slow.model.theta[:, None] @ features.transpose(0, 2, 1))[:, 0], abs=1e-9)
    assert fast.squares == pytest.approx(np.einsum("rki,rij,rkj->rk", features, slow.model.inverse, features), rel=1e-6)


def test_bad_input_leaves_the_learner_usable():
    rng = np.random.default_rng(0)
    features = FIXED.draw(rng).features
    learner = make("LinUCB-SDP-Vec", FIXED, horizon=22, batch_size=5)
    with pytest.raises(ValueError, match="act must be called before update"):
        learner.update(1.0, rng)
    for bad, text in (
        (features[:, :2], r"features must have shape \(8, 3\), got \(8, 2\)"),
        (features[:7], r"features must have shape \(8, 3\), got \(7, 3\)"),
        (features * 1.01, "features must have norm at most 1, got 1.01; nothing is clipped"),
        (features * math.nan, "features must be finite, got nan"),
        (features * np.arange(8)[:, None] / 8, "features must not be zero"),
        ("arms", "features must be numbers"),
        (np.broadcast_to(features, (6, 8, 3)), "features must be those of 1 to 5 users, the rest of this batch, got 6"),
        (np.broadcast_to(features, (0, 8, 3)), "features must be those of 1 to 5 users"),
    ):
        with pytest.raises(ValueError, match=text):
            learner.act(bad)
    learner.act(np.broadcast_to(features, (3, 8, 3)))
    for bad, text in (
        ([1.0, 0.0], r"rewards must be 3, one for each user who was shown something, got shape \(2,\)"),
        ([1.0, 0.0, 1.5], r"rewards must be in \[0, 1\], got 1.5; nothing is clipped"),
        ([1.0, 0.0, math.nan], r"rewards must be in \[0, 1\], got nan"),
        ("many", "rewards must be numbers"),
    ):
        with pytest.raises(ValueError, match=text):
            learner.update(bad, rng)
    with pytest.raises(ValueError, match="rng must be"):
        learner.update([1, 0, 1], None)
    assert learner.played == 0
    learner.update([1, 0, 1], rng)
    with pytest.raises(ValueError, match="act must be called before update"):
        learner.update([1, 0, 1], rng)
    assert learner.played == 3 and learner.missing == 2
    while learner.played < 22:
        learner.act(features)
        learner.update(0.5, rng)
    assert learner.model.batch == 4  # the fifth batch is cut short, and not released
    for call in (lambda: learner.act(features), lambda: learner.update(1.0, rng)):
        with pytest.raises(ValueError, match="horizon is 22 and 22 rounds are played"):
            call()
    for problem, text in ((ContextualLinear(8, 4), "dimension 3"), (ContextualLinear(9, 3), "8 arms"),
                          (BernoulliArms([0.5] * 8), "setting 'contextual'")):
        with pytest.raises(ValueError, match=text):
            bdp.simulate(make("LinUCB"), problem, 10)


def test_bad_arguments_are_refused():
    for arguments, text in (
        ({"arms": 1}, "arms must be an integer that is at least 2"),
        ({"dimension": 1}, "dimension must be an integer that is at least 2"),
        ({"features": [[1.0, 0.0]]}, "at least 2 arms"),
        ({"features": [[1.0, 0.0], [0.0, 0.0]]}, "zero vector"),
        ({"features": [[1.0, 0.0], [0.0, math.inf]]}, "must be finite"),
        ({"features": [[1.0, 0.0], [1.0, 0.1]]}, "norm at most 1"),
        ({"features": np.eye(2), "fixed": False}, "fixed must be True"),
        ({"features": np.eye(2), "theta": [0.5, -0.1]}, "theta must give means in"),
        ({"dimension": 2, "theta": [1.0, 0.1]}, "theta must have norm at most 1"),
        ({"dimension": 2, "theta": [1.0]}, "theta must be 2 finite numbers"),
    ):
        with pytest.raises(ValueError, match=text):
            ContextualLinear(**arguments)
    for name, options, text in (
        ("LinUCB", {"alpha": 1.0}, "alpha must be"), ("LinUCB", {"radius_scale": -1.0}, "radius_scale must be"),
        ("LinUCB-SDP-Vec", {"batch_size": 401}, "batch_size must not exceed the horizon, got 401 users for 400 rounds"),
        ("LinUCB-Batched-LDP", {"batch_size": 0}, "batch_size must be"), ("LinUCB-JDP", {"counter": "abacus"}, "counter must be"),
        ("LinUCB-LDP", {"fidelity": "rumours"}, "fidelity must be"),
        ("LinUCB-SDP-Vec", {"centred": True, "calibration": "theorem", "epsilon": 1.0}, "centred must be False for calibration="),
    ):
        with pytest.raises(ValueError, match=text):
            make(name, **options)
    constant = ContextualLinear(features=np.eye(3), theta=[0.5, 0.1, 0.2])  # 1/2 is a linear function of these features
    make("LinUCB-LDP", constant, centred=True)
    other = ContextualLinear(features=[[1.0, 0.0], [0.0, 1.0], [0.6, 0.8]], theta=[0.5, 0.1])
    with pytest.raises(ValueError, match="have no constant that is known"):
        make("LinUCB-LDP", other, centred=True)
    learner = make("LinUCB-LDP", FRESH, centred=True)
    with pytest.raises(ValueError, match=r"features must have the product 0\.5 with"):
        learner.act(np.broadcast_to(np.eye(3)[0], (8, 3)))


def test_rank_deficient_and_duplicate_features_work():
    """All arms in a plane of R^4, every arm twice: live and simulated, private and not."""
    plane = np.random.default_rng(0).normal(size=(4, 2)) @ np.random.default_rng(1).normal(size=(2, 4))
    features = np.repeat(np.abs(plane) / (2 * np.abs(plane).max() * 2), 2, axis=0)
    problem = ContextualLinear(features=features, theta=[0.5] * 4)
    for name, options in FAMILY.items():
        result = bdp.simulate(make(name, problem, **options), problem, 400, runs=2)
        assert np.isfinite(result.regret).all()


def test_a_state_of_another_learner_is_refused():
    learner = make("LinUCB-JDP", horizon=50)
    rng = np.random.default_rng(0)
    features = FIXED.draw(rng).features
    learner.act(features)
    learner.update(1.0, rng)
    before = learner.save()
    with pytest.raises(ValueError, match="state must come from LinUCB-JDP"):
        learner.restore(make("LinUCB-JDP", horizon=50, epsilon=3.0).save())
    for key, value in (("gram", np.zeros((2, 2))), ("tape_rows", np.zeros(3)), ("extra", 1.0)):
        with pytest.raises(ValueError, match="state must be what save"):
            learner.restore(before | {key: value})
    for key, value in before.items():
        np.testing.assert_array_equal(learner.save()[key], value)
    learner.act(features)


def test_numbers_of_rounds_can_be_drawn_ahead():
    for problem in (FIXED, FRESH):
        instance = problem.draw(np.random.default_rng(0))
        ahead = instance.numbers(np.random.default_rng(1), 50)
        rng = np.random.default_rng(1)
        assert np.array_equal(ahead, np.concatenate([instance.numbers(rng, 1) for _ in range(50)]))


def test_the_papers_problem_is_what_it_says():
    """Norms 1, last number 1/sqrt(2), means in [0, 1] with the right law, rewards with these means."""
    problem = ContextualLinear(arms=50, dimension=5, fixed=False).draw(np.random.default_rng(0))
    numbers = problem.numbers(np.random.default_rng(1), 400)
    features = problem.contexts(numbers)
    assert np.linalg.norm(features, axis=2) == pytest.approx(1.0) and features[..., -1] == pytest.approx(math.sqrt(0.5))
    assert np.linalg.norm(problem.theta) == pytest.approx(1.0)
    cosines = 2 * problem.means(features).ravel() - 1  # of a random direction in R^4 with a fixed one
    assert stats.kstest((cosines + 1) / 2, stats.beta(1.5, 1.5).cdf).pvalue > FALSE_ALARM
    means = problem.means(features)[:, 0]
    assert stats.kstest(problem.chances(numbers), "uniform").pvalue > FALSE_ALARM
    rewards = problem.reward_quantiles(means, problem.chances(numbers))
    assert set(rewards) == {0.0, 1.0} and abs(rewards.mean() - means.mean()) < 5 * 0.5 / 20


def test_certified_radius_covers_theta():
    """Runs in which theta leaves some ellipsoid are at most as frequent as promised (binomial test, alpha = 0.3)."""
    runs, horizon = 40, 300
    for name, options in FAMILY.items():
        for calibration in ("certified", "theorem"):
            if calibration == "theorem" and name == "LinUCB-SDP-Amp":
                continue  # its range is empty here
            learner = make(name, FIXED, horizon, epsilon=0.9, calibration=calibration, alpha=0.3, **options)
            rng = np.random.default_rng(7)
            rngs = rng.spawn(runs)
            instances = [FIXED.draw(own) for own in rngs]
            features = np.stack([instance.features for instance in instances])
            theta = np.stack([instance.theta for instance in instances])
            model = learner.new_model(runs)
            left, tightest = np.zeros(runs, dtype=bool), 0.0
            for _ in range(learner.release.batches):
                arms = model.choose(features[:, None])[:, 0]
                phi = features[np.arange(runs), arms]
                y = (rng.random((runs, learner.batch_size)) < (phi * theta).sum(axis=1)[:, None]).astype(float)
                model.learn(phi[:, None], y, rngs)
                error = model.theta - theta
                distance = np.sqrt(np.einsum("ri,rij,rj->r", error, np.linalg.inv(model.inverse), error))
                left |= distance > model.beta
                tightest = max(tightest, float((distance / model.beta).max()))
            assert stats.binomtest(int(left.sum()), runs, 0.3, "greater").pvalue > FALSE_ALARM
            assert tightest > 0.15  # a radius that is absurdly large is no achievement


def test_bounds_on_noise_hold():
    """Each bound is exceeded at most as often as promised: one m, and all m of a sum at once (binomial tests)."""
    rng = np.random.default_rng(3)
    weights, failure, runs = np.array([3.0, 1.0, 0.5]), 0.05, 20_000
    squares = (weights * rng.normal(size=(runs, 3)) ** 2).sum(axis=1)
    count = int((squares > quadratic_quantile(weights, failure)).sum())
    assert stats.binomtest(count, runs, failure, "greater").pvalue > FALSE_ALARM
    assert count > runs * failure / 50  # Chernoff loses a factor
    steps = np.arange(1, 101)
    bound = norm_bounds(weights, 1.0 * steps, True, failure)
    walk = rng.normal(size=(4000, 100, 3)).cumsum(axis=1)
    outside = (np.sqrt((weights * walk**2).sum(axis=2)) > bound).any(axis=1).sum()
    assert stats.binomtest(int(outside), 4000, failure, "greater").pvalue > FALSE_ALARM and outside > 4000 * failure / 100
    assert mean_norm(4) == pytest.approx(np.linalg.norm(rng.normal(size=(200_000, 4)), axis=1).mean(), rel=0.01)


@pytest.mark.parametrize("gaussian", (True, False))
@pytest.mark.parametrize("dimension", (2, 5, 12))
def test_bounds_on_matrix_and_residual_hold(dimension, gaussian):
    """Events 2 and 3 of the certified radius, for symmetric noise with one draw per pair, at a failure rate that can be seen."""
    rng = np.random.default_rng(dimension)
    runs, d = 4000, dimension
    law = NoiseLaw(np.ones(1), 1.5 * np.ones(1), gaussian=gaussian)
    radius = CertifiedRadius(d, 1, law, 0.5, 0.3)

    def draw(*shape):
        return rng.normal(size=shape) if gaussian else rng.choice([-1.0, 1.0], size=shape)

    upper = np.triu(draw(runs, d, d))
    N = 1.5 * (upper + np.triu(upper, 1).transpose(0, 2, 1))
    for theta in (np.full(d, d**-0.5), np.eye(d)[0]):
        w = draw(runs, d) - N @ theta
        outside = (np.linalg.norm(w, axis=1) > radius.vector_bound[1]).sum()
        assert stats.binomtest(int(outside), runs, 0.1, "greater").pvalue > FALSE_ALARM
        assert not gaussian or np.linalg.norm(w, axis=1).max() > radius.vector_bound[1] * 0.8
    outside = (-np.linalg.eigvalsh(N)[:, 0] > radius.matrix_bound[1]).sum()
    assert stats.binomtest(int(outside), runs, 0.1, "greater").pvalue > FALSE_ALARM


def test_norm_bound_is_close_from_above():
    rng = np.random.default_rng(0)
    for d in (1, 2, 5, 15):
        A = rng.normal(size=(50, d, d))
        A = (A + A.transpose(0, 2, 1)) * 10.0 ** rng.uniform(-9, 9, (50, 1, 1))
        true = np.abs(np.linalg.eigvalsh(A)).max(axis=1)
        assert (norm_bound(A) >= true * (1 - 1e-12)).all() and (norm_bound(A) <= true * d ** (1 / 32) * (1 + 1e-12)).all()


def test_lemma_radius_is_the_printed_one():
    law = NoiseLaw(np.sqrt(np.arange(1, 11)), 2 * np.sqrt(np.arange(1, 11)), additive=True)
    radius = LemmaRadius(3, 20, law, 0.5, 0.1)
    s, h = radius.matrix_bound.max(), radius.vector_bound.max()
    expected = 0.5 * math.sqrt(2 * math.log(30) + 3 * math.log(1 + 80 / (3 * s))) + math.sqrt(3 * s) + h / math.sqrt(s)
    assert radius.beta(4, None) == pytest.approx(expected) and radius.regularizer(4) == pytest.approx(2 * s)


def test_other_radii_are_the_stated_formulas():
    """Written out once more; the certified one for a V just above and far above its noise, and for a shifted one."""
    plain = PlainRadius(5, 20, 0.5, 0.1, regularizer=2.0, theta_norm=0.7, feature_norm=1.4)
    expected = 0.5 * math.sqrt(2 * math.log(10) + 5 * math.log(1 + 60 * 1.96 / 10)) + math.sqrt(2) * 0.7
    assert plain.beta(3, None) == pytest.approx(expected)
    law = NoiseLaw(np.full(10, 3.0), np.full(10, 2.0))
    radius = CertifiedRadius(5, 20, law, 0.5, 0.1, theta_norm=0.8)
    r, s, rho = radius.vector_bound[7], radius.matrix_bound[7], radius.rho
    assert r == pytest.approx(math.sqrt(quadratic_quantile(np.array([14.12] + [11.56] * 4), 0.1 / 30)))
    assert radius.regularizer(7) == pytest.approx(4 * mean_norm(5))
    for ridge, least in ((radius.regularizer(7), 1.5), (radius.regularizer(7), 400.0), (90.0, 2.0)):
        c = 1 + max(rho - ridge + s, 0) / least
        reward = 0.5 * math.sqrt(2 * math.log(30) + 5 * math.log(1 + 140 / (5 * rho)))
        expected = math.sqrt(c) * reward + (r + 0.8 * ridge) / math.sqrt(least)
        assert radius.beta(7, Shape(np.array([ridge]), np.array([least])))[0] == pytest.approx(expected)


def test_a_radius_for_sub_gaussian_noise_refuses_laplace_noise():
    counter = TreeCounter(50, 1.0, 0.0, LinearStatistics(3), noise="laplace")
    with pytest.raises(ValueError, match="law must be sub-Gaussian"):
        CertifiedRadius(3, 1, CountedSums(counter, 3).law, 0.5, 0.1)


def test_centring_moves_one_user_less():
    """No pair of users is farther apart than the stated diameter, some pair nearly is; and values outside are refused."""
    domain = CentredStatistics(4, 0.5)
    rng = np.random.default_rng(0)
    s = 0.125  # the worst angle
    a, b = np.array([1.0, 0, 0, 0]), np.array([s, math.sqrt(1 - s**2), 0, 0])
    worst = np.linalg.norm(np.subtract(*domain.encode([a, b], [0.5, -0.5])))
    assert worst <= domain.l2_diameter and worst > domain.l2_diameter - 0.15  # off-diagonal entries are counted once
    phi = rng.normal(size=(2000, 2, 4))
    phi /= np.linalg.norm(phi, axis=2, keepdims=True)
    y = rng.choice([-0.5, 0.5], size=(2000, 2))
    apart = [np.linalg.norm(np.subtract(*domain.encode(p, own))) for p, own in zip(phi, y, strict=True)]
    assert max(apart) <= domain.l2_diameter
    domain.check(domain.encode(phi[:, 0], y[:, 0]))
    with pytest.raises(ValueError, match=r"values must have \|y\| at most 0.5, got 0.6 in row 0"):
        domain.check(domain.encode(phi[:1, 0], [0.6]))


def test_guarantees_say_whose_data_they_protect():
    for name, options in FAMILY.items():
        guarantee = make(name, **options).guarantee
        assert guarantee.proved == (name != "LinUCB")
        if guarantee.proved:
            assert "round in (phi y, phi phi') with phi in R^3" in guarantee.unit
            assert guarantee.neighbours == "replace one user's round"
            assert ("billboard lemma" in guarantee.reason) == (guarantee.model == "central")
    assert "|y| at most 0.5" in make("LinUCB-JDP", centred=True).guarantee.unit


def test_theorems_have_a_range():
    for name, epsilon, text in (("LinUCB-LDP", 1.1, "epsilon must be at most 1"), ("LinUCB-JDP", 1.0, "epsilon must be below 1"),
                                ("LinUCB-SDP-Amp", 1.0, "epsilon must be at most 0.387"),
                                ("LinUCB-SDP-Vec", 16.0, "epsilon must be at most 15"),
                                ("LinUCB-Batched-JDP", 1.0, "epsilon must be below 1")):
        with pytest.raises(ValueError, match=text):
            make(name, epsilon=epsilon, calibration="theorem")
        assert not make(name, epsilon=epsilon, calibration="theorem", strict=False).guarantee.proved
    proved = make("LinUCB-LDP", epsilon=0.5, calibration="theorem")
    assert proved.guarantee.proved and proved.release.privatizer.unit_std == pytest.approx(8 * math.sqrt(2 * math.log(25)))
    assert proved.release.privatizer.unit_std > LocalGaussian(1, 0.5, 0.1, domain=LinearStatistics(3)).unit_std


def test_certified_regret_keeps_the_order_of_trust():
    """The paper's simulation at epsilon = 1: LinUCB < JDP < Vec < LDP beyond 3 standard errors, and as small as promised."""
    problem = ContextualLinear(arms=100, dimension=5)
    last = {}
    for name, options in (("LinUCB", {}), ("LinUCB-JDP", {"counter": "factorization"}), ("LinUCB-JDP", {}),
                          ("LinUCB-SDP-Vec", {}), ("LinUCB-LDP", {})):
        learner = make(name, problem, horizon=20_000, epsilon=1.0, **options)
        result = bdp.simulate(learner, problem, 20_000, runs=50, seed=0, progress=False)
        last[name, *options] = result.mean[-1], result.std_error[-1]
    means, errors = np.array(list(last.values())).T
    assert (np.diff(means) > 3 * np.hypot(errors[1:], errors[:-1])).all()
    assert last["LinUCB-JDP",][0] <= 2200 and last["LinUCB-SDP-Vec",][0] <= 3100 and means[1] < 1500


def test_learners_can_be_put_together_by_hand():
    """A release and a radius of one's own choice, without the catalogue."""
    release = privatized(LocalGaussian(5, 1.0, 0.1, domain=LinearStatistics(3)), batches=40)
    learner = LinUCB(FIXED, 200, release, CertifiedRadius(3, 5, release.law, 0.5, 0.1), radius_scale=0.5)
    assert bdp.simulate(learner, FIXED, 200, runs=2).bits == pytest.approx(200 * 64 * 9)
