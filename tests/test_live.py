"""Live use: tickets in any order, users who say who they are, what is held and saved, randomness, and Ctrl-C."""

import copy
import multiprocessing
import os
from dataclasses import replace

import numpy as np
import pytest
from bandits_dp.live.visits import Visits

import bandits_dp as bdp
from bandits_dp.ask_tell import Asked
from bandits_dp.live.live import NO_END
from bandits_dp.live.randomness import generator
from bandits_dp.privatizers import Identity
from bandits_dp.problems import BernoulliArms, ContextualLinear, SphericalArms
from tests.interrupted import Interrupted
from tests.small_problems import SYSTEMS

PROBLEM = BernoulliArms([0.2, 0.9, 0.5])
CONTEXTS = ContextualLinear(arms=6, dimension=3, fixed=False)
ARMS = [name for name, system in SYSTEMS.items() if system.setting == "arms"]
BATCHED = {"AE": {"batch_size": 3}, "LDP-AE": {"batch_size": 3}, "SDP-AE": {"batch_size": 3}, "Dist-DP-AE": {"batch_size": 3}}
MADE = {**{name: {} for name in ARMS}, **BATCHED}


def make(name, horizon=4000, **options):
    return bdp.make(name, PROBLEM, horizon=horizon, **{"epsilon": 1.0, "delta": 0.1} | MADE[name] | options)


def same(one, other):
    return one.keys() == other.keys() and all(np.array_equal(one[key], other[key]) for key in one)


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
    assert live.learner.pulls.tolist() == [2, 1, 1] == [counter.steps for counter in live.counters]
    if name == "UCB1":
        assert live.learner.sums.tolist() == [2.0, 0.0, 0.0]


def test_a_ticket_is_good_for_one_answer_to_its_own_learner():
    live, other = make("SDP-AE"), make("SDP-AE")
    ticket = live.act()
    live.update(ticket, 1.0)
    other.act()
    before = live.save()
    unknown = copy.deepcopy(live).act()  # a copy goes on under the same name; what only it has shown is unknown here
    for wrong, error, text in (
        (ticket, ValueError, "ticket must be open, got one that is used already"),
        (unknown, ValueError, "ticket must be open, got one that is unknown"),
        (other.act(), ValueError, "ticket must be one of this learner's, got that of another"),
        (1.0, TypeError, "ticket must be what act.. returned, got 1.0; update takes the ticket first, then the answer"),
    ):
        with pytest.raises(error, match=text):
            live.update(wrong, 1.0)
        assert same(before, live.save())


@pytest.mark.parametrize("name", BATCHED)
def test_a_batch_is_released_without_those_who_do_not_answer(name):
    """Three of four users answer: the batch of three is full, the fourth ticket expires, and she may come another time."""
    live = make(name)
    tickets = [live.act(user=i) for i in range(10)]
    assert tickets[9].arm == 0  # all arms are shown often enough, and nobody has answered
    for ticket in (tickets[9], tickets[1], tickets[2]):
        live.update(ticket, 1.0)
    with pytest.raises(ValueError, match="used already, or its batch was released without it"):
        live.update(tickets[0], 1.0)
    assert 0 not in live.visits.count or live.visits.count[0] == 0
    for ticket in tickets[3:9]:
        live.update(ticket, 0.0)
    live.update(live.act(user=0), 1.0)
    with pytest.raises(ValueError, match="user must be asked once at most, for which the noise is made, got 0 once more"):
        live.act(user=0)


def test_several_users_share_a_ticket():
    live = make("SDP-AE", batch_size=6)
    pair, rest = live.act(users=2), live.act(users=4)
    assert (pair.arm, rest.arm, live.act().arm) == (0, 0, 1)
    for answers in (1.0, [1.0], [1.0, 0.0, 1.0]):
        with pytest.raises(ValueError, match="rewards must be 2, one for each user of the ticket"):
            live.update(pair, answers)
    live.update(rest, [1, 0, 1, 1])
    live.update(pair, [1, 0])
    assert live.played == 6
    for users in (0, 7, 1.0, True):
        with pytest.raises(ValueError, match="users must be"):
            live.act(users)
    with pytest.raises(ValueError, match="user must be left out for several users at once, got 'Ada' for 2"):
        live.act(2, user="Ada")


