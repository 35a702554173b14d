"""One valid call of everything public, from the examples in docstrings: a new function or system needs nothing here."""

import ast
import doctest
import importlib
import inspect
import re
from copy import deepcopy
from decimal import Decimal
from functools import cache, cached_property, partial
from numbers import Integral, Real
from types import FunctionType, ModuleType

import numpy as np

import bandits_dp as bdp
from tests import packages
from tests.hardening.values import FORMS, INTEGERS, JUNK, NAMES, REALS, SCALARS, SHAPES, WRONG, listed, quietly
from tests.small_problems import SYSTEMS

DOCUMENTED = ("arms", "contextual", "guarantee", "linear")  # have no __all__, but what they define is for users, too
METHODS = {"add", "encode", "error_std", "moving_figure", "moving_scene", "randomize", "release"}
FIXED = {"cache", "workers", "progress", "source"}  # make files, processes, and downloads
STEPS = {"ClientsApp", "ContextsApp", "Gallery", "Phase", "Room", "RunningApp", "from_dataframe", "mean_norm", "norm_bounds",
         "quadratic_quantile", "to_dataframe"}  # left out
MORE = """
audit = bdp.audit(bdp.privatizers.CentralLaplace(3, 1.0), [1, 0, 0], [0, 0, 0], 1.0, 0.125, 200, 0.75, rng=RNG(1), progress=False)
band = plots.band(plt.Figure().subplots(), [1.0, 2.0], [1.0, 1.5], [0.5, 1.0], [1.5, 2.0], 'SDP-AE', color='shuffle')
regret = plots.regret(bdp.simulate(bdp.make('UCB1', bdp.problems.BernoulliArms([0.9, 0.2]), horizon=20),
    bdp.problems.BernoulliArms([0.9, 0.2]), 20, 2, progress=False), plt.Figure().subplots(), 'UCB1')
make = bdp.make('SDP-AE', bdp.problems.BernoulliArms([0.9, 0.8]), horizon=1000, epsilon=1.0, delta=0.125)
simulate = bdp.simulate(bdp.make('UCB1', bdp.problems.BernoulliArms([0.9, 0.2]), horizon=20),
    bdp.problems.BernoulliArms([0.9, 0.2]), 20, 2, progress=False)
ContextualLinear = bdp.problems.ContextualLinear(arms=5, dimension=3, fixed=False)
Rounds = bdp.problems.Rounds(lambda rng: iter(()), 2)
bounded_actions = bandits_dp.linear.designs.bounded_actions([[1.0, 0.0], [0.0, 1.0]])
vectors = bdp.privatizers.CentralGaussian(2, 1.0, 0.125, domain=bdp.privatizers.Ball(2)).release([[0.5, 0.0], [1.0, 0.0]], RNG(1))
statistics = bdp.privatizers.Identity(2, bdp.privatizers.LinearStatistics(1)).release([[1.0, 1.0], [0.0, 0.0]], RNG(1))
bits = bdp.privatizers.RandomizedResponse(3, 1.0).randomize([0, 1, 1], RNG(1))
scalars = bdp.privatizers.ScalarSum(3, 1.0, 0.125).randomize([0.0, 1.0, 0.5], RNG(1))
"""  # in the place of an example that will not do, or because there is none
PRELUDE = "import bandits_dp, matplotlib.pyplot as plt\nfrom bandits_book import plots\nRNG = np.random.default_rng\n"
USUAL = {"ArrayLike": "[0.5, 0.25]", "float": "0.5", "int": "3", "bool": "True", "str": "'a word'"}  # for a default of None


MODULES = [importlib.import_module(name) for name in packages.MODULES if name != "bandits_dp"]
PUBLIC = {name for module in (bdp, *MODULES) for name in getattr(module, "__all__", ())
          if hasattr(getattr(module, name), "__qualname__")}  # classes and functions


def kinds_of(value, annotation):
    """Return what kinds of values an argument may have, of which one is valid; first the kind of that one."""
    kinds = {bool: "flag", Integral: "real" if "float" in annotation else "integer", Real: "real", str: "word"}
    kind = next((word for kind, word in kinds.items() if isinstance(value, kind)), "thing")
    if isinstance(value, (np.ndarray, list, tuple)) and np.size(value) and quietly(np.array, value).dtype.kind in "fiub":
        kind = "array"
    return (kind, "array") if "ArrayLike" in annotation else (kind,)


def types_of(option):
    """Return an option's annotation: that of a parameter which may be what the option may be."""
    kinds = [getattr(one, "kind", one) for one in option.ranges]
    return " | ".join("str" if isinstance(kind, str) else getattr(kind, "__name__", "None") for kind in kinds)


def may_pass(value, valid, kind):
    """Whether some junk may pass for a valid value; what the package makes may be known by what it can do, functions not at all."""
    if kind == "flag":
        return isinstance(value, (bool, np.bool_))
    if kind in ("word", "thing"):
        ours = all(type(one).__module__.startswith(("bandits_dp", "bandits_book")) for one in (value, valid))
        return isinstance(value, type(valid)) or ours or (callable(value) and callable(valid))
    if kind != "array":
        return isinstance(value, (Decimal, np.ndarray)) and np.asarray(value).dtype.kind in "fiuO" and np.size(value) == 1
    listed = isinstance(value, (bool, np.bool_, range, list, bytearray, memoryview, Decimal)) or hasattr(value, "iloc")
    return listed or (isinstance(value, np.ndarray) and value.dtype.kind in "fiub")


def equal(value, valid):
    """Whether two values hold the same numbers; for whole numbers in arrays, such as indices, no floats will do."""
    try:
        one, other = np.asarray(value), np.asarray(valid)
        if (one.dtype == bool) != (other.dtype == bool) or (other.ndim and other.dtype.kind in "iu" and one.dtype.kind not in "iu"):
            return False
        return one.shape == other.shape and np.array_equal(one.astype(float), other.astype(float))
    except (TypeError, ValueError, OverflowError):
        return False


