"""The house: learners are told releases alone, imports point one way, an algorithm fits on a screen, and its source on a phone."""

import ast
import inspect
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest

import bandits_book
import bandits_dp as bdp
from bandits_book import source
from bandits_dp import learners
from bandits_dp.contextual import linucb_rewards
from bandits_dp.play.paths import FAST
from bandits_dp.play.plain import STEPS


def bare(code):
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
    shown, code = source(kind), bare(inspect.getsource(kind))
    assert bare(shown) == code and len(code.splitlines()) <= 60
    assert "Parameters\n" not in shown and "noqa" not in shown and "type: ignore" not in shown
    assert max(map(len, shown.splitlines())) <= 80 or kind is learners.UCB


def test_a_method_alone_begins_at_the_margin_and_what_has_no_source_is_refused():
    shown = source(learners.ArmElimination.ask)
    assert shown.startswith('def ask(self) -> Asked:\n    """Ask m_t users') and not shown.endswith("\n")
    for thing in (3, np.zeros):
        with pytest.raises(TypeError, match="code must be a class or a function with source in a file of Python, got"):
            source(thing)


PACKAGE = Path(bdp.__file__).parent
FLOORS = (  # from below; a module imports from its own floor and from those before it
    {"_checks", "_extras", "_files", "_moved", "_sizes", "_snapshot", "_ties", "_types", "ask_tell", "guarantee", "problem"},
    {"accounting"}, {"noise"}, {"privatizers"}, {"continual"}, {"app", "options"}, {"play"}, {"arms", "contextual", "linear"},
    {"audit", "catalog", "combining", "learners", "problems"}, {"serve"}, {"bandits_book"},
)
FAMILIES = {"arms", "contextual", "linear"}  # know nothing of each other
FILES = {path: package for package in (PACKAGE, Path(bandits_book.__file__).parent) for path in sorted(package.rglob("*.py"))}


def imported(path):
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module
            yield from (f"{node.module}.{name.name}" for name in node.names)


def part_of(module):
    """Return the part of the package that a module is in; the book's package is one."""
    root, _, rest = module.partition(".")
    return root if root == "bandits_book" else rest.partition(".")[0]


def floor(part):
    return next(number for number, names in enumerate(FLOORS) if part in names)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(FILES[path].parent).as_posix())
def test_imports_point_one_way(path):
    """What draws and what is the book's is above all: no other file imports it, not even within a function."""
    part = part_of(".".join(path.relative_to(FILES[path].parent).with_suffix("").parts))
    for module in imported(path):
        other = part_of(module) if module.partition(".")[0] in ("bandits_dp", "bandits_book") else ""
        if other in set().union(*FLOORS) and part != "__init__":
            assert floor(other) <= floor(part), f"{path.name} imports {module}"
            assert part == other or not {part, other} <= FAMILIES, f"{path.name} imports {module}"
        if part != "bandits_book":
            assert not module.startswith(("bandits_book", "matplotlib")), f"{path.name} imports {module}"


def test_faces_are_leaves():
    """Readers see them, and nobody else: inside, everybody imports what defines a thing, so that a room can move or split."""
    faces = {"bandits_dp.learners", "bandits_dp.problems"}
    seen = {path.relative_to(PACKAGE).as_posix(): faces & set(imported(path)) for path in sorted(PACKAGE.rglob("*.py"))}
    assert {name: those for name, those in seen.items() if those} == {"__init__.py": faces}


def test_families_enter_how_they_are_played():
    """So the simulator imports none of them: its floor is below theirs."""
    assert [play.__name__ for _, play in FAST][:3] == ["play_arms", "play_ucb", "play_contexts"]
    assert sorted(STEPS) == ["clients", "contextual", "linear"]


LEARNERS = tuple(PACKAGE / f"{name}.py" for name in (
    "arms/elimination", "arms/kl_ucb", "arms/ucb", "contextual/linucb", "contextual/linucb_rewards", "linear/elimination"))


def test_a_learner_is_known_to_its_family_alone():
    """Elsewhere in the core nobody asks which learner it is: what differs is a method of the learner, or of its app."""
    known = {".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts): path.parent.name for path in LEARNERS}
    for path in sorted(PACKAGE.rglob("*.py")):
        seen = [module for module in imported(path) if known.get(module, path.parent.name) != path.parent.name]
        assert not seen or path.name == "learners.py", f"{path} imports {seen}"


@pytest.mark.parametrize("path", LEARNERS, ids=lambda path: path.name)
def test_a_learner_knows_no_user_no_problem_and_no_randomness(path):
    for module in imported(path):
        above = ("bandits_dp.arms.graded", "bandits_dp.arms.problems", "bandits_dp.contextual.pool",
                 "bandits_dp.contextual.problems", "bandits_dp.linear.client_problems", "bandits_dp.linear.problems",
                 "bandits_dp.problems", "bandits_dp.app", "bandits_dp.play", "bandits_dp.arms.app", "bandits_dp.contextual.app",
                 "bandits_dp.linear.app", "bandits_dp.privatizers", "numpy.random", "random")
        assert not module.startswith(above)
    code = ast.unparse(ast.parse(path.read_text("utf-8")))
    assert "np.random" not in code and "Generator" not in code


CORE = """
import importlib, pkgutil, sys
import bandits_dp
serves = "bandits_dp.serve" in sys.modules
names = [info.name for info in pkgutil.walk_packages(bandits_dp.__path__, "bandits_dp.")]
for name in names:
    importlib.import_module(name)
print(len(names) > 100, serves, [name for name in ("bandits_book", "matplotlib", "pandas") if name in sys.modules])
"""


def test_all_of_the_core_is_there_without_the_book_without_drawing_and_without_serving():
    done = subprocess.run([sys.executable, "-c", CORE], capture_output=True, text=True, check=True, timeout=600)
    assert done.stdout == "True False []\n"
