"""What serve adds to an app: interrupted, in threads, with tickets that travel, late answers, and a horizon that nobody knows.

What holds for every system is in ``tests/test_every_learner.py``; here is what a wrapper can do wrong.
"""

import contextlib
import copy
import json
import pickle
import signal
import sys
import threading
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

import bandits_dp as bdp
from bandits_dp.app.app import NO_END
from bandits_dp.app.ticket import Ticket
from bandits_dp.contextual.fast import play_users
from bandits_dp.play.record import Record
from bandits_dp.privatizers import CentralGaussian, CentralLaplace, LinearStatistics
from bandits_dp.problems import BernoulliArms, ClientPopulation, ContextualLinear, LinearArms, SphericalArms
from bandits_dp.serve import BudgetSpent, HorizonReached, InBatch, Restarts, Served, TicketExpired, saved
from tests.interrupted import at_every_line
from tests.small_problems import SYSTEMS, Crowd, refused, same_state, served
from tests.test_combine import Fragile, Greedy, Leader

ARMS, CONTEXTS = BernoulliArms([0.9, 0.8]), ContextualLinear(arms=3, dimension=2)
PROBLEMS = {"CDP-PE": LinearArms(np.eye(2), [0.5, 0]), "DPE": ClientPopulation(np.eye(2), [0.5, 0.3], client_std=0.1)}
SHOWN = np.full((3, 2), 0.5)
USED = "used already, or its batch was released without it"


def problem_of(name):
    return PROBLEMS.get(name, CONTEXTS if name.startswith("LinUCB") else ARMS)


def make(name, late="drop", horizon=1000, **options):
    return served(name, problem_of(name), horizon, late, epsilon=1.0, delta=1e-3, **options)


def endless(name, late="drop", first_horizon=3, **options):
    return served(name, problem_of(name), late=late, epsilon=1.0, delta=1e-3, first_horizon=first_horizon, **options)


# Interrupted
@pytest.mark.parametrize("late", ["drop", "next"])
def test_a_restart_that_is_interrupted_happens_once(late):
    app, seen = endless("UCB1", late, first_horizon=4), set()
    for _ in range(3):
        app.update(app.act(), 1.0)
    ticket, _ = app.act(), app.act(user="Ada")
    for one in at_every_line(app, lambda one: one.update(ticket, 1.0)):
        one.act()
        try:
            one.act(user="Ada")
        except BudgetSpent:
            seen.add((one.stage, one.missed, "refused"))
        else:
            seen.add((one.stage, one.missed, "shown"))
    assert seen == {(0, 0, "refused"), (1, 1, "shown")}


def test_a_user_whose_ticket_was_held_gives_it_up_in_one_step_or_not_at_all():
    """Also after a restore; and not if what she is shown now is refused."""
    app = make("LinUCB", "next", batch_size=2)
    tickets = [app.act(SHOWN, user=user) for user in ("Ada", 1, 2)]
    for ticket in tickets[1:]:
        app.update(ticket, 1.0)
    before = app.save()
    refused("features must", app.act, SHOWN * np.nan, user="Ada")
    refused("features must", app.act, [SHOWN] * 9, user="Ada")
    assert same_state(before, app.save()) and app.missed == 0
    restored = make("LinUCB", "next", batch_size=2)
    restored.restore(before)
    for live in (app, restored):
        ends = set()
        for one in at_every_line(live, lambda one: one.act(SHOWN, user="Ada")):
            ends.add((one.missed, len(one.tickets), tickets[0].number in one.tickets, int(one.save()["appearances"].sum())))
        assert ends == {(0, 1, True, 3), (1, 1, False, 3)}


def test_a_save_that_is_interrupted_at_any_line_leaves_no_lock(tmp_path):
    """An ExitStack locked first and noted it in the next line: after Ctrl-C between the two, later saves waited for ever."""
    for _ in at_every_line(make("UCB1"), lambda one: one.save(tmp_path / "state.npz"), also=contextlib.__file__):
        pass


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="Windows has no timers")
def test_real_signals_leave_no_lock(tmp_path):
    """200 times Ctrl-C while a learner is saved, with and without a file, and asked."""
    class Stop(BaseException):
        pass

    def stop(*_):
        raise Stop

    live, before, rng = make("UCB1", horizon=10**7), signal.signal(signal.SIGALRM, stop), np.random.default_rng()
    try:
        for number in range(200):
            with contextlib.suppress(Stop):
                signal.setitimer(signal.ITIMER_REAL, rng.uniform(1e-5, 3e-3), 2.0)  # again, if it was lost in a __del__
                while True:
                    live.update(live.act(), 1.0)
                    live.save(tmp_path / "state.npz" if number % 2 else None)
            signal.setitimer(signal.ITIMER_REAL, 0)
            assert not live.lock._is_owned() and not live.writing.lock._is_owned(), number
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert live.played > 200


