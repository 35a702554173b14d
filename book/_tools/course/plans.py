"""What the authors of a set expect of it: submissions with their scores, and usual mistakes (`tests/course/set_N.py`)."""

import re
import runpy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from checkout import ROOT
from course.sets import TEST, Task

PLANS = ROOT / "tests" / "course"


@dataclass(frozen=True)
class Mistake:
    """A usual mistake: its name, what the student believes, the answer it gives, and the test that has to catch it."""

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


def written(answers: dict[str, Any], solution: dict[str, str]) -> dict[str, str]:
    """Write out the answers that are given as changes, [(old words, new words), ...], of the solution's, or as indented lines.

    These stand below the first line of the solution's function.
    """
    made = {}
    for name, answer in answers.items():
        made[name] = answer if isinstance(answer, str) else solution[name]
        if made[name].lstrip("\n").startswith("    "):
            made[name] = re.search(r"(?ms)^def .*?:\n", solution[name])[0] + made[name]
        for old, new in () if isinstance(answer, str) else answer:
            if old not in made[name]:
                raise ValueError(f"the solution of {name!r} has no words {old!r} that a plan could change")
            made[name] = made[name].replace(old, new)
    return made


def plan(name: str, tasks: list[Task], solution: dict[str, str], folder: Path = PLANS) -> Plan:
    """Read the plan of a set; raise ValueError if it is of other cells than the set has."""
    path = folder / f"set_{name.split('_')[0]}.py"
    if not path.exists():
        raise ValueError(f"{path.name} is missing: it has to say what is expected of the set {name}")
    told = runpy.run_path(str(path))
    partly, hard_coded, mistakes = told["PARTLY"], told["HARD_CODED"], told["MISTAKES"]
    answers = {task.answer for task in tasks}
    named = set(partly) | set(hard_coded) | {name for _, changed in mistakes.values() for name in changed}
    if odd := sorted(named - answers):
        raise ValueError(f"{path.name} names the cells {odd}, which are no answers of the set {name}")
    if missing := sorted(answers - set(hard_coded)):
        raise ValueError(f"{path.name}: HARD_CODED has no answer for {missing}")
    made = tuple(Mistake(key, belief, written(one, solution), TEST + min(one)) for key, (belief, one) in mistakes.items())
    return Plan(written(partly, solution), told["PARTLY_POINTS"], written(hard_coded, solution), told["HARD_CODED_POINTS"], made)
