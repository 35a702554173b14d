"""Name things by their content: two objects share a fingerprint only if everything they hold, and their code, is the same."""

from __future__ import annotations

import copyreg
import dis
import hashlib
import platform
import sys
from collections.abc import Iterator
from functools import cache, cached_property
from pathlib import Path
from types import CodeType, FunctionType, ModuleType

import numpy as np
import scipy

PACKAGE = Path(__file__).parent.parent
DRAWING = PACKAGE / "companion" / "plots"  # the one part of the package that no run depends on
_ATOMS = (type(None), bool, int, float, complex, str, bytes)


def fingerprint(*objects: object) -> str:
    """Return 64 hexadecimal digits that name the objects by type, value and code; the same in every process.

    Values are walked as pickle walks them, so whatever can be pickled has a name. Functions and classes of this package, numpy,
    scipy and Python are named by the versions and files that they come from; those of the user by what they do, down to the
    functions and global values that they use, so that a learner edited in a notebook is another learner.

    Parameters
    ----------
    *objects : object
        Arrays, numbers, containers, functions, objects with attributes.

    Returns
    -------
    str
        SHA-256 over the objects, this package's code, and the versions of Python, numpy and scipy.

    Raises
    ------
    ValueError
        If something cannot be told apart by its content, such as an open file or a lock.
    """
    digest = hashlib.sha256()
    for piece in (_surroundings(), *_walk(objects, (), {})):
        digest.update(b"%d:" % len(piece))  # its length first: no two sequences of pieces run together to the same bytes
        digest.update(piece)
    return digest.hexdigest()


@cache
def _surroundings() -> bytes:
    """Say what a run depends on besides learner and problem: the package's code, and who computes."""
    files = [path for path in sorted(PACKAGE.rglob("*.py")) if not path.is_relative_to(DRAWING)]
    code = [f"{path.relative_to(PACKAGE)} {_content(path)}" for path in files]
    return "\n".join([platform.python_version(), np.__version__, scipy.__version__, *code]).encode()


@cache
def _content(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _walk(value: object, above: tuple[int, ...], known: dict[int, tuple[int, object]]) -> Iterator[bytes]:
    """Yield the bytes that name a value.

    ``above`` are the ids of the objects that hold it, so that cycles end; ``known`` numbers, and keeps alive, the code that was
    named already.
    """
    yield type(value).__qualname__.encode()
    if type(value) in _ATOMS:
        yield repr(value).encode("utf-8", "surrogatepass")
    elif id(value) in known or id(value) in above:
        yield b"again %d" % (known[id(value)][0] if id(value) in known else above.index(id(value)))
    elif isinstance(value, np.ndarray) and type(value) is np.ndarray and not value.dtype.hasobject:
        yield f"{value.dtype.descr} {value.shape}".encode()
        yield value.tobytes()
    else:
        if isinstance(value, (FunctionType, type)):
            known[id(value)] = (len(known), value)
        for part in _parts(value):
            yield from _walk(part, (*above, id(value)), known)
        yield b"end"


def _parts(value: object) -> Iterator[object]:
    """Yield what a value consists of."""
    if isinstance(value, (list, tuple)) and type(value) in (list, tuple):
        yield from value
    elif isinstance(value, dict) and type(value) is dict:
        yield from value.items()
    elif isinstance(value, (set, frozenset)):
        yield from (type(value), *sorted(map(fingerprint, value)))  # a set has no order
    elif isinstance(value, ModuleType):
        yield _origin(value.__name__) or _content(Path(str(value.__file__)))
    elif isinstance(value, CodeType):
        yield from (value.co_name, value.co_code, value.co_consts, value.co_names)
    elif isinstance(value, (FunctionType, type)) and (origin := _origin(value.__module__)):
        yield f"{origin} {value.__qualname__}"
        if isinstance(value, FunctionType):  # one definition makes many functions
            yield from _bound(value)
    elif isinstance(value, FunctionType):
        yield from (value.__code__, *_bound(value))
        loaded = {step.argval for step in dis.get_instructions(value.__code__) if step.opname in ("LOAD_GLOBAL", "LOAD_NAME")}
        yield {name: value.__globals__[name] for name in sorted(loaded) if name in value.__globals__}
    elif isinstance(value, type):
        yield from (value.__qualname__, value.__bases__)
        for name, member in sorted(vars(value).items()):
            member = getattr(member, "__func__", member)  # of a class method or a static method
            if isinstance(member, (property, cached_property)):
                yield from (name, *(getattr(member, key, None) for key in ("fget", "fset", "func")))
            elif isinstance(member, FunctionType) or not name.startswith(("__", "_abc_")):
                yield from (name, member)
    else:
        yield from _reduced(value)


def _bound(function: FunctionType) -> Iterator[object]:
    """Yield what a function carries along besides its code."""
    yield from (function.__defaults__, function.__kwdefaults__)
    yield from (cell.cell_contents for cell in function.__closure__ or ())


def _reduced(value: object) -> Iterator[object]:
    """Yield what pickle would store of an object: how it is made, from what, and its attributes."""
    reduce = copyreg.dispatch_table.get(type(value))
    try:
        made = reduce(value) if reduce else value.__reduce_ex__(4)
    except (TypeError, AttributeError) as error:
        raise ValueError(f"cache needs learners and problems with comparable contents, got one that holds {value!r}") from error
    if isinstance(made, str):  # a name: of a built-in function, a function with a cache, a universal function
        yield from (made, getattr(value, "__module__", None), getattr(value, "__wrapped__", None))
        return
    for part in made:
        yield list(part) if isinstance(part, Iterator) else part  # the items of subclasses of list and dict


def _origin(module: str) -> str:
    """Name where code comes from if that settles what it does: this package, Python, or an installed one; else ""."""
    root = module.partition(".")[0]
    if root in (PACKAGE.name, "numpy", "scipy") or (root in sys.stdlib_module_names and root != "__main__"):
        return module  # see _surroundings
    file = getattr(sys.modules.get(module), "__file__", None)
    return f"{module} {_content(Path(file))}" if file and "site-packages" in Path(file).parts else ""
