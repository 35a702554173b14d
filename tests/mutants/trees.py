"""A copy of the repository that may be spoiled, and a forked child in which its tests run."""

from __future__ import annotations

import compileall
import contextlib
import gc
import hashlib
import importlib
import os
import py_compile
import resource
import shutil
import signal
import sys
import time
import traceback
import types
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILT = ROOT / "_build" / "mutants"
NEEDED = ("bandits_dp", "tests", "book", "notebooks", "pyproject.toml", "README.md")  # what the package's tests read
# The tests of everything else: the book, its tools, the site, the course, how the source looks.
OTHERS = (
    "benchmarks", "binder", "book_", "claims", "course", "gallery", "house", "lean_styles", "mutants", "notebooks", "plain_",
    "plots", "readme", "slides", "source", "symbols", "teaching", "welcome_figure", "which", "workflows",
)  # fmt: skip
# Imported before the fork, so that a child need not; nothing of the package and of its tests is among them.
LIBRARIES = (
    "distributed", "dp_accounting", "hypothesis.extra.numpy", "joblib", "matplotlib.pyplot", "mpmath", "nbformat", "numpy",
    "pandas", "scipy.integrate", "scipy.linalg", "scipy.optimize", "scipy.signal", "scipy.special", "scipy.stats",
    "sklearn.decomposition", "threadpoolctl", "tqdm.auto",
)  # fmt: skip
MEMORY = 6 * 2**30  # bytes that a test may address


def test_files() -> list[str]:
    """Return the files with tests of the package."""
    return [f"tests/{path.name}" for path in sorted((ROOT / "tests").glob("test_*.py")) if not path.name[5:].startswith(OTHERS)]


def digest(files: Sequence[Path]) -> str:
    """Return a short name of what files contain."""
    sums = hashlib.sha256()
    for path in files:
        sums.update(path.relative_to(ROOT).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return sums.hexdigest()[:16]


def copy(number: int) -> Path:
    """Copy what tests need to a folder of its own, with compiled files that are valid by content, not by date."""
    tree = BUILT / f"tree-{number}"
    shutil.rmtree(tree, ignore_errors=True)
    tree.mkdir(parents=True)
    forget = shutil.ignore_patterns("__pycache__", "site", ".ipynb_checkpoints")
    for name in NEEDED:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, tree / name, ignore=forget)
        else:
            shutil.copy(ROOT / name, tree)
    compileall.compile_dir(tree / "bandits_dp", quiet=1, invalidation_mode=py_compile.PycInvalidationMode.CHECKED_HASH)
    return tree


def prepare() -> None:
    """Import the libraries and set what all children inherit."""
    for name in LIBRARIES:
        importlib.import_module(name)
    import hypothesis

    hypothesis.settings.register_profile("mutants", deadline=None, derandomize=True, database=None)
    hypothesis.settings.load_profile("mutants")
    os.environ["MPLBACKEND"] = "Agg"
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    sys.dont_write_bytecode = False  # what pytest makes of the files of tests is kept for the next child
    gc.freeze()


def processor_seconds() -> float:
    """Return the processor time of this process and of those that it has waited for."""
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in used)


def enter(tree: Path) -> None:
    """Make a copy the place from which everything is imported, by this process and by those that it starts."""
    os.chdir(tree)
    os.environ["PYTHONPATH"] = str(tree)
    sys.path[:] = [str(tree), *(entry for entry in sys.path if Path(entry or ".").resolve() not in (ROOT, tree))]
    for name in [name for name in sys.modules if name.partition(".")[0] in ("bandits_dp", "tests")]:
        del sys.modules[name]
    sys.modules["__main__"] = types.ModuleType("__main__")  # worker processes would run this program's again
    importlib.invalidate_caches()


def run_pytest(tree: Path, wanted: Sequence[str], plugin: object) -> int:
    """Run tests of a copy in this process."""
    options = ["-q", "--tb=line", f"--rootdir={tree}", f"-c={tree / 'pyproject.toml'}"]
    without = ["-p", "no:cacheprovider", "-p", "no:unraisableexception"]  # the second collects garbage again and again
    return int(pytest.main([*options, *without, *wanted], plugins=[plugin]))


def in_child(work: Callable[[], None], log: Path, wall: float) -> int:
    """Do some work in a forked process group and return how it ended, as ``os.waitstatus_to_exitcode`` does.

    After ``wall`` seconds (a last resort against sleepers; tests have limits on processor time) it is killed: then -9.
    """
    sys.stdout.flush()
    child = os.fork()
    if not child:
        code = 70
        try:
            os.setpgid(0, 0)
            with open(log, "w") as out:
                os.dup2(out.fileno(), 1)
                os.dup2(out.fileno(), 2)
            os.close(0)
            os.open(os.devnull, os.O_RDONLY)
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            work()
            code = 0
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)
    end = time.monotonic() + wall
    pause = 0.005
    while not (status := os.waitpid(child, os.WNOHANG))[0]:
        if time.monotonic() > end:
            os.kill(child, signal.SIGKILL)
            status = os.waitpid(child, 0)
            break
        time.sleep(pause)
        pause = min(0.1, 1.5 * pause)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)  # workers that it left behind
    return os.waitstatus_to_exitcode(status[1])