@pytest.mark.parametrize("user", (True, 1.5, ("Ada",), b"Ada"))
def test_users_are_numbers_or_words(user):
    with pytest.raises(ValueError, match="user must be an integer or a string"):
        make("SDP-AE").act(user=user)


def test_an_integer_of_numpys_is_an_integer():
    """Also in a state; and a word is not."""
    live, again = make("SDP-AE"), make("SDP-AE")
    live.act(user=np.int64(3))
    again.restore(live.save())
    for learner in (live, again):
        with pytest.raises(ValueError, match="user must be asked once at most, for which the noise is made, got 3 once more"):
            learner.act(user=3)
        learner.act(user="3")


@pytest.mark.parametrize("name", ARMS)
def test_a_user_is_asked_once(name):
    live = make(name)
    live.update(live.act(user="Ada"), 1.0)
    with pytest.raises(ValueError, match="user must be asked once at most, for which the noise is made, got 'Ada' once more"):
        live.act(user="Ada")
    live.act(user="Grace")


def test_a_user_may_be_in_so_many_batches():
    """And once in each of them; an expired ticket is no visit."""
    visits = Visits(2)
    visits.admit("Ada")
    with pytest.raises(ValueError, match="user must be another one in every round of a batch, got 'Ada' again"):
        visits.admit("Ada")
    visits = visits.next_batch()
    visits.admit("Ada")
    visits = visits.without({"Ada"}).next_batch()
    visits.admit("Ada")
    with pytest.raises(ValueError, match=r"user must be asked in 2 batches at most, for which the noise .* got 'Ada'"):
        visits.next_batch().admit("Ada")


def test_a_restart_expires_tickets_and_remembers_users():
    live = bdp.make("UCB1", PROBLEM, horizon=None, first_horizon=3)
    late = live.act(user="late")
    for user in ("Ada", 1, 2):
        live.update(live.act(user=user), 1.0)
    assert live.stage == 1 and live.played == 3 and not live.tickets
    assert live.learner.pulls.tolist() == [0, 0, 0]  # of the learner that plays now
    assert [live.horizon_of(stage) for stage in (1, 60, 62, 10**18)] == [6, 3 << 60, NO_END, NO_END]
    with pytest.raises(ValueError, match="used already, or its batch was released without it"):
        live.update(late, 1.0)
    with pytest.raises(ValueError, match="user must be asked once at most"):
        live.act(user="Ada")
    live.update(live.act(user="late"), 1.0)
    assert live.played == 4 and live.bits == 4 * 64


# What is saved


@pytest.mark.parametrize("horizon", (4000, None))
@pytest.mark.parametrize("name", ARMS)
def test_open_tickets_are_saved(name, horizon, tmp_path):
    """Saved with tickets open, restored by another process: their answers are taken, and both go on alike."""
    live, again = make(name, horizon), make(name, horizon)
    if horizon is None and name == "DP-SE":
        live, again = (make(name, None, first_horizon=2000) for _ in range(2))
    tickets = [live.act(user=f"user {i}") for i in range(5)]
    live.update(tickets[3], 1.0)
    np.savez(tmp_path / "state.npz", **live.save())
    with np.load(tmp_path / "state.npz") as state:
        again.restore(state)
    assert same(live.save(), again.save())
    for one in (live, again):
        rng = np.random.default_rng(5)
        with pytest.raises(ValueError, match="used already"):
            one.update(tickets[3], 1.0, rng)
        for ticket in (tickets[2], tickets[0]):
            one.update(ticket, 0.0, rng)
        with pytest.raises(ValueError, match="user must be asked once"):
            one.act(user="user 1")
    assert same(live.save(), again.save()) and live.played == 3


