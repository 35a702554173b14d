"""The LinUCB family: the plain loop as oracle, proved radii checked by simulation, live use, and errors that leave it usable."""

import math

import numpy as np
import pytest
from scipy import stats

import bandits_dp as bdp
from bandits_book.replicas import CodeLinear
from bandits_dp.app.streams import CountedBatches, FreshBatches, NoiseLaw
from bandits_dp.contextual import fast
from bandits_dp.contextual.app import ContextsApp
from bandits_dp.contextual.linucb import LinUCB
from bandits_dp.contextual.private_radius import CertifiedRadius, LemmaRadius, mean_norm, norm_bounds, quadratic_quantile
from bandits_dp.contextual.radius import PlainRadius
from bandits_dp.continual import TreeCounter
from bandits_dp.play.paths import path_for
from bandits_dp.play.plain import play_plainly
from bandits_dp.privatizers import LocalGaussian
from bandits_dp.privatizers.domain import LinearStatistics
from bandits_dp.problems import ContextualLinear, PoolContextual
from tests.small_problems import assert_same_runs, generators

FALSE_ALARM = 1e-6  # of each statistical test here, with fixed seeds
FIXED = ContextualLinear(arms=8, dimension=3)
FRESH = ContextualLinear(arms=8, dimension=3, fixed=False)
FAMILY = {
    "LinUCB": {}, "LinUCB-LDP": {}, "LinUCB-JDP": {}, "LinUCB-SDP-Amp": {"batch_size": 7}, "LinUCB-SDP-Vec": {"batch_size": 7},
    "LinUCB-Batched-LDP": {"batch_size": 7}, "LinUCB-Batched-JDP": {"batch_size": 7},
}
VARIANTS = [
    *FAMILY.items(), ("LinUCB", {"batch_size": 9}), ("LinUCB-JDP", {"counter": "tree"}),
    ("LinUCB-SDP-Vec", {"batch_size": 6, "centred": True, "levels": 40}), ("LinUCB-JDP", {"centred": True, "radius_scale": 0.3}),
]


def make(name, problem=FIXED, horizon=400, epsilon=4.0, calibration="certified", **options):
    return bdp.make(name, problem, horizon=horizon, epsilon=epsilon, delta=0.1, calibration=calibration, **options)


def own_loop(live, seed, batch=lambda missing: 1):
    """Somebody's own loop of 400 rounds with the two generators of a run, some users at a time; yields what was lost so far."""
    answers, noise = generators(seed)
    instance, lost = FRESH.draw(answers), []
    while live.played < 400:
        numbers = instance.numbers(answers, count := batch(live.missing))
        features = instance.contexts(numbers)
        ticket, means = live.act(features) if count > 1 else live.act(features[0]), instance.means(features)
        picked = means[np.arange(count), np.atleast_1d(ticket.arm)]
        live.update(ticket, instance.reward_quantiles(picked, instance.chances(numbers)), noise)
        lost.extend(means.max(axis=1) - picked)
        yield np.cumsum(lost)


@pytest.mark.usefixtures("densities")
@pytest.mark.parametrize("problem", (FIXED, FRESH), ids=("fixed", "fresh"))
@pytest.mark.parametrize(("name", "options"), VARIANTS, ids=lambda value: str(value))
def test_parallel_runs_follow_the_plain_loop(name, options, problem, monkeypatch):
    """Runs that advance together are, bit for bit, the runs alone; and the plain loop, where that draws the same noise."""
    learner = make(name, problem, 200, **options)
    together = bdp.simulate(learner, problem, 200, runs=2, seed=5)
    monkeypatch.setattr(fast, "MEMORY", 1.0)
    assert_same_runs(bdp.simulate(learner, problem, 200, runs=2, seed=5), together)
    assert together.regret.std() > 0
    learner.fidelity = "messages"
    plain = bdp.simulate(learner, problem, 200, runs=2, seed=5)
    assert together.counts.keys() == plain.counts.keys() == {"shifts"}
    assert together.curves.keys() == plain.curves.keys() == {"parameter error"} and (together.bits == plain.bits).all()
    if "SDP" not in name and name != "LinUCB-Batched-LDP":  # whose users draw noise of their own
        assert together.regret == pytest.approx(plain.regret, abs=1e-9)
        assert (together.counts["shifts"] == plain.counts["shifts"]).all()
        assert together.curves["parameter error"] == pytest.approx(plain.curves["parameter error"], rel=1e-7)


