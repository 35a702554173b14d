"""Phased elimination for linear bandits: plain loops as oracles, margins that cover, one law for both fidelities, live use."""

import math

import numpy as np
import pytest
from scipy import stats
from scipy.optimize import minimize_scalar

import bandits_dp as bdp
from bandits_dp.accounting.binomial import hockey_stick
from bandits_dp.linear.designs import g_optimal_design, support_bound
from bandits_dp.linear.elimination import PhasedElimination, least_squares
from bandits_dp.linear.widths import ExactWidth, Phase
from bandits_dp.privatizers import Box, CentralGaussian, CentralLaplace, Identity, LocalLaplace, ScalarSum
from bandits_dp.problems import LinearArms, SphericalArms
from tests.same_law import same_law
from tests.small_problems import generators, linear_arms, same_state, served, sphere

FALSE_ALARM = 1e-6  # of each statistical test here, with fixed seeds
SIGNS = Box(1, -1.0, 1.0, whole=True)


def plain_elimination(problem, horizon, seed, noise_std, calibration):
    """Phased elimination as on a blackboard, one user at a time; pseudo-regret after every round, and who is left."""
    answers, noise = generators(seed)
    k, d = problem.actions.shape
    best_mean = max(float(problem.theta @ x) for x in problem.actions)
    active, h, regret, lost = list(range(k)), 4 * d * math.log(math.log(d)) + 16, [], 0.0
    log_failure = math.log(k * horizon)
    while len(regret) < horizon:
        left = horizon - len(regret)
        weights = g_optimal_design(problem.actions[active]).weights
        if len({tuple(problem.actions[i]) for i in active}) == 1:
            plan = {active[0]: left}
        else:
            plan = {active[i]: math.ceil(h * w) for i, w in enumerate(weights) if w > 0}
        decides = sum(plan.values()) < left
        V, G = np.zeros((d, d)), np.zeros(d)
        for arm, pulls in plan.items():
            x = problem.actions[arm]
            mean, total = float(problem.theta @ x), 0.0
            for _ in range(pulls):
                if len(regret) == horizon:
                    return regret, active
                total += 1 if answers.random() < (1 + mean) / 2 else -1
                lost += best_mean - mean
                regret.append(lost)
            if decides and noise_std:
                total += noise.normal(0, noise_std)
            V += pulls * np.outer(x, x)
            G += total * x
        if not decides:
            continue
        inverse = np.linalg.pinv(V, rcond=1e-10, hermitian=True)
        theta = inverse @ G
        best = max(active, key=lambda i: problem.actions[i] @ theta)
        survivors = []
        for i in active:
            v = problem.actions[best] - problem.actions[i]
            if calibration == "certified":
                variance = sum((v @ inverse @ problem.actions[j]) ** 2 * (n + noise_std**2) for j, n in plan.items())
                margin = math.sqrt(2 * variance * log_failure)
            else:
                sigma = 2 * d * noise_std * math.sqrt(len(plan)) / h
                margin = 2 * (math.sqrt(4 * d / h * log_failure) + math.sqrt(2 * sigma**2 * log_failure))
            if v @ theta <= margin:
                survivors.append(i)
        active, h = survivors, 2 * h
    return regret, active


def hard(kind):
    base, theta = sphere(12, 3), np.array([0.5, -0.6, 0.4])
    return LinearArms(**{
        "plain": {"actions": base, "theta": theta},
        "rank 2 in R^4": {"actions": sphere(12, 2) @ np.linalg.qr(sphere(4, 4))[0][:2], "theta": [0.5, -0.6, 0.4, 0.1]},
        "repeated and zero": {"actions": np.concatenate([base[:5], np.zeros((2, 3)), base[:5]]), "theta": theta},
        "short": {"actions": base * np.array([1, 1e-3, 0.3]), "theta": theta},
    }[kind])


