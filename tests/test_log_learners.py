"""Learners on logs: replay against enumeration and plain loops, and warm starts that keep what was promised to whom."""

import copy
import itertools
import math
from functools import partial
from unittest.mock import Mock

import numpy as np
import pytest
from scipy.stats import chi2

import bandits_dp as bdp
from bandits_book.logs import Log, record, replay, warm_start, warming
from bandits_book.logs.warming import ours_learns
from bandits_dp.arms.batches import EqualBatches
from bandits_dp.arms.widths import ChernoffWidth
from bandits_dp.contextual.radius import FixedWidth
from bandits_dp.learners import ArmElimination, LinUCB
from bandits_dp.privatizers import LinearStatistics
from bandits_dp.problems import BernoulliArms, ContextualLinear, LinearArms
from bandits_dp.serve import Restarts, Served, ServedCounter
from tests.small_problems import PROBLEMS, SYSTEMS, refused
from tests.test_combine import BATCH, Greedy

MEANS = np.array([0.9, 0.3, 0.6])
ARMS = BernoulliArms(MEANS)
CONTEXTS = ContextualLinear(3, 2, fixed=False)
SURE = 1e-7  # probability of a false alarm of each statistical test


# Replay.
def lived(player, means, rounds):
    """Return the probability of every sequence of arms and rewards that a learner without noise lives through."""
    if not rounds:
        return {(): 1.0}
    law = {}
    for reward in (0, 1):
        other = copy.deepcopy(player)
        ticket = other.act()
        other.update(ticket, reward)
        chance = means[ticket.arm] if reward else 1 - means[ticket.arm]
        law |= {(ticket.arm, reward, *later): chance * p for later, p in lived(other, means, rounds - 1).items()}
    return law


@pytest.mark.parametrize(("logging", "least", "rows", "rounds"), [([0.5, 0.5], None, 4, 3), ([2 / 3, 1 / 3], 1 / 3, 3, 2)],
                         ids=["uniform", "rejection"])
def test_replay_has_the_law_of_live_play(logging, least, rows, rounds):
    """Over every possible log and coin: given that enough rows were used, arms and rewards are distributed as in live play."""
    means, law, mass = [0.8, 0.3], {}, 0.0
    learner = bdp.make("UCB1", BernoulliArms(means), horizon=rounds)
    outcomes = itertools.product((0, 1), (0, 1), (0.25, 0.75) if least else (0.5,))  # arm, reward, coin
    for history in itertools.product(list(outcomes), repeat=rows):
        actions, rewards, coins = zip(*history, strict=True)
        p = math.prod(logging[a] * (means[a] if r else 1 - means[a]) for a, r, _ in history)  # coins are fair, all alike
        log = Log(actions, rewards, [logging[a] for a in actions], arms=2)
        try:
            found = replay(learner, log, least_propensity=least, rng=Mock(np.random.Generator, random=Mock(side_effect=coins)))
        except ValueError:
            continue
        if found.used == rounds:
            key = tuple(int(n) for pair in zip(log.actions[found.which], found.rewards, strict=True) for n in pair)
            law[key], mass = law.get(key, 0.0) + p, mass + p
    assert {key: p / mass for key, p in law.items()} == pytest.approx(lived(learner, means, rounds), abs=1e-12)


def test_replay_of_linucb_matches_a_plain_loop():
    rng = np.random.default_rng(1)
    problem = ContextualLinear(5, 3, fixed=False).draw(rng)
    log = record("uniform", problem, 600, rng)
    learner = bdp.make("LinUCB", problem, horizon=80)
    found = replay(learner, log)
    gram, vector, which = np.eye(3), np.zeros(3), []
    for row, shown in enumerate(log.features):
        theta, inverse, beta = np.linalg.solve(gram, vector), np.linalg.inv(gram), learner.learner.radius.beta(len(which), 1.0, 1.0)
        index = [x @ theta + beta * math.sqrt(x @ inverse @ x) for x in shown]
        best = max(range(5), key=lambda a: (index[a] > max(index) - 1e-9, -a))
        if best == log.actions[row] and len(which) < 80:
            which.append(row)
            gram, vector = gram + np.outer(shown[best], shown[best]), vector + log.rewards[row] * shown[best]
    assert found.which.tolist() == which and found.used == 80 and found.rows == which[-1] + 1
    assert found.value == log.rewards[which].mean() and learner.played == 0 and found.learner.played == 80
    assert not found.learner.open  # nobody was shown what the log did not show
    half = math.sqrt(math.log(40) / 160)
    assert found.low == max(0.0, found.value - half) and found.high == min(1.0, found.value + half)
    assert "80 of" in str(found)


