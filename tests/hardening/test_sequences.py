"""Generated sequences with every system: people answer rightly, wrongly or never; states are saved and restored.

`make fuzz SEQUENCES=` plays many; ``tests/test_every_learner.py`` edits states. A twin is never saved, copied, or given anything
wrong: it must answer and save the same always.
"""

import copy
import pickle
import re
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule, run_state_machine_as_test

import bandits_dp as bdp
from bandits_book import logs
from bandits_dp.app import app as apps
from bandits_dp.serve import Restarts, Served
from bandits_dp.serve import served as serving
from tests.hardening import effort, only
from tests.hardening.judge import held, limited, same, spoil
from tests.hardening.values import NAMES, listed, quietly
from tests.small_problems import SYSTEMS

PROBLEMS = {
    "arms": [bdp.problems.BernoulliArms([0.9, 0.6, 0.5]), bdp.problems.GradedArms([0, 0.5, 1], [[0.1, 0.2, 0.7], [0.8, 0, 0.2]])],
    "linear": [bdp.problems.SphericalArms(6, 2), bdp.problems.SphericalArms(6, 2).draw(np.random.default_rng(1))],
    "clients": [bdp.problems.SphericalClients(arms=6, dimension=2, clients=60)],
    "contextual": [bdp.problems.ContextualLinear(4, 2), bdp.problems.PoolContextual(4, 2, items=20, noise_std=0.5, clip=True)],
}
FIRST = r"(users|user|features|horizon|rng|actions|ticket|rewards|averages|values|state|log|learner)\b"  # word of an error
FORMS = listed("x; x.tolist(); table(x); np.asfortranarray(x); x[:2]; x.astype(np.float32)")  # answers: the first 4
WRONG = listed("""nan; inf; None; 'much'; '1'; 1j; {'reward': 1.0}; [object()]; [[[1.0]]] * 3; np.zeros(10**5); 10**400; pd.NA
np.ma.array([1.0], mask=[True]); np.datetime64('2026-01-01'); np.array(['1']); lambda: 1; [[1], [1, 2]]; np.array([1j])""")
USERS = listed("-1; 2.0; nan; '2'; 10**9; True; 10**400; [1]; np.float64(1)")
WHO = listed("True; 1.5; []; nan; ('Ada',); np.array([1]); b'Ada'; object(); 10**300; 'A' * 300")
SHOWN = listed("""nan; None; 'arms'; []; [[]]; x * nan; x * 1e9; x * 0; x[:, :-1]; x[0]; x + 0j; x.astype(str); [x] * 9999
np.ma.array(x, mask=True); x[None, None]; x.tolist() + [[1.0]]; np.full(x.shape, 10**400, dtype=object)""")
NUMBER = st.integers(0, 10**6)


def made(text, x=None):
    return quietly(eval, text, NAMES | {"x": x})


def choices(option):
    kinds = {bool: [not option.default], int: [4, 2], float: [0.1, 0.5]}
    words = [one for one in option.ranges if isinstance(one, str)]
    return words + [value for one in option.ranges for value in kinds.get(getattr(one, "kind", one), ())]


@cache
def learner(name, number, calibration, options):
    """Return a problem and a learner for the first horizon that is long enough; if none is, one with less that was asked for."""
    problems = PROBLEMS[SYSTEMS[name].setting]
    problem = problems[number % len(problems)]
    for horizon in (40, 80, 130, 300, 900, 3000):
        given = {"horizon": horizon, "calibration": calibration}
        more = {"epsilon": 1.0, "delta": 0.1, **dict(options)}
        try:
            if calibration == "restarts":
                return problem, Restarts(partial(bdp.make, name, problem, **more), first_horizon=horizon)
            return problem, bdp.make(name, problem, **given, **more)
        except ValueError as error:
            if "horizon" not in str(error):
                break
    return learner(name, number + 1 if (calibration, options) == ("certified", ()) else 0, "certified", ())


def attempt(call):
    """Return whether a call was accepted, and its answer or its error, which must begin with what is wrong."""
    try:
        with limited():
            return True, call()
    except (ValueError, TypeError) as error:
        assert re.match(FIRST, str(error)), f"names no argument: {error}"
        return False, error


