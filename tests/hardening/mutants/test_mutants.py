"""The mutants (`make mutants`): what is changed and what is not, and which tests are tried."""

import pytest

from tests.hardening.mutants import __main__ as mutants
from tests.hardening.mutants import operators
from tests.hardening.mutants.suite import Suite

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
CHANGES = [
    "def f(a: Literal[1], *, b: int) -> Literal[3]:", "def f(a: Literal[1], *, b: int = 1) -> Literal[3]:",
    "def f(a: Literal[1], *, b: int = 3) -> Literal[3]:", "if (not (a < b and not g)):", "if a <= b and not g:",
    "if a >= b and not g:", "if a < b or not g:", "if a < b and (g):", "pass", "return None",
    'return _checks.real("a", max(a, b), 0.5), zip(a, b, strict=True)', "return (min(a, b)), zip(a, b, strict=True)",
    'return _checks.real("a", min(a, b), 0.25), zip(a, b, strict=True)',
    'return _checks.real("a", min(a, b), 1.0), zip(a, b, strict=True)', "size = 6", "size = 8",
]  # fmt: skip


@pytest.fixture
def small(tmp_path, monkeypatch):
    (tmp_path / "small.py").write_text(SMALL, "utf-8")
    monkeypatch.setattr(operators, "ROOT", tmp_path)
    return {mutant.after: mutant for mutant in operators.mutants_of("small.py")}


def test_what_is_changed_and_what_is_not(small):
    """And a change keeps all other lines."""
    assert sorted(small) == sorted(CHANGES)
    for mutant in small.values():
        lines = zip(SMALL.splitlines(), mutant.source(SMALL.encode()).decode().splitlines(), strict=True)
        assert [number for number, (old, new) in enumerate(lines, 1) if old != new] == [mutant.line]


def test_tests_that_execute_the_lines_are_tried_the_quickest_first(small):
    """A condition's own line; for a default, any of the function's; outside functions, any of the file's."""
    suite = object.__new__(Suite)
    suite.seconds = {"slow": 9.0, "quick": 0.1, "huge": 99.0, "other": 0.2}
    suite.seen = {("small.py", 8): ["slow", "quick", "huge"], ("small.py", 9): ["slow"], ("small.py", 10): ["other"]}
    assert suite.covering(small["if a < b or not g:"], budget=60.0) == ["quick", "slow"]
    assert suite.covering(small["def f(a: Literal[1], *, b: int) -> Literal[3]:"], budget=60.0) == ["quick", "other", "slow"]
    assert suite.covering(small["size = 8"], budget=0.05) == ["quick"]  # at least one is tried


def test_the_same_seed_chooses_the_same_changes():
    first, again, other = (mutants.chosen(["schedules", "learners"], 30, seed) for seed in (1, 1, 2))
    assert first == again != other and len(set(first)) == 30
    assert {mutant.file.split("/")[1] for mutant in first} == {"schedules", "learners"}


def test_every_equivalent_change_is_still_one_of_the_changes():
    files = {row["file"] for row in mutants.EQUIVALENT}
    found = {file: {(mutant.before, mutant.after) for mutant in operators.mutants_of(file)} for file in files}
    for row in mutants.EQUIVALENT:
        assert set(row) == {"file", "line", "becomes", "because"} and row["because"].endswith(".")
        assert (row["line"], row["becomes"]) in found[row["file"]], f"out of date: {row}"