def linucb(d, *columns, **more):
    return replay(bdp.make("LinUCB", ContextualLinear(d, d), horizon=9), Log(*columns, 1 / d, **more))


@pytest.mark.parametrize(("call", "text"), [
    (lambda log, one: replay(one, Log([0], [1], arms=3)), "propensities must be known"),
    (lambda log, one: replay(one, Log(log.actions, log.rewards, 0.5, arms=3)), "least_propensity must be given unless"),
    (lambda log, one: replay(one, log, least_propensity=0.4), "least_propensity must be at most 1/3"),
    (lambda log, one: replay(one, Log([0, 1], [1, 1], [0.3, 0.1], arms=3), least_propensity=0.2),
     "least_propensity must be a lower bound on all propensities, got 0.2, and 0.1 in row 1"),
    (lambda log, one: replay(one, log[log.actions == 2]), "log must agree with the learner in one row at least, got none of"),
    (lambda log, one: replay(one, Log(log.actions, log.rewards, 0.25, arms=4)), "log must have 3 arms in every row"),
    (lambda log, one: replay(one, Log(log.actions, log.rewards, 1 / 3, features=np.eye(3))), "features must be left out"),
    (lambda log, one: replay(one, Log(log.actions, log.rewards * 0.5, 1 / 3, arms=3)), "row .* of the log: rewards must be 0 or 1"),
    (lambda log, one: linucb(2, log.actions, log.rewards, arms=3), "features must be in the log for LinUCB"),
    (lambda log, one: linucb(2, [0], [1], features=np.eye(3)[:2]), r"row 0 of the log: .* must have shape \(any, 2\)"),
    (lambda log, one: linucb(3, [0], [2], features=np.eye(3), reward_range=(0, 5)), r"row 0 .*: rewards must be in \[0, 1\]"),
    (lambda log, one: linucb(2, [0, 0], [1, 1], features=[np.eye(2), 3 * np.eye(2)]), "row 1 .*: features must have norm at most"),
])
def test_replay_says_what_is_wrong(call, text):
    log = record("uniform", ARMS, 100, np.random.default_rng(3))
    refused(text, call, log, bdp.make("SDP-AE", ARMS, horizon=100, epsilon=1.0, delta=0.1, batch_size=10))


def test_a_replayed_learner_says_whom_it_took_rows_for():
    """One user's answers in all rows would break the promise of a user's one reward, so the guarantee says what was assumed."""
    log = Log([0, 1] * 200, [1, 0] * 200, propensities=0.5, arms=2, users=["Noor"] * 400)
    problem = BernoulliArms([0.9, 0.2])
    learner, free = bdp.make("DP-UCB", problem, horizon=500, epsilon=1.0), bdp.make("UCB1", problem, horizon=300)
    found = replay(learner, log, rng=np.random.default_rng(0))
    words = f"{found.used} of its rounds replay a log, whose rows are taken for those of different users"
    assert words in str(found.learner.guarantee) and "log" not in str(learner.guarantee)
    assert replay(free, log, rng=np.random.default_rng(0)).learner.guarantee == free.guarantee
    refused("row 1 of the log: user must be asked once at most", warm_start, learner, log)


# Warm start.
def logged(name, rows, **more):
    """Return a learner of a system, with its problem's instance, and a uniform log of it."""
    rng = np.random.default_rng(4)
    world = PROBLEMS[SYSTEMS[name].setting][0].draw(rng)
    log = record("uniform", world, rows, rng)
    if SYSTEMS[name].setting == "linear":
        log = Log(log.actions, log.rewards, log.propensities, features=world.actions, reward_range=(-1, 1), users=log.users)
    return bdp.make(name, world, **{"horizon": 3000, "epsilon": 2.0, "delta": 0.1} | more), world, log


def with_users(log, users=None):
    return Log(log.actions, log.rewards, features=log.features, users=users)


