"""What serve adds to an app: interrupted, in threads, with tickets that travel, and for a horizon that nobody knows.

What holds for every system is in ``tests/test_every_learner.py``; here is what a wrapper can do wrong.
"""

import contextlib
import copy
import json
import pickle
import sys
import threading
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

import bandits_dp as bdp
from bandits_dp.app.refusals import BudgetSpent, HorizonReached, TicketExpired
from bandits_dp.app.ticket import Ticket
from bandits_dp.privatizers import CentralLaplace
from bandits_dp.problems import BernoulliArms, ClientPopulation, ContextualLinear, LinearArms
from bandits_dp.serve import Restarts, Served
from tests import test_every_learner as every
from tests.small_problems import CASES, Crowd, refused, same_state
from tests.test_live_safety import Doubling, Fragile

ARMS, CONTEXTS = BernoulliArms([0.9, 0.8]), ContextualLinear(arms=3, dimension=2)
PROBLEMS = {"LinUCB-SDP-Vec": CONTEXTS, "LinUCB-JDP": CONTEXTS, "LinUCB": CONTEXTS, "CDP-PE": LinearArms(np.eye(2), [0.5, 0]),
            "DPE": ClientPopulation(np.eye(2), [0.5, 0.3], client_std=0.1)}
SHOWN = np.full((3, 2), 0.5)


def make(name, late="drop", horizon=1000, **options):
    return Served(bdp.make(name, PROBLEMS.get(name, ARMS), horizon=horizon, epsilon=1.0, delta=1e-3, **options), late)


def endless(name, late="drop", growth="double", first_horizon=3, **options):
    problem = PROBLEMS.get(name, ARMS)
    return Restarts(partial(bdp.make, name, problem, epsilon=1.0, delta=1e-3, **options), first_horizon, growth, late)


@pytest.mark.parametrize("case", [case for case in CASES if "unknown horizon" not in case])
def test_what_was_saved_at_the_horizon_is_restored(case):
    """KL-UCB was not: a phase that decides nothing had no user left to ask."""
    crowd = Crowd(case)
    crowd.play(0, until=crowd.horizon)
    again = crowd.restored(crowd.learner.save())
    assert same_state(again.learner.save(), crowd.learner.save()) and again.learner.played == crowd.horizon
    refused("horizon is", again.act, error=HorizonReached)


@pytest.mark.parametrize("case", ["UCB1", "SDP-AE", "LinUCB-SDP-Vec", "late LinUCB-SDP-Vec", "CDP-DPE", "unknown horizon"])
def test_a_state_holds_nothing_that_was_shown(case):
    crowd = Crowd(case)
    tickets = [crowd.act(user) for user in "ABC"]
    held = b"".join(array.tobytes() for array in crowd.learner.save().values())
    assert all(ticket.shown is None or ticket.shown.tobytes() not in held for ticket in tickets)


@pytest.mark.parametrize("late", ["drop", "next"])
def test_a_restart_that_is_interrupted_happens_once(late):
    app, seen = endless("UCB1", late, first_horizon=4), set()
    for _ in range(3):
        app.update(app.act(), 1.0)
    ticket, _ = app.act(), app.act(user="Ada")
    for one in every.at_every_line(app, lambda one: one.update(ticket, 1.0)):
        one.act()
        try:
            one.act(user="Ada")
        except BudgetSpent:
            seen.add((one.stage, one.missed, "refused"))
        else:
            seen.add((one.stage, one.missed, "shown"))
    assert seen == {(0, 0, "refused"), (1, 1, "shown")}


def test_a_user_whose_ticket_was_held_gives_it_up_in_one_step_or_not_at_all():
    """Also when what she is shown now is refused."""
    app = make("LinUCB", "next", batch_size=2)
    tickets = [app.act(SHOWN, user=user) for user in ("Ada", 1, 2)]
    for ticket in tickets[1:]:
        app.update(ticket, 1.0)
    before = app.save()
    refused("features must", app.act, SHOWN * np.nan, user="Ada")
    refused("users? must|features must", app.act, [SHOWN] * 9, user="Ada")
    assert same_state(before, app.save()) and app.missed == 0
    ends = set()
    for one in every.at_every_line(app, lambda one: one.act(SHOWN, user="Ada")):
        ends.add((one.missed, len(one.tickets), tickets[0].number in one.tickets, int(one.save()["appearances"].sum())))
    assert ends == {(0, 1, True, 3), (1, 1, False, 3)}


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


def test_a_ticket_that_a_crash_forgot_is_not_taken_for_the_one_that_has_its_place():
    app, again = make("VB-SDP-AE"), make("VB-SDP-AE")
    app.act()
    again.restore(app.save())
    lost, given = app.act(), again.act()
    for late in (lambda: again.update(lost, 1.0), lambda: again.ticket(lost.token)):
        refused("ticket must be open", late, error=TicketExpired)
    again.update(given, 1.0)
    assert again.played == 1 and len(again.tickets) == 1