@pytest.mark.parametrize("horizon", (4000, None))
@pytest.mark.parametrize("name", ("VB-SDP-AE", "UCB1", "DP-UCB"))
def test_a_malformed_state_names_its_entry(name, horizon):
    """Whatever is wrong with whichever entry: it is named, and nothing has changed."""
    live = make(name, horizon)
    tickets = [live.act(user=f"user {i}") for i in range(3)]
    live.update(tickets[1], 1.0)
    state = live.save()
    for key in state.keys() - {"learner"}:
        for wrong in ("many", np.nan, np.zeros((2, 9)), [[[1.5]]], np.array(["x", "y"]), None):
            if not (key.endswith("owner") and isinstance(wrong, str)):
                with pytest.raises(ValueError, match=f"wrong entry '{key}'"):
                    live.restore({**state, key: wrong})
        with pytest.raises(ValueError, match=f"wrong entry '{key}'"):
            live.restore({other: state[other] for other in state if other != key})
    assert same(state, live.save())


@pytest.mark.parametrize(("name", "options"), (("LDP-AE", {}), ("LDP-AE", {"noise": "laplace"}), ("SDP-AE", {}), ("VB-SDP-AE", {})))
def test_a_state_is_a_function_of_the_messages(name, options, monkeypatch):
    """Local and shuffle model: users with other rewards who send the same leave the same state, in mid-batch and later."""
    states = []
    for rewards in ([1.0, 0.0, 1.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0, 1.0]):
        live = make(name, **options)
        kind, rng = type(live.privatizers[0]), np.random.default_rng(3)
        shape = live.privatizers[0].send(np.zeros((1, 1)), rng).shape[1:]
        messages = iter(rng.integers(0, 2, (5, 1, *shape)))
        with monkeypatch.context() as same_messages:
            same_messages.setattr(kind, "send", lambda self, values, rng, messages=messages: next(messages))
            for reward in rewards:
                live.update(live.act(), reward, rng)
        states.append({key: value for key, value in live.save().items() if key != "owner"})
    assert same(*states)


@pytest.mark.parametrize("name", ("LinUCB-Batched-LDP", "LinUCB-SDP-Amp", "LinUCB-SDP-Vec"))
def test_a_state_of_linucb_is_a_function_of_the_messages(name, monkeypatch):
    """Users with other features, other arms and other rewards who send the same leave the same state, in mid-batch and later."""
    states, chosen = [], []
    for seed in range(2):
        live = bdp.make(name, CONTEXTS, horizon=150, epsilon=1.0, delta=0.1, batch_size=4)
        users, rng = np.random.default_rng(seed), np.random.default_rng(3)
        messages = iter(rng.integers(0, 2, (6, 1, 9)))
        with monkeypatch.context() as same_messages:
            same_messages.setattr(type(live.stream), "send", lambda self, values, rng, messages=messages: next(messages))
            for _ in range(6):
                ticket = live.act(users.uniform(-0.5, 0.5, (6, 3)))
                chosen.append(ticket.arm)
                live.update(ticket, users.random(), rng)
        live.act(users.uniform(-0.5, 0.5, (6, 3)))
        states.append({key: value for key, value in live.save().items() if key != "owner"})
    assert same(*states) and chosen[:6] != chosen[6:]


@pytest.mark.parametrize("name", [name for name in ARMS if SYSTEMS[name].model != "none"])
def test_two_uses_of_one_state_draw_other_noise(name):
    """Nothing that is to come is in a state: who goes on from it, under the system's randomness, comes to another release."""
    live, releases = make(name), set()
    live.update(live.act(), 1.0)
    for _ in range(12):  # so many by chance alike: less than 1e-7, of discrete noise
        other = make(name)
        other.restore(live.save())
        before = other.learner
        while other.learner is before:
            ticket = other.act(other.missing)
            other.update(ticket, np.ones(ticket.users))
        releases.add(tuple(other.learner.sums))
    assert len(releases) > 1


@pytest.mark.parametrize("name", ("LDP-AE", "SDP-AE"))
def test_randomness_is_the_operating_systems_by_default(name):
    """What 399 users send differs from one learner to its copy, unless one generator is given to both."""
    def sent(*rngs):
        live = make(name, batch_size=400, delta=1e-6)
        for rng in rngs:
            one = copy.deepcopy(live)
            one.update(one.act(399), np.zeros(399), rng)
            yield one.save()["sent_0"]

    one, other = sent(None, None)
    assert (one != other).any()
    one, other = sent(np.random.default_rng(7), np.random.default_rng(7))
    assert (one == other).all()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="Windows has no fork")
