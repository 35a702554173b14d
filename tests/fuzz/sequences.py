"""Sequences of operations on learners and counters: users answer rightly, wrongly or never; states are saved, altered, restored.

Every operation is a line of text, so that what went wrong is a script to paste. A line that is refused must change nothing; a line
that is accepted is done by a twin as well, who is never saved, copied or given anything wrong: both must show, release and save the
same to the end. Whoever accepts an altered state must play on to the end of the horizon.
"""

from __future__ import annotations

import faulthandler
import re
import resource
import signal
import traceback
import warnings
from collections import Counter as Tally
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from bandits_dp.ask_tell import Learner
from tests.fuzz.cases import CASES, COUNTERS, World
from tests.fuzz.judge import TooLong, Violation, expire
from tests.fuzz.restores import altered
from tests.fuzz.tools import NAMES, as_saved

SECONDS = 10.0  # of computation that a line may take
HANGS = 600.0  # seconds after which a process that no clock can stop is ended
MEMORY = 10**9  # bytes that a process may have beyond what it begins with
STEPS = 80
LINES = 150  # that are played after an altered state was accepted
PRELUDE = "from tests.fuzz.tools import *"
NAMED = {  # what an error may begin with, by the verb that raises it
    "act": ("users", "user", "features", "horizon", "rng", "actions"),
    "update": ("ticket", "rewards", "averages", "rng", "horizon", "values"),
    "restore": ("state",),
    "add": ("value", "rng"),
    "noise_path": ("steps", "rng"),
    "error_std": ("t",),
    "show": ("actions",),
    "ticket": ("ticket",),
    "evaluate": ("policy", "log", "method", "clip", "confidence", "propensities", "features"),
    "replay": ("learner", "log", "confidence", "least_propensity", "rng", "features", "reward_range", "row", "propensities"),
    "warm_start": ("learner", "log", "log_is_public", "skip_returning", "rng", "features", "reward_range", "row", "users",
                   "horizon"),
    "record": ("policy", "problem", "rounds", "rng"),
    "Log": ("actions", "rewards", "propensities", "features", "arms", "reward_range", "users"),
    "view_of": ("system", "view", "user"),
    "view": ("data", "user", "rewards", "averages", "features", "horizon"),
    "audit": ("mechanism", "a and b", "a", "b", "epsilon", "delta", "trials", "confidence", "rng", "score", "view", "user", "data",
              "rewards", "averages", "features", "horizon"),
}
WRONG = ("nan", "inf", "-inf", "None", "'much'", "'1'", "b'1'", "1j", "1+0j", "{'reward': 1.0}", "[object()]", "[[[1.0]]] * 3",
         "[]",
         "np.zeros(10**5)", "np.ma.array([1.0], mask=[True])", "np.datetime64('2026-01-01')", "10**400", "[None]",
         "np.array(['1'])", "lambda: 1", "[[1], [1, 2]]", "pd.NA", "np.array([nan])", "np.array([1j])", "1e300", "-1e300")
USERS = ("0", "-1", "2.0", "nan", "None", "'2'", "10**9", "True", "10**400", "[1]", "np.float64(1)")
WHO = ("True", "1.5", "[]", "nan", "('Ada',)", "np.array([1])", "b'Ada'", "object()")
SHOWN = ("nan", "None", "'arms'", "[]", "[[]]", "{0} * nan", "{0} * 1e9", "{0} * 0", "{0}[:1]", "{0}[:, :-1]", "{0}[0]",
         "{0} + 0j",
         "{0} * 1j", "{0}.astype(str)", "np.ma.array({0}, mask=True)", "[{0}] * 999",
         "{0}[None, None]", "pd.DataFrame({0}).astype(str)",
         "{0}.tolist() + [[1.0]]", "np.full({0}.shape, 10**400, dtype=object)", "{{'features': {0}}}")
TICKETS = ("None", "0", "'ticket'", "{0}.number", "theirs.act({2})", "replace({0}, number=999)", "replace({0}, owner='me')",
           "replace({0}, users=7)", "replace({0}, arm=99)", "replace({0}, arm=None)", "replace({0}, number='0')",
           "replace({0}, number=[0])", "replace({0}, users='1')", "replace({0}, owner=None)",
           "replace({0}, arm=[0, 1])", "type({0})(0)")


