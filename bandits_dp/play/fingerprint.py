"""Name a simulation by its content: learner, problem, and the files of all code that it runs."""

import hashlib
import pickle
import pickletools
import platform
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import numpy as np
import scipy

PACKAGE = Path(__file__).parent.parent
BOOK = "bandits_book"  # its files count as a whole, as this package's do; it is not imported here
DRAWING = "plots"  # the part of it on which no run depends


def fingerprint(*objects: object) -> str:
    """Return 64 hexadecimal digits that name the objects by value and code, in every process.

    Values are compared by joblib's hash. Code is compared by files: all files of this package,
    those of bandits_book (without its plots) if an object uses a class or function from there, and
    every other module that defines one of the objects' classes or functions. Python, numpy and
    scipy are compared by version. It raises a ValueError if something cannot be pickled, or is
    defined in a notebook or a script, so that its code is in no file.
    """
    import joblib  # its import is slow, and most simulations do not need it

    try:
        pickled = pickle.dumps(objects, protocol=2, fix_imports=False)
    except (pickle.PicklingError, TypeError, AttributeError) as error:
        raise ValueError("cache needs learners and problems that can be pickled, got one that "
                         f"cannot: {error}") from error
    # one by one, so shared parts do not matter
    values = [joblib.hash(value, "sha1") for value in objects]
    made = hashlib.sha256()
    for line in (*values, platform.python_version(), np.__version__, scipy.__version__, *_package(),
                 *_others(pickled)):
        made.update(f"{line}\n".encode())
    return made.hexdigest()


@cache
def _package(folder: Path = PACKAGE) -> tuple[str, ...]:
    """Return a line for every file of a package, by default this one."""
    files = (path.relative_to(folder) for path in sorted(folder.rglob("*.py")))
    return tuple(f"{path} {_content(folder / path)}" for path in files if DRAWING not in path.parts)


def _others(pickled: bytes) -> Iterator[str]:
    """Yield a line for every other module that defines something pickled."""
    names = {str(said).partition(" ")[0]
             for step, said, _ in pickletools.genops(pickled) if step.name == "GLOBAL"}
    if any(name.partition(".")[0] == BOOK for name in names):
        yield from _package(Path(str(sys.modules[BOOK].__file__)).parent)
    for name in sorted(names):
        root = name.partition(".")[0]
        if root == "__main__":
            raise ValueError("cache needs learners and problems whose code is in a file, got one "
                             "with a class or function of a notebook or script; write it to a "
                             "module, mine.py, and import it from there")
        if root not in (PACKAGE.name, BOOK, "numpy", "scipy", *sys.stdlib_module_names):
            file = getattr(sys.modules[name], "__file__", None)
            yield f"{name} {_content(Path(file)) if file else ''}"


def _content(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