@pytest.mark.usefixtures("densities")
def test_plain_loop_agrees_when_the_matrix_must_be_shifted():
    """Much noise, and too small a regularizer: V is often not positive definite, and is shifted as often as it should be."""
    live = make("LinUCB-LDP", FRESH, epsilon=0.05)
    live.learner.radius.mean_norm /= 20
    result = bdp.simulate(live, FRESH, 400, runs=2, seed=1)
    shifts, upper = 0, np.triu_indices(3)
    for lost in own_loop(live, 1):  # noqa: B007  (it is looked at afterwards)
        V, model = np.zeros((3, 3)), live.learner
        V[upper] = V.T[upper] = model.sums[3:]
        shifts += np.linalg.eigvalsh(V)[0] + model.radius.regularizer(model.batch) < model.radius.floor(model.batch)
        assert np.linalg.eigvalsh(model.inverse)[-1] <= 1 / model.radius.floor(model.batch) * (1 + 1e-9)
    assert shifts > 50 and live.learner.shifts == shifts == result.counts["shifts"][0]
    assert result.regret[0] == pytest.approx(lost[result.rounds - 1], abs=1e-9)


@pytest.mark.usefixtures("densities")
@pytest.mark.parametrize("name", (*FAMILY, "LinUCB-Tree", "LinUCB-RewardTree"))
def test_live_use_is_the_plain_loop(name):
    """A batch may come in pieces, but where a user's bits are drawn together."""
    live, sizes = make(name, FRESH, **FAMILY.get(name, {"batch_size": 7})), np.random.default_rng(0)
    rng = np.random.default_rng(np.random.SeedSequence(3, spawn_key=(0,)))
    played = play_plainly(live, FRESH, [rng], np.arange(1, 401), int)
    *_, lost = own_loop(live, 3, lambda missing: missing if "Vec" in name else int(sizes.integers(1, missing + 1)))
    assert played.regret[0] == pytest.approx(lost) and live.bits == played.bits[0]


def test_features_of_single_precision_are_taken():
    """Unit vectors in float32 may be 1e-7 too long; they are shortened to norm 1 exactly, and longer ones are refused."""
    single = np.random.default_rng(0).normal(size=(200, 3)).astype(np.float32)
    single /= np.linalg.norm(single, axis=1, keepdims=True)
    exact = np.abs(single.astype(float))
    assert np.linalg.norm(exact, axis=1).max() > 1 + 1e-8
    ticket = make("LinUCB-SDP-Vec", FIXED).act(exact)
    problem = ContextualLinear(features=exact, theta=np.float32([0.6, 0.0, 0.8]))
    for taken in (ticket.shown, problem.features, problem.theta[None], PoolContextual(5, pool=exact).pool):
        assert np.linalg.norm(taken, axis=1).max() <= 1 + 1e-15
    for refused in (lambda: ContextualLinear(features=exact * (1 + 3e-6)), lambda: PoolContextual(5, pool=exact * (1 + 3e-6)),
                    lambda: make("LinUCB").act(exact * (1 + 3e-6))):
        with pytest.raises(ValueError, match=r"(features|pool) must have norm at most 1"):
            refused()


class Varying(ContextualLinear):
    """As many candidates as the round's number says: 2 to 8."""

    varying = True

    def contexts(self, numbers):
        counts = 2 + (self.chances(numbers) * 1e6).astype(int) % 7
        return [own[:count] for own, count in zip(super().contexts(numbers), counts, strict=True)]


@pytest.mark.parametrize(("name", "options"), FAMILY.items(), ids=lambda value: str(value))
def test_the_number_of_arms_may_vary(name, options):
    problem = Varying(8, 3, fixed=False)
    live, rng = make(name, problem, **options), np.random.default_rng(0)
    assert path_for(live, problem) is play_plainly
    result = bdp.simulate(live, problem, 100, runs=2)
    assert (np.diff(result.regret, axis=1) >= 0).all() and result.regret[:, -1].min() > 0
    instance = problem.draw(rng)
    shown = instance.contexts(instance.numbers(rng, 2 * live.batch_size))
    for own in shown[: live.batch_size]:
        ticket = live.act(own)
        live.update(ticket, 1.0, rng)
        assert 0 <= ticket.arm < len(own)
    ticket = live.act(shown[live.batch_size :])
    assert all(arm < len(own) for arm, own in zip(ticket.arm, shown[live.batch_size :], strict=True))
    live.update(ticket, np.ones(live.batch_size), rng)
    assert live.learner.batch == 2