# Tickets that travel
@pytest.mark.parametrize("name", ["UCB1", "SDP-AE", "LinUCB-SDP-Vec", "CDP-PE", "DPE"])
@pytest.mark.parametrize("way", ["itself", "copy", "deepcopy", "pickle", "token"])
def test_a_ticket_is_as_good_as_its_copies_and_is_taken_once(name, way):
    """In the same process, in a copy of the app, and in a restored one: they end in the same state."""
    app, states = make(name), []
    features = name.startswith("LinUCB")
    ticket = app.act(*([SHOWN, SHOWN[:2]],) if features else ())
    copies = copy.deepcopy(app), pickle.loads(pickle.dumps(app)), copy.copy(app), make(name)
    copies[-1].restore(app.save())
    answer = np.zeros((ticket.users, 2)) if name == "DPE" else np.ones(ticket.users)
    for one in (app, *copies):
        given = {"itself": lambda: ticket, "copy": lambda: copy.copy(ticket), "deepcopy": lambda: copy.deepcopy(ticket),
                 "pickle": lambda: pickle.loads(pickle.dumps(ticket)),
                 "token": lambda one=one: one.ticket(json.loads(json.dumps(ticket.token)))}[way]()
        one.update(given, answer, np.random.default_rng(1))
        states.append(one.save())
        for again in (ticket, given):
            refused("used already", one.update, again, answer, error=TicketExpired)
        refused("used already", one.ticket, ticket.token, error=TicketExpired)
    assert all(same_state(states[0], state) for state in states)


def test_a_ticket_that_was_changed_is_refused():
    """Whatever is changed, before a restore and after it; and what only a copy has shown is unknown."""
    app, other = make("LinUCB-SDP-Vec", batch_size=20), make("LinUCB-SDP-Vec", batch_size=20)
    pair, plain = app.act([SHOWN, SHOWN]), make("SDP-AE").act(2)
    unknown, foreign = copy.deepcopy(app).act(SHOWN), other.act(SHOWN)
    restored = make("LinUCB-SDP-Vec", batch_size=20)
    restored.restore(app.save())
    changes = [{"users": 1}, {"arm": 7}, {"arm": object()}, {"arm": np.array([1j])}, {"arm": np.zeros(2)}, {"plays": np.ones(2)},
               {"shown": None}, {"shown": pair.shown * 9}, {"shown": pair.shown[:1]}, {"shown": np.full((2, 2), np.nan)}]
    for one in (app, restored):
        before = one.save()
        for change in changes:
            refused("ticket must be what act.. returned, got one that was changed", one.update, replace(pair, **change), [1.0, 0.0])
        for wrong, words, error in (
                (unknown, "ticket must be open, got one that is unknown", ValueError),
                (foreign, "ticket must be one of this learner's", ValueError), (plain, "one of this learner's", ValueError),
                (Ticket(0), "ticket must be what act.. returned", TypeError), (None, "ticket must be what act", TypeError)):
            refused(words, one.update, wrong, [1.0, 0.0], error=error)
        for change in ({"number": 1.0}, {"owner": None}, {"users": "2"}, {"shown": 3}):
            with pytest.raises(TypeError, match=r"ticket must be what act\(\) returned, got one with"):
                replace(pair, **change)
        refused("read-only", pair.shown.fill, 1e6)  # what was shown stays as it was checked
        assert same_state(before, one.save())
        one.update(pair, [1.0, 0.0])


@pytest.mark.parametrize("way", ["restored", "restored twice", "copied"])
def test_a_ticket_that_a_crash_forgot_is_not_taken_for_the_one_that_has_its_place(way):
    first, app, again = (make("VB-SDP-AE") for _ in range(3))
    first.act()
    for one in (app, again):
        one.restore(first.save())
    app = app if way == "restored twice" else first
    again = copy.copy(app) if way == "copied" else again
    lost, given = app.act(), again.act()
    for late in (lambda: again.update(lost, 1.0), lambda: again.ticket(lost.token)):
        refused("ticket must be open", late, error=TicketExpired)
    again.update(given, 1.0)
    assert again.played == 1 and len(again.tickets) == 1


