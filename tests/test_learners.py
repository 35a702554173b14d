"""Learners of arms: plain loops as oracles, one law for both fidelities, widths that cover, and rewards that are refused."""

import math
from dataclasses import dataclass

import numpy as np
import pytest

import bandits_dp as bdp
from bandits_dp.arms.batches import PublishedDoubling, PublishedEpochs, most_decisions
from bandits_dp.arms.fast import play_phases
from bandits_dp.arms.widths import ChernoffWidth, PaperWidth
from bandits_dp.ask_tell import Asked
from bandits_dp.learners import ArmElimination
from bandits_dp.play.record import Record
from bandits_dp.privatizers import BinarySum, CentralGaussian, CentralLaplace, Identity
from bandits_dp.problems import BernoulliArms, LinearArms
from tests.small_problems import elimination

FALSE_ALARM = 1e-6  # of each statistical test here, with fixed seeds
PROBLEM = BernoulliArms([0.2, 0.9, 0.5, 0.6])
def plain_ucb1(means, horizon, seed):
    """UCB1 as one would write it on a blackboard; pseudo-regret after every round."""
    rng = np.random.default_rng(np.random.SeedSequence(seed).spawn(1)[0])
    pulls, wins, regret, lost = [0] * len(means), [0.0] * len(means), [], 0.0
    uniforms = rng.random(horizon)
    for t in range(horizon):
        index = [w / n + math.sqrt(2 * math.log(t + 1) / n) if n else math.inf for w, n in zip(wins, pulls, strict=True)]
        arm = index.index(max(index))
        pulls[arm] += 1
        wins[arm] += uniforms[t] < means[arm]
        lost += max(means) - means[arm]
        regret.append(lost)
    return regret


def test_ucb1_matches_the_plain_loop():
    """The simulator's first run is the plain loop on the same random numbers, round by round, across tape ends."""
    result = bdp.simulate(bdp.make("UCB1", PROBLEM, horizon=9000), PROBLEM, 9000, runs=1, seed=3)
    assert result.regret[0] == pytest.approx(np.array(plain_ucb1([0.2, 0.9, 0.5, 0.6], 9000, 3))[result.rounds - 1])


def plain_elimination(live, problem, rng):
    """Arm elimination phase by phase, looking after every phase; returns the round after which each arm was dropped."""
    viable, sums, pulls, t, played = list(range(problem.arms)), [0.0] * problem.arms, 0, 0, 0
    width = live.learner.width
    dropped = dict.fromkeys(range(problem.arms), live.horizon)
    while len(viable) > 1:
        t += 1
        m = live.learner.schedule.size(t, len(viable))
        if played + m * len(viable) > live.horizon:
            break
        privatizer = live.privatizer(m)
        for arm in viable:
            sums[arm] += privatizer.release(problem.rewards(arm, m, rng), rng)[0]
        pulls += m
        played += m * len(viable)
        width = width.after(privatizer)
        half = width.half_width()
        best = max(sums[a] / pulls - half for a in viable)
        for arm in [a for a in viable if sums[a] / pulls + half < best]:
            viable.remove(arm)
            dropped[arm] = played
    return [dropped[a] for a in range(problem.arms)]


class Tape:
    """A problem whose rewards are written down beforehand, so that two programs meet the same answers."""

    def __init__(self, rewards):
        self.tape = rewards
        self.arms = rewards.shape[1]
        self.gaps = np.zeros(self.arms)
        self.next = np.zeros(self.arms, dtype=int)

    def rewards(self, arm, users, rng):
        start = self.next[arm]
        self.next[arm] += users
        return self.tape[start : start + users, [arm]]

    def reward_tally(self, arms, users, rng):
        ones = np.array([self.rewards(arm, users, rng).sum() for arm in arms])
        return np.array([0.0, 1.0]), np.stack([users - ones, ones], axis=-1)


@pytest.mark.parametrize("batch_size", (1, 7, "doubling"))
def test_elimination_matches_the_plain_loop(batch_size):
    """Without noise, on the same answers: the package's phases, skipped looks included, drop each arm at the same round."""
    for seed in range(1 if batch_size == 1 else 2):
        tape = (np.random.default_rng(seed).random((40_000, 4)) < [0.35, 0.5, 0.45, 0.2]).astype(float)
        learner, other = (bdp.make("AE", PROBLEM, horizon=40_000, batch_size=batch_size) for _ in range(2))
        expected = plain_elimination(other, Tape(tape), np.random.default_rng(0))
        problem, seen = Tape(tape), {}
        track = Record(1, np.array([40_000]))
        left = set(range(4))
        for played, now, _ in play_phases(learner, problem, np.random.default_rng(0), track):
            for arm in left - set(now.viable.tolist()):
                seen[arm] = played
            left = set(now.viable.tolist())
        assert [seen.get(a, 40_000) for a in range(4)] == expected
        assert min(expected) < 40_000  # somebody was dropped, so there was something to compare


def test_chernoff_width_is_the_gaussian_formula_for_gaussian_noise():
    mechanism = CentralGaussian(50, 1.0, 1e-6)
    width = ChernoffWidth(horizon=10**6, decisions=20).after(mechanism, phases=3)
    variance = 3 * mechanism.noise_std**2 + 150 / 4
    assert width.log_failure == pytest.approx(math.log(2 * 20 * 10**6))
    assert width.half_width() == pytest.approx(math.sqrt(2 * width.log_failure * variance) / 150, rel=2e-3)
    assert width.half_width() >= math.sqrt(2 * width.log_failure * variance) / 150