class Found(Exception):
    """What is wrong, in words."""


@contextmanager
def clock() -> Any:
    """End what computes for too long."""
    signal.signal(signal.SIGPROF, expire)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def same(one: Any, other: Any) -> bool:
    """Whether two answers are the same, bit for bit, but for whose tickets they are."""
    if isinstance(one, dict):
        return isinstance(other, dict) and one.keys() == other.keys() and all(
            same(one[key], other[key]) for key in one if not str(key).endswith("owner"))
    if type(one).__name__ == "Ticket":
        return all(same(getattr(one, name), getattr(other, name)) for name in ("arm", "users", "user", "plays", "number", "shown"))
    if one is None or other is None or isinstance(one, str):
        return one is other if other is None else isinstance(other, type(one)) and one == other
    one, other = np.asarray(one), np.asarray(other)
    numbers = one.dtype.kind == other.dtype.kind == "f"
    return one.shape == other.shape and np.array_equal(one, other, equal_nan=numbers)


class Sequence:
    """One sequence: what is tried is drawn from a generator, and done line by line.

    Parameters
    ----------
    name : str
        The case.
    seed : int
        What the sequence is drawn from.
    """

    def __init__(self, name: str, seed: int) -> None:
        self.name, self.rng, self.lines = name, np.random.default_rng(seed), [PRELUDE]
        self.one: dict[str, Any] = dict(NAMES)
        self.twin: dict[str, Any] = dict(NAMES)
        self.count = 0

    def fail(self, what: str) -> None:
        """Say what is wrong."""
        raise Found(what)

    def do(self, line: str, space: dict[str, Any], verb: str = "") -> tuple[bool, Any]:
        """Do a line, and return whether it was accepted, and what it made; it may refuse only if it is about a verb."""
        if space is self.one:
            self.lines.append(line)
        code = compile(line, "<sequence>", "exec")
        try:
            with warnings.catch_warnings(record=True) as leaked, clock():
                warnings.simplefilter("always")
                exec(code, space)
        except TooLong:
            self.fail(f"{verb} takes more than {SECONDS:g} s")
        except (ValueError, TypeError) as error:
            if not verb:
                self.fail(f"{type(error).__name__}: {error}\n{traceback.format_exc(limit=-3)}")
            if not re.match(rf"({'|'.join(NAMED[verb])})\b", str(error)):
                self.fail(f"{verb} raises a {type(error).__name__} that names no argument: {str(error)[:200]}\n"
                          f"{traceback.format_exc(limit=-3)}")
            if leaked:
                self.fail(f"{verb} refuses with a warning: {leaked[0].message}")
            return False, error
        except MemoryError:
            self.fail(f"{verb} takes more than {MEMORY / 1e9:g} GB")
        except Exception as error:  # anything else is what is looked for
            self.fail(f"{verb} raises a {type(error).__name__}: {str(error)[:200]}\n{traceback.format_exc(limit=-3)}")
        if leaked:
            self.fail(f"{verb} warns: {leaked[0].message} {leaked[0].filename}:{leaked[0].lineno}")
        return True, space.get(line.partition(" = ")[0]) if " = " in line else None

    def both(self, line: str, verb: str, refused: bool = False) -> bool:
        """Do a line; if it is accepted the twin does it, too, and if not nothing has changed."""
        before = self.one["thing"].save()
        stream = self.one["rng"].bit_generator.state
        accepted, answer = self.do(line, self.one, verb)
        if not accepted:
            if not same(before, self.one["thing"].save()):
                self.fail(f"a refused {verb} changes the state: {answer}")
            if self.one["rng"].bit_generator.state != stream:
                self.fail(f"a refused {verb} draws random numbers: {answer}")
            return False
        if refused:
            self.fail(f"{verb} accepts something wrong")
        fine, expected = self.do(line, self.twin, verb)
        if not fine:
            self.fail(f"{verb} accepts what the twin refuses: {expected}")
        if not same(answer, expected):
            self.fail(f"{verb} answers {answer}, and {expected} to the twin")
        return True

    def compare(self) -> None:
        """Both have the same state."""
        one, twin = self.one["thing"].save(), self.twin["thing"].save()
        if not same(one, twin):
            wrong = [key for key in one if not same(one[key], twin.get(key)) and not key.endswith("owner")]
            self.fail(f"the state differs from the twin's in {wrong}")

    def pick(self, choices: Any) -> Any:
        """Draw one of some."""
        return choices[int(self.rng.integers(len(choices)))]

    def number(self) -> int:
        """Draw what users bring."""
        return int(self.rng.integers(10**6))

    def start(self, line: str) -> None:
        """Do a line in both."""
        for space in (self.one, self.twin):
            self.do(line, space)

    def go_on(self) -> None:
        """Save, and go on with a fresh one that is restored; or with a copy."""
        way = self.pick(("npz", "json", "plain", "pickle", "deepcopy", "copy"))
        if way in ("npz", "json", "plain"):
            self.do(f"state = {way}(thing.save())", self.one)
            self.do("thing = fresh()", self.one)
            accepted, answer = self.do("thing.restore(state)", self.one, "restore")
            if not accepted:
                self.fail(f"restore refuses what save returned: {answer}")
        elif not (way == "pickle" and self.one["pickles"] is False):
            self.do(f"thing = {way}(thing)", self.one)
        self.compare()

    def spoil(self) -> None:
        """Try to restore an altered state; whoever takes it plays on."""
        self.do("state = plain(thing.save())", self.one)
        changes, keys = altered(self.one["state"], self.rng)
        for line in changes:
            self.lines.append(line)
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    exec(line, self.one)
            except Exception:  # that change cannot be made to this entry
                self.lines.pop()
                return
        target = self.pick(("other", "other", "thing"))
        if target == "thing":
            self.do("other = deepcopy(thing)", self.one)
        else:
            self.do("other = fresh(False)", self.one)
        before, own = self.one["other"].save(), as_saved(self.one["state"])
        accepted, answer = self.do("other.restore(state)", self.one, "restore")
        if not accepted:
            if not same(before, self.one["other"].save()):
                self.fail("a refused restore changes the state")
            if "wrong entry" not in str(answer) and "must come from" not in str(answer):
                self.fail(f"restore does not name an entry of {keys[:1]}: {answer}")
            return
        if own is not None and not same(self.one["other"].save(), own):
            self.fail("restore accepts a state and holds another one")
        self.play_on(changes)

    def play_on(self, changes: list[str]) -> None:
        """Play with a restored state, to the end or for some time; everything is right, so that nothing may be refused."""
        raise NotImplementedError

    def run(self) -> None:
        raise NotImplementedError