def test_tokens_that_are_changed_anothers_used_or_late_are_refused():
    live = make("LinUCB-SDP-Vec", batch_size=2)
    first, second, late = (live.act(SHOWN).token for _ in range(3))
    text, seal = first.split(".")
    forged = text[:-8] + ("A" if text[-8] != "A" else "B") + text[-7:]
    foreign = make("LinUCB-SDP-Vec", batch_size=2).act(SHOWN).token
    other = "another learner's, or one that was changed"
    swapped = f"{text}.{second.split('.')[1]}"
    for bad in (first[:-1], f"{forged}.{seal}", swapped, text, f"{text}.", ".", "", "é.é", "\ud800", foreign):
        refused(other, live.ticket, bad)
    for bad in (None, 3, first.encode()):
        refused(r"token must be what ticket\.token says, a string, got", live.ticket, bad, error=TypeError)
    live.update(live.ticket(first), 1.0)
    refused(USED, live.ticket, first, error=TicketExpired)
    live.update(live.ticket(second), 1.0)
    refused(USED, live.ticket, late, error=TicketExpired)


def test_any_integers_are_in_a_token():
    privatizer = CentralGaussian(4, 1.0, 0.1, domain=LinearStatistics(2))
    live = Served(bdp.combine(Greedy(np.ones(2, dtype=np.uint8)), privatizer, CONTEXTS, horizon=100))
    ticket = live.act([SHOWN] * 2)
    read = live.ticket(ticket.token)
    np.testing.assert_array_equal(read.arm, ticket.arm)
    live.update(read, [0.0, 1.0])


# Late answers
def test_a_late_answer_joins_the_batch_that_waits():
    """Of eight users five answer late: each is in one batch, with the features that she was shown, and nobody is missed."""
    features = np.array([[[0.1 * (user + 1), 0.0]] * 2 for user in range(8)])
    live, sums = make("LinUCB", "next", 8, batch_size=2), np.zeros(2)
    tickets = [live.act(own, user=user) for user, own in enumerate(features)]
    for user in (7, 3, 0, 1, 2, 6, 5, 4):
        live.update(tickets[user], 1.0)
        sums = sums + features[user, 0]
        if live.played % 2 == 0:
            np.testing.assert_allclose(live.learner.sums[:2], sums, atol=1e-12)
    assert (live.played, live.learner.batch, live.missed) == (8, 4, 0) and not live.tickets


def test_with_late_answers_nobody_is_twice_in_a_batch_or_in_too_many():
    """Forty users come and answer in any order, some never; a ticket that is given up is refused."""
    rng, waiting, answered, given_up = np.random.default_rng(0), {}, [], 0
    live = make("LinUCB-SDP-Vec", "next", 400, batch_size=5, returning_users=3)
    while live.played < 100:
        user = int(rng.integers(40))
        if rng.random() < 0.6:
            try:
                ticket = live.act(SHOWN, user=user)
            except (BudgetSpent, InBatch):
                continue
            if user in waiting:
                given_up += 1
                refused(None, live.update, waiting[user], 1.0, error=TicketExpired)
            waiting[user] = ticket
        elif waiting:
            user = list(waiting)[int(rng.integers(len(waiting)))]
            live.update(waiting.pop(user), 1.0)
            answered.append(user)
    assert live.learner.batch == 20 and all(len(set(answered[start : start + 5])) == 5 for start in range(0, 100, 5))
    assert max(map(answered.count, answered)) == 3 and live.missed == given_up > 0


def test_radii_hold_for_late_answers():
    """Delays of 0 to 60 users, in batches of ten: the parameter is within the radius after each of them, in ten runs."""
    for seed in range(10):
        rng = np.random.default_rng(seed)
        world = CONTEXTS.draw(rng)
        live, due, before = make("LinUCB", "next", 300, batch_size=10), [], 0
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


# A learner that fails
@pytest.mark.parametrize(("where", "way"), [
    *((where, way) for where in ("tell", "ask") for way in ("bare", "served", "restarts")), ("tell", "restored")])