@pytest.mark.parametrize("name", SYSTEMS)
def test_every_system_starts_from_a_log_or_says_why_not(name):
    """It goes on with live users, remembers who was there, and can be saved."""
    if SYSTEMS[name].setting == "clients":
        learner = bdp.make(name, PROBLEMS["clients"][0], horizon=600, epsilon=1.0, delta=0.1)
        for call in (warm_start, replay):
            with pytest.raises(ValueError, match=r"learner must show one arm to one user.* whose clients watch"):
                call(learner, record("uniform", ARMS, 10, np.random.default_rng(1)))
        return
    learner, world, log = logged(name, 400)
    fresh = copy.deepcopy(learner)
    judged = replay(learner, log, rng=np.random.default_rng(5))
    assert judged.used == judged.learner.played > 0 and judged.value == judged.rewards.mean()
    warm = warm_start(learner, log, rng=np.random.default_rng(5))
    assert learner.played == 0 and 0 <= warm.played <= 400 and warm.horizon == learner.horizon
    assert warm.played % getattr(warm, "batch_size", 1) == 0 and not warm.open
    for part in ("epsilon", "delta", "model", "unit", "neighbours", "calibration", "joint"):
        assert getattr(warm.guarantee, part) == getattr(fresh.guarantee, part)
    assert "log" in warm.guarantee.reason and warm.guarantee.reason.startswith(fresh.guarantee.reason)
    hidden = learner.guarantee.model != "none"
    assert len(warm.visits) == (warm.played if hidden else 0)
    shown = [world.contexts(world.numbers(np.random.default_rng(6), 1))[0]] if SYSTEMS[name].setting == "contextual" else []
    known = next((user for user in log.users if user in warm.visits), None) if warm.appearances == 1 else None
    if known is not None:
        refused("user must be asked once at most", warm.act, *shown, user=known)
    served, again = Served(warm), Served(fresh)
    served.update(served.act(*shown, user="somebody new"), 1.0, np.random.default_rng(7))
    again.restore(served.save())
    assert again.played == served.played
    if known is not None:  # by a hash now
        refused("user must be asked once at most", again.act, *shown, user=known)


def sums_of(phi, y):
    row, column = np.triu_indices(phi.shape[1])
    return np.concatenate([phi.T @ y, (phi[:, row] * phi[:, column]).sum(axis=0)])


def tell_live(learner, phi, y, rng=None):
    """Let a learner play rounds in which there is one choice."""
    for x, reward in zip(phi, y, strict=True):
        learner.update(learner.act([x, x]), reward, rng)
    return learner


@pytest.mark.parametrize("batch_size", [1, 30])
def test_linucb_learns_from_actions_that_others_chose(batch_size):
    """The estimate is ridge regression on all logged rows of whole batches, and the rest waits."""
    learner, _, log = logged("LinUCB", 400, batch_size=batch_size)
    warm = warm_start(learner, log)
    whole = 400 // batch_size * batch_size
    x, y = np.vstack([log.chosen[:whole], np.eye(3)]), np.append(log.rewards[:whole], np.zeros(3))
    assert warm.learner.theta == pytest.approx(np.linalg.lstsq(x, y)[0], abs=1e-10)
    assert warm.played == 400 and warm.slots[0].filled == 400 - whole and warm.learner.batch == 400 // batch_size
    one_by_one = tell_live(copy.deepcopy(learner), log.chosen, log.rewards)
    assert one_by_one.learner.sums == pytest.approx(warm.learner.sums, abs=1e-9)
    uneven = Log(log.actions, log.rewards, features=[log.shown(row)[: 6 if row % 2 else max(2, log.actions[row] + 1)] for row in
                                                     range(400)])
    assert (warm_start(learner, uneven).learner.sums == warm.learner.sums).all() and len(set(uneven.sizes)) > 2


