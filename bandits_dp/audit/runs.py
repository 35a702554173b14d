"""Collect the outputs of many independent runs of a mechanism, and refuse what cannot be audited."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from bandits_dp import _checks
from bandits_dp._memory import check_runs
from bandits_dp.audit.events import Array

CHUNK = 50_000  # runs that a vectorized mechanism is asked for at once: bounds its memory
BYTES = 4 * 8  # for every number of a run: on both inputs, and as much again during the search
Mechanism = Callable[[Any, np.random.Generator], ArrayLike]
LOOP = 1000  # single runs between two looks at the progress bar


@dataclass(frozen=True)
class Vectorized:
    """A mechanism that can do many runs at once; also a decorator.

    Parameters
    ----------
    draw : callable
        ``draw(data, rng, runs)`` returns an array whose first axis has ``runs`` independent outputs.

    Examples
    --------
    >>> import numpy as np
    >>> import bandits_dp as bdp
    >>> @bdp.Vectorized
    ... def count(bits, rng, runs):
    ...     return sum(bits) + rng.laplace(0, 1, runs)
    >>> bdp.audit(count, [1, 0], [0, 0], 1.0, 0.0, trials=10_000, rng=np.random.default_rng(1)).passed
    True
    """

    draw: Callable[[Any, np.random.Generator, int], ArrayLike]

    def __call__(self, data: Any, rng: np.random.Generator) -> ArrayLike:
        """Do a single run."""
        return np.asarray(self.draw(data, rng, 1))[0]


def equal(a: Any, b: Any) -> bool:
    """Whether two inputs are surely equal."""
    try:
        return bool(np.array_equal(a, b))
    except (TypeError, ValueError):  # ragged lists, objects without an order, pandas.NA: nothing can be said
        return False


def outputs_of(mechanism: Mechanism, name: str, data: Any, trials: int, rng: np.random.Generator, shape: tuple[int, ...] | None,
               tick: Callable[[int], object]) -> tuple[Array, tuple[int, ...]]:
    """Return the outputs of all runs on the input of that name, shape (trials, size), and the shape of one.

    ``shape`` is what the other input gave.
    """
    before = copy.deepcopy(data) if isinstance(data, np.ndarray) else None
    outputs = np.empty((0, 0))
    step = CHUNK if isinstance(mechanism, Vectorized) else LOOP
    for start in range(0, trials, step):
        runs = min(step, trials - start)
        block: Any
        if isinstance(mechanism, Vectorized):
            block = numbers(_ran(name, mechanism.draw, data, rng, runs), "draw")
            if block.ndim == 0 or len(block) != runs:
                raise ValueError(f"mechanism.draw must return {runs} rows when asked for {runs} runs, got shape {block.shape}")
            shapes = [block.shape[1:]]
        else:
            block = [numbers(_ran(name, mechanism, data, rng), "mechanism") for _ in range(runs)]
            shapes = [single.shape for single in block]
        shape = shapes[0] if shape is None else shape
        odd = next((one for one in shapes if one != shape), None)
        if odd is not None:
            raise ValueError(f"mechanism must return outputs of one shape, got {shape} first and {odd} later")
        if math.prod(shape) == 0:
            raise ValueError(f"mechanism must return at least one number, got shape {shape}")
        if start == 0:
            check_runs(trials, BYTES * math.prod(shape), "trials")
            outputs = np.empty((trials, math.prod(shape)))
        outputs[start : start + runs] = np.reshape(block, (runs, -1))
        tick(runs)
    if before is not None and not np.array_equal(before, data, equal_nan=True):
        raise ValueError("mechanism must not change its input: a run would see what the run before it left; copy the data first")
    assert shape is not None
    return outputs, shape


def _ran(name: str, mechanism: Callable[..., ArrayLike], *args: Any) -> ArrayLike:
    """Run a mechanism, and say of which input it complains."""
    try:
        return mechanism(*args)
    except (TypeError, ValueError) as error:
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(f"{name} must be data that the mechanism takes, but: {error}") from error


def numbers(output: ArrayLike, name: str) -> Array:
    """Return what a mechanism or score returned as an array of floats, or raise a ValueError that names it."""
    if type(output) in (float, np.float64) or (type(output) is np.ndarray and output.dtype.kind in "biuf"):  # a million times
        return np.asarray(output, dtype=float)
    try:
        return _checks.numbers(name, output, "")
    except ValueError as error:
        raise ValueError(f"{name} must return a number or an array of numbers, got {_checks.told(output)}") from error
