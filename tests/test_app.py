"""The four rules of the app, for every system of the catalogue; tickets, randomness, and what the core does not know."""

import ast
import copy
import ctypes
import json
import os
import pickle
import signal
import subprocess
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import bandits_dp as bdp
import bandits_dp.app
from bandits_dp.app import randomness
from bandits_dp.app.randomness import generator
from bandits_dp.app.refusals import BudgetSpent, HorizonReached, InBatch, TicketExpired
from bandits_dp.app.slot import Slot
from bandits_dp.arms.app import RunningApp
from bandits_dp.arms.batches import DoublingBatches
from bandits_dp.arms.widths import ChernoffWidth
from bandits_dp.learners import ArmElimination
from bandits_dp.noise.exact import Coins
from bandits_dp.privatizers import CentralLaplace
from bandits_dp.problems import BernoulliArms, ContextualLinear
from bandits_dp.serve import Served
from bandits_dp.serve.saved import digest
from bandits_dp.serve.state import packed
from tests.small_problems import CASES, Alone, Crowd, refused

BARE = [case for case in CASES if "unknown horizon" not in case]
APP = Path(bandits_dp.app.__file__).parent
BITS, CONTEXTS = BernoulliArms([0.2, 0.9, 0.5]), ContextualLinear(arms=6, dimension=3, fixed=False)
EXPIRED = "ticket must be open, got one that is used already, or its batch was released without it"


def held(app):
    """Return all that changes in an app, to be compared: a hash over all numbers, users, and the open tickets themselves."""
    nobodys = copy.copy(app)
    nobodys.visits, nobodys.here = {}, {}
    nobodys.open = {number: replace(ticket, user=None) for number, ticket in app.open.items()}
    numbers = digest({key: np.array(value) for key, value in packed(nobodys).items()})
    return numbers, dict(app.visits), list(app.here), list(app.open.values())


def same_attributes(app, before):
    """Whether all attributes are the very objects that they were."""
    return vars(app).keys() == before.keys() and all(vars(app)[name] is value for name, value in before.items())


def freeze(thing, seen):
    """Forbid changes of all arrays that something holds, however deep."""
    if id(thing) in seen or isinstance(thing, type):
        return
    seen[id(thing)] = thing
    if isinstance(thing, np.ndarray):
        thing.flags.writeable = False
    parts = [*getattr(thing, "__dict__", {}).values(), *getattr(thing, "args", ()), *getattr(thing, "keywords", {}).values()]
    if isinstance(thing, (dict, list, tuple, set)):
        parts += thing.values() if isinstance(thing, dict) else thing
    for part in parts:
        freeze(part, seen)


def all_shown(crowd):
    """Hand out tickets until all users of the phase or batch have one; return them with answers."""
    app, given = crowd.learner, []
    while any(slot.users > slot.filled + slot.shown for slot in app.slots) and len(given) < 50:
        many = app.missing if crowd.setting in ("arms", "linear") else 1
        ticket = app.act(many) if many > 1 else crowd.act()
        given.append((ticket, crowd.answer(ticket)))
    return given or [(ticket := crowd.act(), crowd.answer(ticket))]  # of a phase that decides nothing


# 1. update is take and tell; take checks everything first, then replaces attributes and changes no array in place
@pytest.mark.parametrize("case", BARE)
def test_a_shallow_copy_is_a_snapshot(case):
    """Of an app whose arrays are all frozen a copy is updated, batch after batch; the app is as it was before."""
    crowd, told = Alone(case), 0
    while told < 2 and crowd.learner.played < crowd.horizon:
        app = crowd.learner
        given = all_shown(crowd)
        freeze(app, {})
        then, state, attributes = copy.copy(app), held(app), dict(vars(app))
        for ticket, answer in given:
            if then.played < crowd.horizon:
                then.update(ticket, answer, crowd.noise)
        assert held(app) == state and same_attributes(app, attributes)
        assert held(then) != state and then.played + sum(slot.filled for slot in then.slots) > app.played
        crowd.learner, told = then, told + (then.learner is not app.learner)
    assert told


@pytest.mark.parametrize("case", BARE)
def test_update_is_take_and_tell(case):
    """To the last bit: and what was taken and not told is due, and nothing is shown meanwhile."""
    crowd = Alone(case)
    ticket, answer = crowd.brink()
    whole, parts = copy.deepcopy(crowd.learner), copy.deepcopy(crowd.learner)
    noises = [copy.deepcopy(crowd.noise) for _ in range(2)]
    whole.update(whole.open[ticket.number], answer, noises[0])
    parts.take(parts.open[ticket.number], answer, noises[1])
    assert parts.due and held(parts) != held(whole) and (parts.missing == 0 or isinstance(parts, RunningApp))
    parts.tell()
    assert held(parts) == held(whole) and not parts.due and noises[0].bytes(16) == noises[1].bytes(16)
    parts.tell()
    assert held(parts) == held(whole)


