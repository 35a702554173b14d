"""Served learners: tickets in any order, users who say who they are, and randomness. Saves and Ctrl-C: test_every_learner.py."""

import copy
import ctypes
import json
import os
import signal

import numpy as np
import pytest

import bandits_dp as bdp
from bandits_book import logs
from bandits_dp.app import randomness
from bandits_dp.app.app import NO_END
from bandits_dp.app.randomness import generator
from bandits_dp.ask_tell import Asked
from bandits_dp.contextual.problems import shown_means
from bandits_dp.noise.exact import Coins
from bandits_dp.privatizers import CentralGaussian, Identity, LinearStatistics
from bandits_dp.problems import BernoulliArms, ContextualLinear, LinearArms, SphericalArms
from bandits_dp.serve import BudgetSpent, HorizonReached, InBatch, Restarts, Served, TicketExpired
from bandits_dp.serve.ids import hashed
from tests.small_problems import SYSTEMS, Crowd, refused, same_state, served
from tests.test_combine import Greedy

PROBLEM = BernoulliArms([0.2, 0.9, 0.5])
CONTEXTS = ContextualLinear(arms=6, dimension=3, fixed=False)
ARMS = [name for name, system in SYSTEMS.items() if system.setting == "arms"]
BATCHED = {"AE": {"batch_size": 3}, "LDP-AE": {"batch_size": 3}, "SDP-AE": {"batch_size": 3}, "Dist-DP-AE": {"batch_size": 3}}
ONCE = "user must be asked once at most, for which the noise is made, got {} once more"


def make(name, horizon=4000, problem=PROBLEM, **options):
    given = BATCHED.get(name, {}) if problem is PROBLEM else {}
    return served(name, problem, horizon, **{"epsilon": 1.0, "delta": 0.1} | given | options)


def visits(live, user):
    """Return in how many batches a user was, or is."""
    live.status()  # which gives back visits of expired tickets
    return live.visits.get(hashed(user, live.secret), 0)


# Tickets
@pytest.mark.parametrize("name", BATCHED)
def test_answers_in_any_order_are_credited_to_what_was_shown(name):
    """Nine tickets are open at once; their answers come backwards, and every arm's sum is that of its own users."""
    live = make(name)
    tickets = [live.act() for _ in range(9)]
    assert [ticket.arm for ticket in tickets] == [0, 0, 0, 1, 1, 1, 2, 2, 2] and live.played == 0 and len(live.tickets) == 9
    for ticket in reversed(tickets):
        live.update(ticket, float(ticket.arm == 1), np.random.default_rng(0))
    assert live.played == 9 and not live.tickets and live.learner.phase == 2
    if name == "AE":
        assert live.learner.sums.tolist() == [0.0, 3.0, 0.0]


@pytest.mark.parametrize("name", ("UCB1", "DP-UCB"))
def test_ucb_credits_late_answers_too(name):
    """It releases after every answer, so no ticket expires: an early user's late answer goes to her arm."""
    live = make(name)
    first, late = live.act(), live.act()
    assert first.arm == late.arm == 0
    live.update(first, 1.0)
    for arm in (1, 2):
        ticket = live.act()
        assert ticket.arm == arm
        live.update(ticket, 0.0)
    live.update(late, 1.0)
    assert live.learner.pulls.tolist() == [2, 1, 1]
    if name == "UCB1":
        assert live.learner.sums.tolist() == [2.0, 0.0, 0.0]
    else:
        assert [slot.source.counter.steps for slot in live.slots] == [2, 1, 1]


@pytest.mark.parametrize("name", BATCHED)
def test_a_batch_is_released_without_those_who_do_not_answer(name):
    """Three of four users answer: the batch of three is full, the fourth ticket expires, and she may come another time."""
    live = make(name)
    tickets = [live.act(user=i) for i in range(10)]
    assert tickets[9].arm == 0  # all arms are shown often enough, and nobody has answered
    for ticket in (tickets[9], tickets[1], tickets[2]):
        live.update(ticket, 1.0)
    refused("used already, or its batch was released without it", live.update, tickets[0], 1.0)
    assert visits(live, 0) == 0
    for ticket in tickets[3:9]:
        live.update(ticket, 0.0)
    live.update(live.act(user=0), 1.0)
    refused(ONCE.format(0), live.act, user=0)