@pytest.mark.parametrize("calibration", ("certified", "theorem"))
@pytest.mark.parametrize("name", ("PE", "CDP-PE"))
@pytest.mark.parametrize("kind", ("plain", "rank 2 in R^4", "repeated and zero", "short"))
def test_elimination_matches_the_plain_loop(kind, name, calibration, densities):
    """The simulator with single messages is the plain loop on the same random numbers, round by round."""
    problem, horizon, dropped = hard(kind), 30_000, 0
    for seed in range(3):
        options = {"epsilon": 0.9, "delta": 0.1} if name == "CDP-PE" else {}
        learner = bdp.make(name, problem, horizon=horizon, calibration=calibration, fidelity="messages", **options)
        std = learner.privatizers[0].noise_std
        assert (std > 0) == (name == "CDP-PE")
        expected, left = plain_elimination(problem, horizon, seed, std, calibration)
        result = bdp.simulate(learner, problem, horizon, runs=1, seed=seed)
        assert result.regret[0] == pytest.approx(np.array(expected)[result.rounds - 1], abs=1e-9 * horizon)
        dropped += problem.arms - len(left)
    assert dropped > 0  # somebody was dropped, so there was something to compare


def one_phase(privatizer, pulls=40):
    """A phase with 12 actions in R^3, its differences to the first action, and their coefficients."""
    problem = linear_arms()
    weights = g_optimal_design(problem.actions).weights
    support = np.flatnonzero(weights)
    counts = np.ceil(pulls * weights[support]).astype(int)
    phase = Phase(float(pulls), counts, 1, tuple(privatizer(int(n)) for n in counts))
    base = problem.actions[support]
    differences = problem.actions[0] - problem.actions[1:]
    coefficients = differences @ np.linalg.solve((base * counts[:, None]).T @ base, base.T * counts)
    return problem, support, phase, differences, coefficients


PRIVATIZERS = {
    "none": lambda n: Identity(n, SIGNS), "central Gaussian": lambda n: CentralGaussian(n, 1.0, 1e-3, domain=SIGNS),
    "central Laplace": lambda n: CentralLaplace(n, 0.5, domain=SIGNS),
    "local Laplace": lambda n: LocalLaplace(n, 1.0, domain=SIGNS), "bits": lambda n: ScalarSum(n, 1.0, 1e-3, domain=SIGNS),
    "few bits": lambda n: ScalarSum(n, 4.0, 1e-2, domain=SIGNS, levels=1),
}


@pytest.mark.parametrize("kind", PRIVATIZERS)
def test_certified_margins_cover(kind):
    """Errors exceed the margin at most as often as promised, here at e^-3 per difference, and not absurdly rarely."""
    rng, runs = np.random.default_rng(1), 50_000
    problem, support, phase, differences, coefficients = one_phase(PRIVATIZERS[kind])
    width = ExactWidth(12, 1000)
    width.log_failure = 3.0
    margins = width.margins(phase, differences, coefficients)
    sums = problem.reward_sums(np.tile(support, (runs, 1)), phase.plays, rng)
    released = np.column_stack([p.release_sum(sums[:, j], rng) for j, p in enumerate(phase.noise)])
    errors = (released / phase.plays) @ coefficients.T - differences @ problem.theta
    for side in (errors, -errors):
        failures = (side > margins).sum(axis=0)
        for count in failures:
            assert stats.binomtest(int(count), runs, math.exp(-3.0), "greater").pvalue > FALSE_ALARM
        assert failures.max() > runs * 1e-3  # Chernoff loses a factor, not everything


@pytest.mark.parametrize("kind", PRIVATIZERS)
def test_certified_margins_are_nearly_the_best_of_chernoff(kind):
    """Never below the bound that a numerical optimizer finds for each difference, and 1% above at most (5% for Laplace noise)."""
    _, _, phase, differences, coefficients = one_phase(PRIVATIZERS[kind])
    width = ExactWidth(12, 10**6)
    margins = width.margins(phase, differences, coefficients)
    for margin, row in zip(margins, coefficients, strict=True):
        def bound(log_s, row=row):
            s = math.exp(log_s)
            noise = [float(p.log_mgf(np.array([s * abs(c) / p.users]))[0]) for c, p in zip(row, phase.noise, strict=True)]
            return (width.log_failure + s**2 / 2 * float(row**2 @ (1 / phase.plays)) + sum(noise)) / s

        grid = np.linspace(-6, 6, 400)
        start = grid[np.argmin([bound(x) for x in grid])]
        best = minimize_scalar(bound, bounds=(start - 0.1, start + 0.1), method="bounded").fun
        assert best * (1 - 1e-6) <= margin <= best * (1.05 if "Laplace" in kind else 1.01)
    assert (width.margins(phase, 0 * differences, 0 * coefficients) == 0).all()  # of equal actions