# A learner that fails
@pytest.mark.parametrize("where", ["tell", "ask"])
@pytest.mark.parametrize("way", ["bare", "served", "restarts"])
def test_a_learner_that_fails_is_told_the_same_release_again(where, way):
    """A bare app, too: the answer is taken, and the next call tells what the first one released."""
    learner = Fragile(where)

    def built(horizon):
        return bdp.combine(learner, partial(CentralLaplace, epsilon=1.0), ARMS, horizon=horizon)

    app = {"bare": built, "served": lambda horizon: Served(built(horizon)), "restarts": lambda _: Restarts(built)}[way](1000)
    app.update(app.act(users=10), np.ones(10))
    app.update(app.act(users=9), np.ones(9))
    last = app.act()
    refused(None, app.update, last, 1.0, error=ConnectionError)
    assert app.played == 20 and app.missing == 0 and not (app.open if way == "bare" else app.tickets)
    with pytest.raises(TicketExpired, match="ticket must be open"):
        for _ in range(30):
            with contextlib.suppress(ConnectionError):
                app.update(last, 0.0)
    assert len(learner.seen) >= 20 and np.ptp(learner.seen, axis=0).max() == 0.0
    assert app.act().arm == 0


def test_a_weaker_privatizer_of_a_later_phase_is_refused_before_anybody_is_asked():
    def privatizer(users):
        return CentralLaplace(users, epsilon=max(users, 100) / 100)

    app = bdp.combine(Doubling(), privatizer, ARMS, horizon=10_000)
    app.update(app.act(users=100), np.zeros(100))
    refused(r"privatizer must promise \(1, 0\).* to each of 200 users, got \(2, 0\)", app.update, app.act(users=50), np.zeros(50))
    refused(r"privatizer must promise", app.act)
    assert app.played == 150


# Threads
@pytest.mark.parametrize("name", ["DP-UCB", "VB-SDP-AE", "CDP-PE", "LinUCB-JDP"])
def test_threads_lose_no_answer_and_take_none_twice(name):
    """Four of them, which take turns after every few instructions; some save meanwhile."""
    app, taken, errors = make(name, horizon=10**6), [], []
    shown = (SHOWN,) if name == "LinUCB-JDP" else ()

    def work():
        for _ in range(150):
            ticket = app.act(*shown)
            for _ in range(2):  # sent twice
                try:
                    app.update(ticket, 1.0)
                    taken.append(ticket.number)
                except TicketExpired as error:
                    errors.append(error)
        app.save()

    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(timeout=600)
    finally:
        sys.setswitchinterval(before)
    assert app.played == len(taken) == len(set(taken)) and len(errors) == 1200 - len(taken)


# What is the wrapper's, and what is the app's
def test_what_is_not_served_is_the_apps():
    app = make("VB-SDP-AE")
    assert (app.played, app.missing, app.horizon, app.arms, app.setting) == (0, 2, 1000, 2, "arms")
    assert app.guarantee is app.app.guarantee and app.learner is app.app.learner and repr(app) == repr(app.app)
    refused("'Served' object has no attribute '__nothing__'", getattr, app, "__nothing__", error=AttributeError)
    refused("object has no attribute 'nothing'", getattr, app, "nothing", error=AttributeError)
    blank = object.__new__(Served)  # as pickle makes it
    refused("no attribute 'lock'", getattr, blank, "lock", error=AttributeError)
    ticket, other = app.act(user="Ada"), copy.copy(app)
    assert other.lock is not app.lock and other.app is not app.app
    other.update(ticket, 1.0)
    assert (app.played, other.played) == (0, 1) and repr(ticket) == "Sealed(arm=0, users=1, user='Ada', plays=None)"


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


def test_restarts_promise_no_more_than_each_of_them():
    refused("returning_users must be left out", endless, "LinUCB-SDP-Vec", first_horizon=40, returning_users=True, batch_size=4)

    def weaker(horizon):
        return bdp.make("SDP-AE", ARMS, horizon=horizon, epsilon=horizon / 12, delta=0.1, batch_size=2)

    app = Restarts(weaker, first_horizon=12)
    while app.played < 12:
        app.update(app.act(), 1.0)
    refused(r"promise \(1, 0.1\).* got \(2, 0.1\)", app.act, error=HorizonReached)
    assert app.suggest() in (0, 1) and app.status().horizon is None and app.save()["stage"] == 0
    assert [endless("UCB1", growth="square").horizon_of(stage) for stage in range(4)] == [3, 9, 81, 6561]


def test_a_late_answer_joins_the_app_that_plays_after_a_restart():
    app = endless("LinUCB", "next", first_horizon=4, batch_size=2)
    late = app.act(SHOWN, user="late")
    for user in range(4):
        app.update(app.act(SHOWN, user=user), 0.0)
    assert (app.stage, app.played, app.missed) == (1, 4, 0) and not app.learner.sums.any()
    app.update(app.ticket(late.token), 1.0)
    app.update(app.act(SHOWN, user=5), 0.0)
    assert app.learner.sums[:2] == pytest.approx([0.5] * 2) and list(app.app.visits.values()) == [1] * 6


def test_what_looks_best_is_suggested():
    """By estimates alone; to several users, and at the horizon, too; nothing is counted."""
    app = make("LinUCB", batch_size=2)
    for _ in range(20):
        ticket = app.act(np.eye(2))
        app.update(ticket, float(ticket.arm))
    before = app.save()
    assert app.suggest(np.eye(2)) == 1 and app.suggest([np.eye(2), np.eye(2)[::-1]]).tolist() == [1, 0]
    refused("features must", app.suggest, np.zeros((2, 5)))
    assert same_state(before, app.save())
    app = make("UCB1", horizon=30)
    while app.played < 30:
        ticket = app.act()
        app.update(ticket, float(ticket.arm == 1))
    assert app.suggest() == 1