def test_a_forked_process_draws_noise_of_its_own():
    """Two children of one parent, and the parent: none repeats what another one draws."""
    fork = multiprocessing.get_context("fork")
    drawn = fork.Queue()
    for _ in range(2):
        child = fork.Process(target=lambda: drawn.put(generator(None).random(4).tolist()))
        child.start()
        child.join(300)
    numbers = [*drawn.get(timeout=300), *drawn.get(timeout=300), *generator(None).random(4)]
    assert len(set(numbers)) == 12


# An exception inside an update


@pytest.mark.parametrize("name", [*ARMS, "unknown horizon"])
def test_ctrl_c_leaves_the_state_before_or_after(name):
    """At every line of an update that releases, eliminates and expires a ticket; then the same answer is taken, or refused."""
    if name == "unknown horizon":
        fresh = bdp.make("SDP-AE", PROBLEM, horizon=None, first_horizon=4, epsilon=1.0, delta=0.1, batch_size=1)
    else:
        fresh = make(name, **{"batch_size": 1} if name in BATCHED else {}, horizon=1000)
    while fresh.missing > 1 or fresh.played < 2:  # until one answer is missing for a release
        ticket = fresh.act(max(1, fresh.missing - 1))
        fresh.update(ticket, np.ones(ticket.users), np.random.default_rng(1))
    last = fresh.act(user="Ada")
    for i in range(3):
        fresh.act(user=i)  # some of whom expire
    before, after = fresh.save(), copy.deepcopy(fresh)
    after.update(last, 1.0, np.random.default_rng(2))
    after, seen = after.save(), set()
    assert not same(before, after)
    for line in range(1, 2000):
        live = copy.deepcopy(fresh)
        try:
            with Interrupted(line):
                live.update(last, 1.0, np.random.default_rng(2))
        except KeyboardInterrupt:
            state = live.save()
            assert same(state, before) or same(state, after), line
            seen.add(same(state, after))
        else:
            break
    assert line > 20 and False in seen


# What a caller may do to tickets and states


@pytest.mark.parametrize("horizon", (10, None))
def test_tickets_of_several_users_play_no_more_rounds_than_there_are(horizon):
    """Six of ten users answer, and then six more would: four are asked, and a restart comes in time."""
    live = make("SDP-AE", horizon, batch_size=6, **({} if horizon else {"first_horizon": 10}))
    one, other = live.act(6), live.act(6)
    live.update(one, np.ones(6))
    with pytest.raises(ValueError, match="ticket must be for no more users than the 4 whose answers are lacking, got 6"):
        live.update(other, np.ones(6))
    live.update(live.act(4), np.ones(4))
    assert live.played == 10 and (horizon or live.stage == 1)


def test_a_batch_takes_no_more_answers_than_it_lacks():
    """A ticket for ten replaces two that nobody answered so far; when six of these answer after all, ten are too many."""
    live = make("SDP-AE", batch_size=10)
    six, four, _, _, ten = live.act(6), live.act(4), live.act(10), live.act(10), live.act(10)
    assert [six.arm, four.arm, ten.arm] == [0, 0, 0]
    live.update(six, np.ones(6))
    with pytest.raises(ValueError, match="ticket must be for no more users than the 4 whose answers are lacking, got 10"):
        live.update(ten, np.ones(10))
    live.update(four, np.ones(4))
    assert live.played == 10


def test_a_restored_learner_knows_whose_answers_are_still_out():
    one, again = (make("SDP-AE", batch_size=10) for _ in range(2))
    state = one.save()
    assert {state[f"ticket_{key}"].dtype for key in ("numbers", "users", "arms")} == {np.dtype(np.int64)}  # of none, too
    one.act(6)
    again.restore(one.save())
    for learner in (one, again):
        assert (learner.act(4).arm, learner.act(1).arm) == (0, 1)  # the first arm's ten answers will come