def test_clients_widen_margins():
    _, _, phase, differences, coefficients = one_phase(PRIVATIZERS["none"])
    crowd = Phase(phase.length, phase.plays, 7, phase.noise)
    margins = ExactWidth(12, 1000, reward_std=2.0, client_std=0.3).margins(crowd, differences, coefficients)
    variance = coefficients**2 @ (4 / (7 * phase.plays)) + 0.09 * (differences**2).sum(axis=1) / 7
    assert margins == pytest.approx(np.sqrt(2 * variance * math.log(12_000)))


def test_what_rounding_puts_off_the_span_widens_the_margin_of_its_own_action_only():
    """Actions on a line, and differences that are 0, 0.25 and 1 off it."""
    learner = PhasedElimination(3, 2, 100.0, ExactWidth(3, 1000))
    learner.show([[1, 0], [0.5, 0], [0.2, 0]])
    asked = learner.ask()
    inverse = least_squares(learner.actions[asked.arms], asked.plays, learner.rank)
    phase = Phase(100.0, asked.plays, 1, (Identity(100),) * len(asked.arms))
    margins = learner._margins(phase, np.array([[0.5, 0], [0.5, 0.25], [0.5, 1]]), inverse)
    assert margins - margins[0] == pytest.approx([0.0, 0.25, 1.0], abs=1e-12) and margins[0] > 0


@pytest.mark.parametrize(("name", "options", "sigma"), [
    ("PE", {}, lambda d, s, h, std: 0),
    ("CDP-PE", {"epsilon": 0.5, "delta": 0.1}, lambda d, s, h, std: 8 * d * math.sqrt(2 * math.log(12.5)) * math.sqrt(s) / h),
    ("LDP-PE", {"epsilon": 0.5, "delta": 0.1}, lambda d, s, h, std: 8 * d * math.sqrt(2 * math.log(12.5)) * math.sqrt(2 * s / h)),
    ("SDP-PE", {"epsilon": 2.0, "delta": 0.1}, lambda d, s, h, std: 2 * d * std * math.sqrt(s) / h),
])
def test_printed_margins(name, options, sigma):
    """Equation 54 with Table 4, by hand: B = 1, so the noise is 2 sqrt(2 ln(1.25 / delta)) / epsilon = 4 sqrt(2 ln 12.5)."""
    problem = linear_arms(12, 3)
    learner = bdp.make(name, problem, horizon=1000, calibration="theorem", **options)
    h, log = support_bound(3), math.log(12 * 1000)
    s, std = len(learner.asked.arms), max(privatizer.noise_std for privatizer in learner.privatizers)
    phase = Phase(learner.learner.length, learner.asked.plays, 1, learner.privatizers)
    expected = math.sqrt(4 * 3 / h * log) + math.sqrt(2 * sigma(3, s, h, std) ** 2 * log)
    margins = learner.learner.width.margins(phase, np.zeros((5, 3)), np.zeros((5, s)))
    assert margins == pytest.approx(np.full(5, 2 * expected))
    assert learner.asked.plays.tolist() == [math.ceil(h * w) for w in g_optimal_design(problem.actions).weights if w > 0]


def test_the_best_action_survives():
    """Certified runs lose the best action with probability 2 P / T at most; T = 2000 has no more than 7 phases."""
    lost = 0
    for seed in range(300):
        answers, noise = generators(seed)
        problem = SphericalArms(20, 3).draw(answers)
        learner = bdp.make("SDP-PE", problem, horizon=2000, epsilon=8.0, delta=0.1)
        while learner.played < 2000:
            ticket = learner.act(users=learner.missing)
            learner.update(ticket, problem.rewards(ticket.arm, ticket.users, answers), noise)
        lost += int(problem.gaps.argmin()) not in learner.learner.active
        assert learner.learner.phase <= 7 and (seed or len(learner.learner.active) < 20)
    assert stats.binomtest(lost, 300, 14 / 2000, "greater").pvalue > FALSE_ALARM


def test_shared_noise_is_enough_for_every_number_of_users():
    """Sums of similar size share one search: the exact divergence keeps delta, and no more than 4% of noise is wasted."""
    learner = bdp.make("SDP-PE", linear_arms(), horizon=1000, epsilon=1.0, delta=1e-3)
    ideal = ScalarSum(10_000, 1.0, 1e-3, domain=SIGNS).noise_std
    for users in (1, 2, 15, 16, 17, 31, 100, 127, 1000):
        privatizer = learner.privatizer(users)
        law = privatizer.noise_bits.log_pmf(users)
        assert hockey_stick(law, 1.0, shift=privatizer.levels) <= 1e-3
        assert privatizer.guarantee.proved and privatizer.noise_std <= (1.04 if users > 15 else 1.1) * ideal