def test_paper_width_is_line_14():
    mechanism = BinarySum(100, 1.0, 1e-6, "theorem")
    width = PaperWidth(horizon=10**6)
    assert width.half_width() == math.inf
    width = width.after(mechanism, phases=4)
    expected = (2 * math.sqrt(4) * mechanism.noise_std / 400 + 1 / 20) * math.sqrt(2 * math.log(10**6))
    assert width.half_width() == pytest.approx(expected)
    assert width.forget(2, 3).half_width() == ChernoffWidth(10**6, 2).after(mechanism).forget(2, 3).half_width() == math.inf
    assert width.forget(2, 3).after(mechanism, phases=4).half_width() == width.half_width()


def test_published_widths_are_the_printed_ones():
    """Of the third phase, which begins with four arms; 1/beta is the horizon."""
    noise = CentralLaplace(500, 0.5)
    log = math.log(2 * 4 * 9 * 1000)
    more = log + math.log(4), log + math.log(2)
    for kind, expected, size in (
        (PublishedEpochs, math.sqrt(more[0] / 1000) + more[1] / 250, math.ceil(32 * more[0] * 64 + 1)),
        (PublishedDoubling, math.sqrt(more[1] / 1000) + (math.sqrt(2 * log) + log) / 250, 8)):
        width = kind(horizon=1000, epsilon=0.5)
        assert width.half_width() == math.inf and width.size(3, 4) == size
        assert width.forget(3, 4).after(noise).half_width() == pytest.approx(expected, rel=1e-12)


def test_regret_is_exact_between_batches():
    """Every checkpoint, against a list of single pulls: arms that are pulled alike, and each so often as it is asked."""
    gaps, rounds = np.array([0.3, 0.0, 0.1]), np.arange(1, 101)
    record, pulls = Record(1, rounds), []
    for arms, plays, length in (([0, 1, 2], 2, 12), ([0, 2], 3, 17), ([1], 5, 11), ([2, 1], 4, 20),
                                ([0, 1, 2], [2, 5, 1], 8), ([2], [11], 11), ([1, 0], [7, 30], 21)):
        record.add_plays(gaps[arms], np.broadcast_to(plays, len(arms)), length)
        cycle = np.repeat(arms, plays).tolist()
        pulls += [cycle[i % len(cycle)] for i in range(length)]
    assert record.regret[0] == pytest.approx(np.cumsum(gaps[pulls]))


@pytest.mark.parametrize("name", ("AE", "LDP-AE", "VB-SDP-AE", "UCB1", "CDP-PE"))
def test_bits_are_those_of_the_rounds_that_were_played(name):
    """Fewer than the learner was made for; arms without gaps, so that both paths play the same phases."""
    problem = BernoulliArms([0.5, 0.5]) if name != "CDP-PE" else LinearArms(np.eye(3), [0.0, 0.0, 0.0])
    learner = bdp.make(name, problem, horizon=5000, epsilon=1.0, delta=0.1)
    for rounds in (100, 137, 799):
        learner.fidelity = "aggregate"
        fast = bdp.simulate(learner, problem, rounds, runs=2).bits
        learner.fidelity = "messages"
        assert (fast == bdp.simulate(learner, problem, rounds, runs=2).bits).all() and fast.max() <= rounds * 64


def test_a_learner_of_ones_own_is_not_played_by_the_fast_path():
    class Backwards(ArmElimination):
        def ask(self):
            asked = super().ask()
            return Asked(asked.arms[::-1], asked.plays[::-1])

    problem = BernoulliArms([0.9, 0.4])
    live = elimination(2, 100, Identity, 50, ChernoffWidth(100, 2))
    live.learner = Backwards(2, live.learner.schedule, live.learner.width)
    live.begin()
    result = bdp.simulate(live, problem, 100, runs=1)
    assert result.regret[0] == pytest.approx(0.5 * np.minimum(result.rounds, 50))


@dataclass(frozen=True)
class Halving:
    """Half as many users in every phase, and the more the more arms are left."""

    first: int
    fresh = False
    steady = False

    def size(self, phase, arms):
        return max(1, self.first >> (phase - 1)) * (arms - 1)


def test_a_schedule_that_shrinks_has_its_decisions_counted():
    """Of 1,000 rounds the first 252 make 6 phases of two arms, and the others 374 more; the union bound counts 7."""
    schedule, horizon = Halving(64), 1000
    played, phases = 0, 0
    while played + 2 * schedule.size(phases + 1, 2) <= horizon:
        phases += 1
        played += 2 * schedule.size(phases, 2)
    assert most_decisions(horizon, schedule) >= phases


@pytest.mark.parametrize(("name", "options"), (("LDP-AE", {"noise": "laplace"}), ("Dist-DP-AE", {})))
def test_noise_beyond_all_widths_eliminates_nobody(name, options):
    """Equal batches under enormous noise: widths are infinite, and the simulator need not count how many phases are quiet."""
    problem = BernoulliArms([0.9, 0.1])
    learner = bdp.make(name, problem, horizon=1000, epsilon=1e-6, batch_size=5, **options)
    assert bdp.simulate(learner, problem, 1000, runs=2).regret[:, -1] == pytest.approx(400.0)