class Learning(RuleBasedStateMachine):
    @initialize(data=st.data(), number=NUMBER)
    def make(self, data, number):
        system = SYSTEMS[self.name]
        words = ["certified", "theorem"] + ["experiment"] * system.experiment + ["restarts"] * (system.setting == "arms")
        options = {one.name: st.sampled_from(choices(one)) for one in system.options if choices(one)}
        given = data.draw(st.sampled_from(words)), tuple(data.draw(st.fixed_dictionaries({}, optional=options)).items())
        self.problem, self.made = learner(self.name, number, *given)
        self.instance = self.problem.draw(np.random.default_rng(1))
        self.contextual, self.clients = (system.setting == setting for setting in ("contextual", "clients"))
        self.range = self.problem.reward_range if self.contextual else (0.0 if system.setting == "arms" else -1.0, 1.0)
        self.thing, self.twin = self.fresh(), self.fresh()
        self.rng, self.twins = np.random.default_rng(5), np.random.default_rng(5)
        self.open, self.used = [], [self.fresh("theirs").act(*self.shown(1))]

    def fresh(self, owner="ours"):
        """Return a learner that nobody has used; it knows its actions, and what it would draw for a name and a key."""
        made = copy.deepcopy(self.made)
        thing = made if isinstance(made, Restarts) else Served(made)
        thing.owner, thing.secret = owner, b"1" * 16
        if thing is not made:
            thing.meet(self.instance)
        return thing

    def shown(self, number, users=None):
        """Return what ``act`` takes for one user, or several, besides who they are."""
        if not self.contextual:
            return () if users is None else (users,)
        found = self.instance.contexts(self.instance.numbers(np.random.default_rng(number), users or 1))
        return (found[0] if users is None else found,)

    def answer(self, ticket, number):
        size = (ticket.users, len(ticket.arm)) if self.clients and ticket.users else ticket.users
        return np.random.default_rng(number).choice(self.range, size)

    def both(self, call, refused=None):
        """Do something to both; what is refused changes nothing, and the twin is spared."""
        before, stream = self.thing.save(), self.rng.bit_generator.state
        accepted, answer = attempt(lambda: call(self.thing, self.rng))
        assert refused in (None, not accepted), f"{'accepts' if accepted else 'refuses'}: {answer}"
        if accepted:
            fine, expected = attempt(lambda: call(self.twin, self.twins))
            assert fine and same(held(answer), held(expected)), f"{answer}, but to the twin {expected}"
            return answer
        assert before["digest"] == self.thing.save()["digest"], f"refuses, and changes: {answer}"
        assert self.rng.bit_generator.state == stream, f"refuses, and draws random numbers: {answer}"
        return None

    def act(self, shown, refused=None, keep=True, **who):
        """Ask for a ticket; what was shown is its owner's afterwards."""
        given = [copy.deepcopy(shown) for _ in range(2)]
        ticket = self.both(lambda thing, rng: thing.act(
            *given[thing is self.twin], **who, **({"rng": rng} if self.contextual else {})), refused)
        spoil(*given[0])
        self.open += [ticket] * (keep and ticket is not None)
        return ticket

    def update(self, ticket, answer, refused=None):
        given = [copy.deepcopy(answer) for _ in range(2)]
        self.both(lambda thing, rng: thing.update(ticket, given[thing is self.twin], rng), refused)
        spoil(given[0])  # and not the twin's

    @invariant()
    def both_are_the_same(self):
        one, other = self.thing.save(), self.twin.save()
        assert one["digest"] == other["digest"], [key for key in one if not same([one[key]], [other[key]])]

    @rule(user=st.sampled_from([None, 1, 2, "Ada", "1", np.int64(3), "ü"]), number=NUMBER, form=st.sampled_from(FORMS))
    def somebody_comes(self, user, number, form):
        """She may say who she is, and may have been there before."""
        sure = user is None and (not self.contextual or "32" not in form)  # rounded features may be refused
        over = self.thing.played >= self.thing.horizon
        self.act([made(form, x) for x in self.shown(number)], True if over else False if sure else None, user=user)

    @rule(users=st.integers(1, 4), number=NUMBER)
    def several_come(self, users, number):
        shown = self.shown(number, users)
        self.act([[own[: 2 + row % 2] for row, own in enumerate(shown[0])]] if self.contextual and number % 2 else shown)

    @rule(which=NUMBER, number=NUMBER, form=st.sampled_from(FORMS[:4]))
    @precondition(lambda self: self.open)
    def somebody_answers(self, which, number, form):
        """Rightly, in one of many forms; if her batch was released without her, that is refused."""
        ticket = self.open.pop(which % len(self.open))
        form = "x" if not ticket.users else "x[0]" if ticket.users == 1 and not self.clients and number % 2 else form
        self.update(ticket, made(form, self.answer(ticket, number)))
        self.used.append(ticket)

    @rule(times=st.integers(1, 6), number=NUMBER, whole=st.booleans())
    def many_come_and_answer(self, times, number, whole):
        for step in range(number, number + times):
            if self.thing.played < self.thing.horizon:
                ticket = self.act(self.shown(step, self.thing.missing if whole else None), False, keep=False)
                self.update(ticket, self.answer(ticket, step), False)
                self.used.append(ticket)

    @rule(number=NUMBER, user=st.sampled_from(WHO), users=st.sampled_from(USERS), shown=st.sampled_from(SHOWN))
    def nobody_comes(self, number, user, users, shown):
        right = self.shown(number)
        self.act(right, True, user=made(user))
        self.act([made(shown, right[0]) if self.contextual else made(users)], True)

    @rule(wrong=st.sampled_from(WRONG), number=st.sampled_from([7.0, -7.0, 1.001]))
    @precondition(lambda self: self.open and self.open[-1].users)
    def a_wrong_answer_comes(self, wrong, number):
        """Without privacy, clients' averages may be any numbers."""
        ticket, private = self.open[-1], self.thing.guarantee.model != "none"
        self.update(ticket, made(wrong), True)
        if (private or not self.clients) and not self.thing.parameters.get("clip"):
            self.update(ticket, self.answer(ticket, 1) * 0 + number, True)
        if private:
            self.both(lambda thing, rng: thing.update(ticket, self.answer(ticket, 1), np.random.RandomState(3)), True)

    @rule(forged=st.sampled_from([{"number": 999}, {"owner": "me"}, {"users": 7}, {"arm": 99}, None]), which=NUMBER)
    def a_wrong_ticket_comes(self, forged, which):
        """Nobody holds it; it is another learner's, or it was used."""
        used = self.used[which % len(self.used)]
        self.update(used, self.answer(used, 2), True)
        if self.open and not (forged and "arm" in forged and (self.contextual or self.clients)):  # what she was shown is her affair
            self.update(forged and replace(self.open[-1], **forged), self.answer(self.open[-1], 2), True)

    @rule(way=st.sampled_from(["copy", "deepcopy", "pickle", "state", "path"]))
    def somebody_goes_on(self, way):
        if way in ("state", "path"):
            with TemporaryDirectory() as folder:
                path = Path(folder) / "state" if way == "path" else None
                state, self.thing = self.thing.save(path), self.fresh()
                self.thing.restore(path or state)
        else:
            self.thing = pickle.loads(pickle.dumps(self.thing)) if way == "pickle" else getattr(copy, way)(self.thing)

    @rule(seed=NUMBER, what=st.sampled_from([None, "releases", "suggestions", "replay", "warm_start"]))
    @precondition(lambda self: not isinstance(self.thing, Restarts))
    def somebody_looks_on(self, seed, what):
        """A learner is audited, or told a log: alike from the same generator, and it does not change."""
        thing, answers = self.fresh(), []
        before = thing.save()["digest"]
        for rng in (np.random.default_rng(seed), np.random.default_rng(seed)):
            if what in (None, "releases", "suggestions"):
                data = rng.choice(self.range, (60 if self.clients else 3, self.problem.arms))
                answers.append(bdp.view_of(thing.app, what)((*self.shown(1, 3), data) if self.contextual else data, rng))
            elif not self.clients:
                log = logs.record("uniform", self.problem, 39, rng)
                answers.append(attempt(lambda log=log, rng=rng: getattr(logs, what)(thing.app, log, rng=rng))[1])
        assert same(*map(held, answers or [0, 0])) and thing.save()["digest"] == before


@pytest.mark.parametrize("name", only(SYSTEMS))
def test_a_sequence(name, monkeypatch):
    for module in (apps, serving):
        monkeypatch.setattr(module, "DRAWN", 0)  # a twin's tickets are the same
    machine = type(name, (Learning,), {"name": name})
    run_state_machine_as_test(machine, settings=effort("SEQUENCES", len(only(SYSTEMS)), 3, stateful_step_count=40))