def test_nothing_is_released_in_a_phase_that_the_horizon_cuts():
    """d = 2: phases of about 16, 32, 64, ... plays; at T = 100 the third is cut, and its users send nothing."""
    problem = LinearArms(np.eye(2), [0.0, 0.0])
    for fidelity in ("aggregate", "messages"):
        learner = bdp.make("SDP-PE", problem, horizon=100, epsilon=1.0, delta=1e-3, fidelity=fidelity)
        each = {users: learner.privatizer(users).bits_per_user for users in (8, 16)}
        result = bdp.simulate(learner, problem, 100, runs=3)
        assert (result.bits == 16 * each[8] + 32 * each[16]).all()
        assert (result.counts["numbers"] == 48).all() and (result.counts["phases"] == 3).all()
    learner = bdp.make("CDP-PE", problem, horizon=16, epsilon=1.0, delta=1e-3)  # nobody plays after the first phase
    assert not learner.decides and learner.asked.plays.sum() == 16


@pytest.mark.parametrize("name", ["CDP-PE", "CDP-DPE"])
def test_a_learner_that_knows_no_actions_yet_is_restored(name):
    problem = bdp.problems.SphericalArms(5, 2) if name == "CDP-PE" else bdp.problems.SphericalClients(5, 2, clients=100)
    first, second = (served(name, problem, 2000, epsilon=1.0, delta=0.1) for _ in range(2))
    second.restore(first.save())
    for learner in (first, second):
        learner.show(problem.draw(np.random.default_rng(0)).actions)
    assert (first.asked.arms == second.asked.arms).all() and (first.asked.plays == second.asked.plays).all()
    assert same_state(first.save(), second.save())


def test_live_use_of_a_distribution_waits_for_the_actions():
    learner = bdp.make("PE", SphericalArms(5, 2), horizon=100)
    assert learner.missing == 0  # nobody is asked for yet
    with pytest.raises(ValueError, match="actions must be known before"):
        learner.act()
    with pytest.raises(ValueError, match=r"actions must have shape \(5, 2\)"):
        learner.show(np.eye(2))
    with pytest.raises(ValueError, match="norm at most 1"):
        learner.show(sphere(5, 2) * 1.5)
    learner.show(sphere(5, 2))
    assert learner.act().arm in range(5)
    with pytest.raises(ValueError, match="knows its actions"):
        learner.show(sphere(5, 2))


@pytest.mark.parametrize(
    ("options", "cut"), [({}, None), ({"rewards": "gaussian"}, None), ({"rewards": "gaussian", "bound": 0.7}, 0.7)]
)
def test_rewards_have_the_stated_means_and_sums_their_law(options, cut):
    problem, rng, users = linear_arms(4, 2, **options), np.random.default_rng(5), 30
    for arm in range(4):
        single = problem.rewards(arm, 60_000, rng)[:, 0]
        expected = problem.means[arm] + problem.clipping_bias[arm]
        assert single.mean() == pytest.approx(expected, abs=5.2 * single.std() / math.sqrt(len(single)))
        assert single.std() <= 1.02
        if cut is None:
            assert problem.clipping_bias[arm] == 0
        else:
            assert np.abs(single).max() == cut and problem.clipping_bias[arm] * problem.means[arm] < 0
        sums = problem.reward_sums(np.full(2000, arm), users, rng)
        assert same_law(sums, single.reshape(-1, users).sum(axis=1)) > FALSE_ALARM
    assert problem.gaps.min() == 0 and problem.means[problem.gaps.argmin()] == problem.means.max()
    if not options:
        assert set(problem.rewards(0, 100, rng).ravel()) == {-1.0, 1.0}


def test_a_distribution_draws_on_the_sphere():
    problem = SphericalArms(6, 3, rewards="gaussian", bound=2.0, theta_norm=0.5)
    one, other = (problem.draw(np.random.default_rng(seed)) for seed in (0, 1))
    assert np.linalg.norm(one.actions, axis=1) == pytest.approx(np.ones(6)) and np.linalg.norm(one.theta) == pytest.approx(0.5)
    assert not np.array_equal(one.actions, other.actions) and one.domain == problem.domain == Box(1, -2.0, 2.0)
    assert one.draw(np.random.default_rng(0)) is one
