"""DP-DPE: a plain loop as oracle, exact laws of averages, margins that cover, live use, and the published size."""

import math

import numpy as np
import pytest
from scipy import stats
from scipy.integrate import quad

import bandits_dp as bdp
from bandits_dp.accounting import gaussian_noise_std
from bandits_dp.ask_tell import Asked
from bandits_dp.linear.designs import g_optimal_design
from bandits_dp.linear.fast import _released_averages
from bandits_dp.linear.widths import ExactWidth, Phase
from bandits_dp.privatizers import Box, CentralLaplace, LocalLaplace, Reals, VectorSum
from bandits_dp.problems import ClientPopulation, SphericalClients
from bandits_dp.serve import Served
from tests.same_law import same_law
from tests.small_problems import generators, population, refused

FALSE_ALARM = 1e-6  # of each statistical test here, with fixed seeds
KINDS = {  # every name, with every noise
    "DPE": ("DPE", {}),
    "DPE-FixedU": ("DPE-FixedU", {"clients_per_phase": 40}),
    "CDP-DPE": ("CDP-DPE", {"epsilon": 8.0, "delta": 0.1, "noise": "gaussian"}),
    "CDP-DPE, Laplace": ("CDP-DPE", {"epsilon": 30.0, "noise": "laplace"}),
    "LDP-DPE": ("LDP-DPE", {"epsilon": 30.0, "delta": 0.1, "noise": "gaussian"}),
    "LDP-DPE, Laplace": ("LDP-DPE", {"epsilon": 80.0, "noise": "laplace"}),
    "SDP-DPE": ("SDP-DPE", {"epsilon": 8.0, "delta": 0.1}),
}
LAPLACE = {"CDP-DPE, Laplace": CentralLaplace, "LDP-DPE, Laplace": LocalLaplace}


def make(kind, problem, horizon, **options):
    name, given = KINDS[kind]
    return bdp.make(name, problem, horizon=horizon, **(given | options))


def plain_release(kind, averages, rng, epsilon=None, delta=None, **options):
    """What the server learns of the clients' averages, one row per client: their noisy mean; and the noise's law (std or more)."""
    clients, s = averages.shape
    box = Box(s, -1.0, 1.0)
    if kind.startswith("DPE"):
        return averages.mean(axis=0), 0.0
    if kind == "SDP-DPE" or kind in LAPLACE:
        law = VectorSum(clients, epsilon, delta, box) if kind == "SDP-DPE" else LAPLACE[kind](clients, epsilon, domain=box)
        return law.receive(law.send(averages, rng).sum(axis=0), rng) / clients, law
    std = gaussian_noise_std(epsilon, delta, 2 * math.sqrt(s))  # a client moves by 2 in each of s averages
    if kind == "CDP-DPE":
        return averages.mean(axis=0) + rng.normal(0.0, std, s) / clients, std / clients
    return (averages + rng.normal(0.0, std, averages.shape)).mean(axis=0), std / math.sqrt(clients)


def plain_bits(kind, clients, s):
    return 64 * s if kind != "SDP-DPE" else VectorSum(clients, domain=Box(s, -1.0, 1.0), **KINDS[kind][1]).bits_per_user


def plain_margin(variance, weights, law, clients, log_failure):
    """How far a weighted sum of released means may be off: in closed form for Gaussian noise, by trying many s for other noise."""
    if isinstance(law, float):
        return math.sqrt(2 * (variance + law**2 * (weights @ weights)) * log_failure)
    size = np.abs(weights).max() / clients
    if size < 1e-12:
        return 0.0
    s = np.geomspace(1e-3, 20, 1000) / (law.noise_std * size)
    exponent = variance * s**2 / 2 + sum(law.log_mgf(s * (abs(weight) / clients + 1e-15)) for weight in weights)
    return ((log_failure + exponent) / s).min()


