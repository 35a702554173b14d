"""Private rewards, public contexts: plain loops as oracles, live use, the privacy that holds and the privacy that does not."""

import itertools
import math

import numpy as np
import pytest
from scipy import integrate, optimize, stats

import bandits_dp as bdp
from bandits_dp.accounting import gaussian_delta, gaussian_noise_std
from bandits_dp.accounting.dynamic import laplace_sums_epsilon, parameter_shifts
from bandits_dp.contextual.fast import Runs
from bandits_dp.contextual.radius import PlainRadius
from bandits_dp.contextual.reward_radius import CountedRadius, InstrumentRadius
from bandits_dp.problems import ContextualLinear, PoolContextual
from tests.small_problems import assert_same_runs, refused

FALSE_ALARM = 1e-6  # of each statistical test here, with fixed seeds
POOL = PoolContextual(arms=4, dimension=3, items=50, clip=True)
CASES = {
    "tree": ("LinUCB-Tree", {}), "tree, ridge": ("LinUCB-Tree", {"ridge": 7.0, "width": 1.0}),
    "tree, proved": ("LinUCB-Tree", {"width": None, "radius_scale": 0.2}), "reward tree": ("LinUCB-RewardTree", {}),
    "reward tree, tree": ("LinUCB-RewardTree", {"counter": "tree", "width": 1.0}),
    "reward tree, hybrid": ("LinUCB-RewardTree", {"counter": "hybrid", "whiten": False}),
    "reward tree, proved": ("LinUCB-RewardTree", {"width": None, "radius_scale": 0.1}), "dgs": ("LinUCB-DGS", {}),
    "dgs, theorem": ("LinUCB-DGS", {"calibration": "theorem", "strict": False}),
    "dgs, theorem, late": ("LinUCB-DGS", {"calibration": "theorem", "least_eigenvalue": 1.0}),
    "dgs, hybrid": ("LinUCB-DGS", {"calibration": "theorem", "least_eigenvalue": 1.0, "counter": "hybrid"}),
    "dgs, explicit tree": ("LinUCB-DGS", {"calibration": "theorem", "least_eigenvalue": 1.0, "explicit_tree": True}),
    "dgs, perturbed": ("LinUCB-DGS", {"calibration": "theorem", "perturb_contexts": 1.0}),
    "dgs, printed width": ("LinUCB-DGS", {"calibration": "theorem", "least_eigenvalue": 1.0, "width": None}),
    "dgs, experiment": ("LinUCB-DGS", {"calibration": "experiment"}),
    "dgs, experiment, fresh": ("LinUCB-DGS", {"calibration": "experiment", "explicit_tree": False}),
    "dgs, experiment, hybrid": ("LinUCB-DGS", {"calibration": "experiment", "counter": "hybrid"}),
}


def make(case, problem=POOL, horizon=300, **more):
    name, options = CASES[case]
    return bdp.make(name, problem, horizon=horizon, **({"epsilon": 2.0, "delta": 0.1} | options | more))


# ---- Plain loops -------------------------------------------------------------------------------------------------------------
def plain_dgs_noise(horizon, epsilon, bound, options, rng, d):
    """Algorithm 1 of Wang, Zhao, Wang 2022, node by node; a dictionary remembers the noise of an explicit tree."""
    log_t, kept, out = math.log2(horizon), {}, []
    hybrid = options.get("counter") == "hybrid"
    explicit = options.get("explicit_tree", options.get("calibration") == "experiment")
    for t in range(1, horizon + 1):
        top = t.bit_length() - 1
        nodes = []  # (right end, factor over epsilon, printed tau)
        if hybrid:
            nodes += [(2**k, 2.0, None) for k in range(top + 1)]
            nodes += [(t >> k << k, 2.0 * max(top, 1), None) for k in range(top) if t >> k & 1]
        else:
            nodes = [(t >> k << k, log_t, t - 2**k + 1) for k in range(top + 1) if t >> k & 1]
        for end, factor, printed in nodes:
            tau = printed if options["calibration"] == "theorem" and not explicit and not hybrid else end
            if not explicit or end not in kept:
                kept[end] = rng.laplace(size=d) * bound(tau) * factor / epsilon
        out.append(sum(kept[end] for end, _, _ in nodes))
    return np.array(out)