def test_a_learner_that_fails_is_told_the_same_release_again(where, way):
    """A bare app, too, and what is restored: the answer is taken, and the next call tells what the first one released."""
    learner = Fragile(where)

    def built(horizon=1000):
        return bdp.combine(learner, partial(CentralLaplace, epsilon=1.0), ARMS, horizon=horizon)

    app = built() if way == "bare" else Restarts(built, 1000) if way == "restarts" else Served(built())
    app.update(app.act(users=10), np.ones(10))
    app.update(app.act(users=9), np.ones(9))
    last = app.act()
    refused(None, app.update, last, 1.0, error=ConnectionError)
    assert app.played == 20 and app.missing == 0 and not (app.open if way == "bare" else app.tickets)
    if way == "restored":
        state, app = app.save(), Served(built())
        app.restore(state)
    with pytest.raises(TicketExpired, match="ticket must be open"):
        for _ in range(30):
            with contextlib.suppress(ConnectionError):
                app.update(last, 0.0)
    assert len(learner.seen) >= 20 and np.ptp(learner.seen, axis=0).max() == 0.0
    assert app.act().arm == 0


# Threads
@pytest.mark.parametrize("name", ["DP-UCB", "VB-SDP-AE", "CDP-PE", "LinUCB-JDP"])
def test_threads_lose_no_answer_and_take_none_twice(name):
    """Four of them, which take turns after every few instructions, send answers of their own users and of others; some save."""
    app, given, taken, errors = make(name, horizon=10**6), [], [], []
    shown = (SHOWN,) if name == "LinUCB-JDP" else ()

    def work():
        for _ in range(150):
            given.append(app.act(*shown))
            for ticket in given[-2:]:
                try:
                    app.update(ticket, 1.0)
                    taken.append(ticket.number)
                except TicketExpired as error:
                    errors.append(error)
        app.save()

    threads, before = [threading.Thread(target=work) for _ in range(4)], sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(timeout=600)
    finally:
        sys.setswitchinterval(before)
    assert app.played == len(taken) == len(set(taken)) and len(taken) + len(errors) >= 1196


def test_others_go_on_while_a_file_is_written_and_newer_states_are_written_later(monkeypatch, tmp_path):
    live, started, go, wrote = make("DP-UCB"), threading.Event(), threading.Event(), []

    def slow(path, state):
        started.set()
        assert go.wait(60)
        wrote.append(int(state["played"]))

    monkeypatch.setattr(saved, "write_state", slow)
    saver = threading.Thread(target=live.save, args=(tmp_path / "state.npz",))
    saver.start()
    assert started.wait(600)
    with live.lock:  # whoever holds it may save, too
        live.update(live.act(), 1.0)
        go.set()
        live.save(tmp_path / "state.npz")
    saver.join(timeout=600)
    assert wrote == [0, 1]


def test_a_state_that_waits_to_be_written_does_not_replace_a_newer_one(monkeypatch, tmp_path):
    """Between packing and writing another thread may pack and write a newer state."""
    live, packed, go, plainly = make("UCB1"), threading.Event(), threading.Event(), saved.digest

    def slow(state):
        if threading.current_thread() is older:
            packed.set()
            assert go.wait(600)
        return plainly(state)

    monkeypatch.setattr(saved, "digest", slow)
    older = threading.Thread(target=live.save, args=(tmp_path / "shared",))
    older.start()
    assert packed.wait(600)
    live.update(live.act(), 1.0)
    live.save(tmp_path / "shared")
    go.set()
    older.join(timeout=600)
    assert int(saved.read_state(tmp_path / "shared")["played"]) == 1
    live.update(live.act(), 1.0)
    live.save(tmp_path / "shared")
    assert int(saved.read_state(tmp_path / "shared")["played"]) == 2


@pytest.mark.parametrize("call", [
    lambda live, ticket: live.tickets, lambda live, ticket: live.missing, lambda live, ticket: live.status(),
    lambda live, ticket: live.suggest(SHOWN), lambda live, ticket: live.save(), lambda live, ticket: live.act(SHOWN),
    lambda live, ticket: live.ticket(ticket.token), lambda live, ticket: live.update(ticket, 1.0)])
def test_every_call_waits_for_its_turn(call):
    live, done = make("LinUCB", batch_size=3), threading.Event()
    ticket = live.act(SHOWN)
    worker = threading.Thread(target=lambda: (call(live, ticket), done.set()))
    with live.lock:
        worker.start()
        assert not done.wait(0.1)
    assert done.wait(600)