class Target:
    """A call, and the lines before it; all values are texts that can be pasted."""

    def __init__(self, name, setup, call, options=()):
        self.name, self.setup, self.node = name, setup, ast.parse(call, mode="eval").body
        self.callee, self.options = ast.unparse(self.node.func), {option.name: option for option in options}

    @cached_property
    def space(self):
        exec(self.setup, space := dict(NAMES))
        return space

    def made(self, text):
        code, kept = compile(text, "<call>", "eval"), (ModuleType, FunctionType, type, partial, type(None))
        names = [name for name in code.co_names if not isinstance(self.space.get(name), kept)]
        return quietly(eval, code, self.space | {name: deepcopy(self.space[name]) for name in names})

    @cached_property
    def parameters(self):
        known = inspect.signature(self.made(self.callee)).parameters.items()
        return {name: one for name, one in known if one.kind not in (one.VAR_POSITIONAL, one.VAR_KEYWORD)}

    @cached_property
    def given(self):
        given = {name: ast.unparse(value) for name, value in zip(self.parameters, self.node.args, strict=False)}
        return given | {word.arg: ast.unparse(word.value) for word in self.node.keywords}

    @cached_property
    def valid(self):
        """Return valid values of all arguments, defaults included, by name."""
        defaults = {name: one.default for name, one in [*self.parameters.items(), *self.options.items()]}
        known = defaults | {name: self.made(text) for name, text in self.given.items()}
        return {name: value for name, value in known.items() if name not in FIXED and name[0] != "_"}

    def text(self, changed=()):
        words = ", ".join(f"{name}={text}" for name, text in (self.given | dict(changed)).items())
        return f"{self.callee}({words})"

    @cache  # noqa: B019, for targets are kept for ever
    def values(self, name):
        """Return the kind of an argument, and what to try in its place: text and verdict."""
        valid, option = self.valid[name], self.options.get(name)
        annotation = types_of(option) if option else str(getattr(self.parameters.get(name), "annotation", ""))
        loose = valid is None
        usual = next((text for word, text in USUAL.items() if word in annotation), "None")
        example = usual if loose else self.given.get(name, repr(valid))
        valid = self.made(example) if loose else valid
        kinds = kinds_of(valid, annotation)
        kind, found = kinds[0], {}

        def add(texts, verdict):
            for text in texts:
                try:
                    value = self.made(text)
                except Exception:  # whatever numpy or pandas says: then there is nothing to try
                    continue
                optional = value is None and "None" in annotation
                found[text] = "any" if loose or optional else quietly(verdict, value)

        told = [option.allowed] if option else re.findall(rf"(?m)^ *{name} : .*?\{{(.*?)\}}", self.made(self.callee).__doc__ or "")
        add(listed(JUNK), lambda value: "any" if any(may_pass(value, valid, one) for one in kinds) else "wrong")
        add([repr(word) for words in told[:1] for word in re.findall(r'"(.*?)"', words)], lambda value: "any")
        if kind in ("integer", "real"):
            right = Integral if kind == "integer" else Real
            add(listed(INTEGERS) + (listed(REALS) if kind == "real" else []) + listed(SCALARS, example), lambda value: (
                "wrong" if value != value or not isinstance(value, right) else "same" if equal(value, valid) else "any"))
        if kind == "array":  # a pair need not be an array
            add(listed(FORMS, example), lambda value: "same" if equal(value, valid) and not isinstance(valid, tuple) else "any")
            add(listed(SHAPES, example), lambda value: "any")
            add(listed(WRONG, example), lambda value: "wrong")
        return kind, tuple(found.items())


def examples(module):
    """Yield what the examples of a module call: the name under which it is documented, the lines before it, and the call."""
    documented = module.__name__.split(".")[1:2] in [[name] for name in DOCUMENTED]
    for doc in doctest.DocTestFinder().find(module):
        inner, lines = doc.name.removeprefix(f"{module.__name__}.").split("."), ""
        for example in doc.examples if documented or inner[0] in PUBLIC else ():
            nodes = list(ast.walk(ast.parse(example.source))) if example.exc_msg is None else []
            first = "".join(f"{ast.unparse(node.target)} = next(iter({ast.unparse(node.iter)}))\n"
                            for node in nodes if isinstance(node, (ast.For, ast.comprehension)))
            for call in (node for node in nodes if isinstance(node, ast.Call)):
                name = getattr(call.func, "attr", getattr(call.func, "id", ""))
                if name not in STEPS and (name == inner[-1] or name in METHODS):
                    yield ".".join(inner if name == inner[-1] else [*inner, name]), lines + first, ast.unparse(call)
            lines += example.source if nodes else ""


@cache
def targets():
    found = {}
    for module in MODULES:
        for name, setup, call in examples(module):
            name = f"{module.__name__.removeprefix('bandits_dp.')}.{name}"
            found.setdefault(name, Target(name, setup, call))
    for row in ast.parse(MORE).body:
        name = next((name for name in found if name.endswith(f".{row.targets[0].id}")), f"more.{row.targets[0].id}")
        found[name] = Target(name, PRELUDE, ast.unparse(row.value))
    for name, system in SYSTEMS.items():
        setup = f"from tests.small_problems import PROBLEMS\nproblem, horizon = PROBLEMS[{system.setting!r}]\n"
        private = "" if system.model == "none" else ", epsilon=1.0, delta=0.125"
        call = f"bdp.make({name!r}, problem, horizon=horizon{private})"
        found[f"make.{name}"] = Target(f"make.{name}", setup, call, system.options)
    return found