def plain_run(learner, case, problem, answers, noise_rng, horizon):
    """One run as one would write it on a blackboard; returns lost rewards and estimates, round by round."""
    name, options = CASES[case]
    instance = problem.draw(answers)
    d, T, eps = instance.dimension, learner.horizon, 2.0
    A, b, W, G = np.zeros((d, d)), np.zeros(d), np.zeros((d, d)), np.zeros((d, d))
    theta, calibration = np.zeros(d), options.get("calibration", "certified")
    ridge = d if name == "LinUCB-RewardTree" else 0.1 if calibration == "experiment" else options.get("ridge", 1.0)
    inverse, contexts = np.eye(d) / ridge, np.zeros((T, problem.arms, d))
    if name == "LinUCB-DGS":
        if calibration == "certified":
            noise = noise_rng.normal(size=(T, d))
        else:
            lambda0 = options.get("least_eigenvalue", 1 / (12 * d)) + options.get("perturb_contexts", 0.0) ** 2
            start = 32 * math.log(10) / lambda0

            def bound(tau):
                if calibration == "experiment":
                    return 1 / tau
                return min(32 / (lambda0 * tau), 2.0) if tau > start else 2.0

            noise = plain_dgs_noise(T, eps, bound, options, noise_rng, d)
        if "perturb_contexts" in options:
            contexts[1:] = options["perturb_contexts"] * noise_rng.normal(size=(T, problem.arms, d))[:-1]
    elif name == "LinUCB-Tree":
        height = T.bit_length()
        laplace = noise_rng.laplace(0, 2 * math.sqrt(d) * height / eps, (T, d))
        noise = np.array([sum(laplace[end - 1] for end in ends(t)) for t in range(1, T + 1)])
    else:
        counter = learner.stream.counter
        noise, std = counter.noise_path(noise_rng), counter.error_std(np.arange(1, T + 1))
    lost, estimates = [], []
    for t in range(horizon):
        row = instance.numbers(answers, 1)
        shown = instance.contexts(row)[0]
        seen = shown + contexts[t]
        width = options.get("width", 0.3)
        if width is None:
            beta = learner.learner.radius.beta(t, np.array([ridge]), least(inverse))
            width = options.get("radius_scale", 1.0) * float(np.ravel(beta)[0])
        index = seen @ theta + width * np.sqrt(((seen @ inverse) * seen).sum(axis=1))
        arm = int(np.argmax(index))
        means = instance.means(shown)
        r = float(instance.reward_quantiles(means[[arm]], instance.chances(row))[0])
        x = seen[arm]
        lost.append(means.max() - means[arm])
        if name == "LinUCB-RewardTree":
            g = np.linalg.inv(np.linalg.cholesky(A + np.eye(d))) @ x if options.get("whiten", True) else x
            g = g / np.linalg.norm(g)
            W, G, b, A = W + np.outer(g, x), G + np.outer(g, g), b + g * r, A + np.outer(x, x)
            C = np.linalg.inv(G + std[t] ** 2 * np.eye(d))
            inverse = np.linalg.inv(W.T @ C @ W + d * np.eye(d))
            theta = inverse @ W.T @ C @ (b + noise[t])
        else:
            A, b = A + np.outer(x, x), b + x * r
            inverse = np.linalg.inv(A + ridge * np.eye(d))
            if name == "LinUCB-Tree":
                theta = inverse @ (b + noise[t])
            elif calibration == "certified":
                theta = inverse @ b + noise[t] * gaussian_noise_std(eps, 0.1, 1.0) * math.sqrt(T) * 2 / least(inverse)
            else:
                theta = inverse @ b + noise[t]
        estimates.append(theta)
    return np.array(lost), np.array(estimates), instance


def least(inverse):
    return 1 / np.linalg.eigvalsh(inverse)[-1]