# What is the wrapper's, and what is the app's
def test_what_is_not_served_is_the_apps():
    app = make("VB-SDP-AE")
    assert (app.played, app.missing, app.horizon, app.arms, app.setting) == (0, 2, 1000, 2, "arms")
    assert app.guarantee is app.app.guarantee and app.learner is app.app.learner and repr(app) == repr(app.app)
    assert repr(app.act(user="Ada")) == "Sealed(arm=0, users=1, user='Ada', plays=None)"
    refused("'Served' object has no attribute '__nothing__'", getattr, app, "__nothing__", error=AttributeError)
    refused("object has no attribute 'nothing'", getattr, app, "nothing", error=AttributeError)
    blank = object.__new__(Served)  # as pickle makes it
    refused("no attribute 'lock'", getattr, blank, "lock", error=AttributeError)


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, lambda live: pickle.loads(pickle.dumps(live))])
@pytest.mark.parametrize("options", [{}, {"noise": "gaussian", "counter": "factorization"}])  # which keeps its draws in one array
def test_copies_share_nothing(duplicate, options):
    """What one is told the other does not know; and each has locks of its own."""
    live = make("DP-UCB", **options)
    live.update(live.act(), 0.0)
    other = duplicate(live)
    assert other.lock is not live.lock and other.writing is not live.writing and other.app is not live.app
    live.update(live.act(), 1.0)
    before = live.save()
    for _ in range(3):
        other.update(other.act(), 0.0)
    assert same_state(before, live.save()) and (live.played, other.played) == (2, 4)


def test_what_it_is_served_with_is_checked():
    app = make("UCB1")
    refused("learner must be what make.. or combine.. returned, got UCB1.*; simulate its .app", bdp.simulate, app, ARMS, 9,
            error=TypeError)
    for wrong in (app, endless("UCB1"), "UCB1"):
        refused("app must be what make.. or combine.. returned, got", Served, wrong, error=TypeError)
    asked = bdp.make("UCB1", ARMS, horizon=9)
    asked.act()
    refused("app must have no open tickets, got one with 1", Served, asked)
    refused("make must give learners of the settings 'arms' or 'contextual', got CDP-PE", endless, "CDP-PE")
    refused("late must be 'drop' for SDP-AE, which asks in phases", make, "SDP-AE", "next")
    refused("late must be one of 'drop', 'next', got 'later'", make, "UCB1", "later")
    refused("explore and rng must be left out for SDP-AE, which asks in phases", make("SDP-AE").act, explore=0.1)
    for share in (-0.1, 1.1, np.nan, "much"):
        refused("explore must be", make("UCB1").act, explore=share)
    for wrong, words in (({"growth": "triple"}, "growth must be one of"), ({"first_horizon": 1}, "first_horizon must be")):
        refused(words, endless, "UCB1", **wrong)


# A horizon that nobody knows
def test_a_restart_expires_tickets_and_remembers_users():
    live = endless("UCB1")
    late = live.act(user="late")
    for user in ("Ada", 1, 2):
        live.update(live.act(user=user), 1.0)
    assert live.stage == 1 and live.played == 3 and not live.tickets
    assert not live.learner.pulls.any()  # of the learner that plays now
    refused(USED, live.update, late, 1.0)
    refused("user must be asked once at most, .* got 'Ada' once more", live.act, user="Ada", error=BudgetSpent)
    live.update(live.act(user="late"), 1.0)
    assert live.played == 4 and live.bits == 4 * 64


@pytest.mark.parametrize(("name", "sums"), [("LinUCB", [0.5, 0.5]), ("UCB1", [1.0, 0.0])])
def test_a_late_answer_joins_the_app_that_plays_after_a_restart(name, sums):
    shown, options = ((SHOWN,), {"batch_size": 2}) if name == "LinUCB" else ((), {})
    app = endless(name, "next", 4, **options)
    late = app.act(*shown, user="late")
    for user in range(4):
        app.update(app.act(*shown, user=user), 0.0)
    assert (app.stage, app.played, app.missed, app.slots[0].shown) == (1, 4, 0, 1) and not app.learner.sums.any()
    app.update(app.ticket(late.token), 1.0)
    app.update(app.act(*shown, user=5), 0.0)
    assert app.learner.sums[:2] == pytest.approx(sums) and list(app.app.visits.values()) == [1] * 6


def test_horizons_double_or_are_squared():
    live = endless("UCB1")
    assert [live.horizon_of(stage) for stage in (1, 60, 62, 10**18)] == [6, 3 << 60, NO_END, NO_END]
    assert [endless("UCB1", growth="square").horizon_of(stage) for stage in range(4)] == [3, 9, 81, 6561]


def short(horizon):
    if horizon > 12:
        raise ValueError("horizon must be at most 12")
    return bdp.make("UCB1", ARMS, horizon=horizon)


