"""The four rules of the app, for every system of the catalogue, and what the core does not know."""

import ast
import copy
import pickle
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import bandits_dp.app
from bandits_dp._state import digest
from bandits_dp.app.refusals import BudgetSpent, HorizonReached, InBatch, TicketExpired
from bandits_dp.arms.app import RunningApp
from bandits_dp.serve import Served
from bandits_dp.serve.state import packed
from tests.small_problems import CASES, Alone, Crowd, refused

BARE = [case for case in CASES if "unknown horizon" not in case]
APP = Path(bandits_dp.app.__file__).parent
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
    """Every attribute is the very object that it was, and nothing was drawn."""
    crowd = Alone(case)
    ticket, answer = crowd.brink()
    app, shape = crowd.learner, np.shape(answer)
    freeze(app, {})
    state, attributes, drawn = held(app), dict(vars(app)), crowd.noise.bit_generator.state
    bad = [np.full((*shape, 2), 0.0), "much", None, np.full(shape, 1e6), np.full(shape, np.nan)]
    calls = [lambda own=own: app.take(ticket, own, crowd.noise) for own in bad[: 4 if app.guarantee.model != "none" else 3]]
    calls += [lambda: app.take(ticket, answer, np.random.RandomState(3)), lambda: app.take(ticket, answer, 3),
              lambda: app.take(ticket.number, answer), lambda: app.take(None, answer), lambda: app.offer(10**6)]
    for call in calls:
        with pytest.raises((ValueError, TypeError, AttributeError)):
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
        with pytest.raises(BudgetSpent, match=r"user must be asked once at most, .* got 'late' once more"):
            crowd.act("late")


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
    for user in ("Ada", 5, "5"):
        served.act(*shown, user=user)
    for user in (("Ada", 1), 2.5, frozenset("ab"), b"Ada"):
        with pytest.raises(ValueError, match="user must be an integer or a string of at most 256 bytes, got"):
            served.act(*shown, user=user)
    assert all(isinstance(key, bytes) and len(key) == 16 for key in served.app.visits) and len(served.app.visits) == 3
    for user in ("Ada", 5, "5"):
        with pytest.raises((BudgetSpent, InBatch), match=f"got {user!r} (once more|again)"):
            served.act(*shown, user=user)


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