@pytest.mark.parametrize("case", BARE)
def test_what_is_refused_replaces_nothing(case):
    """The error names what was wrong, every attribute is the very object that it was, and nothing was drawn."""
    crowd = Alone(case)
    ticket, answer = crowd.brink()
    app, shape, shown = crowd.learner, np.shape(answer), crowd.shown()
    freeze(app, {})
    state, attributes, drawn = held(app), dict(vars(app)), crowd.noise.bit_generator.state
    bad = [np.full(shape, np.nan), np.full(shape, np.inf), np.zeros((*shape, 2)), np.zeros((2, *shape, 3)), "much", None, [],
           {"reward": 1.0}, [object()], np.zeros(10**6)]
    if app.guarantee.model != "none" or crowd.setting != "clients":  # averages may be anything without privacy
        bad += [np.full(shape, 7.0), np.full(shape, -7.0)]
    wrong = [(lambda own=own: app.take(ticket, own, crowd.noise), "rewards must|averages must") for own in bad]
    wrong += [(lambda rng=rng: app.take(ticket, answer, rng), "rng must be") for rng in (3, np.random.RandomState(3))]
    wrong += [(lambda one=one: app.take(one, answer), "ticket must be") for one in (ticket.number, None)]
    if crowd.setting == "contextual":
        (features,) = shown
        zero, long, nan = features.copy(), features.copy(), features.copy()
        zero[1], long[1], nan[1, 0] = 0.0, 2.0, np.nan
        wrong += [(lambda own=own: app.act(own), "features must") for own in (
            zero, long, nan, features[:1], features[:, :-1], features[0], "arms", np.stack([features] * 1000))]
    else:
        wrong += [(lambda users=users: app.act(users), "users must be") for users in (0, 10**6, 1.0, True)]
    if crowd.setting in ("arms", "linear"):
        wrong.append((lambda: app.offer(10**6), "(arm|place) must be 0 to"))
    for call, text in wrong:
        with pytest.raises((ValueError, TypeError), match=text):
            call()
        assert same_attributes(app, attributes) and held(app) == state and crowd.noise.bit_generator.state == drawn
    app.update(ticket, answer, crowd.noise)


# 2. A ticket is an object, taken once, by identity
@pytest.mark.parametrize("case", BARE)
def test_a_ticket_is_taken_once_and_no_copy_of_it(case):
    crowd = Alone(case)
    ticket, answer = crowd.brink()
    app, (foreign, _) = crowd.learner, Alone(case).brink()
    late = None if isinstance(app, RunningApp) else crowd.act("late")
    state = held(app)
    for wrong in (copy.copy(ticket), copy.deepcopy(ticket), pickle.loads(pickle.dumps(ticket)), replace(ticket), foreign,
                  replace(ticket, number=ticket.number + 1), replace(ticket, users=ticket.users + 1)):
        refused(EXPIRED, app.update, wrong, answer, crowd.noise, error=TicketExpired)
        assert held(app) == state
    app.update(ticket, answer, crowd.noise)
    state = held(app)
    for wrong in filter(None, (ticket, late)):
        refused(EXPIRED, app.update, wrong, answer, crowd.noise, error=TicketExpired)
        assert held(app) == state
    with pytest.raises(TypeError, match=r"ticket must be what act\(\) returned, got 1.0; update takes the ticket first"):
        app.update(1.0, ticket)


@pytest.mark.parametrize("case", BARE)
def test_at_the_horizon_nobody_is_asked_and_nothing_is_taken(case):
    crowd = Alone(case)
    first = crowd.act()
    crowd.play(0, until=crowd.horizon)
    for call in (crowd.act, lambda: crowd.learner.update(first, 1.0)):
        with pytest.raises(HorizonReached, match=f"horizon is {crowd.horizon} and {crowd.horizon} rounds are played"):
            call()