def ends(t):
    """Right ends of the nodes of t's dyadic decomposition."""
    while t:
        yield t
        t &= t - 1


@pytest.mark.parametrize("case", CASES)
def test_parallel_runs_follow_the_plain_loop(case):
    """Regret and parameter error of every run, at all checkpoints, to the last digits; alone it is the same bit for bit."""
    learner = make(case)
    result = bdp.simulate(learner, POOL, 300, runs=3, seed=5, progress=False)
    assert_same_runs(bdp.simulate(learner, POOL, 300, runs=1, seed=5, progress=False), result, runs=1)
    for run, child in enumerate(np.random.SeedSequence(5).spawn(3)):
        answers, noise = np.random.default_rng(child).spawn(2)
        lost, estimates, instance = plain_run(learner, case, POOL, answers, noise, 300)
        assert result.regret[run] == pytest.approx(np.cumsum(lost)[result.rounds - 1], abs=1e-9)
        error = np.linalg.norm(estimates - instance.theta, axis=1)
        assert result.curves["parameter error"][run] == pytest.approx(error[result.rounds - 1], rel=1e-7)
    assert np.ptp(result.regret[:, -1]) > 0


# ---- The plain loop ----------------------------------------------------------------------------------------------------------

BATCHES = [(case, size) for case in CASES if case != "dgs, perturbed" for size in (1, 7) if size == 1 or "dgs" not in case]


@pytest.mark.usefixtures("densities")
@pytest.mark.parametrize(("case", "size"), BATCHES)
def test_live_use_is_the_fast_path(case, size):
    """Run for run, with fixed features alone and fresh ones in batches; counts, curves and bits as well."""
    problem, more = ContextualLinear(arms=4, dimension=3, fixed=size == 1), {} if size == 1 else {"batch_size": size}
    if CASES[case][1].get("calibration") == "theorem":
        more |= {"least_eigenvalue": 1.0, "strict": False}
    learner = make(case, problem, 100, **more)
    fast = bdp.simulate(learner, problem, 100, runs=2, seed=3, progress=False)
    learner.fidelity = "messages"
    plain = bdp.simulate(learner, problem, 100, runs=2, seed=3, progress=False)
    assert fast.regret == pytest.approx(plain.regret, abs=1e-9) and (fast.bits == plain.bits).all()
    assert fast.counts.keys() == plain.counts.keys() == {"shifts"} and (fast.counts["shifts"] == plain.counts["shifts"]).all()
    assert fast.curves.keys() == plain.curves.keys() == {"parameter error"}
    assert fast.curves["parameter error"] == pytest.approx(plain.curves["parameter error"], abs=1e-6)  # live, contexts are rounded


def test_perturbed_contexts_have_the_same_law_in_both():
    """Regret of many runs, whose contexts get noise round by round or ahead (Welch's test)."""
    ends = []
    for fidelity, runs in (("aggregate", 300), ("messages", 45)):  # as powerful as 78 of each, and most of them are fast
        learner = make("dgs, perturbed", horizon=100, calibration="experiment", epsilon=20.0)
        learner.fidelity = fidelity
        ends.append(bdp.simulate(learner, POOL, 100, runs=runs, seed=1, progress=False).regret[:, -1])
    assert stats.ttest_ind(*ends, equal_var=False).pvalue > FALSE_ALARM
    assert np.mean(ends[0]) > 1.5 * bdp.simulate(make("dgs, experiment", horizon=100, epsilon=20.0), POOL, 100, runs=100, seed=1,
                                                 progress=False).mean[-1]


