"""Collect outputs of independent runs, and refuse mechanisms that cannot be audited."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy  # scipy.special is loaded on first use
from numpy.typing import ArrayLike, NDArray

from bandits_dp import _checks
from bandits_dp.audit.events import Array
from bandits_dp.play.memory import check_runs

CHUNK = 50_000  # runs that a vectorized mechanism makes at once; bounds its memory
BYTES = 4 * 8  # per number of a run: both inputs, and the same again during the search
Mechanism = Callable[[Any, np.random.Generator], ArrayLike]
ALARM = 1e-9  # largest probability of refusing independent runs
FEWEST_PAIRS = 8  # of runs; with fewer no event is as rare
LOOP = 1000  # single runs between two steps of the progress bar


@dataclass(frozen=True)
class Vectorized:
    """A mechanism that makes many runs in one call; also a decorator.

    Parameters
    ----------
    draw : callable
        ``draw(data, rng, runs)`` returns an array whose first axis has ``runs`` independent
        outputs.

    Examples
    --------
    >>> import numpy as np
    >>> import bandits_dp as bdp
    >>> @bdp.Vectorized
    ... def count(bits, rng, runs):
    ...     return sum(bits) + rng.laplace(0, 1, runs)
    >>> rng = np.random.default_rng(1)
    >>> bdp.audit(count, [1, 0], [0, 0], 1.0, 0.0, trials=10_000, rng=rng).passed
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
    except (TypeError, ValueError):  # ragged lists, objects without an order, pandas.NA: unknown
        return False


def outputs_of(mechanism: Mechanism, name: str, data: Any, trials: int, rng: np.random.Generator,
               shape: tuple[int, ...] | None,
               tick: Callable[[int], object]) -> tuple[Array, tuple[int, ...]]:
    """Return the outputs of all runs on one input, shape (trials, size), and the shape of one.

    ``name`` is the input's name in errors; ``shape`` is the shape of the other input's outputs, if
    known.
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
                raise ValueError(f"mechanism.draw must return {runs} rows when asked for {runs} "
                                 f"runs, got shape {block.shape}")
            shapes = [block.shape[1:]]
        else:
            block = [numbers(_ran(name, mechanism, data, rng), "mechanism") for _ in range(runs)]
            shapes = [single.shape for single in block]
        shape = shapes[0] if shape is None else shape
        odd = next((one for one in shapes if one != shape), None)
        if odd is not None:
            raise ValueError(f"mechanism must return outputs of one shape, got {shape} first and "
                             f"{odd} later")
        if math.prod(shape) == 0:
            raise ValueError(f"mechanism must return at least one number, got shape {shape}")
        if start == 0:
            check_runs(trials, BYTES * math.prod(shape), "trials")
            outputs = np.empty((trials, math.prod(shape)))
        outputs[start : start + runs] = np.reshape(block, (runs, -1))
        tick(runs)
    if before is not None and not np.array_equal(before, data, equal_nan=True):
        raise ValueError("mechanism must not change its input, which later runs get, too; copy the "
                         "data first")
    assert shape is not None
    return outputs, shape


def check_independence(on_a: Array, on_b: Array) -> None:
    r"""Raise a ValueError if runs on an input surely reuse noise of the run before.

    For each entry of the output, two properties of a pair of runs are counted: that the entry is
    equal, and that it is on the same side of the median of the other input's runs. One count is
    over n pairs of neighbouring runs, from the first half; the other is over n pairs of runs far
    apart, from the second half. If runs are independent, both counts are binomial with one p. Then
    counts i and j have probability at most
    :math:`e^{-n (\mathrm{kl}(i/n, p) + \mathrm{kl}(j/n, p))}`, which is largest if p is the mean of
    i/n and j/n. By a union bound over all counts, entries, inputs, both ways to pair neighbours and
    both properties, false alarms are rarer than ``ALARM``.
    """
    n, middle = len(on_a) // 4, len(on_a) // 2
    if n < FEWEST_PAIRS:
        return
    limit = np.log(8 * on_a.shape[1] / ALARM) + 2 * np.log(n + 1)
    for name, outputs, other in (("a", on_a, on_b), ("b", on_b, on_a)):
        above = outputs > np.partition(other, middle, axis=0)[middle]
        for what, seen in (("the same", outputs), ("on the same side of the median", above)):
            apart = _agreeing(seen[2 * n : 3 * n], seen[3 * n : 4 * n])
            for first in (0, 1):
                close = _agreeing(seen[first : 2 * n + first : 2],
                                  seen[first + 1 : 2 * n + first + 1 : 2])
                mean = (close + apart) / 2 / n
                evidence = n * (scipy.special.rel_entr(
                    [close / n, apart / n, 1 - close / n, 1 - apart / n],
                    [mean, mean, 1 - mean, 1 - mean]).sum(axis=0))
                if evidence[top := int(np.argmax(evidence))] > limit:
                    raise ValueError(f"mechanism must have independent runs, got, on {name}, entry "
                                     f"{top} of the output {what} in {close[top]:,} of {n:,} pairs "
                                     f"of a run and the next, and in {apart[top]:,} of other "
                                     "pairs: it reuses noise")


def _agreeing(x: NDArray[Any], y: NDArray[Any]) -> NDArray[np.int64]:
    """Count the rows in which x and y agree, for each entry; NaN agrees with NaN."""
    return np.count_nonzero((x == y) | ((x != x) & (y != y)), axis=0)


def _ran(name: str, mechanism: Callable[..., ArrayLike], *args: Any) -> ArrayLike:
    """Run a mechanism; re-raise its errors with the name of the input."""
    try:
        return mechanism(*args)
    except (TypeError, ValueError) as error:
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(f"{name} must be data that the mechanism takes, but: {error}") from error


def numbers(output: ArrayLike, name: str) -> Array:
    """Return the output of a mechanism or score as floats, or raise a ValueError that names it."""
    if type(output) in (float, np.float64) or (type(output) is np.ndarray
                                               and output.dtype.kind in "biuf"):  # usual
        return np.asarray(output, dtype=float)
    try:
        return _checks.numbers(name, output, "")
    except ValueError as error:
        raise ValueError(f"{name} must return a number or an array of numbers, got "
                         f"{_checks.told(output)}") from error
