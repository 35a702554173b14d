"""The source that chapters show is the code that runs, narrow enough for a phone."""

import ast
import inspect
import textwrap

import numpy as np
import pytest

import bandits_dp as bdp
from bandits_dp import learners
from bandits_dp.learners.linucb_rewards import InstrumentLinUCB, RidgeLinUCB


def bare(code):
    """Return the code without any docstring or comment."""
    tree = ast.parse(textwrap.dedent(code))
    for node in ast.walk(tree):
        if isinstance(node, (ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(node) is not None:
            node.body = node.body[1:] or [ast.Pass()]
    return ast.unparse(tree)


@pytest.mark.parametrize("kind", [
    learners.ArmElimination, learners.PhasedElimination, learners.LinUCB, RidgeLinUCB, InstrumentLinUCB,
], ids=lambda kind: kind.__name__)
def test_what_is_shown_is_what_runs(kind):
    shown = bdp.source(kind)
    assert bare(shown) == bare(inspect.getsource(kind))
    assert "Parameters\n" not in shown and "noqa" not in shown and "type: ignore" not in shown
    assert max(map(len, shown.splitlines())) <= 80


def test_a_method_alone_begins_at_the_margin_and_what_has_no_source_is_refused():
    shown = bdp.source(learners.ArmElimination.ask)
    assert shown.startswith('def ask(self) -> Asked:\n    """Ask m_t users') and not shown.endswith("\n")
    for thing in (3, np.zeros):
        with pytest.raises(TypeError, match="code must be a class or a function with source in a file of Python, got"):
            bdp.source(thing)