def test_a_learner_of_ones_own_is_not_played_by_the_fast_path():
    class Last(LinUCB):
        def choose(self, features):
            return np.full(features.shape[:-2], features.shape[-2] - 1)

    live = make("LinUCB-LDP")
    mine = ContextsApp(Last(3, live.learner.radius), live.stream, FIXED, 400)
    result = bdp.simulate(mine, FIXED, 400, runs=1, seed=4)
    instance = FIXED.draw(generators(4)[0])
    means = instance.means(instance.features)
    assert result.regret[0, -1] == pytest.approx(400 * (means.max() - means[-1]))


def test_a_problem_must_fit_the_privatizers_domain():
    """Values are not looked at one by one, so bounds on features and rewards are checked when the parts are put together."""
    for domain, problem in ((LinearStatistics(3), CodeLinear(8, 3)), (LinearStatistics(3), PoolContextual(5, 3, 50)),
                            (LinearStatistics(3, 0.5), FIXED)):
        for stream in (FreshBatches(LocalGaussian(1, 1.0, 0.1, domain=domain)), CountedBatches(TreeCounter(50, 1.0, 0.1, domain))):
            with pytest.raises(ValueError, match="features and rewards of the problem must"):
                ContextsApp(LinUCB(3, PlainRadius(3, 1, 0.5, 0.1)), stream, problem, 50)


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
            learner = make(name, FIXED, horizon, epsilon=0.9, calibration=calibration, failure=0.3, **options)
            rng = np.random.default_rng(7)
            rngs = rng.spawn(runs)
            instances = [FIXED.draw(own) for own in rngs]
            features = np.stack([instance.features for instance in instances])
            theta = np.stack([instance.theta for instance in instances])
            together = fast.Runs(learner, rngs)
            left, tightest = np.zeros(runs, dtype=bool), 0.0
            for _ in range(horizon // learner.batch_size):
                model = together.player.learner
                arms = model.choose(features[:, None])[:, 0]
                phi = features[np.arange(runs), arms]
                y = (rng.random((runs, learner.batch_size)) < (phi * theta).sum(axis=1)[:, None]).astype(float)
                together.learn(np.broadcast_to(phi[:, None], (*y.shape, 3)), y)
                error = model.theta - theta
                distance = np.sqrt(np.einsum("ri,rij,rj->r", error, np.linalg.inv(model.inverse), error))
                left |= distance > model.beta
                tightest = max(tightest, float((distance / model.beta).max()))
            assert stats.binomtest(int(left.sum()), runs, 0.3, "greater").pvalue > FALSE_ALARM
            assert tightest > 0.15  # a radius that is absurdly large is no achievement


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


def test_other_radii_are_the_stated_formulas():
    """Written out once more; the certified one for a V just above and far above its noise, and for a shifted one."""
    plain = PlainRadius(5, 20, 0.5, 0.1, regularizer=2.0, theta_norm=0.7, feature_norm=1.4)
    expected = 0.5 * math.sqrt(2 * math.log(10) + 5 * math.log(1 + 60 * 1.96 / 10)) + math.sqrt(2) * 0.7
    assert plain.beta(3, 1.0, 1.0) == pytest.approx(expected)
    law = NoiseLaw(np.full(10, 3.0), np.full(10, 2.0))
    radius = CertifiedRadius(5, 20, law, 0.5, 0.1, theta_norm=0.8)
    r, s, rho = radius.vector_bound[7], radius.matrix_bound[7], radius.rho
    assert r == pytest.approx(math.sqrt(quadratic_quantile(np.array([14.12] + [11.56] * 4), 0.1 / 30)))
    assert radius.regularizer(7) == pytest.approx(4 * mean_norm(5))
    for ridge, least in ((radius.regularizer(7), 1.5), (radius.regularizer(7), 400.0), (90.0, 2.0)):
        c = 1 + max(rho - ridge + s, 0) / least
        reward = 0.5 * math.sqrt(2 * math.log(30) + 5 * math.log(1 + 140 / (5 * rho)))
        expected = math.sqrt(c) * reward + (r + 0.8 * ridge) / math.sqrt(least)
        assert radius.beta(7, np.array([ridge]), np.array([least]))[0] == pytest.approx(expected)


def test_bounds_on_noise_have_a_third_of_the_failures_each():
    """Of the matrix: Frobenius' norm by Chernoff, or Gaussian concentration of the operator norm; and no rho is below 1."""
    for std, dimension in ((2.0, 5), (1e-3, 2)):
        entries = dimension * (dimension - 1) // 2
        weights = np.array([1.0] * dimension + [2.0] * entries)
        frobenius = std * math.sqrt(quadratic_quantile(weights, 0.1 / 30))
        operator = std * (2 * mean_norm(dimension) + math.sqrt(2 * (2 - 1 / dimension) * math.log(300)))
        for gaussian, expected in ((False, frobenius), (True, min(frobenius, operator))):
            law = NoiseLaw(np.full(10, 3.0), np.full(10, std), gaussian=gaussian)
            radius, lemma = (kind(dimension, 20, law, 0.5, 0.1) for kind in (CertifiedRadius, LemmaRadius))
            assert radius.matrix_bound.tolist() == pytest.approx([0.0] + [expected] * 10, rel=1e-9)
            assert radius.rho == max(1.0, radius.matrix_bound[-1]) == lemma.regularizer(1) / 2


def test_bounds_on_norms_are_the_stated_formulas():
    """A batch without noise is no reason to forget that of others; weights stretch the variance."""
    assert mean_norm(4) == pytest.approx(math.sqrt(2) * math.gamma(2.5) / math.gamma(2))
    weights, variance = np.array([1.0, 1.0, 2.0]), np.array([0.0, 3.0, 5.0])
    quantile = quadratic_quantile(weights, 0.1 / 3)
    assert norm_bounds(weights, variance, False, 0.1) == pytest.approx(np.sqrt(variance * quantile), rel=1e-12)
    kappa = 0.25 * 10.0
    for found, v in zip(norm_bounds(weights, variance, True, 0.1), variance, strict=True):
        logs = 2 * math.log(1 + v / kappa) + math.log(1 + 2 * v / kappa) + 2 * math.log(10)
        assert found == pytest.approx(math.sqrt((kappa + 2 * v) * logs), rel=1e-12)
    assert not norm_bounds(weights, np.zeros(3), True, 0.1).any()
    assert quadratic_quantile(np.zeros(3), 0.05) == 0.0 < quadratic_quantile(np.array([0.0, 1e-9]), 0.05)


def test_centring_moves_one_user_less():
    """No pair of users is farther apart than the stated diameter, some pair nearly is."""
    domain = LinearStatistics(4, 0.5)
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
    make("LinUCB-LDP", ContextualLinear(features=np.eye(3), theta=[0.5, 0.1, 0.2]), centred=True)  # 1/2 is linear in these


def test_theorems_have_a_range():
    for name, epsilon, text in (("LinUCB-LDP", 1.1, "epsilon must be at most 1"), ("LinUCB-JDP", 1.0, "epsilon must be below 1"),
                                ("LinUCB-SDP-Amp", 1.0, "epsilon must be at most 0.387"),
                                ("LinUCB-SDP-Vec", 16.0, "epsilon must be at most 15"),
                                ("LinUCB-Batched-JDP", 1.0, "epsilon must be below 1")):
        with pytest.raises(ValueError, match=text):
            make(name, epsilon=epsilon, calibration="theorem")
        assert not make(name, epsilon=epsilon, calibration="theorem", strict=False).guarantee.proved
    proved = make("LinUCB-LDP", epsilon=0.5, calibration="theorem")
    assert proved.guarantee.proved and proved.stream.privatizer.unit_std == pytest.approx(8 * math.sqrt(2 * math.log(25)))
    assert proved.stream.privatizer.unit_std > LocalGaussian(1, 0.5, 0.1, domain=LinearStatistics(3)).unit_std


def test_a_learner_is_told_whole_numbers_as_well() -> None:
    learners = [bdp.make("LinUCB", bdp.problems.ContextualLinear(arms=2, dimension=2), horizon=100).learner for _ in range(2)]
    for learner, kind in zip(learners, (int, float), strict=True):
        learner.tell(np.array([1, 0, 2, 0, 1], dtype=kind))
    assert (learners[0].theta == learners[1].theta).all()
