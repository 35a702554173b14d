"""The house: learners are told releases alone, imports point one way, an algorithm fits on a screen, and its source on a phone."""

import ast
import inspect
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest

import bandits_dp as bdp
from bandits_dp import learners
from bandits_dp.learners import linucb_rewards


def bare(code):
    """Return the code without any docstring or comment."""
    tree = ast.parse(textwrap.dedent(code))
    for node in ast.walk(tree):
        if isinstance(node, (ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(node) is not None:
            node.body = node.body[1:] or [ast.Pass()]
    return ast.unparse(tree)


@pytest.mark.parametrize("kind", [
    learners.ArmElimination, learners.UCB, learners.PhasedElimination, learners.LinUCB,
    linucb_rewards.RidgeLinUCB, linucb_rewards.InstrumentLinUCB, linucb_rewards.ParameterLinUCB,
], ids=lambda kind: kind.__name__)
def test_what_is_shown_is_what_runs_and_fits_on_one_screen(kind):
    """At most 60 lines of code, docstrings and comments aside; UCB, which no chapter shows, may be wider than a phone."""
    shown, code = bdp.source(kind), bare(inspect.getsource(kind))
    assert bare(shown) == code and len(code.splitlines()) <= 60
    assert "Parameters\n" not in shown and "noqa" not in shown and "type: ignore" not in shown
    assert max(map(len, shown.splitlines())) <= 80 or kind is learners.UCB


def test_a_method_alone_begins_at_the_margin_and_what_has_no_source_is_refused():
    shown = bdp.source(learners.ArmElimination.ask)
    assert shown.startswith('def ask(self) -> Asked:\n    """Ask m_t users') and not shown.endswith("\n")
    for thing in (3, np.zeros):
        with pytest.raises(TypeError, match="code must be a class or a function with source in a file of Python, got"):
            bdp.source(thing)


PACKAGE = Path(bdp.__file__).parent
FLOORS = (  # from below; a module imports from its own floor and from those before it
    {
        "_checks", "_extras", "_files", "_memory", "_state", "_ties", "ask_tell", "guarantee", "designs", "accounting",
        "privatizers", "continual", "problems"},
    {"widths"}, {"schedules"}, {"learners"}, {"live"}, {"play", "replicas"}, {"audit"}, {"catalog"}, {"companion"},
)


def imported(path):
    """Return the names of all modules that a file imports when it is imported, types included."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module
            yield from (f"{node.module}.{name.name}" for name in node.names)


def part_of(names):
    """Return the part of the package; replicas of public code are below the catalogue, which names them."""
    return "replicas" if names[:2] == ["companion", "replicas"] else names[0]


def floor(part):
    return next(number for number, names in enumerate(FLOORS) if part in names)


@pytest.mark.parametrize("path", sorted(PACKAGE.rglob("*.py")), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_point_one_way(path):
    part = part_of([name.removesuffix(".py") for name in path.relative_to(PACKAGE).parts])
    if part == "__init__":
        return
    for module in imported(path):
        root, _, rest = module.partition(".")
        drawn = module.startswith("bandits_dp.companion.plots")  # imported only when something is drawn
        if root == "bandits_dp" and not drawn and (other := part_of(rest.split("."))) in set().union(*FLOORS):
            assert floor(other) <= floor(part), f"{path.name} imports {module}"


@pytest.mark.parametrize("path", sorted((PACKAGE / "learners").glob("*.py")), ids=lambda path: path.name)
def test_a_learner_knows_no_user_no_problem_and_no_randomness(path):
    for module in imported(path):
        above = ("bandits_dp.problems", "bandits_dp.live", "bandits_dp.play", "bandits_dp.privatizers", "numpy.random", "random")
        assert not module.startswith(above)
    code = ast.unparse(ast.parse(path.read_text("utf-8")))
    assert "np.random" not in code and "Generator" not in code


@pytest.mark.parametrize("part", ["accounting", "privatizers", "continual", "widths", "schedules", "learners", "live", "play",
                                  "audit", "catalog", "companion"])
def test_every_part_can_be_imported_first(part):
    subprocess.run([sys.executable, "-c", f"import bandits_dp.{part}"], check=True, timeout=600)
