"""Every example in a docstring runs and prints what it says, and every public class and function has one."""

import doctest
import importlib
import inspect

import matplotlib
import pytest

from tests.packages import MODULES

PUBLIC = [name for name in MODULES if hasattr(importlib.import_module(name), "__all__")]  # which lists what is for users
NEEDS = {"bandits_dp.play.result": "pandas"}  # an extra that a module's examples use


def examples(module):
    """Return the docstrings with examples that are written in a module, as doctest finds them."""
    return [test for test in doctest.DocTestFinder().find(module) if test.examples]


def wrong(module):
    told = []
    for test in examples(module):
        doctest.DocTestRunner(verbose=False).run(test, out=told.append)
    return "".join(told)


def without_example(values):
    """Return the names of those classes and functions whose docstring has no section of examples that runs."""
    found = []
    for value in values:
        if inspect.isclass(value) or inspect.isroutine(inspect.unwrap(value)):
            runs = {test.name for test in examples(importlib.import_module(value.__module__))}
            if f"{value.__module__}.{value.__qualname__}" not in runs or "\nExamples\n---" not in inspect.getdoc(value):
                found.append(value.__name__)
    return found


@pytest.mark.parametrize("name", MODULES)
def test_examples_print_what_they_say(name, tmp_path, monkeypatch):
    if name in NEEDS:
        pytest.importorskip(NEEDS[name])
    monkeypatch.chdir(tmp_path)  # should one write a file
    with matplotlib.rc_context():
        failures = wrong(importlib.import_module(name))
    assert not failures, f"\n{failures}"


@pytest.mark.parametrize("name", PUBLIC)
def test_every_public_name_has_an_example(name):
    module = importlib.import_module(name)
    missing = without_example(getattr(module, public) for public in module.__all__)
    assert not missing, f"no section Examples in the docstrings of these names of {name}: {', '.join(missing)}"


def test_no_module_ceases_to_be_public():
    assert len(PUBLIC) == 13