def test_several_users_share_a_ticket():
    live = make("SDP-AE", batch_size=6)
    pair, rest = live.act(users=2), live.act(users=4)
    assert (pair.arm, rest.arm, live.act().arm) == (0, 0, 1)
    for answers in (1.0, [1.0], [1.0, 0.0, 1.0]):
        refused("rewards must be one for each user of the ticket, 2 in all", live.update, pair, answers)
    live.update(rest, [1, 0, 1, 1])
    live.update(pair, [1, 0])
    assert live.played == 6
    refused("users must be 1 to 5, the rest of this batch, got 7", live.act, 7)
    refused("user must be left out for several users at once, got 'Ada' for 2", live.act, 2, user="Ada")


@pytest.mark.parametrize("horizon", (10, None))
def test_tickets_of_several_users_play_no_more_rounds_than_there_are(horizon):
    """Six of ten users answer, and then six more would: four are asked, and a restart comes in time."""
    live = make("SDP-AE", horizon, batch_size=6, **({} if horizon else {"first_horizon": 10}))
    one, other = live.act(6), live.act(6)
    live.update(one, np.ones(6))
    refused("ticket must be for no more users than the 4 whose answers are lacking, got 6", live.update, other, np.ones(6))
    live.update(live.act(4), np.ones(4))
    assert live.played == 10 and (horizon or live.stage == 1)


def test_a_last_batch_of_linucb_plays_no_more_rounds_than_there_are():
    features = np.full((2, 3), 0.3)
    live = make("LinUCB-SDP-Vec", 15, CONTEXTS, batch_size=10)
    live.update(live.act([features] * 10), np.zeros(10))
    one, _, again = live.act([features] * 3), live.act([features] * 2), live.act([features] * 5)
    live.update(one, np.zeros(3))
    refused("ticket must be for no more users than the 2 whose answers are lacking, got 5", live.update, again, np.zeros(5))
    assert live.played == 13


# Late answers
def heard(live):
    """Return a list for who was in each batch, and a ``receive`` that fills it: ``live.came`` is who has answered since."""
    batches, receive = [], type(live.stream).receive

    def listen(self, waiting, rng):
        batches.append(sorted(live.came))
        live.came.clear()
        return receive(self, waiting, rng)

    live.came = []
    return batches, listen


def test_a_late_answer_joins_the_batch_that_waits():
    """Of eight users five answer late: each is in one batch, with the features that she was shown, and nobody is missed."""
    features = np.array([[[0.1 * (user + 1), 0.0, 0.0]] * 2 for user in range(8)])
    live = served("LinUCB", CONTEXTS, 8, batch_size=2, late="next")
    tickets = [live.act(own, user=user) for user, own in enumerate(features)]
    order, sums = [7, 3, 0, 1, 2, 6, 5, 4], np.zeros(3)
    for user in order:
        live.update(tickets[user], 1.0)
        sums = sums + features[user, 0]
        if live.played % 2 == 0:
            np.testing.assert_allclose(live.learner.sums[:3], sums, atol=1e-12)
    assert (live.played, live.learner.batch, live.missed) == (8, 4, 0) and not live.tickets
    dropping = served("LinUCB", CONTEXTS, 8, batch_size=2)
    tickets = [dropping.act(own, user=user) for user, own in enumerate(features)]
    for user in order[:2]:
        dropping.update(tickets[user], 1.0)
    refused(None, dropping.update, tickets[0], 1.0, error=TicketExpired)
    assert dropping.missed == 6 and not dropping.tickets and visits(dropping, 0) == 0


@pytest.mark.parametrize("seed", range(3))
def test_with_late_answers_nobody_is_twice_in_a_batch_or_in_too_many(seed, monkeypatch):
    """Forty users come and answer in any order, some never, some after a restart; a ticket that is given up is refused."""
    rng, most, answered, lost = np.random.default_rng(seed), 3, [], 0
    live = make("LinUCB-SDP-Vec", 400, CONTEXTS, batch_size=5, returning_users=most, late="next")
    batches, listen = heard(live)
    monkeypatch.setattr(type(live.stream), "receive", listen)
    waiting = {}
    while live.played < 100:
        user = int(rng.integers(40))
        if rng.random() < 0.6:
            try:
                ticket = live.act(np.full((2, 3), 0.3), user=user)
            except (BudgetSpent, InBatch):
                continue
            lost += user in waiting
            for old in waiting.pop(user, []):
                refused(None, live.update, old, 1.0, error=TicketExpired)
            waiting[user] = [ticket]
        elif waiting:
            user = list(waiting)[int(rng.integers(len(waiting)))]
            live.came.append(user)
            answered.append(user)
            live.update(waiting.pop(user)[0], 1.0)
        elif all(visits(live, user) == most for user in range(40)):
            break
    assert len(batches) > 15 and all(len(set(batch)) == len(batch) == 5 for batch in batches)
    assert max(map(answered.count, answered)) == most and live.missed == lost > 0


