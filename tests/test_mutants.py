"""The mutants (`make mutants`): what is changed and what is not, which tests are tried, and that a change is what is tested."""

import ast
from collections import Counter

import pytest

from tests.mutants import __main__ as mutants
from tests.mutants import operators
from tests.mutants.judging import Covering, stages

SMALL = '''"""Words 1."""
from typing import TYPE_CHECKING
if TYPE_CHECKING:
    import x
NAMES = ("a", "b")
def f(a: Literal[1], *, b: int = 2) -> Literal[3]:
    """Words 4."""
    if a < b and not g:
        raise ValueError(f"{a + 1} is not {b}")
    return _checks.real("a", min(a, b), 0.5), zip(a, b, strict=True)
class C:
    size = 7
    def __repr__(self):
        return str(5 + 6)
'''
CHANGES = {  # after
    "def f(a: Literal[1], *, b: int) -> Literal[3]:",
    "def f(a: Literal[1], *, b: int = 1) -> Literal[3]:",
    "def f(a: Literal[1], *, b: int = 3) -> Literal[3]:",
    "if (not (a < b and not g)):", "if a <= b and not g:", "if a >= b and not g:", "if a < b or not g:", "if a < b and (g):",
    "pass",
    "return None",
    'return _checks.real("a", max(a, b), 0.5), zip(a, b, strict=True)', "return (min(a, b)), zip(a, b, strict=True)",
    'return _checks.real("a", min(a, b), 0.25), zip(a, b, strict=True)',
    'return _checks.real("a", min(a, b), 1.0), zip(a, b, strict=True)',
    "size = 6", "size = 8",
}  # fmt: skip


@pytest.fixture
def small(tmp_path, monkeypatch):
    (tmp_path / "small.py").write_text(SMALL, "utf-8")
    monkeypatch.setattr(operators, "ROOT", tmp_path)
    return operators.mutants_of("small.py")


def test_what_is_changed_and_what_is_not(small):
    assert Counter(mutant.after for mutant in small) == Counter(CHANGES)


def test_every_change_compiles_and_keeps_all_other_lines(small):
    for mutant in small:
        changed = mutant.source(SMALL.encode()).decode()
        ast.parse(changed)
        assert len(changed.splitlines()) == len(SMALL.splitlines())
        lines = zip(SMALL.splitlines(), changed.splitlines(), strict=True)
        assert [number for number, (old, new) in enumerate(lines, 1) if old != new] == [mutant.line]


def test_lines_that_a_test_must_execute(small):
    """A condition's own; for a default, any of the function's; outside functions, any of the file's."""
    lines = {mutant.after: (mutant.first, mutant.last) for mutant in small}
    assert lines["if a < b or not g:"] == (8, 8) and lines["pass"] == (9, 9)
    assert lines["def f(a: Literal[1], *, b: int) -> Literal[3]:"] == (7, 10)
    assert lines["size = 8"] == (1, 10**9)


def test_tests_that_execute_the_lines_are_tried_the_quickest_first(small):
    rows = {"slow": (9.0, [8, 9]), "quick": (0.1, [8]), "huge": (99.0, [8]), "other": (0.1, [10])}
    tests = Covering({name: {"seconds": seconds, "lines": {"small.py": lines}} for name, (seconds, lines) in rows.items()})
    condition = next(mutant for mutant in small if mutant.after == "if a < b or not g:")
    assert tests.of(condition) == ["quick", "slow", "huge"]
    assert stages(tests.of(condition), tests.seconds, budget=60.0) == [{"quick": 0.1}, {"slow": 9.0}]
    assert stages(["huge"], tests.seconds, budget=60.0) == [{"huge": 99.0}]  # at least one is tried


def test_the_same_seed_chooses_the_same_changes():
    first, again, other = (mutants.chosen(["schedules", "learners"], 30, seed) for seed in (1, 1, 2))
    assert first == again != other and len(set(first)) == 30
    assert {mutant.file.split("/")[1] for mutant in first} == {"schedules", "learners"}


def test_every_equivalent_change_is_still_one_of_the_changes():
    rows = mutants.equivalent()
    files = {row["file"] for row in rows}
    found = {file: {(mutant.before, mutant.after) for mutant in operators.mutants_of(file)} for file in files}
    for row in rows:
        assert set(row) == {"file", "line", "becomes", "because"} and row["because"].endswith(".")
        assert (row["line"], row["becomes"]) in found[row["file"]], f"out of date: {row}"


def test_the_table_takes_equivalent_changes_out():
    outcomes = ["killed"] * 5 + ["timeout", "survived", "equivalent"]
    rows = [{"file": "bandits_dp/learners/ucb.py", "outcome": outcome} for outcome in outcomes]
    learners = next(line for line in mutants.table(rows, ["learners", "rest"]) if line.startswith("learners"))
    assert learners.split() == ["learners", "8", "1", "5", "1", "1", "85.7%"]