@pytest.mark.parametrize("name", [
    "LinUCB-SDP-Vec", "LinUCB-JDP", "LinUCB-Batched-JDP", "LinUCB-RewardTree", "SDP-AE", "VB-SDP-AE", "DP-UCB",
])
def test_every_row_passes_the_privatizer_once(name, monkeypatch):
    """Whatever is sent or counted are the log's rows, each once, in batches of the size that the noise is for."""
    learner, _, log = logged(name, 200)
    sent, told, kind, tell = [], [], type(learner.slots[0].source), type(learner)._told
    send = kind.send
    monkeypatch.setattr(kind, "send", lambda self, values, rng: sent.extend(values) or send(self, values, rng))
    monkeypatch.setattr(type(learner), "_told", lambda self, *more: told.append(len(sent)) or tell(self, *more))
    warm = warm_start(learner, log)
    assert len(sent) == warm.played > 0 and told
    if SYSTEMS[name].setting == "contextual" and "Reward" not in name:
        expected = np.hstack([log.chosen * log.rewards[:, None], [sums_of(x[None], np.zeros(1))[3:] for x in log.chosen]])
        assert np.array(sent) == pytest.approx(expected[: len(sent)], abs=1e-12)
        assert all(count % warm.batch_size == 0 for count in told) and told[-1] == len(sent)


@pytest.mark.parametrize("name", ["UCB1", "DP-UCB", "LinUCB", "LinUCB-JDP", "LinUCB-LDP", "LinUCB-Batched-LDP", "LinUCB-Tree",
                                  "LinUCB-RewardTree"])