def test_radii_hold_for_late_answers():
    """Delays of 0 to 60 users, in batches of ten: the parameter is within the radius after each of them, in 20 runs."""
    for seed in range(20):
        rng = np.random.default_rng(seed)
        world = CONTEXTS.draw(rng)
        live, due, before = make("LinUCB", 300, CONTEXTS, batch_size=10, late="next"), [], 0
        for now in range(300):
            numbers = world.numbers(rng, 1)
            shown = world.contexts(numbers)[0]
            ticket = live.act(shown)
            due.append((now + int(rng.integers(60)), now, ticket, float(rng.random() < shown[ticket.arm] @ world.theta)))
            for late in sorted(one for one in due if one[0] <= now):
                due.remove(late)
                live.update(late[2], late[3])
                if live.learner.batch > before:
                    before, learner = live.learner.batch, live.learner
                    off = learner.theta - world.theta
                    assert off @ np.linalg.solve(learner.inverse, off) <= learner.beta**2
        assert before > 20


def test_where_answers_are_never_late_or_cannot_wait():
    assert make("UCB1", late="next").late == "next"  # no ticket expires but at a restart
    live = make("UCB1", None, first_horizon=3, late="next")
    late = live.act(user="late")
    for user in range(3):
        live.update(live.act(user=user), 1.0)
    assert (live.stage, live.missed, live.slots[0].shown) == (1, 0, 1)
    live.update(late, 1.0)
    assert live.played == 4 and live.learner.pulls.tolist() == [1, 0, 0]
    refused("late must be 'drop' for SDP-AE, which asks in phases", make, "SDP-AE", late="next")
    refused("late must be one of 'drop', 'next', got 'later'", make, "SDP-AE", late="later")


# Tokens, suggestions, status
def test_any_integers_are_in_a_token():
    privatizer = CentralGaussian(4, 1.0, 0.1, domain=LinearStatistics(3))
    live = Served(bdp.combine(Greedy(np.ones(2, dtype=np.uint8)), privatizer, CONTEXTS, horizon=100))
    ticket = live.act([np.full((2, 3), 0.1)] * 2)
    read = live.ticket(ticket.token)
    np.testing.assert_array_equal(read.arm, ticket.arm)
    live.update(read, [0.0, 1.0])


def test_tokens_that_are_changed_anothers_used_or_late_are_refused():
    live = make("LinUCB-SDP-Vec", 130, CONTEXTS, batch_size=2)
    first, second, late = (live.act(np.full((6, 3), 0.3)).token for _ in range(3))
    text, seal = first.split(".")
    forged = text[:-8] + ("A" if text[-8] != "A" else "B") + text[-7:]
    foreign = make("LinUCB-SDP-Vec", 130, CONTEXTS, batch_size=2).act(np.full((6, 3), 0.3)).token
    other = "another learner's, or one that was changed"
    swapped = f"{text}.{second.split('.')[1]}"
    for bad in (first[:-1], f"{forged}.{seal}", swapped, text, f"{text}.", ".", "", "é.é", "\ud800", foreign):
        refused(other, live.ticket, bad)
    for bad in (None, 3, first.encode()):
        refused(r"token must be what ticket\.token says, a string, got", live.ticket, bad, error=TypeError)
    live.update(live.ticket(first), 1.0)
    refused("used already, or its batch was released without it", live.ticket, first, error=TicketExpired)
    live.update(live.ticket(second), 1.0)
    refused("used already, or its batch was released without it", live.ticket, late, error=TicketExpired)