def plain_loop(kind, problem, horizon, seed):
    """DP-DPE as on a blackboard; pseudo-regret after every round, and how many bits were sent."""
    answers, noise = generators(seed)
    actions, k = problem.actions, problem.arms
    best_mean = max(float(problem.theta @ x) for x in actions)
    active, phase, bits, lost, regret = list(range(k)), 0, 0.0, 0.0, []
    log_failure = math.log(k * horizon)
    while True:
        phase += 1
        if len(active) == 1:
            support, pulls = active, [horizon - len(regret)]
        else:
            weights = g_optimal_design(actions[active]).weights
            support = [x for x, weight in zip(active, weights, strict=True) if weight > 0]
            pulls = [math.ceil(2**phase * weight) for weight in weights if weight > 0]
        finishes = sum(pulls) < horizon - len(regret)
        clients = KINDS[kind][1].get("clients_per_phase", math.ceil(2 ** (0.8 * phase)))
        for x, times in zip(support, pulls, strict=True):
            for _ in range(times):
                if len(regret) == horizon:
                    return regret, bits
                lost += best_mean - float(problem.theta @ actions[x])
                regret.append(lost)
        if not finishes:
            return regret, bits
        parameters = problem.theta + problem.client_std * answers.normal(size=(clients, problem.dimension))
        ones = answers.binomial(pulls, (1 + np.clip(parameters @ actions[support].T, -1, 1)) / 2)  # +1 so often, else -1
        sums = 2.0 * ones - pulls
        bits += clients * plain_bits(kind, clients, len(support))
        means, law = plain_release(kind, sums / pulls, noise, **KINDS[kind][1])
        played = actions[support]
        projection = np.linalg.pinv(np.sqrt(pulls)[:, None] * played) * np.sqrt(pulls)  # V^-1 sum_x T(x) x e_x'
        estimate = projection @ means
        best = max(active, key=lambda x: actions[x] @ estimate)
        kept = []
        for x in active:
            difference = actions[best] - actions[x]
            c = difference @ projection
            variance = (c**2 / (np.array(pulls) * clients)).sum() + problem.client_std**2 / clients * (difference @ difference)
            margin = plain_margin(variance, c, law, clients, log_failure)
            if estimate @ difference <= margin + 1e-12:
                kept.append(x)
        active = kept


@pytest.mark.parametrize("kind", KINDS)
def test_the_simulator_plays_the_plain_loop(kind, densities):
    horizon, shrunk = 1500, 0
    for seed in range(4):
        problem = population(seed=seed)
        learner = make(kind, problem, horizon, fidelity="messages")
        result = bdp.simulate(learner, problem, horizon, runs=1, seed=seed)
        regret, bits = plain_loop(kind, problem, horizon, seed)
        assert result.regret[0] == pytest.approx(np.array(regret)[result.rounds - 1], abs=1e-9)
        assert result.bits[0] == bits > 0
        shrunk += regret[-1] - regret[-101] < 0.5 * (regret[100] - regret[0])
    assert shrunk  # bad actions fell, so there was something to compare


def watched(problem, support, pulls, clients, rng):
    parameters = problem.parameters(clients, rng)
    return np.array([problem.rewards(x, parameters, rng, n).mean(axis=0) for x, n in zip(support, pulls, strict=True)]).T


@pytest.mark.parametrize("rewards", ("signs", "gaussian"))
def test_averages_have_the_law_of_single_rewards(rewards):
    problem = population(rewards=rewards, client_std=0.6)
    support, pulls = np.array([1, 4, 5]), np.array([1, 3, 40])
    rng = np.random.default_rng(1)
    slow = watched(problem, support, pulls, 4000, rng)
    fast = problem.averages(support, pulls, 4000, rng)
    assert slow.shape == fast.shape == (4000, 3)
    for combination in np.vstack([np.eye(3), [[0.3, 1, 1], [0.3, 1, -1], [0.2, -0.4, 1]]]):
        assert same_law(slow @ combination, fast @ combination) > FALSE_ALARM
    assert abs(np.corrcoef(slow.T) - np.eye(3)).max() > 0.1  # there is a dependence
    for clients in (1, 7):
        sums = np.array([problem.average_sums(support, pulls, clients, rng) for _ in range(3000)])
        alone = np.array([watched(problem, support, pulls, clients, rng).sum(axis=0) for _ in range(3000)])
        for combination in np.vstack([np.eye(3), [[0.3, 1, 1], [0.3, 1, -1]]]):
            assert same_law(sums @ combination, alone @ combination) > FALSE_ALARM


