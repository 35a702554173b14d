"""Name a simulation by its content: what its learner and problem hold, and the files of all code that it runs."""

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
BOOK = "bandits_book"  # the package whose files count together, as those of this one do; it is not imported for that
DRAWING = "plots"  # its one part that no run depends on


def fingerprint(*objects: object) -> str:
    """Return 64 hexadecimal digits that name the objects by value and code; the same in every process.

    Values are compared as joblib hashes them. Code is compared by files: this package's, all of bandits_book's but
    drawing if an object has a class or function of it, and those of the modules in which its other classes and functions are
    defined; Python, numpy and scipy by their versions. A ValueError says if something cannot be pickled, or is defined in a
    notebook or a script, where no file tells its code.
    """
    import joblib  # its import takes a third of the time of ours, and most simulations need none

    try:
        pickled = pickle.dumps(objects, protocol=2, fix_imports=False)
    except (pickle.PicklingError, TypeError, AttributeError) as error:
        raise ValueError(f"cache needs learners and problems that can be pickled, got one that cannot: {error}") from error
    values = [joblib.hash(value, "sha1") for value in objects]  # each by itself: whether they share parts does not matter
    made = hashlib.sha256()
    for line in (*values, platform.python_version(), np.__version__, scipy.__version__, *_package(), *_others(pickled)):
        made.update(f"{line}\n".encode())
    return made.hexdigest()


@cache
def _package(folder: Path = PACKAGE) -> tuple[str, ...]:
    """Return a line for every file of a package, of this one by default."""
    files = (path.relative_to(folder) for path in sorted(folder.rglob("*.py")))
    return tuple(f"{path} {_content(folder / path)}" for path in files if DRAWING not in path.parts)


def _others(pickled: bytes) -> Iterator[str]:
    """Yield a line for every other module in which something pickled is defined."""
    names = {str(said).partition(" ")[0] for step, said, _ in pickletools.genops(pickled) if step.name == "GLOBAL"}
    if any(name.partition(".")[0] == BOOK for name in names):
        yield from _package(Path(str(sys.modules[BOOK].__file__)).parent)
    for name in sorted(names):
        root = name.partition(".")[0]
        if root == "__main__":
            raise ValueError("cache needs learners and problems whose code is in a file, got one with a class or function of a "
                             "notebook or script; write it to a module, mine.py, and import it from there")
        if root not in (PACKAGE.name, BOOK, "numpy", "scipy", *sys.stdlib_module_names):
            file = getattr(sys.modules[name], "__file__", None)
            yield f"{name} {_content(Path(file)) if file else ''}"


def _content(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
