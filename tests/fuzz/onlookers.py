"""Sequences about those who look on: logs are recorded, judged, replayed, learned from, and learners are audited; none changes."""

from __future__ import annotations

from tests.fuzz.cases import CASES, World
from tests.fuzz.sequences import Sequence, same

ANY = ("None", "nan", "inf", "-1", "2.0", "'x'", "b'x'", "1j", "object()", "[]", "{}", "np.array([1j])",
       "np.ma.array([0.5], mask=True)",
       "10**400", "[[1], [1, 2]]", "lambda x: 'x'", "lambda x: nan", "bdp", "pd.NA")
COLUMNS = {"actions": "[0, 1, 1, 0]", "rewards": "[0.0, 1.0, 0.5, 1.0]", "propensities": "[0.5, 0.5, 0.25, 1.0]", "arms": "3",
           "users": "[1, 'Ada', 2, 3]", "reward_range": "(0.0, 1.0)"}
WRONG = {  # what no argument of that name may be
    "actions": ANY, "rewards": ANY, "reward_range": [one for one in ANY if one != "None"],
    "propensities": [one for one in ANY if one != "None"], "arms": ANY, "users": [one for one in ANY if one != "None"],
}


class Logs(Sequence):
    """Logs of a problem, and a learner of it."""

    def run(self) -> None:
        self.world = World(self.name)
        self.start(f"fresh, shown, answer, pickles = world({self.name!r})")
        self.start("thing, problem, logs = fresh(), fresh.__self__.instance, bdp.logs")
        rows = int(self.rng.integers(8, 40))
        self.start(f"log = logs.record('uniform', problem, {rows}, np.random.default_rng({self.number()}))")
        self.held = self.contents()
        self.saved = self.one["thing"].save()
        table = [self.judge, self.misjudge, self.replay, self.warm, self.column, self.record]
        for _ in range(int(self.rng.integers(3, 9))):
            self.pick(table)()
            if not same(self.held, self.contents()):
                self.fail("a log has changed")
            if not same(self.saved, self.one["thing"].save()):
                self.fail("a learner has changed that was only looked at")

    def contents(self) -> dict:
        log = self.one["log"]
        return {name: getattr(log, name) for name in ("actions", "rewards", "propensities", "sizes")} | {
            f"features {row}": log.shown(row) for row in range(len(log)) if log.features is not None}

    def twice(self, line: str, verb: str, refused: bool | None = None) -> bool:
        """Do a line, from a fresh generator each time: both must give the same."""
        self.do("rng = np.random.default_rng(5)", self.one)
        accepted, first = self.do(line, self.one, verb)
        if accepted and refused:
            self.fail(f"{verb} accepts something wrong")
        if not accepted and refused is False:
            self.fail(f"{verb} refuses what is right: {first}")
        if accepted:
            self.do("rng = np.random.default_rng(5)", self.one)
            again = self.do(line, self.one, verb)[1]
            if str(first) != str(again) and " object at 0x" not in str(first):
                self.fail(f"{verb} gives {first}, and then {again}")
        return accepted

    def policy(self) -> str:
        arms = self.world.problem.arms
        return self.pick(("'uniform'", f"np.full({arms}, 1 / {arms})", "thing", f"lambda x: np.full({arms}, 1 / {arms})"))

    def judge(self) -> None:
        self.twice(f"a = logs.evaluate({self.policy()}, log, {self.pick(('ips', 'snips', 'dr'))!r}, "
                   f"clip={self.pick(('None', '2.0', '0.5'))}, confidence={self.pick(('0.95', '0.5'))})", "evaluate")

    def misjudge(self) -> None:
        name = self.pick(("policy", "log", "method", "clip", "confidence"))
        given = {"policy": "'uniform'", "log": "log", "method": "'dr'", "clip": "2.0", "confidence": "0.9"}
        given[name] = self.pick([one for one in ANY if not (name == "clip" and one in ("None", "2.0"))])
        self.twice(f"a = logs.evaluate({', '.join(f'{key}={value}' for key, value in given.items())})", "evaluate", refused=True)

    def replay(self) -> None:
        if self.rng.random() < 0.3:
            name = self.pick(("learner", "log", "confidence", "least_propensity", "rng"))
            given = {"learner": "thing", "log": "log", "rng": "rng"}
            given[name] = self.pick([one for one in ANY if one != "None"])
            self.twice(f"a = logs.replay({', '.join(f'{key}={value}' for key, value in given.items())})", "replay", refused=True)
            return
        self.twice("a = logs.replay(thing, log, rng=rng)", "replay")

    def warm(self) -> None:
        if self.rng.random() < 0.3:
            name = self.pick(("learner", "log", "log_is_public", "skip_returning", "rng"))
            given = {"learner": "thing", "log": "log", "rng": "rng"}
            given[name] = self.pick([one for one in ANY if one != "None"])
            self.twice(f"a = logs.warm_start({', '.join(f'{key}={value}' for key, value in given.items())})", "warm_start",
                       refused=True)
            return
        if not self.twice(f"warm = logs.warm_start(thing, log, log_is_public={self.pick(('True', 'False'))}, "
                          f"skip_returning={self.pick(('True', 'False'))}, rng=rng)", "warm_start"):
            return
        self.do("other = fresh()", self.one)
        if not self.do("other.restore(warm.save())", self.one, "restore")[0]:
            self.fail("a warm learner cannot be saved and restored")
        for turn in range(20):
            if self.one["other"].played >= self.one["other"].horizon:
                return
            shown = f"shown({turn})" if self.world.setting == "contextual" else ""
            for name in ("other", "warm"):
                self.do(f"t = {name}.act({shown})", self.one)
                self.do(f"{name}.update(t, answer(t, {turn}), np.random.default_rng({turn}))", self.one)
        if not same(self.one["other"].save(), self.one["warm"].save()):
            self.fail("a warm learner goes on otherwise than one that was restored from it")

    def column(self) -> None:
        """A log is made of columns, which are their owner's afterwards."""
        given = dict(COLUMNS)
        for name in ("propensities", "users", "reward_range"):
            if self.rng.random() < 0.3:
                del given[name]
        if self.rng.random() < 0.7:
            name = self.pick(list(WRONG))
            given[name] = self.pick(WRONG[name])
            if (name, given[name]) not in (("reward_range", "None"),):
                self.twice(f"a = logs.Log({', '.join(f'{key}={value}' for key, value in given.items())})", "Log", refused=True)
            return
        self.do(f"x, y = np.array({COLUMNS['actions']}), np.array({COLUMNS['rewards']})", self.one)
        given |= {"actions": "x", "rewards": "y"}
        self.do(f"a = logs.Log({', '.join(f'{key}={value}' for key, value in given.items())})", self.one)
        self.do("spoilt(x, y)", self.one)
        if self.one["a"].actions.tolist() != [0, 1, 1, 0] or self.one["a"].rewards.tolist() != [0.0, 1.0, 0.5, 1.0]:
            self.fail("a log shares memory with its columns")

    def record(self) -> None:
        name = self.pick(("policy", "problem", "rounds", "rng"))
        given = {"policy": "'uniform'", "problem": "problem", "rounds": "9", "rng": "rng"}
        given[name] = self.pick(ANY)
        self.twice(f"a = logs.record({', '.join(f'{key}={value}' for key, value in given.items())})", "record", refused=True)