class Play(Sequence):
    """A learner in live use."""

    def run(self) -> None:
        self.world = World(self.name)
        self.start(f"fresh, shown, answer, pickles = world({self.name!r})")
        self.start("thing, rng = fresh(), np.random.default_rng(5)")
        if self.rng.random() < 0.5:
            self.start("theirs = fresh()")
            self.start(f"t = theirs.act({'shown(3)' if self.contextual() else ''})")
            self.start("theirs.update(t, answer(t, 4), np.random.default_rng(6))")
        else:
            self.start("theirs = fresh()")
        self.open: list[str] = []
        self.stale: list[str] = []
        self.restored = 0
        steps = {self.act: 5, self.right: 8, self.wrong_answer: 2, self.wrong_ticket: 1, self.wrong_act: 1, self.go_on: 1,
                 self.handed_out: 1, self.many: 3, self.spoil: 5}
        table = [step for step, often in steps.items() for _ in range(often)]
        for _ in range(int(self.rng.integers(5, STEPS))):
            if self.one["thing"].played >= self.one["thing"].horizon:
                self.both(f"t = thing.act({'shown(1)' if self.contextual() else ''})", "act", refused=True)
                break
            self.pick(table)()
            if self.rng.random() < 0.3:
                self.compare()
        self.compare()
        self.do("theirs.save()", self.one)

    def contextual(self) -> bool:
        return self.world.setting == "contextual"

    def act(self) -> None:
        """Somebody is shown something; sometimes several are, and sometimes she says who she is."""
        name, who = f"t{self.count}", ""
        self.count += 1
        if self.rng.random() < 0.3:
            who = f"user={self.pick(['1', '2', repr('Ada'), repr('1'), 'np.int64(3)', repr('ü')])}"
        if self.contextual():
            many = self.pick((None, None, 2, 3)) if not who else None
            shown = f"shown({self.number()}, {many})" if many else f"shown({self.number()})"
            if not many:
                shown = self.pick(("{}", "{}", "{}.tolist()", "pd.DataFrame({})", "np.asfortranarray({})", "{}.astype(np.float32)",
                                   "{}[:2]")).format(shown)
            elif self.rng.random() < 0.3:
                shown = f"ragged({shown})"
            self.lines.append(f"x = {shown}")
            exec(self.lines[-1], self.one)
            exec(self.lines[-1], self.twin)
            what = ", ".join(filter(None, ("x", who, "rng=rng")))
        else:
            users = self.pick(("", "", "users=1", "users=2", "users=thing.missing", "users=np.int8(1)")) if not who else ""
            what = users + who
        if self.both(f"{name} = thing.act({what})", "act"):
            self.open.append(name)
            if self.contextual():
                self.do("spoilt(x)", self.one)  # it is the caller's

    def right(self) -> None:
        """An answer that is allowed comes, in one of many forms; if its batch was released without it, it is refused."""
        if not self.open:
            return self.act()
        name = self.pick(self.open)
        ticket = self.one[name]
        form = self.pick(("{}", "{}", "{}.tolist()", "tuple({})", "np.asfortranarray({})", "{}.astype(np.float64)",
                           "pd.Series({})"))
        if self.world.setting == "clients" and "Series" in form:
            form = "pd.DataFrame({})"
        if ticket.users == 1 and self.world.setting != "clients":
            form = self.pick((form, "{}[0]", "float({}[0])"))
        if self.world.kind in ("arms", "linear", "known") and ticket.users:
            form = self.pick((form, "{}.astype(np.float32)", "{}.astype(np.int8)"))
        given = form.format(f"answer({name}, {self.number()})")
        self.lines.append(f"y = {given}")
        exec(self.lines[-1], self.one)
        exec(self.lines[-1], self.twin)
        if self.both(f"thing.update({name}, y, rng)", "update"):
            self.do("spoilt(y)", self.one)
        self.open.remove(name)
        self.stale.append(name)

    def many(self) -> None:
        """A few users come and answer at once."""
        for _ in range(int(self.rng.integers(1, 6))):
            if self.one["thing"].played >= self.one["thing"].horizon:
                return
            name = f"t{self.count}"
            self.count += 1
            if self.contextual():
                shown = f"shown({self.number()}, thing.missing)" if self.rng.random() < 0.5 else f"shown({self.number()})"
                shown += ", rng=rng"
            else:
                shown = self.pick(("", "thing.missing"))
            if not self.both(f"{name} = thing.act({shown})", "act"):
                self.fail("act refuses the next users")
            if not self.both(f"thing.update({name}, answer({name}, {self.number()}), rng)", "update"):
                self.fail("update refuses a right answer")
            self.stale.append(name)

    def wrong_answer(self) -> None:
        """An answer comes that no user gives."""
        if not self.open:
            return self.act()
        name = self.pick(self.open)
        ticket = self.one[name]
        if not ticket.users:
            return
        unbounded = self.one["thing"].guarantee.model == "none" and self.world.setting == "clients"
        if self.rng.random() < 0.3 and not unbounded:
            wrong = f"answer({name}, {self.number()}) * 0 + {self.pick(('7.0', '-7.0', '1.001', 'nan', '1j', 'inf'))}"
        elif self.rng.random() < 0.2:
            wrong = self.pick(("answer({0}, 1)[:-1]", "np.append(answer({0}, 1), answer({0}, 1))", "answer({0}, 1).astype(str)",
                               "answer({0}, 1).astype(complex)", "np.ma.array(answer({0}, 1), mask=True)",
                               "np.stack([answer({0}, 1)] * 3)", "pd.Series(np.ravel(answer({0}, 1))).astype(str)")).format(name)
        else:
            wrong = self.pick(WRONG)
            if unbounded and "e300" in wrong:
                return
        if self.rng.random() < 0.1:
            rng = self.pick(("3", "np.random.RandomState(3)", "'rng'"))
            self.both(f"thing.update({name}, answer({name}, 3), {rng})", "update", refused=True)
            return
        self.both(f"thing.update({name}, {wrong}, rng)", "update", refused=True)

    def wrong_ticket(self) -> None:
        """A ticket comes that nobody holds, or that was used."""
        if not self.open:
            return self.act()
        name = self.pick(self.open)
        ticket = self.one[name]
        kind = self.pick((*TICKETS, *self.stale[-3:]))
        if kind in self.stale:
            self.both(f"thing.update({kind}, answer({kind}, 2), rng)", "update", refused=True)
            return
        if "theirs" in kind and self.one["theirs"].played:
            self.do(f"w = {kind.format(name, 0, 'shown(8)' if self.contextual() else '')}", self.one)
        elif "theirs" in kind:
            return
        else:
            made_, _ = self.do(f"w = {kind.format(name)}", self.one, "ticket")
            if not made_:
                return
        if "arm" in kind and (self.contextual() or self.world.setting == "clients"):
            return  # what she was shown is her own affair
        self.do(f"y = answer({name}, 2)", self.one)
        if not same(self.one["w"], ticket):
            accepted, _ = self.do("thing.update(w, y, rng)", self.one, "update")
            if accepted:
                self.fail(f"update accepts a ticket that act did not return: {kind}")
            self.compare()

    def wrong_act(self) -> None:
        """Somebody asks for what there is not."""
        if self.contextual():
            wrong = self.pick(SHOWN).format(f"shown({self.number()})")
            if self.rng.random() < 0.2:
                self.both(f"t = thing.act(shown(1), user={self.pick(WHO)})", "act", refused=True)
            else:
                self.both(f"t = thing.act({wrong})", "act", refused=True)
            return
        users = self.pick(USERS)
        if self.world.setting == "clients" and (users == "None" or users == "0"):
            return
        if self.rng.random() < 0.3:
            self.both(f"t = thing.act(user={self.pick(WHO)})", "act", refused=True)
        elif self.rng.random() < 0.1:
            self.both("t = thing.act(users=2, user='Ada')", "act", refused=True)
        else:
            self.both(f"t = thing.act(users={users})", "act", refused=True)

    def handed_out(self) -> None:
        """Whoever was given arrays does with them what she likes."""
        self.do("for array in thing.save().values(): spoilt(array)", self.one)
        for name in self.open:
            self.do(f"spoilt({name}.arm, {name}.plays, {name}.shown)", self.one)
        self.compare()

    def play_on(self, changes: list[str]) -> None:
        if not isinstance(self.one["thing"].learner, Learner) and any("learner_" in line for line in changes):
            return  # of a class that is somebody's own nobody knows what it may hold
        self.lines.append("rng = np.random.default_rng(7)")
        self.one["r"] = np.random.default_rng(7)
        other = self.one["other"]
        if hasattr(other, "show") and other.learner.actions is not None and not len(other.learner.actions):
            self.do("other.show(fresh.__self__.instance.actions)", self.one)
        for turn in range(LINES):
            other = self.one["other"]
            if other.played >= other.horizon:
                return
            if self.contextual():
                line = f"t = other.act(shown({turn}))" if turn < 20 else f"t = other.act(shown({turn}, other.missing))"
            else:
                line = "t = other.act()" if turn < 20 and self.world.setting != "clients" else "t = other.act(other.missing)"
            self.accepted(line, changes)
            arms = np.ravel(self.one["t"].arm)
            if not (arms.size and arms.dtype.kind in "iu" and (arms >= 0).all() and (arms < other.arms).all()):
                self.fail(f"shows {arms} after the restore of {changes}")
            self.accepted(f"other.update(t, answer(t, {turn}), r)", changes)

    def accepted(self, line: str, changes: list[str]) -> None:
        try:
            fine, error = self.do(line, self.one, "act" if "act" in line else "update")
        except Found as found:
            raise Found(f"restore accepts {changes[0].split(' = ')[0]}: then {found}") from None
        if not fine:
            self.fail(f"restore accepts {changes[0].split(' = ')[0]}: then {error}")