def test_what_is_learned_publicly_is_checked_as_users_answers_are():
    live = make("SDP-AE", batch_size=3)
    with pytest.raises(ValueError, match=r"rewards must be .*1\.5"):
        live.learn_publicly([np.array([0.0, 1.0, 1.5])] * 3)
    with pytest.raises(ValueError, match=r"rewards must be those of a whole phase, \[3 3 3\] of them, got \[3, 3, 2\]"):
        live.learn_publicly([np.ones(3), np.ones(3), np.ones(2)])
    assert live.played == 0
    live.learn_publicly([np.array([0.0, 1.0, 1.0])] * 3)
    assert live.played == 9


def test_what_is_learned_publicly_is_clipped_as_users_answers_are():
    actions = SphericalArms(20, 3).draw(np.random.default_rng(0))
    one, other = (bdp.make("CDP-PE", actions, horizon=3000, epsilon=1.0, delta=0.1, clip=True) for _ in range(2))
    wild = [np.linspace(-3.0, 7.5, plays) for plays in one.asked.plays]
    one.learn_publicly(wild)
    other.learn_publicly([own.clip(-1.0, 1.0) for own in wild])
    assert one.played == other.played > 0 and one.learner.estimate.any()
    np.testing.assert_array_equal(one.learner.estimate, other.learner.estimate)


def test_a_ticket_for_an_arm_that_is_out_is_refused():
    """Nobody could answer it: an arm that fell is asked about no more."""
    live, rng = make("AE", batch_size=20), np.random.default_rng(1)
    while len(live.asked.arms) == 3:
        ticket = live.act(live.missing)
        live.update(ticket, PROBLEM.rewards(ticket.arm, ticket.users, rng))
    live.act()
    (out,) = set(range(3)) - set(live.asked.arms.tolist())
    state = live.save()
    with pytest.raises(ValueError, match=f"wrong entry 'ticket_arms': {out} is not one of those that are asked about"):
        live.restore({**state, "ticket_arms": np.array([out])})
    assert same(state, live.save())


def test_a_counter_is_told_as_often_as_its_arm_was_played():
    """Else its noise would be used again, or its sum be of other users."""
    early, live = make("DP-UCB"), make("DP-UCB")
    early.update(early.act(), 1.0)
    live.restore(early.save())
    for _ in range(8):
        live.update(live.act(), 1.0)
    parts = {key: value for key, value in early.save().items() if key.startswith("counter_0_")}
    assert parts["counter_0_steps"] == 1 < live.save()["counter_0_steps"]
    with pytest.raises(ValueError, match="wrong entry 'counter_0_steps'"):
        live.restore(live.save() | parts)
    for played, entry in ((8, "learner_pulls"), (10, "played")):
        with pytest.raises(ValueError, match=f"wrong entry '{entry}'"):
            live.restore(live.save() | {"played": np.array(played)})


def test_a_state_with_fewer_answers_than_none_or_more_than_a_phase_takes_is_refused():
    live = make("SDP-AE", batch_size=10)
    live.update(live.act(10), np.ones(10))
    state = live.save()
    for filled, played in (([10, 1, -1], 10), ([11, 0, 0], 11), ([10, 10, 10], 30)):
        with pytest.raises(ValueError, match="wrong entry 'filled'"):
            live.restore(state | {"filled": np.array(filled), "played": np.array(played)})


@pytest.mark.parametrize("most", (0, -1, 1.5, True, "2"))
def test_users_visit_a_whole_number_of_times(most):
    with pytest.raises(ValueError, match=r"^visits must be"):
        Visits(most)


def test_a_last_batch_of_linucb_plays_no_more_rounds_than_there_are():
    features = np.full((2, 3), 0.3)
    live = bdp.make("LinUCB-SDP-Vec", CONTEXTS, horizon=15, epsilon=1.0, delta=0.1, batch_size=10)
    live.update(live.act([features] * 10), np.zeros(10))
    one, _, again = live.act([features] * 3), live.act([features] * 2), live.act([features] * 5)
    live.update(one, np.zeros(3))
    with pytest.raises(ValueError, match="ticket must be for no more users than the 2 whose answers are lacking, got 5"):
        live.update(again, np.zeros(5))
    assert live.played == 13