# 3. Who expired is a difference of `open`; serve gives visits back or holds them, and the core does neither
@pytest.mark.parametrize("case", BARE)
def test_who_expired_is_a_difference_of_open(case):
    crowd = Alone(case)
    ticket, answer = crowd.brink()
    app, late = crowd.learner, crowd.act("late")
    before = app.open
    assert before[late.number] is late and app.visits["late"] == 1 and "late" in app.here
    app.update(ticket, answer, crowd.noise)
    assert before.keys() - app.open.keys() == {ticket.number} | ({late.number} if not isinstance(app, RunningApp) else set())
    assert app.open.items() <= before.items() and app.visits["late"] == 1  # nothing is given back
    if app.appearances == 1:
        drawn = crowd.noise.bit_generator.state
        refused("user must be asked once at most, .* got 'late' once more", crowd.act, "late", error=BudgetSpent)
        assert crowd.noise.bit_generator.state == drawn


@pytest.mark.parametrize("case", BARE)
def test_a_served_app_gives_visits_back_or_holds_tickets(case):
    crowd = Crowd(case)
    ticket, answer = crowd.brink()
    served, late = crowd.learner, crowd.act("late")
    served.update(ticket, answer, crowd.noise)
    if isinstance(served.app, RunningApp):
        assert late.number in served.tickets and served.missed == 0
        return
    held_back = served.late == "next"
    assert (late.number in served.tickets, served.missed) == (held_back, 0 if held_back else 1)
    assert served.status().users == len(served.app.visits) - (not held_back)
    again = crowd.act("late") if crowd.setting != "clients" or served.missing else None
    assert served.missed == 1
    for wrong in (late, ticket):
        with pytest.raises(TicketExpired):
            served.update(wrong, answer, crowd.noise)
    if again is not None:
        served.update(again, crowd.answer(again), crowd.noise)
    if again is not None and served.app.appearances == 1:
        refused("asked once at most, .* got 'late' once more", crowd.act, "late", error=BudgetSpent)


# 4. A core user is any hashable; serve hands in a keyed hash, and puts the name back into an error
@pytest.mark.parametrize("case", BARE)
def test_a_user_is_whatever_can_be_told_apart(case):
    crowd = Alone(case)
    app, shown = crowd.learner, crowd.shown()  # features, or one user
    for user in (("Ada", 1), 2.5, frozenset("ab"), b"Ada", "Ada", -1):
        ticket = app.act(*shown, user=user)
        assert ticket.user is user and app.visits[user] == 1
        with pytest.raises((BudgetSpent, InBatch)) as told:
            app.check_user(user)
        assert repr(user) in str(told.value)
    for wrong in ([], ("Ada", []), np.ones(2)):
        refused("user must be hashable, got", app.act, *shown, user=wrong, error=TypeError)
    served = Served(Alone(case).learner)
    for user in ("Ada", np.int64(5), "5"):
        served.act(*shown, user=user)
    for user in (("Ada", 1), 2.5, frozenset("ab"), b"Ada"):
        with pytest.raises(ValueError, match="user must be an integer or a string of at most 256 bytes, got"):
            served.act(*shown, user=user)
    assert all(isinstance(key, bytes) and len(key) == 16 for key in served.app.visits) and len(served.app.visits) == 3
    for user in ("Ada", 5, "5"):
        with pytest.raises((BudgetSpent, InBatch), match=f"got {user!r} (once more|again)"):
            served.act(*shown, user=user)


# Tickets of several, in any order
def make(name, horizon=4000, problem=BITS, **options):
    return bdp.make(name, problem, horizon=horizon, epsilon=1.0, delta=0.1, **options)


@pytest.mark.parametrize(("name", "options"), [("AE", {"batch_size": 3}), ("UCB1", {}), ("DP-UCB", {})])
def test_answers_in_any_order_are_credited_to_what_was_shown(name, options):
    """Nine tickets are open at once; their answers come backwards, and every arm's sum is that of its own users."""
    app, arms = make(name, **options), [0, 0, 0, 1, 1, 1, 2, 2, 2]
    tickets = [app.act() if name == "AE" else app.offer(arm) for arm in arms]
    assert [ticket.arm for ticket in tickets] == arms and app.played == 0 and list(app.open.values()) == tickets
    for ticket in reversed(tickets):
        app.update(ticket, float(ticket.arm == 1), np.random.default_rng(0))
    assert app.played == 9 and not app.open
    if name == "DP-UCB":
        assert [slot.source.counter.steps for slot in app.slots] == [3, 3, 3]
    else:
        assert app.learner.sums.tolist() == [0.0, 3.0, 0.0]