def test_sums_over_clients_do_not_depend_on_blocks(monkeypatch):
    problem, support, pulls = population(), np.array([0, 3]), np.array([2, 9])
    monkeypatch.setattr("bandits_dp.linear.client_problems.BLOCK", 8)  # blocks of four clients
    sums = np.array([problem.average_sums(support, pulls, 10, np.random.default_rng(i)) for i in range(2000)])
    whole = np.array([problem.averages(support, pulls, 10, np.random.default_rng([1, i])).sum(axis=0) for i in range(2000)])
    assert np.allclose(sums * pulls, np.rint(sums * pulls)) and (abs(sums) <= 10).all()
    for column in range(2):
        assert same_law(sums[:, column], whole[:, column]) > FALSE_ALARM


def test_projection_bias_is_the_integral():
    """Mean of a sign over clients, by quadrature; and what it can cost."""
    problem = ClientPopulation([[1.0, 0.0], [0.6, 0.0], [0.0, -0.9], [0.3, 0.3]], [0.95, 0.1], client_std=0.3)
    for x, bias in zip(problem.actions, problem.projection_bias, strict=True):
        mean, std = float(x @ problem.theta), 0.3 * float(np.linalg.norm(x))
        expected = quad(lambda z, m=mean, s=std: np.clip(m + s * z, -1, 1) * stats.norm.pdf(z), -12, 12, limit=500,
                        points=[(-1 - mean) / std, (1 - mean) / std])[0]
        assert mean + bias == pytest.approx(expected, abs=1e-9)
    rng = np.random.default_rng(0)
    seen = problem.averages(np.array([0]), np.array([4]), 200_000, rng).mean()
    assert abs(seen - 0.95 - problem.projection_bias[0]) < 5 / math.sqrt(200_000)
    assert (population(rewards="gaussian").projection_bias == 0).all() and (population(client_std=0).projection_bias == 0).all()
    assert (population(client_std=1e-200).projection_bias == 0).all()
    worst = ClientPopulation([[1.0], [-1.0]], [1.0], client_std=0.1)
    assert abs(worst.projection_bias) == pytest.approx(0.1 / math.sqrt(2 * math.pi))
    four = ClientPopulation([[1.0], [-1.0]], [0.6], client_std=0.1)
    assert abs(four.projection_bias).max() < 1e-6


@pytest.mark.parametrize("kind", ["DPE", "CDP-DPE", "CDP-DPE, Laplace", "LDP-DPE", "SDP-DPE"])
@pytest.mark.parametrize("rewards", ("signs", "gaussian"))
def test_exact_margins_cover(kind, rewards):
    """One phase, many times: errors exceed the margin at most as often as promised, here at e^-3 per side, and not never."""
    problem = population(k=9, d=3, seed=4, norm=0.3, rewards=rewards)
    options = {"bound": 8.0, "clip": True} if rewards == "gaussian" and kind != "DPE" else {}  # 8: nobody is clipped
    learner = make(kind, problem, 10**6, **options)
    support = np.array([0, 2, 3, 5])
    pulls, clients = np.array([3, 2, 5, 4]), 12
    privatizers = (learner.privatizer(clients, 4),)
    phase = Phase(8.0, pulls, clients, privatizers)
    played = problem.actions[support]
    projection = np.linalg.pinv(np.sqrt(pulls)[:, None] * played) * np.sqrt(pulls)
    differences = problem.actions[1] - problem.actions[[0, 4, 7]]
    coefficients = differences @ projection
    width = ExactWidth(problem.arms, 10**6, problem.reward_std, problem.client_std)
    width.log_failure = 3.0
    margins = width.margins(phase, differences, coefficients)
    rng, runs = np.random.default_rng(6), 6000
    learner.asked, learner.privatizers = Asked(support, pulls, clients), privatizers
    means = np.array([_released_averages(learner, problem, rng, rng) for _ in range(runs)]) / clients
    errors = means @ coefficients.T - differences @ problem.theta
    for side in (errors, -errors):
        for failures in (side > margins).sum(axis=0):
            assert stats.binomtest(int(failures), runs, math.exp(-3.0), "greater").pvalue > FALSE_ALARM
            assert failures > runs * 5e-4  # Chernoff loses a factor, not everything