@pytest.mark.parametrize("change", ({"users": 2}, {"arm": 1}, {"arm": 7}))
def test_a_changed_ticket_is_refused(change):
    live = make("SDP-AE")
    ticket, before = live.act(), live.save()
    for learner in (live, again := make("SDP-AE")):
        again.restore(before)
        with pytest.raises(ValueError, match=r"ticket must be what act\(\) returned, Ticket\(arm=0, users=1"):
            learner.update(replace(ticket, **change), np.ones(change.get("users", 1)))
        assert same(before, learner.save())
        learner.update(ticket, 1.0)


@pytest.mark.parametrize("shown", (None, np.full((2, 3), 0.3), np.full((1, 2), 0.3), np.array([[0.3, 0.3, np.nan]])))
def test_a_ticket_without_what_its_user_was_shown_is_refused(shown):
    live = bdp.make("LinUCB-LDP", CONTEXTS, horizon=150, epsilon=1.0, delta=0.1)
    ticket = live.act(np.full((6, 3), 0.3))
    with pytest.raises(ValueError, match=r"ticket must be what act\(\) returned, with the features that 1 users were shown"):
        live.update(replace(ticket, shown=shown), 1.0)
    live.update(ticket, 1.0)


@pytest.mark.parametrize("name", ("LinUCB-LDP", "LinUCB-SDP-Vec", "LinUCB-JDP"))
def test_features_stay_in_the_ticket_and_as_they_were_checked(name):
    """Neither the features nor the arm that was chosen by them is in the state, and a ticket's features cannot grow."""
    live = bdp.make(name, CONTEXTS, horizon=150, epsilon=1.0, delta=0.1)
    rng, states = np.random.default_rng(0), []
    for _ in range(2):
        again = copy.deepcopy(live)
        again.owner = "one name"
        tickets = [again.act(rng.uniform(-0.5, 0.5, (6, 3))) for _ in range(4)]
        with pytest.raises(ValueError, match="read-only"):
            tickets[0].shown[:] = 1e6
        assert all(kept.shown is kept.arm is None for kept in again.tickets.values())
        states.append(again.save())
    assert same(*states)
    assert len(set(tickets)) == 4  # tickets are told apart by what they are, not by what they say


def wrong_states(name, state):
    """Yield states with one entry that is of the right shape and cannot be, and the entry that must be named."""
    entry = "inner_" if "inner_played" in state else ""
    for key, wrong in (
        ("numbers", -1), ("numbers", 2**62), ("ticket_numbers", state[entry + "ticket_numbers"] + 99), ("ticket_users", [-1] * 3),
        ("ticket_arms", [7] * 3), ("ticket_arms", [-1] * 3), ("visits", [-5] * 4), ("visits", [2] * 4), ("here", ['"nobody"']),
        ("played", -1), ("played", 2**62), ("bits", -1.0), ("ticket_users", [1] * 2),
        ("visitors", ["1.5", '"user 0"', '"user 2"', '"user 3"']), ("learner_sums", [np.nan] * 3), ("learner_sums", [np.inf] * 3),
    ):
        yield entry + key, wrong
    if entry:
        yield from (("stage", -1), ("stage", 62), ("played", 2), ("played", 2**61))
    if name in BATCHED:
        yield from ((entry + key, wrong) for key, wrong in (
            ("learner_phase", 0), ("learner_phase", 10**9), ("learner_viable", [0, 0, 1]), ("learner_viable", [-1, 0, 1]),
            ("learner_viable", [0, 1, 9]), ("learner_viable", []), ("learner_width_users", -1),
            ("learner_width_log_mgf", [-1.0] * 300), ("filled", [-1, 0, 0]), ("filled", [3, 3, 3]), ("released", [np.nan] * 3),
        ))