@pytest.mark.parametrize("name", SYSTEMS)
def test_a_suggestion_is_the_best_estimate_and_changes_nothing(name):
    crowd = Crowd(name)
    live, most = crowd.learner, {"linear": 600, "clients": 600}.get(crowd.setting, 100)
    crowd.play(0, until=min(most, crowd.horizon - 1))
    before, shown = live.save(), crowd.shown() if crowd.setting == "contextual" else ()
    arm = live.suggest(*shown)
    assert same_state(before, live.save()) and isinstance(arm, int)
    if crowd.setting == "contextual":
        values = shown[0] @ live.learner.theta
        assert values[arm] == values.max() and live.suggest(np.stack([shown[0]] * 3)).tolist() == [arm] * 3
    elif crowd.setting == "arms":
        assert live.learner.sums[arm] >= 0.0 and arm in getattr(live.learner, "viable", range(live.arms))
    else:
        assert arm in live.learner.active
    crowd.play(0, until=crowd.horizon)
    live.suggest(*shown)  # when nobody is asked any more, too


def test_what_looks_best_is_suggested():
    """Exact sums of answers that are 1 for arm 1 and 0 for others, whatever the learner is."""
    for live in (make("AE"), make("UCB1"), make("KL-UCB"), make("UCB1", None)):
        assert live.suggest() == 0
        while live.played < 40:
            ticket = live.act()
            live.update(ticket, float(ticket.arm == 1))
        assert live.suggest() == 1
    live = make("PE", 4000, LinearArms([[1, 0], [0, 1]], [0.5, 0]))
    while live.learner.phase == 1:
        ticket = live.act(live.missing)
        live.update(ticket, np.full(ticket.users, 2.0 * ticket.arm - 1.0))
    assert live.suggest() == 1
    own = Served(bdp.combine(Mine(), lambda users: Identity(users), PROBLEM, horizon=50))
    assert own.suggest() == 0
    unknown = make("PE", 4000, SphericalArms(5, 3))
    refused("actions must be known before the first play", unknown.suggest)


@pytest.mark.parametrize("name", [name for name, system in SYSTEMS.items() if system.model == "none"])
def test_who_promises_nothing_prints_no_epsilon(name):
    live = Crowd(name).learner  # which was given epsilon = 1 and delta = 0.1
    assert "epsilon" not in repr(live) and "delta" not in repr(live) and "No guarantee" in repr(live)
    assert live.parameters["epsilon"] == 1.0 and repr(live.status()).endswith("\nno guarantee")


def test_status_counts_people_and_says_what_is_promised():
    live = make("SDP-AE", batch_size=2)
    ada, grace = live.act(user="Ada"), live.act(user="Grace")
    late = [live.act(users=2), live.act(users=2), live.act(user="late")]
    live.update(ada, 1)
    status = live.status()
    assert (status.answers, status.horizon, status.users, status.waiting, status.missed) == (1, 4000, 3, 6, 0)
    live.update(grace, 1)
    status = live.status()
    assert late[2].arm == 0 and (status.users, status.waiting, status.missed) == (2, 4, 1) and status.epsilon == 1.0
    assert repr(status) == ("SDP-AE: 2 of 4,000 answers, 4 waiting, 1 missed, 2 users known by id\n"
                            "epsilon 1 and delta 0.1 for each user: one reward in {0, 1}, shuffle model")
    endless = make("UCB1", None, first_horizon=3)
    for _ in range(4):
        endless.update(endless.act(), 1.0)
    assert repr(endless.status()) == ("UCB1, unknown horizon: 4 answers, 0 waiting, 0 missed, 0 users known by id\nno guarantee")


# Users who say who they are
@pytest.mark.parametrize("name", ARMS)
def test_a_user_is_asked_once(name):
    """An integer of numpy's is an integer, and a word is not."""
    live, again = make(name), make(name)
    live.update(live.act(user="Ada"), 1.0)
    live.act(user=np.int64(3))
    again.restore(live.save())
    for learner in (live, again):
        for user in ("Ada", 3):
            refused(ONCE.format(repr(user)), learner.act, user=user)
        learner.act(user="3")


