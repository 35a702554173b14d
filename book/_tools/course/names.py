"""The names that tests rely on, which no answer may replace."""

import builtins
import contextlib
import sys
from types import FunctionType, ModuleType
from typing import Any

# Packages whose functions the tests and the grader use, apart from builtins.
RELIED_ON = ("math", "itertools", "functools", "json", "numpy", "scipy", "bandits_dp", "bandits_book")


class Names:
    """What the given cells and the libraries defined, kept while a submission runs, and put back before each test."""

    def __init__(self) -> None:
        """Keep the functions of the libraries that are loaded now, and those of their classes and distributions."""
        self.names: dict[str, Any] = {}
        self.builtins = functions(builtins)
        self.modules = {name: module for name, module in sys.modules.items() if name.split(".")[0] in RELIED_ON}
        modules = [module for module in self.modules.values() if isinstance(module, ModuleType)]
        values = {id(value): value for module in modules for value in vars(module).values() if theirs(value)}
        self.spaces = [(space, functions(space)) for space in (*modules, *values.values())]
        bodies = {id(value): value for _, kept in self.spaces for value in kept.values() if isinstance(value, FunctionType)}
        self.bodies = [(function, function.__code__) for function in bodies.values()]

    def put_back(self, names: dict[str, Any]) -> list[str]:
        """Undo replacements, and name them."""
        replaced = [f"builtins.{key}" for key, value in self.builtins.items() if builtins.__dict__.get(key) is not value]
        builtins.__dict__.update(self.builtins)  # first: the rest needs them
        replaced += [name for name, value in self.names.items() if names.get(name) is not value]
        names.update(self.names)
        replaced += [name for name, module in self.modules.items() if sys.modules.get(name) is not module]
        sys.modules.update(self.modules)
        for function, body in self.bodies:
            if function.__code__ is not body:
                replaced.append(function.__qualname__)
                function.__code__ = body
        for space, kept in self.spaces:
            now = vars(space)
            wrong = {key: value for key, value in kept.items() if now.get(key) is not value}
            added = [] if isinstance(space, ModuleType) else [key for key in functions(space) if key not in kept]
            for key in (*wrong, *added):
                replaced.append(f"{getattr(space, '__name__', type(space).__name__)}.{key}")
                with contextlib.suppress(TypeError, AttributeError):
                    setattr(space, key, wrong[key]) if key in wrong else delattr(space, key)
        return replaced


def theirs(value: Any) -> bool:
    """Say whether this is a class of a library, or one of scipy's distributions."""
    kind = value if isinstance(value, type) else type(value)
    if str(getattr(kind, "__module__", "")).split(".")[0] not in RELIED_ON:
        return False
    return isinstance(value, type) or (hasattr(kind, "cdf") and hasattr(value, "__dict__"))


def functions(space: Any) -> dict[str, Any]:
    """Return what can be called in a module, class or object, and a module's modules."""
    kinds = (property, staticmethod, classmethod, ModuleType)
    return {name: value for name, value in vars(space).items() if callable(value) or isinstance(value, kinds)}