@pytest.mark.parametrize("horizon", (4000, None))
@pytest.mark.parametrize("name", ("UCB1", "DP-UCB", "SDP-AE", "LDP-AE"))
def test_an_impossible_state_is_refused(name, horizon):
    """Else it would break later, or users be asked more often than is promised."""
    live = make(name, horizon)
    tickets = [live.act(user=f"user {i}") for i in range(4)]
    live.update(tickets[1], 1.0)
    state = live.save()
    for key, wrong in wrong_states(name, state):
        with pytest.raises(ValueError, match=f"wrong entry '{key}'"):
            live.restore({**state, key: np.array(wrong) if len(np.shape(wrong)) and len(wrong) else
                          np.array(wrong, dtype=state[key].dtype)})
        assert same(state, live.save())


@pytest.mark.parametrize(("name", "steps"), (("LinUCB-JDP", "stream_counter_steps"), ("LinUCB-Tree", "stream_counter_steps"),
                                             ("LinUCB-SDP-Vec", None), ("LinUCB-LDP", None)))
def test_an_impossible_state_of_linucb_is_refused(name, steps):
    """A counter that is told of fewer steps than there were would use its noise again."""
    options = {"batch_size": 4} if "SDP" in name else {}
    live = bdp.make(name, CONTEXTS, horizon=150, epsilon=1.0, delta=0.1, **options)
    while live.played < 14:
        live.update(live.act(np.full((2, 3), 0.3)), 1.0)
    live.act(np.full((2, 3), 0.3))
    state = live.save()
    wrong = [("learner_batch", state["learner_batch"] + 1), ("filled", state["filled"] + 1), ("filled", -1), ("ticket_arms", [0]),
             ("learner_theta", [np.nan] * 3), ("learner_beta", -1.0)]
    wrong += [("sent", np.zeros((2, 4)))] if options else []
    for key, value in wrong:
        with pytest.raises(ValueError, match=f"wrong entry '{key}'"):
            live.restore({**state, key: np.array(value)})
    if steps:  # with all that hangs on it
        early = bdp.make(name, CONTEXTS, horizon=150, epsilon=1.0, delta=0.1)
        early.update(early.act(np.full((2, 3), 0.3)), 1.0)
        counter = {key: value for key, value in early.save().items() if key.startswith("stream_counter")}
        with pytest.raises(ValueError, match=f"wrong entry '{steps}'"):
            live.restore(state | counter)
    assert same(state, live.save())


def test_what_a_learner_of_your_own_holds_is_your_own():
    """Its phases may begin at 0, and its bounds be infinite."""
    class Mine:
        def __init__(self):
            self.phase, self.beta, self.best, self.viable = 0, -1.0, -np.inf, np.array([True, True, True])

        def ask(self):
            return Asked(np.arange(3), np.array([2, 2, 2]))

        def tell(self, released, noise):
            self.phase, self.best = self.phase + 7, float(max(released))

    live, again = (bdp.combine(Mine(), lambda users: Identity(users), PROBLEM, horizon=50) for _ in range(2))
    for _ in range(3):
        again.restore(live.save())
        assert same(live.save(), again.save())
        for _ in range(5):
            live.update(live.act(), 1.0)


@pytest.mark.parametrize("name", ("AE", "DP-UCB"))
@pytest.mark.parametrize("duplicate", (copy.copy, copy.deepcopy))
def test_copies_share_nothing(name, duplicate):
    """What one is told later, the other neither knows nor loses."""
    live = make(name, **({"batch_size": 50} if name == "AE" else {}))
    for _ in range(5):
        live.update(live.act(), 0.0)
    other = duplicate(live)
    live.update(live.act(), 1.0)
    mine = live.save()
    for user in range(3):
        other.update(other.act(user=user), 0.0)
    other.act()
    assert same(mine, live.save()) and len(other.tickets) == 1 and other.played == 8


def test_copies_of_a_counter_share_nothing():
    """The square-root factorization keeps all its draws in one array."""
    counter, rng = bdp.continual.FactorizationCounter(20, 1.0, 0.1), np.random.default_rng(0)
    for _ in range(5):
        counter.add(1.0, rng)
    other = copy.copy(counter)
    counter.add(1.0, rng)
    mine = counter.save()
    other.add(1.0, rng)
    assert same(mine, counter.save()) and not same(mine, other.save())