# ---- The pool ----------------------------------------------------------------------------------------------------------------
def test_candidates_are_drawn_without_replacement():
    """All ordered triples of five items are equally likely (chi-square); rows drawn one by one or together are the same."""
    problem = PoolContextual(arms=3, dimension=2, items=5)
    numbers = problem.numbers(np.random.default_rng(0), 60_000)
    shown = problem.candidates(numbers)
    triples = list(itertools.permutations(range(5), 3))
    counts = np.unique(shown @ [25, 5, 1], return_counts=True)
    assert sorted(counts[0]) == sorted(25 * a + 5 * b + c for a, b, c in triples)
    assert stats.chisquare(counts[1]).pvalue > FALSE_ALARM
    rng = np.random.default_rng(0)
    assert (np.concatenate([problem.numbers(rng, n) for n in (1, 7, 2)]) == numbers[:10]).all()
    assert (problem.candidates(np.full((1, 4), 1 - 1e-16)) == [[4, 3, 2]]).all()


def test_pool_follows_its_description():
    problem = PoolContextual(clip=True)
    instance, same = (problem.draw(np.random.default_rng(1)) for _ in range(2))
    assert instance.pool.shape == (1000, 10) and (instance.pool == same.pool).all() and (instance.theta == same.theta).all()
    assert np.linalg.norm(instance.pool, axis=1).max() == pytest.approx(1) and np.linalg.norm(instance.theta) <= 1 + 1e-12
    assert instance.draw(np.random.default_rng(2)).theta is not None and instance.pool.min() >= 0
    rows = instance.numbers(np.random.default_rng(3), 4)
    shown = instance.contexts(rows)
    assert shown.shape == (4, 10, 10) and (shown == instance.pool[instance.candidates(rows)]).all()
    assert instance.means(shown) == pytest.approx(shown @ instance.theta)
    gram = instance.pool.T @ instance.pool / 1000
    assert instance.least_eigenvalue == pytest.approx(np.linalg.eigvalsh(gram)[0])
    assert problem.least_eigenvalue == pytest.approx(1 / 120) and 0.009 < instance.least_eigenvalue < 0.013
    refused("pool must be known", problem.contexts, rows)
    refused("theta must be known", problem.means, shown)


def test_clipping_bends_means_without_crossing_them():
    """Means of clipped rewards by quadrature: increasing, with a slope between 0 and 1, and as the docstring says."""
    clipped, free = PoolContextual(clip=True), PoolContextual()
    assert clipped.reward_range == (-1, 1) and free.reward_range == (-math.inf, math.inf)
    u = (np.arange(200_000) + 0.5) / 200_000
    means = np.linspace(-1, 1, 21)
    bent = np.array([clipped.reward_quantiles(np.full(u.shape, m), u).mean() for m in means])
    assert (np.diff(bent) > 0).all() and (np.diff(bent) < np.diff(means)).all()
    exact = [integrate.quad(lambda z, m=m: np.clip(m + 0.5 * z, -1, 1) * stats.norm.pdf(z), -9, 9, points=[(1 - m) * 2])[0]
             for m in (0.3, 0.5, 0.7)]
    assert np.round(exact, 2).tolist() == [0.28, 0.46, 0.62]
    assert [clipped.reward_quantiles(np.full(u.shape, m), u).mean() for m in (0.3, 0.5, 0.7)] == pytest.approx(exact, abs=1e-4)
    assert free.reward_quantiles(np.full(u.shape, 0.7), u).mean() == pytest.approx(0.7, abs=1e-4)
    assert np.isfinite(free.reward_quantiles(np.zeros(1), np.zeros(1))).all()


# ---- What the noise protects -------------------------------------------------------------------------------------------------
def test_shifts_are_differences_of_parameters():
    """Two ridge regressions with one different reward, solved from scratch, in every round."""
    rng = np.random.default_rng(0)
    x, r = rng.normal(size=(30, 3)), rng.uniform(-1, 1, 30)
    for record in (0, 7, 29):
        other = r.copy()
        other[record] -= 1.5
        grams = [0.7 * np.eye(3) + x[: t + 1].T @ x[: t + 1] for t in range(30)]
        expected = [np.linalg.solve(g, x[: t + 1].T @ (r - other)[: t + 1]) for t, g in enumerate(grams)]
        assert parameter_shifts(x, 0.7, record, 1.5) == pytest.approx(np.array(expected), abs=1e-12)
    long = rng.normal(size=(5000, 2))  # more than one block
    last = 2 * np.linalg.solve(np.eye(2) + long.T @ long, long[4])
    assert parameter_shifts(long, 1.0, 4, 2.0)[-1] == pytest.approx(last)