def test_a_log_that_is_taken_at_once_teaches_what_its_rows_teach_one_by_one(name, monkeypatch):
    """The same sums with so little noise that it cannot be seen, as many batches and bits, and a counter goes on from there."""
    monkeypatch.setattr(warming, "MANY", 0)
    options = {"returning_users": 2} if name == "LinUCB-Batched-LDP" else {}  # each of whose users is there twice
    learner, _, log = logged(name, 300, epsilon=1e6, **options)
    users = np.arange(300) % (300 // (1 + len(options)))
    log = Log(log.actions, log.rewards, features=log.features, arms=None if log.features is not None else 3, users=users)
    warm, plain = warm_start(learner, log, rng=np.random.default_rng(1)), copy.deepcopy(learner)
    noise = np.random.default_rng(2)
    for row in range(warm.played):
        if log.features is None:
            plain.update(plain.offer(int(log.actions[row]), user=int(users[row])), log.rewards[row], noise)
        else:
            phi = log.chosen[row]
            plain.update(plain.act([phi, phi], user=int(users[row])), log.rewards[row], noise)
    for kind in ("sums", "pulls", "batch", "theta"):
        if hasattr(plain.learner, kind) and (name, kind) != ("LinUCB-RewardTree", "sums"):  # its directions differ
            assert getattr(warm.learner, kind) == pytest.approx(getattr(plain.learner, kind), abs=0.5)
    assert warm.played == plain.played > 280
    assert warm.bits == plain.bits * (name != "LinUCB")  # nobody sends where nothing is hidden
    if SYSTEMS[name].model != "none":
        assert {warm.visits[user] for user in range(int(users[warm.played - 1]))} == {1 + len(options)}


@pytest.mark.parametrize("kind", ["NaiveCounter", "PerStepCounter", "TwoLevelCounter", "TreeCounter", "HybridCounter"])
def test_a_leap_has_the_noise_of_all_its_rounds(kind, monkeypatch):
    """Where the noise that is drawn in round t is 2^t, later sums show whose noises they hold: the same ones as round by round."""
    counters = getattr(bdp.continual, kind)(40, 1.0, 0.1), getattr(bdp.continual, kind)(40, 1.0, 0.1)
    monkeypatch.setattr(type(counters[0]), "_scale", lambda self, t: 2.0**t)
    monkeypatch.setattr(type(counters[0]), "_draw_steps", lambda self, rng, factor: np.array([int(factor)], dtype=object))
    rng = np.random.default_rng(0)
    for before, rounds in ((0, 7), (3, 1), (5, 20), (8, 31), (0, 32)):
        one, other = map(copy.deepcopy, counters)
        for _ in range(before):
            assert one.add(1.0, rng) == other.add(1.0, rng)
        for _ in range(rounds):
            released = one.add(1.0, rng)
        assert other.leap(np.ones((rounds, 1)), rounds, rng) == released and other.steps == one.steps
        while one.steps < 40:
            assert one.add(0.0, rng) == other.add(0.0, rng)


def test_a_factorizations_leap_is_one_round_with_no_more_noise():
    """Widths allow for the noise of as many rounds, so its variance must not shrink with rounds."""
    counter = bdp.continual.FactorizationCounter(1000, 1.0, 0.1)
    assert (np.diff(counter.error_std(np.arange(1, 1001))) > 0).all()
    errors = []
    for seed in range(200):
        one, rng = copy.deepcopy(counter), np.random.default_rng(seed)
        errors.append(float(one.leap(np.ones((900, 1)), 900, rng)[0]) - 900)
    assert one.steps == 1 and len(ServedCounter(one).save()["values"]) == 1
    assert chi2.ppf(SURE / 2, 200) < np.square(errors).sum() / counter.error_std(1) ** 2 < chi2.isf(SURE / 2, 200)


class First(bdp.privatizers.Privatizer):
    """Releases what came first, and promises nothing."""

    noise_std, bits_per_user = 0.0, 1.0
    guarantee = bdp.Guarantee(np.inf, 1.0, "shuffle", "nobody's data", "none", "certified", "nothing is hidden")

    def randomize(self, values, rng):
        return np.asarray(values)

    def analyze(self, messages, rng):
        return messages[0]


def test_whoever_sees_a_batch_of_the_log_does_not_see_its_order():
    """As with live users: the first of twenty messages is hardly ever that of the first row, ten times."""
    log = record("uniform", CONTEXTS, 200, np.random.default_rng(1))
    learner = bdp.combine(LinUCB(2, FixedWidth(0.3, 1.0)), First(20, LinearStatistics(2)), CONTEXTS, horizon=300)
    warm = warm_start(learner, with_users(log, range(200)), rng=np.random.default_rng(1))
    assert warm.learner.sums != pytest.approx(sums_of(log.chosen[::20], log.rewards[::20]), abs=1e-6) and warm.learner.batch == 10


def test_elimination_takes_each_arms_rows_in_order():
    """AE without noise against a plain loop over stacks of rewards; it stops where an asked arm has no row left."""
    learner, _, log = logged("AE", 500, batch_size=8)
    warm = warm_start(learner, log)
    stacks = [log.rewards[log.actions == arm].tolist() for arm in range(3)]
    viable, sums, users, width = [0, 1, 2], np.zeros(3), 0, bdp.make("AE", ARMS, horizon=3000, batch_size=8).learner.width
    while len(viable) > 1 and all(len(stacks[arm]) >= 8 for arm in viable):
        for arm in viable:
            sums[arm] += sum(stacks[arm].pop(0) for _ in range(8))
        users, width = users + 8, width.after(bdp.privatizers.Identity(8))
        best = max(sums[arm] / users for arm in viable)
        viable = [arm for arm in viable if sums[arm] / users + width.half_width() >= best - width.half_width()]
    assert warm.learner.viable.tolist() == viable and warm.learner.sums.tolist() == sums.tolist()
    assert warm.learner.width.users == users


def test_private_phases_are_filled_in_whole_batches_only():
    """No batch holds users of the log and live ones: an arm without a whole batch is left to live users."""
    log = Log([0] * 25 + [1] * 12 + [2] * 30, [1.0] * 67, arms=3, users=range(67))
    learner = bdp.make("SDP-AE", ARMS, horizon=3000, epsilon=1.0, delta=0.1, batch_size=20)
    warm = warm_start(learner, log, rng=np.random.default_rng(1))
    assert [(slot.filled, slot.waiting) for slot in warm.slots] == [(20, None), (0, None), (20, None)] and warm.played == 40
    assert warm.act().arm == 1 and warm.missing == 19
    contextual, _, log = logged("LinUCB-SDP-Vec", 210, batch_size=20)
    warm = warm_start(contextual, log)
    assert warm.played == 200 and warm.slots[0].filled == 0 and warm.slots[0].waiting is None


def test_a_user_of_the_log_is_in_no_more_batches_than_promised():
    learner, world, log = logged("LinUCB-SDP-Vec", 200, batch_size=20)
    options = {"epsilon": 2.0, "delta": 0.1, "batch_size": 20}
    three = bdp.make("LinUCB-SDP-Vec", world, horizon=3000, returning_users=3, **options)
    short = bdp.make("LinUCB-SDP-Vec", world, horizon=200, **options)
    arms = Log([0] * 40 + [1] * 40, [1.0] * 80, arms=2, users=[*range(40), *range(40)])
    two = bdp.make("SDP-AE", BernoulliArms([0.5, 0.6]), horizon=900, epsilon=1.0, delta=0.1, batch_size=30)
    twice, few = with_users(log, np.arange(200) % 150), with_users(log, np.arange(200) % 30)
    for player, users, text in [
        (learner, twice, "row 150 of the log: user must be asked once at most, .* got 0 once more"),
        (learner, with_users(log), "users must be in the log for LinUCB-SDP-Vec"),
        (three, few, "row 90 of the log: user must be asked in 3 batches at most"),
        (three, with_users(log, [0, 0, *range(1, 199)]), "row 1 of the log: user must be another one in every round of a batch"),
        (two, arms, "row 40 of the log: user must be asked once"),
        (short, with_users(log, range(200)), "horizon must leave rounds to play after the 200 rows up to row 199, .* got 200"),
    ]:
        refused(text, warm_start, player, users)
    assert [warm_start(one, twice, skip_returning=True).played for one in (learner, short)] == [140, 140]
    warm = warm_start(three, few, skip_returning=True)
    assert warm.played == 80 and max(warm.visits.values()) == 3
    assert [slot.filled for slot in warm_start(two, arms, skip_returning=True).slots] == [30, 0]


@pytest.mark.parametrize("clip", [True, False])
def test_a_log_of_larger_rewards_is_clipped_if_that_was_asked_for(clip):
    log = Log([0] * 10 + [1] * 10, [3.0, 0.5] * 10, arms=2, reward_range=(0, 3), users=range(20))
    learner = bdp.combine(ArmElimination(2, EqualBatches(10), ChernoffWidth(90, 9)), lambda users: bdp.privatizers.CentralLaplace(
        users, 1e9, clip=clip), BernoulliArms([0.5, 0.6]), horizon=90)
    if clip:
        assert warm_start(learner, log, rng=np.random.default_rng(1)).learner.sums == pytest.approx([7.5, 7.5], abs=1e-6)
    else:
        refused("row 0 of the log: rewards must be", warm_start, learner, log)


def test_public_logs_are_told_exactly_and_live_users_privately():
    learner, _, log = logged("LinUCB-SDP-Amp", 210, batch_size=20)
    warm = warm_start(learner, with_users(log), log_is_public=True)
    exact = sums_of(log.chosen[:200], log.rewards[:200])
    assert warm.learner.sums == pytest.approx(exact, abs=1e-9) and warm.played == 200 and warm.learner.batch == 10
    assert not warm.visits and warm.bits == 0 and "nothing is promised" in warm.guarantee.reason
    phi, y, rng = log.chosen[:20], log.rewards[:20], np.random.default_rng(9)
    live = np.array([tell_live(copy.deepcopy(warm), phi, y, rng).learner.sums for _ in range(60)])
    off = (live - exact - sums_of(phi, y)) / learner.stream.privatizer.noise_std  # the noise of one batch
    assert chi2.ppf(SURE / 2, off.size) < (off**2).sum() < chi2.isf(SURE / 2, off.size)
    counted, _, log = logged("LinUCB-JDP", 100)
    warm = warm_start(counted, log, log_is_public=True)
    assert warm.played == 100 and not warm.visits and (warm.learner.sums != sums_of(log.chosen, log.rewards)).all()


def test_public_phases_are_told_exactly_and_the_next_one_privately():
    learner = bdp.make("SDP-AE", ARMS, horizon=3000, epsilon=0.2, delta=0.1, batch_size=20)
    log = Log(np.arange(180) % 3, np.arange(180) % 2, arms=3)  # 60 rows of each arm, which pays every second time
    warm = warm_start(learner, log, log_is_public=True)
    assert warm.learner.phase == 4 and warm.learner.sums.tolist() == [30, 30, 30] and warm.played == 180
    assert not warm.visits and set(map(type, warm.privatizers)) == set(map(type, learner.privatizers))
    told, std = [], learner.privatizers[0].noise_std
    for seed in range(60):
        player, rng = copy.deepcopy(warm), np.random.default_rng(seed)
        while player.learner.phase == 4:
            player.update(player.act(), 1, rng)
        told.extend(player.learner.sums - 50)
    assert chi2.ppf(SURE / 2, 180) < np.square(told).sum() / std**2 < chi2.isf(SURE / 2, 180) and std > 2


def test_a_warm_start_is_as_private_as_it_says():
    """An audit of all that is released about a log of 40 people finds no more than epsilon; without noise it finds more."""
    problem, rng = BernoulliArms([0.5, 0.6]), np.random.default_rng(1)
    private = bdp.make("SDP-AE", problem, horizon=900, epsilon=1.0, delta=0.1, batch_size=20)
    plain = bdp.make("AE", problem, horizon=900, batch_size=20)
    for learner, passed in ((private, True), (plain, False)):
        def start(rewards, rng, learner=learner):
            return warm_start(learner, Log([0] * 20 + [1] * 20, rewards, arms=2, users=range(40)), rng=rng).learner.sums

        found = bdp.audit(start, np.zeros(40), np.eye(1, 40)[0], epsilon=1.0, delta=0.1, trials=400, rng=rng, progress=False)
        assert found.passed == passed


LOG = record("uniform", ARMS, 200, np.random.default_rng(1))
MADE, OPENED = (bdp.make("AE", ARMS, horizon=900) for _ in range(2))
OPENED.act()


@pytest.mark.parametrize(("learner", "text"), [
    (lambda: Restarts(partial(bdp.make, "AE", ARMS)), "learner must be one for a known horizon, got AE, unknown horizon"),
    (lambda: bdp.combine(Greedy(), BATCH, CONTEXTS, horizon=900),
     "learner must be a LinUCB to learn from what another policy chose, got a Greedy"),
    (lambda: bdp.make("LinUCB-DGS", CONTEXTS, horizon=900, epsilon=1.0, delta=0.1, calibration="experiment", perturb_contexts=0.1),
     "learner must see features as they were logged, got LinUCB-DGS, which perturbs them"),
    (lambda: bdp.make("LinUCB", CONTEXTS, horizon=200), r"horizon must leave rounds to play after the 200 rows .* got 200"),
    (lambda: bdp.make("UCB1", ARMS, horizon=150), r"horizon must leave rounds to play after the 150 rows up to row 149, .* 150"),
    (lambda: bdp.make("SDP-PE", PROBLEMS["linear"][0], horizon=900, epsilon=1.0, delta=0.1), "log must have 12 arms"),
    (lambda: warm_start(bdp.make("UCB1", ARMS, horizon=900), LOG), "learner must be fresh, but it has played 200 rounds"),
    (lambda: OPENED, "learner must be fresh, but it has played 0 rounds and has 1 open tickets"),
])
def test_who_cannot_start_from_a_log_says_why(learner, text):
    made = learner()
    log = record("uniform", CONTEXTS, 200, np.random.default_rng(1)) if made.setting == "contextual" else LOG
    for public in (False, True):
        refused(text, warm_start, made, log, log_is_public=public)


def test_learners_and_logs_are_what_they_should_be():
    for call in (replay, warm_start):
        refused("learner must be what make", call, "LinUCB", LOG, error=TypeError)
    assert replay(Restarts(partial(bdp.make, "AE", ARMS), first_horizon=2), LOG).used > 0  # restarts may be judged
    own = type("Own", (LinUCB,), {"tell": print})
    assert [ours_learns(kind(2, FixedWidth(1.0, 1.0))) for kind in (LinUCB, own)] == [True, False]
    for name in ("log_is_public", "skip_returning"):
        refused(f"{name} must be True or False, got 1", warm_start, MADE, LOG, **{name: 1})
    actions, made = LinearArms(np.eye(3), [0.5, 0.1, 0.1]), {"horizon": 3000, "epsilon": 1.0, "delta": 0.1}
    linear = record("uniform", actions, 100, np.random.default_rng(1))
    assert warm_start(bdp.make("SDP-PE", actions, **made), linear, log_is_public=True).played >= 0
    with pytest.raises(ValueError, match="actions must be known before the first play"):
        warm_start(bdp.make("SDP-PE", PROBLEMS["linear"][0], **made), Log([0], [1], arms=12, users=["n"]))