class Count(Sequence):
    """A continual counter."""

    def run(self) -> None:
        self.start(f"fresh = counters({self.name!r})")
        self.start("thing, rng = fresh(), np.random.default_rng(5)")
        self.start("theirs, pickles = fresh(), True")
        self.start("theirs.add(np.ones(theirs.dimension), rng)")
        table = [self.add] * 6 + [self.wrong] * 2 + [self.go_on, self.look] + [self.spoil] * 3
        for _ in range(int(self.rng.integers(5, STEPS))):
            self.pick(table)()
            self.compare()

    def full(self) -> bool:
        thing = self.one["thing"]
        return thing.horizon is not None and thing.steps >= thing.horizon

    def value(self) -> str:
        size = self.one["thing"].dimension
        return f"{self.rng.integers(0, 3, size).clip(0, 1).tolist()}" if size > 1 else f"{int(self.rng.integers(2))}"

    def add(self) -> None:
        """Some values are added."""
        for _ in range(int(self.rng.integers(1, 9))):
            self.lines.append(f"x = np.array({self.value()}, dtype=float)")
            for space in (self.one, self.twin):
                exec(self.lines[-1], space)
            if self.both("y = thing.add(x, rng)", "add", refused=self.full()):
                self.do("spoilt(x, y)", self.one)

    def wrong(self) -> None:
        """A value comes that cannot be added."""
        if self.rng.random() < 0.2:
            self.both(f"y = thing.add({self.value()}, {self.pick(('3', 'None', 'np.random.RandomState(1)'))})", "add", refused=True)
        else:
            self.both(f"y = thing.add({self.pick([one for one in WRONG if one != '[]'])}, rng)", "add", refused=True)

    def look(self) -> None:
        """Somebody asks about the noise; that draws random numbers, of both."""
        kind = self.rng.integers(4)
        if kind == 0:
            self.both(f"y = thing.noise_path(rng, {int(self.rng.integers(1, 40))})", "noise_path")
        elif kind == 1:
            steps = self.pick(("0", "-1", "1.0", "nan", "'3'", "10**12" if self.one["thing"].horizon else "0"))
            self.both(f"y = thing.noise_path(rng, {steps})", "noise_path", refused=True)
        elif kind == 2:
            self.both(f"y = thing.error_std({self.pick(('1', '[1, 2]', 'np.arange(1, 9)'))})", "error_std")
        else:
            times = self.pick(("0", "-1", "1.0", "nan", "None", "'3'", "[[1], [1, 2]]", "1j"))
            self.both(f"y = thing.error_std({times})", "error_std", refused=True)

    def play_on(self, changes: list[str]) -> None:
        other = self.one["other"]
        for _ in range(50):
            if other.horizon is not None and other.steps >= other.horizon:
                return
            self.do("y = other.add(np.ones(other.dimension), np.random.default_rng(1))", self.one)
            if not np.isfinite(self.one["y"]).all():
                self.fail(f"releases {self.one['y']} after the restore of {changes}")