@pytest.mark.parametrize("kind", KINDS)
def test_clients_answer_when_they_like(kind, densities):
    """One by one in any order: the same releases where noise is drawn at the end, or in the same order."""
    problem = population()
    one, many = (Served(make(kind, problem, 500)) for _ in range(2))
    rng = np.random.default_rng(0)
    for phase in range(1, 5):
        averages = problem.averages(many.asked.arms, many.asked.plays, many.missing, rng)
        ticket, wrong = many.act(), averages.copy()
        wrong[-1] += 3  # out of range, of the last client only
        if many.guarantee.proved:
            refused("averages must be", many.update, ticket, wrong)
        noise = np.random.default_rng(phase)
        many.update(ticket, averages, np.random.default_rng(phase))
        tickets = [one.act(users=1, user=f"client {phase}, {number}") for number in range(one.missing)]
        for ticket, row in zip(tickets, averages, strict=True):
            assert one.learner.phase == phase
            one.update(ticket, row[None], noise)
        assert one.learner.phase == many.learner.phase == phase + 1 and one.played == many.played
        if kind != "SDP-DPE":  # where each client draws bits, all for one or one after the other
            assert one.learner.estimate == pytest.approx(many.learner.estimate)
        else:
            one.restore(many.save())


def test_a_population_runs_out():
    """Never more clients than there are; then the best estimate is played, and nobody sends anything any more."""
    problem = population(clients=25, norm=0.9)
    learner = make("DPE", problem, 3000)
    rng, asked = np.random.default_rng(2), []
    while learner.missing:
        asked.append(learner.missing)
        support, ticket = learner.asked.arms, learner.act()
        learner.update(ticket, problem.averages(ticket.arm, ticket.plays, ticket.users, rng), rng)
    bits, active = learner.bits, learner.learner.active
    assert asked == [2, 4, 6, 10, 3] and sum(asked) == 25  # ceil(2^(0.8 l)), the last as far as it goes
    assert len(support) > 1 and learner.played < 3000
    best, ticket = active[(problem.actions[active] @ learner.learner.estimate).argmax()], learner.act()
    assert (ticket.arm, ticket.plays, ticket.users) == ([best], [3000 - learner.played], 0)
    refused(r"averages must be empty in a phase that asks no clients, got shape \(1, 1\)", learner.update, ticket, [[0.5]])
    learner.update(ticket, [])
    assert learner.played == 3000 and learner.bits == bits
    numbers = bdp.simulate(make("SDP-DPE", problem, 3000), problem, 3000, runs=4).counts["numbers"]
    assert (numbers <= 25 * 12).all() and (numbers > 0).all()


def test_the_number_of_clients_in_every_phase_is_found_for_the_actions_that_are_played():
    """What is public is used: actions far apart are told apart in early phases, and then few clients were asked."""
    theta, found = np.array([0.5, 0.0]), []
    for actions in (np.array([[1, 0], [-1, 0], [0, 1]]), np.array([[1, 0], [0.995, 0.0998], [0.98, 0.198]])):
        found.append(bdp.make("DPE-FixedU", ClientPopulation(actions, theta, client_std=0.2), horizon=1000).missing)
    assert found[0] < found[1]


def test_too_many_averages_for_memory_are_refused_by_name(monkeypatch):
    """Where averages are clipped one by one, the sum's law is not known, and every client is drawn."""
    problem, learner = population(rewards="gaussian"), make("CDP-DPE", population(rewards="gaussian"), 500, clip=True)
    assert bdp.simulate(learner, problem, 500, runs=1).regret[0, -1] > 0
    monkeypatch.setattr("bandits_dp.linear.fast.MOST_VALUES", 10)
    with pytest.raises(ValueError, match=r"clients must be few enough for memory .* with \d+ averages each: more than 10 in all"):
        bdp.simulate(learner, problem, 500, runs=1)