class Audits(Logs):
    """Views of a learner, and audits of it."""

    def run(self) -> None:
        self.world = World(self.name)
        self.start(f"fresh, shown, answer, pickles = world({self.name!r})")
        self.start("thing = fresh()")
        self.start(f"a, b = {self.data(1)}, {self.data(2)}")
        self.saved = self.one["thing"].save()
        self.views()
        self.wrong()
        if not same(self.saved, self.one["thing"].save()):
            self.fail("a learner has changed that was only looked at")

    def data(self, seed: int) -> str:
        """Return what everybody brings, in three rounds."""
        if self.world.setting == "contextual":
            return f"(shown(1, 3), np.random.default_rng({seed}).random((3, {self.world.problem.arms})))"
        if self.world.setting == "clients":
            return f"np.random.default_rng({seed}).uniform(-1, 1, (60, {self.world.problem.arms}))"
        low = -1 if self.world.setting == "linear" else 0
        return f"np.random.default_rng({seed}).choice([{low}.0, 1.0], (3, {self.world.problem.arms}))"

    def views(self) -> None:
        view = self.pick(("'suggestions'", "'releases'", "lambda live: [live.played, live.bits]"))
        self.twice(f"seen = bdp.view_of(thing, {view}, user=1)", "view_of", refused=False)
        self.twice("out = seen(a, rng)", "view")
        if self.rng.random() < 0.3:
            self.twice(f"out = bdp.audit(thing, a, b, epsilon=1.0, delta=0.1, trials=40, confidence=0.9, rng=rng, view={view}, "
                       "progress=False)", "audit", refused=None)

    def wrong(self) -> None:
        name = self.pick(("system", "view", "user"))
        given = {"system": "thing", "view": "'releases'", "user": "0"}
        given[name] = self.pick([one for one in ANY if not (name == "view" and ("lambda" in one or one == "None"))])
        self.twice(f"seen = bdp.view_of({', '.join(f'{key}={value}' for key, value in given.items())})", "view_of", refused=True)
        self.do("seen = bdp.view_of(thing)", self.one)
        self.twice(f"out = seen({self.pick(ANY)}, rng)", "view", refused=True)
        name = self.pick(("a", "b", "epsilon", "delta", "trials", "confidence", "rng", "view", "user", "score"))
        given = {"mechanism": "thing", "a": "a", "b": "b", "epsilon": "1.0", "delta": "0.1", "trials": "40", "confidence": "0.9",
                 "rng": "rng"}
        given[name] = self.pick([one for one in ANY if one != "None" and not (name == "view" and "lambda" in one) and not (
            name == "epsilon" and one == "2.0")])
        self.twice(f"out = bdp.audit({', '.join(f'{key}={value}' for key, value in given.items())}, progress=False)", "audit",
                   refused=True)


LEARNERS = [name for name, (problem, _) in CASES.items() if "no horizon" not in name]
ONLOOKERS = {f"logs, {name}": (Logs, name) for name in LEARNERS if CASES[name][0] != "clients"}
ONLOOKERS |= {f"audits, {name}": (Audits, name) for name in LEARNERS}
