"""One thread for linear algebra while runs are played.

Matrices are small here. OpenBLAS shares their products among all cores nevertheless, and its threads then wait for one another:
up to five times the work, on a busy machine with two cores. Besides, joblib gives its processes one thread each, and the same
number of threads everywhere leaves no doubt that all compute the same. Other libraries for linear algebra are left as they are.
"""

from __future__ import annotations

import ctypes
import importlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache

# Extension modules that are linked with OpenBLAS in the wheels of numpy and scipy, and the names that it has there.
MODULES = ("numpy._core._multiarray_umath", "scipy.linalg._fblas")
NAMES = ("scipy_openblas_{}_num_threads64_", "scipy_openblas_{}_num_threads", "openblas_{}_num_threads")


@cache
def controls() -> tuple[tuple[Callable[[], int], Callable[[int], object]], ...]:
    """Return functions that get and set the number of threads, one pair per copy of OpenBLAS; none if there is no such library."""
    found = []
    for module in MODULES:
        library = ctypes.CDLL(importlib.import_module(module).__file__)
        name = next((name for name in NAMES if hasattr(library, name.format("set"))), None)
        if name is not None:
            found.append((getattr(library, name.format("get")), getattr(library, name.format("set"))))
    return tuple(found)


@contextmanager
def single_thread() -> Iterator[None]:
    """Use one thread, and as many as before afterwards."""
    before = [get() for get, _ in controls()]
    try:
        for _, set_threads in controls():
            set_threads(1)
        yield
    finally:
        for (_, set_threads), threads in zip(controls(), before, strict=True):
            set_threads(threads)