def exact_epsilon(density, shift, delta):
    """Smallest epsilon of one number with symmetric noise of this density, by quadrature."""
    x = np.linspace(-60, 60, 400_001)
    p, q = density(x - shift), density(x)

    def excess(epsilon):
        return integrate.trapezoid(np.maximum(p - math.exp(epsilon) * q, 0), x) - delta

    return optimize.brentq(excess, 0.0, 50.0) if excess(0.0) > 0 else 0.0


@pytest.mark.parametrize("delta", (1e-3, 0.1, 0.4))
@pytest.mark.parametrize("shift", (0.3, 2.0, 8.0))
def test_bounds_hold_around_the_exact_epsilon(shift, delta):
    """One Laplace noise, the sum of two (densities in closed form), and 150 releases (dp-accounting)."""
    from dp_accounting.pld import privacy_loss_distribution as pld

    def one(x):
        return np.exp(-np.abs(x)) / 2

    def two(x):  # scales 1 and 1
        return (1 + np.abs(x)) * np.exp(-np.abs(x)) / 4

    for density, scales in ((one, [[1.0, 0.0]]), (two, [[1.0, 1.0]])):
        low, high = laplace_sums_epsilon([[shift]], scales, delta)
        assert 0 <= low <= exact_epsilon(density, shift, delta) + 1e-4
        assert high >= exact_epsilon(density, shift, delta) - 1e-4
    loss = pld.from_laplace_mechanism(10 / shift, value_discretization_interval=1e-3, pessimistic_estimate=False)
    exact = loss.self_compose(150).get_epsilon_for_delta(delta)
    low, high = laplace_sums_epsilon(np.full((150, 1), shift), np.full((150, 1), 10.0), delta)
    assert low <= exact + 0.05 and high >= exact - 0.05
    if shift == 8.0:
        assert low > 0.2 * exact and high < 1.6 * exact  # the bounds say something


def test_bounds_of_vectors_and_edge_cases():
    assert laplace_sums_epsilon([[1.0, -1.0], [0.0, 0.0]], [[2.0], [0.0]], 0.0)[1] == pytest.approx(1.0)  # l1 over the scale
    assert laplace_sums_epsilon(np.zeros((3, 2)), np.zeros((3, 1)), 0.1) == (0.0, 0.0)
    h, b = np.full((400, 2), 0.5), np.tile([1.0, 2.0], (400, 1))
    low, high = laplace_sums_epsilon(h, b, 1e-3)
    flat = laplace_sums_epsilon(h.reshape(800, 1), np.tile([1.0, 2.0], (800, 1)), 1e-3)  # coordinates have noise of their own
    assert (low, high) == pytest.approx(flat) and 0 < low < high
    assert laplace_sums_epsilon(3 * h, 3 * b, 1e-3) == pytest.approx((low, high))