def test_a_restart_expires_tickets_and_remembers_users():
    live = make("UCB1", None, first_horizon=3)
    late = live.act(user="late")
    for user in ("Ada", 1, 2):
        live.update(live.act(user=user), 1.0)
    assert live.stage == 1 and live.played == 3 and not live.tickets
    assert live.learner.pulls.tolist() == [0, 0, 0]  # of the learner that plays now
    assert [live.horizon_of(stage) for stage in (1, 60, 62, 10**18)] == [6, 3 << 60, NO_END, NO_END]
    refused("used already, or its batch was released without it", live.update, late, 1.0)
    refused(ONCE.format("'Ada'"), live.act, user="Ada")
    live.update(live.act(user="late"), 1.0)
    assert live.played == 4 and live.bits == 4 * 64


def test_who_is_promised_nothing_may_return_after_restarts():
    live = make("LinUCB", None, CONTEXTS, first_horizon=2)
    while live.stage < 4:
        live.update(live.act(np.full((2, 3), 0.1), user="Ada"), 1.0)
    assert live.played == 2 + 4 + 8 + 16


def test_a_horizon_for_which_no_learner_can_be_made_is_the_last_one():
    """The answer counts, and then nobody is asked any more, as when any other horizon is reached."""
    def short(horizon):
        if horizon > 4:
            raise ValueError("horizon must be at most 4")
        return bdp.make("UCB1", PROBLEM, horizon=horizon)

    live = Restarts(short, first_horizon=3)
    tickets = [live.act(user=user) for user in range(4)]
    for ticket in tickets[:3]:
        live.update(ticket, 1.0)
    assert live.played == 3 and live.suggest() == 0
    for call in (live.act, lambda: live.update(tickets[3], 1.0), lambda: live.ticket(tickets[3].token)):
        refused("horizon must be at most 4", call, error=HorizonReached)


def lives(live, world, rounds, answers, noise):
    """Let so many users choose, and return what each of them loses."""
    lost, end = [], live.played + rounds
    while live.played < end:
        rows = world.numbers(answers, min(live.missing, end - live.played))
        shown = world.contexts(rows)
        means = shown_means(world, rows, shown)
        ticket = live.act(shown)
        mean = means[np.arange(ticket.users), ticket.arm]
        live.update(ticket, world.reward_quantiles(mean, world.chances(rows)), noise)
        lost += (means.max(axis=1) - mean).tolist()
    return lost


def test_contexts_of_an_unknown_horizon_restart():
    """The simulator's run, and the live loop, are those of learners for known horizons one after another."""
    world = CONTEXTS.draw(np.random.default_rng(0))
    options = {"epsilon": 4.0, "delta": 0.1, "batch_size": 6, "fidelity": "messages"}
    endless = served("LinUCB-SDP-Vec", CONTEXTS, first_horizon=40, **options)
    result = bdp.simulate(endless, world, 120, runs=1, seed=3, progress=False)
    rng, other = (np.random.default_rng(np.random.SeedSequence(3, spawn_key=(0,))) for _ in range(2))
    plain, again, bits = [], copy.deepcopy(endless), 0.0
    for horizon in (40, 80):
        one = bdp.make("LinUCB-SDP-Vec", CONTEXTS, horizon=horizon, **options)
        plain += lives(one, world, horizon, *rng.spawn(2))
        assert lives(again, world, horizon, *other.spawn(2)) == plain[-horizon:]
        bits += one.bits
    assert result.regret[0] == pytest.approx(np.cumsum(plain)[result.rounds - 1]) and result.bits[0] == bits == again.bits
    assert (again.stage, again.played, again.guarantee.epsilon) == (2, 120, 4.0)
    log = logs.record("uniform", world, 300, np.random.default_rng(1))
    judged = logs.replay(endless, log, rng=np.random.default_rng(2))
    assert judged.used == judged.learner.played > 40 and judged.learner.stage == 1
    features = world.contexts(world.numbers(np.random.default_rng(5), 50))
    seen = bdp.view_of(endless, "messages")((features, np.ones((50, 6))), np.random.default_rng(6))
    assert np.isfinite(seen).any() and endless.played == 0
    with pytest.raises(ValueError, match="returning_users must be left out where no horizon is known"):
        served("LinUCB-SDP-Vec", CONTEXTS, returning_users=2, **options)