def test_unbounded_rewards_are_private_only_if_clipped():
    problem = population(rewards="gaussian")
    for kind in ("CDP-DPE", "LDP-DPE", "SDP-DPE"):
        learner = make(kind, problem, 500, clip=True, bound=2.0)
        assert "each in [-2, 2], after clipping to it (neighbours: replace one client's data)" in str(learner.guarantee)
        learner.update(learner.act(users=1), np.full((1, len(learner.asked.arms)), 9.0))  # clipped before it is sent
        refused("problem must have rewards in", make(kind, population(), 500).check_problem, problem)
    assert make("DPE", problem, 500).sample.domain == Reals(1)
    refused(r"got rewards in \[-1, 1\]", make, "CDP-DPE", population(), 500, bound=0.5)


@pytest.mark.parametrize("kind", ("DPE", "CDP-DPE", "LDP-DPE", "SDP-DPE"))
def test_theorem_widths_are_the_printed_ones(kind):
    """2 W_l of equation 3 with sigma_n of Theorems 5.3 to 5.5, written out."""
    k, d, horizon, clients, s, epsilon, delta, h, sigma = 50, 20, 10_000, 300, 26, 2.0, 0.1, 16.0, 0.1
    problem = population(k=k, d=d, client_std=sigma)
    strict = {} if kind in ("DPE", "SDP-DPE") else {"strict": False}
    options = {} if kind == "DPE" else {"epsilon": epsilon, "delta": delta}
    learner = bdp.make(kind, problem, horizon=horizon, calibration="theorem", **options, **strict)
    support_size = 4 * d * math.log(math.log(d)) + 16
    classical = 2 * math.sqrt(2 * s * math.log(1.25 / delta)) / epsilon
    inner = epsilon / (18 * math.sqrt(math.log(2 / delta)))
    sigma_n = {
        "DPE": 0.0,
        "CDP-DPE": 2 * classical / clients * math.sqrt(support_size * d),
        "LDP-DPE": 2 * classical * math.sqrt(support_size * d / clients),
        "SDP-DPE": 2 * math.sqrt(360 * s * math.log(4 * s / delta)) / (clients * inner) * math.sqrt(support_size * d),
    }[kind]
    log = math.log(k * horizon)
    terms = (4 * d / (clients * h), 2 * sigma**2 / clients, 2 * sigma_n**2)
    width = sum(math.sqrt(term * log) for term in terms)
    phase = Phase(h, np.ones(s, dtype=int), clients, (learner.privatizer(clients, s),))
    margins = learner.learner.width.margins(phase, problem.actions[:5], np.zeros((5, s)))
    assert margins == pytest.approx([2 * width] * 5)


def test_a_learner_for_a_distribution_is_shown_the_actions():
    problem = SphericalClients(arms=12, dimension=3)
    learner = make("CDP-DPE", problem, 500)
    refused("call show", learner.act)
    instance = problem.draw(np.random.default_rng(0))
    assert instance.theta @ instance.theta == pytest.approx(1) and (instance.actions**2).sum(axis=1) == pytest.approx(np.ones(12))
    learner.show(instance.actions)
    fresh = make("CDP-DPE", instance, 500)
    assert learner.missing == fresh.missing == 2 and (learner.act().arm == fresh.act().arm).all()


def test_growing_numbers_of_clients_beat_a_constant_one():
    """Li, Zhou, Ji 2022, section 7: at equal communication, measured and not planned, DPE-FixedU loses several times as much."""
    problem = SphericalClients(arms=200, dimension=10, client_std=0.1, clients=100_000, rewards="gaussian")
    growing, constant = (bdp.simulate(bdp.make(name, problem, horizon=10**6), problem, 10**6, runs=80, progress=False)
                         for name in ("DPE", "DPE-FixedU"))
    sent = constant.counts["numbers"].mean() / growing.counts["numbers"].mean()
    assert 0.6 < sent < 1.6  # the communication of DPE varies by 190% between instances: a standard error of 21%
    assert constant.mean[-1] > 4 * growing.mean[-1]
