"""What the authors of a set expect of it: submissions with their scores, and usual mistakes (`tests/course/set_N.py`)."""

import runpy
from dataclasses import dataclass
from pathlib import Path

from checkout import ROOT
from course.sets import Task

PLANS = ROOT / "tests" / "course"


@dataclass(frozen=True)
class Mistake:
    """A usual mistake: its name, what the student believes, the answers it gives, and the test that has to catch it."""

    name: str
    belief: str
    answers: dict[str, str]
    test: str


@dataclass(frozen=True)
class Plan:
    """What is expected of a set; answers that are not named are the solution's."""

    partly: dict[str, str]
    partly_points: float
    hard_coded: dict[str, str]
    hard_coded_points: float
    mistakes: tuple[Mistake, ...]


def plan(name: str, tasks: list[Task], folder: Path = PLANS) -> Plan:
    """Read the plan of a set; raise ValueError if it is of other cells than the set has."""
    path = folder / f"set_{name.split('_')[0]}.py"
    if not path.exists():
        raise ValueError(f"{path.name} is missing: it has to say what is expected of the set {name}")
    told = runpy.run_path(str(path))
    mistakes = tuple(Mistake(key, *value) for key, value in told["MISTAKES"].items())
    made = Plan(*(told[key] for key in ("PARTLY", "PARTLY_POINTS", "HARD_CODED", "HARD_CODED_POINTS")), mistakes)
    answers, tests = {task.answer for task in tasks}, {task.test for task in tasks}
    named = set(made.partly) | set(made.hard_coded) | {name for mistake in mistakes for name in mistake.answers}
    odd = sorted((named - answers) | ({mistake.test for mistake in mistakes} - tests))
    if odd:
        raise ValueError(f"{path.name} names the cells {odd}, which are no answers or tests of the set {name}")
    if missing := sorted(answers - set(made.hard_coded)):
        raise ValueError(f"{path.name}: HARD_CODED has no answer for {missing}")
    return made