def test_several_users_share_a_ticket():
    app = make("SDP-AE", batch_size=6)
    pair, rest = app.act(users=2), app.act(users=4)
    assert (pair.arm, rest.arm, app.act().arm) == (0, 0, 1)
    for answers in (1.0, [1.0], [1.0, 0.0, 1.0]):
        refused("rewards must be one for each user of the ticket, 2 in all", app.update, pair, answers)
    app.update(rest, [1, 0, 1, 1])
    app.update(pair, [1, 0])
    assert app.played == 6
    refused("users must be 1 to 5, the rest of this batch, got 6", app.act, 6)
    refused("user must be left out for several users at once, got 'Ada' for 2", app.act, 2, user="Ada")


@pytest.mark.parametrize(("name", "horizon", "sizes", "lacks"), [("SDP-AE", 10, (6, 6), 4), ("LinUCB-SDP-Vec", 15, (3, 2, 5), 2)])
def test_tickets_of_several_users_play_no_more_rounds_than_there_are(name, horizon, sizes, lacks):
    """Some of the last ten users answer, and then more would than are left: these are refused."""
    contextual = name == "LinUCB-SDP-Vec"
    app = make(name, horizon, CONTEXTS if contextual else BITS, batch_size=10 if contextual else 6)

    def come(users):
        return app.act([np.full((2, 3), 0.3)] * users if contextual else users)

    if contextual:
        app.update(come(10), np.zeros(10))
    first, *_, last = map(come, sizes)
    app.update(first, np.zeros(first.users))
    refused(f"ticket must be for no more users than the {lacks} whose answers are lacking, got {last.users}",
            app.update, last, np.zeros(last.users))
    app.update(come(lacks), np.zeros(lacks))
    assert app.played == horizon and all(slot.waiting is None for slot in app.slots)  # of a batch that never fills


@pytest.mark.parametrize("case", [case for case in BARE if hasattr(Alone(case).learner, "decides")])
def test_a_phase_after_which_nobody_plays_releases_nothing(case):
    app = Alone(case).learner
    plays = int(app.asked.plays.sum())
    for rounds in (plays + 1, plays):
        app.horizon = rounds
        app.begin()
        assert app.decides is (rounds > plays)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, 1e101, -1e300])
def test_a_clipped_answer_always_counts(bad):
    learner = ArmElimination(3, DoublingBatches(), ChernoffWidth(200, 10))
    app = bdp.combine(learner, partial(CentralLaplace, epsilon=1.0, clip=True), BITS, horizon=200)
    app.update(app.act(), bad)
    assert app.played == 1


def test_answers_that_come_one_by_one_are_counted_in_64_bits():
    """Also those of a privatizer of one's own that sends bytes: 256 ones are not none."""
    source = SimpleNamespace(adds=True, bits_per_user=1.0, send=lambda values, rng: values.astype(np.uint8))
    slot = Slot(source, 300)
    for _ in range(256):
        slot = slot.with_answers(1, np.ones((1, 1)), np.random.default_rng(1))
    assert slot.waiting == 256


def test_messages_that_do_not_add_up_do_not_wait_in_the_order_in_which_they_came():
    slot = Slot(SimpleNamespace(adds=False, send=lambda values, rng: values), 30)
    for user in range(30):
        slot = slot.with_answers(1, np.array([[user]]), np.random.default_rng(user))
    assert sorted(slot.waiting.ravel()) == list(range(30)) != slot.waiting.ravel().tolist()


# Randomness
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


# The core knows neither
@pytest.mark.parametrize("path", sorted(APP.glob("*.py")), ids=lambda path: path.name)
def test_an_app_knows_no_server_and_no_book(path):
    names = {name for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, (ast.Import, ast.ImportFrom))
             for name in ([node.module] if isinstance(node, ast.ImportFrom) else [one.name for one in node.names])}
    assert not [name for name in names if name.startswith(("bandits_dp.serve", "bandits_book", "bandits_dp.play", "threading"))]


LOADED = "import sys; import {}; print([name for name in sys.modules if name.startswith(('bandits_dp.serve', 'bandits_book'))])"


@pytest.mark.parametrize("module", ["bandits_dp", "bandits_dp.contextual.app", "bandits_dp.app.sums", "bandits_dp.linear.app"])
def test_what_is_imported_first_loads_neither(module):
    done = subprocess.run([sys.executable, "-c", LOADED.format(module)], capture_output=True, text=True, check=True, timeout=600)
    assert done.stdout == "[]\n"


def test_serve_can_be_imported_first():
    subprocess.run([sys.executable, "-c", "import bandits_dp.serve"], check=True, timeout=600)