def weaker(horizon):
    return bdp.make("SDP-AE", ARMS, horizon=horizon, epsilon=horizon / 12, delta=0.1, batch_size=2)


@pytest.mark.parametrize(("built", "words"), [
    (short, "horizon must be at most 12"), (weaker, r"promise \(1, 0.1\).* got \(2, 0.1\)")])
def test_a_horizon_for_which_no_learner_can_be_made_is_the_last_one(built, words):
    """The answer counts, and then nobody is asked any more, as when any other horizon is reached."""
    live = Restarts(built, first_horizon=12)
    late = live.act()
    while live.played < 12:
        live.update(live.act(), 1.0)
    for call in (live.act, lambda: live.update(late, 1.0), lambda: live.ticket(late.token)):
        refused(words, call, error=HorizonReached)
    assert live.suggest() in (0, 1) and live.status().horizon is None and live.save()["stage"] == 0


def test_who_is_promised_nothing_may_return_after_restarts():
    private = partial(endless, "LinUCB-SDP-Vec", first_horizon=40, batch_size=4)
    refused("returning_users must be left out where no horizon is known", private, returning_users=2)
    live = endless("LinUCB", first_horizon=2)
    while live.stage < 4:
        live.update(live.act(SHOWN, user="Ada"), 1.0)
    assert live.played == 2 + 4 + 8 + 16


def test_the_simulator_plays_restarts_as_they_live():
    """With features: all bits are sent; ``tests/test_arm_comparators.py`` compares with learners for known horizons."""
    world = CONTEXTS.draw(np.random.default_rng(0))
    live = endless("LinUCB-SDP-Vec", first_horizon=40, batch_size=6, fidelity="messages")
    result = bdp.simulate(live, world, 120, runs=1, seed=3, progress=False)
    rng, record = np.random.default_rng(np.random.SeedSequence(3, spawn_key=(0,))), Record(1, np.arange(1, 121))
    for end in (40, 120):
        streams = rng.spawn(2)
        while live.played < end:
            play_users(live, world, end, *streams, record)
    assert result.regret[0] == pytest.approx(record.result(0.0, {}).regret[0, result.rounds - 1]) and result.bits[0] == live.bits
    assert (live.stage, live.played, live.guarantee.epsilon) == (2, 120, 1.0)


# Suggestions, status
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
        refused("features must", live.suggest, np.zeros((2, 5)))
    elif crowd.setting == "arms":
        assert live.learner.sums[arm] >= 0.0 and arm in getattr(live.learner, "viable", range(live.arms))
    else:
        assert arm in live.learner.active
    crowd.play(0, until=crowd.horizon)
    live.suggest(*shown)  # when nobody is asked any more, too


def test_what_looks_best_is_suggested():
    """Exact sums of answers that are 1 for arm 1 and 0 for others, whatever the learner is."""
    for live in (make("AE"), make("UCB1"), make("KL-UCB"), endless("UCB1", first_horizon=1024)):
        assert live.suggest() == 0
        while live.played < 40:
            ticket = live.act()
            live.update(ticket, float(ticket.arm == 1))
        assert live.suggest() == 1
    live = served("PE", PROBLEMS["CDP-PE"], 4000)
    while live.learner.phase == 1:
        ticket = live.act(live.missing)
        live.update(ticket, np.full(ticket.users, 2.0 * ticket.arm - 1.0))
    assert live.suggest() == 1
    own = Served(bdp.combine(Leader(bdp.Asked([1, 0], [10, 10])), bdp.privatizers.Identity, ARMS, horizon=50))
    assert own.suggest() == 1
    unknown = served("PE", SphericalArms(5, 3), 4000)
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
    assert (status.answers, status.horizon, status.users, status.waiting, status.missed) == (1, 1000, 3, 6, 0)
    live.update(grace, 1)
    status = live.status()
    assert late[2].arm == 0 and (status.users, status.waiting, status.missed) == (2, 2, 3) and status.epsilon == 1.0
    assert repr(status) == ("SDP-AE: 2 of 1,000 answers, 2 waiting, 3 missed, 2 users known by id\n"
                            "epsilon 1 and delta 0.001 for each user: one reward in {0, 1}, shuffle model")
    restarts = endless("UCB1")
    for _ in range(4):
        restarts.update(restarts.act(), 1.0)
    assert repr(restarts.status()) == ("UCB1, unknown horizon: 4 answers, 0 waiting, 0 missed, 0 users known by id\nno guarantee")