def test_explicit_tree_is_as_private_as_its_nodes():
    """Noise that is kept cancels between a node and its parent, so what counts is how far their difference moves."""
    for counter, parents in (("tree", lambda t: t & (t - 1)), ("hybrid", lambda t: t & (t - 1) or t // 2)):
        noise, fresh = (bdp.make("LinUCB-DGS", POOL, horizon=20, epsilon=2.0, delta=0.1, calibration="experiment", counter=counter,
                                 explicit_tree=explicit).stream.eta for explicit in (True, False))
        x, variance = np.random.default_rng(0).normal(size=(20, 3)), np.zeros(21)
        for t, (scale,) in enumerate(noise.scales(), 1):
            variance[t] = variance[parents(t)] + 2 * scale**2
        assert all(one.stds() == pytest.approx(np.sqrt(variance[1:])) for one in (noise, fresh))
        path = noise.path(np.random.default_rng(4), 20)
        drawn = np.random.default_rng(4).laplace(size=(20, 3)) * noise.scales()
        rows = np.vstack([np.zeros(3), path])
        assert np.array([rows[t] - rows[parents(t)] for t in range(1, 21)]) == pytest.approx(drawn)
        shifts = np.vstack([np.zeros(3), parameter_shifts(x, 0.1, 2, 2.0)])
        moved = np.array([shifts[t] - shifts[parents(t)] for t in range(1, 21)])
        expected = laplace_sums_epsilon(moved, noise.scales(), 0.05)
        assert noise.privacy(x, 0.1, 0.05, record=2) == pytest.approx(expected)
        refused("features must be of at most 20 rounds, got 21", noise.privacy, np.ones((21, 3)), 0.1, 0.05)


def test_certified_dgs_pays_for_every_round():
    """Squared shifts in units of the noise add up to at most one Gaussian mechanism's, for spread and for stubborn features."""
    rng = np.random.default_rng(0)
    spread = rng.normal(size=(200, 3))
    spread /= np.linalg.norm(spread, axis=1, keepdims=True)
    stubborn = np.tile([0.6, 0.0, 0.8], (200, 1))
    stubborn[0] = [1.0, 0.0, 0.0]
    worst = np.concatenate([np.eye(3)[[0]], np.tile(np.eye(3)[[1]], (199, 1))])  # A never grows where the first reward is
    mu = 1 / gaussian_noise_std(2.0, 0.1, 1.0)
    learner = bdp.make("LinUCB-DGS", POOL, horizon=200, epsilon=2.0, delta=0.1)
    for x in (spread, stubborn, worst):
        grams = np.eye(3) + np.cumsum(x[:, :, None] * x[:, None, :], axis=0)
        stds = learner.stream.eta.factor(grams, 1.0)[:, 0]
        for record in (0, 50, 199):
            total = ((np.linalg.norm(parameter_shifts(x, 1.0, record, 2.0), axis=1) / stds) ** 2).sum()
            assert total <= mu**2
            assert gaussian_delta(1 / math.sqrt(total), 2.0, 1.0) <= 0.1


@bdp.Vectorized
def statistic_of(data, rng, runs):
    """The exact log-likelihood ratio of everything that LinUCB-RewardTree releases, up to a constant, for the first reward."""
    epsilon, rewards = data
    pool = [[1.0, 0.0], [0.6, 0.8], [0.0, 1.0], [0.3, 0.4]]
    problem = PoolContextual(arms=3, dimension=2, items=4, pool=pool, theta=[0.0, 0.0], clip=True)
    learner = bdp.make("LinUCB-RewardTree", problem, horizon=len(rewards), epsilon=epsilon, delta=0.1)
    together = Runs(learner, rng.spawn(runs))
    model, stream, f = together.player.learner, together.player.stream, learner.stream.counter.coefficients
    C = np.array([[f[t - s] if t >= s else 0.0 for s in range(len(f))] for t in range(len(f))])
    shown = problem.contexts(problem.numbers(np.random.default_rng(1), len(rewards)))  # public
    released, known = np.empty((2, len(rewards), runs, 2))
    before, others = np.zeros((2, runs, 2))
    for t, reward in enumerate(rewards):
        arms = model.choose(np.broadcast_to(shown[t], (runs, 1, 3, 2)))[:, 0]
        together.learn(shown[t][arms][:, None], np.full((runs, 1), reward))
        exact = stream.counter._total
        if t == 0:
            first = exact[0] / reward  # g_1: everybody plays the same arm at first
        else:
            others += exact - before
        before = exact
        released[t], known[t] = model.sums[:, :2], others
    draws = np.linalg.solve(C, (released - known).reshape(len(rewards), -1)).reshape(released.shape)  # C x + z for the first reward
    return np.einsum("t,trd,d->r", C[:, 0], draws, first)


def test_audit_of_the_reward_tree():
    """What is certified passes, but not by much: the best attack on all releases finds most of epsilon, and refutes half of it."""
    rest = np.random.default_rng(2).uniform(-1, 1, 15)
    a, b = (1.0, np.r_[1.0, rest]), (1.0, np.r_[-1.0, rest])
    result = bdp.audit(statistic_of, a, b, 1.0, 0.1, 8000, rng=np.random.default_rng(5), progress=False, score=lambda s: s)
    assert result.passed and result.epsilon_lower > 0.7, str(result)
    half = bdp.audit(statistic_of, a, b, 0.5, 0.1, 4000, rng=np.random.default_rng(5), progress=False, score=lambda s: s)
    assert not half.passed


# ---- Widths, estimates and regret --------------------------------------------------------------------------------------------
@pytest.mark.parametrize("case", ("tree, proved", "reward tree, proved"))
def test_proved_radii_cover(case):
    """The error of the estimate in its own norm stays below the radius, in all rounds of nearly all runs; and comes near it."""
    problem = ContextualLinear(arms=5, dimension=3, fixed=False)  # bounded rewards with linear means
    runs, horizon = 200, 150
    learner = make(case, problem, horizon, radius_scale=1.0)
    pairs = [np.random.default_rng(child).spawn(2) for child in np.random.SeedSequence(1).spawn(runs)]
    answers, noise = (list(rngs) for rngs in zip(*pairs, strict=True))
    instances = [problem.draw(rng) for rng in answers]
    together, largest = Runs(learner, noise), np.zeros(runs)
    model = together.player.learner
    for _ in range(horizon):
        rows = [instance.numbers(rng, 1) for instance, rng in zip(instances, answers, strict=True)]
        shown = np.stack([instance.contexts(row) for instance, row in zip(instances, rows, strict=True)])
        phi = np.take_along_axis(shown, model.choose(shown)[:, :, None, None], axis=2)[:, :, 0]
        means = np.stack([instance.means(own) for instance, own in zip(instances, phi, strict=True)])
        chances = np.stack([instance.chances(row) for instance, row in zip(instances, rows, strict=True)])
        together.learn(phi, problem.reward_quantiles(means, chances))
        error = model.theta - np.stack([instance.theta for instance in instances])
        norm = np.sqrt(np.einsum("ri,rij,rj->r", error, np.linalg.inv(model.inverse), error))
        largest = np.maximum(largest, norm / model.beta)
    assert stats.binomtest(int((largest > 1).sum()), runs, 0.1, "greater").pvalue > FALSE_ALARM
    assert largest.max() > 0.2


def test_units_of_rewards_do_not_matter_to_the_instruments_radius():
    """With rewards ten times as large, noise and parameters are, too; the error in its own norm has no unit."""
    one, other = (InstrumentRadius(3, 5, 100, least_std=4.0 * unit, reward_std=0.5 * unit, theta_norm=unit, failure=0.1)
                  for unit in (1.0, 10.0))
    assert other.regularizer(1) == pytest.approx(one.regularizer(1) / 100)
    for batch in (1, 100):
        assert other.beta(batch, 1.0, 1.0) == pytest.approx(one.beta(batch, 1.0, 1.0))


def test_nothing_is_noisy_before_the_first_release():
    counter = bdp.continual.TreeCounter(20, 1.0, 0.0, bdp.privatizers.Ball(3), noise="laplace")
    counted = CountedRadius(counter, 5, 0.5, theta_norm=1.0, feature_norm=1.0, regularizer=2.0, failure=0.1)
    plain = PlainRadius(3, 5, 0.5, 0.05, regularizer=2.0)  # half of the failures are the noise's
    assert counted.beta(0, 2.0, 2.0) == plain.beta(0, 2.0, 2.0)
    assert counted.beta(1, 2.0, 2.0) > 10 * plain.beta(1, 2.0, 2.0)


def test_printed_width_is_lemma_2():
    learner = make("dgs, printed width")
    expected = math.log2(300) / 2 * math.sqrt(math.log(50) * math.log(20)) / math.sqrt(50) + math.sqrt(3 * math.log(51 / 0.05)) + 1
    assert learner.learner.radius.beta(50, np.ones(1), np.ones(1)) == pytest.approx(expected)