# Randomness
@pytest.mark.parametrize("name", ("LDP-AE", "SDP-AE"))
def test_randomness_is_the_operating_systems_by_default(name):
    """What 399 users send differs from one learner to its copy, unless one generator is given to both."""
    def sent(*rngs):
        live = make(name, batch_size=400, delta=1e-6)
        for rng in rngs:
            one = copy.deepcopy(live)
            one.update(one.act(399), np.zeros(399), rng)
            yield one.save()["slot_0_waiting"]

    assert len({float(one.sum()) for one in sent(*[None] * 12)}) > 1  # 12 sums by chance alike: less than 1e-7
    one, other = sent(np.random.default_rng(7), np.random.default_rng(7))
    assert (one == other).all()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="Windows has no fork")
@pytest.mark.parametrize(("tells", "fork"), [
    *((tells, lambda: os.fork()) for tells in ("number", "system", "Python")),
    *((tells, lambda: ctypes.PyDLL(None).fork()) for tells in ("number", "system")),  # of which Python hears nothing
], ids=["number", "system", "Python", "number, in C", "system, in C"])
def test_a_forked_process_draws_noise_of_its_own(fork, tells, monkeypatch):
    """Two children of one parent, and the parent: none repeats what another one draws, or what was ready before the fork.

    In a namespace of its own a child may have its parent's number, and an older system tells nothing: it repeated all of it.
    """
    monkeypatch.setattr(randomness, "_own", randomness.NOBODYS)
    if tells != "number":
        monkeypatch.setattr(os, "getpid", lambda: 1)
    if tells != "system":
        monkeypatch.setattr(randomness, "_byte", lambda: b"\1")
    elif isinstance(randomness._byte(), bytes):
        pytest.skip("this system empties no byte")

    def numbers():
        return [*generator(None).random(4).tolist(), *Coins(generator(None)).gaussian(2**50, 4).tolist()]

    drawn = numbers()
    for _ in range(2):
        out, into = os.pipe()
        if (child := fork()) == 0:
            signal.alarm(300)  # at which it ends
            try:
                os.write(into, json.dumps(numbers()).encode())
            finally:
                os._exit(0)
        os.close(into)
        with open(out) as told:
            drawn += json.load(told)
        os.waitpid(child, 0)
    assert len({*drawn, *numbers()}) == 32


def test_the_generator_of_live_use_makes_others_and_no_copy():
    rng = generator(None)
    one, other = rng.spawn(2)
    assert one.random() != other.random()
    refused("rng must not be copied", copy.deepcopy, rng, error=TypeError)


# What is held
class Mine:
    """A learner of somebody's own: its phases begin at 0, its bounds may be infinite, and in the end it goes round and round."""

    def __init__(self):
        self.phase, self.beta, self.best, self.viable = 0, -1.0, -np.inf, np.array([True, True, True])

    def ask(self):
        return Asked(np.arange(3), np.array([2, 2, 2]), decides=self.phase < 7)

    def tell(self, released, noise):
        self.phase, self.best = self.phase + 7, float(max(released))


def test_what_a_learner_of_your_own_holds_is_your_own():
    """It is restored with open tickets, whether answers to them are released or not."""
    live, again = (Served(bdp.combine(Mine(), lambda users: Identity(users), PROBLEM, horizon=50)) for _ in range(2))
    opened = []
    while live.played < 40:
        again.restore(live.save())
        assert same_state(live.save(), again.save())
        opened += [live.act() for _ in range(2)]
        assert [ticket.arm for ticket in opened[-2:]] == [again.act().arm for _ in range(2)]
        live.update(opened.pop(-3) if live.played in (20, 30) else live.act(), 1.0)
    assert live.learner.phase == 7 and live.learner.best == 2.0


@pytest.mark.parametrize(("name", "options"), (
    ("AE", {"batch_size": 50}), ("DP-UCB", {}), ("DP-UCB", {"noise": "gaussian", "counter": "factorization"}),
))
@pytest.mark.parametrize("duplicate", (copy.copy, copy.deepcopy))
def test_copies_share_nothing(name, options, duplicate):
    """What one is told later, the other neither knows nor loses; a factorization keeps all its draws in one array."""
    live = make(name, **options)
    for _ in range(5):
        live.update(live.act(), 0.0)
    other = duplicate(live)
    live.update(live.act(), 1.0)
    mine = live.save()
    for user in range(3):
        other.update(other.act(user=user), 0.0)
    other.act()
    assert same_state(mine, live.save()) and len(other.tickets) == 1 and other.played == 8