def targets(only: str = "") -> list[str]:
    """Return the names of all cases: learners and counters four times, as onlookers have less to do."""
    from tests.fuzz.onlookers import ONLOOKERS

    return [name for name in (*[*CASES, *COUNTERS] * 4, *ONLOOKERS) if only in name]


def played(name: str, seed: int) -> Violation | None:
    """Play a sequence, and return what is wrong with it."""
    from tests.fuzz.onlookers import ONLOOKERS

    kind, case = ONLOOKERS.get(name, (Count if name in COUNTERS else Play, name))
    sequence = kind(case, seed)
    try:
        sequence.run()
    except Found as found:
        return Violation(name.split(",")[0], str(found), "\n".join(sequence.lines))
    return None


def _share(given: tuple[list[tuple[str, int]], bool]) -> tuple[int, list[Violation], Tally[str]]:
    """Play some sequences, in a process of its own if memory is to be bounded."""
    work, bounded = given
    if bounded:
        used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + 2 * MEMORY, resource.RLIM_INFINITY))
    found = []
    for name, seed in work:
        if bounded:
            faulthandler.dump_traceback_later(HANGS, exit=True)
        if one := played(name, seed):
            found.append(one)
    faulthandler.cancel_dump_traceback_later()
    return len(work), found, Tally(name for name, _ in work)


def run(count: int, seed: int = 1, workers: int = 1, only: str = "") -> tuple[int, list[Violation]]:
    """Play so many sequences, every case as often as any other, and return how many were played and what was found."""
    names = targets(only)
    work = [(names[number % len(names)], seed * 10**9 + number) for number in range(count)]
    if workers == 1:
        made_, found, _ = _share((work, False))
        return made_, found
    with ProcessPoolExecutor(workers) as pool:
        parts = list(pool.map(_share, [(work[start : start + 200], True) for start in range(0, count, 200)]))
    return sum(part[0] for part in parts), [one for part in parts for one in part[1]]
