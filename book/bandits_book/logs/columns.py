"""Columns of a log, checked row by row: whatever is wrong is named by its column and its row, counted from 0."""

import math
from collections.abc import Hashable, Iterable, Sequence
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bandits_dp import _checks

Floats = NDArray[np.float64]


def column(name: str, given: Any, rows: int | None = None, dtype: type | None = None) -> NDArray[Any]:
    """Return a copy of a column as an array of one dimension, of so many rows if that is known."""
    try:
        array = np.array(given, dtype)
    except ValueError as error:
        raise ValueError(f"{name} must have one entry per row, got {_checks.told(given)}") from error
    if array.ndim != 1 or (rows is not None and len(array) != rows):
        many = "one entry per row" if rows is None else f"{rows} entries, one per row of actions"
        raise ValueError(f"{name} must have {many}, got {'a single value' if not array.ndim else f'shape {array.shape}'}")
    if array.dtype.kind in "mM":
        raise ValueError(f"{name} must be numbers, got times of the type {array.dtype}")
    if isinstance(given, np.ma.MaskedArray):
        refuse(name, np.ma.getmaskarray(given), ["a masked entry"] * len(array), "known")
    return array


def refuse(name: str, bad: NDArray[np.bool_], values: Sequence[Any] | NDArray[Any], allowed: str) -> None:
    """Raise a ValueError that names the first bad row, if there is one."""
    found = np.flatnonzero(bad)
    if len(found):
        row = int(found[0])
        value = values[row].item() if isinstance(values[row], np.generic) else values[row]
        others = f" (and {len(found) - 1} more rows)" if len(found) > 1 else ""
        raise ValueError(f"{name} must be {allowed}, got {_checks.told(value)} in row {row}{others}")


def numbers(name: str, given: Any, rows: int | None, low: float, high: float, *, above: bool = False) -> Floats:
    """Return a column of finite numbers from ``low`` to ``high``; strictly above ``low`` if ``above``."""
    array = column(name, given, rows)
    plain = array.dtype.kind in ("iuf" if above else "biuf")  # a click may be True, a probability may not
    words = (str, bytes, bool) if above else (str, bytes)
    floats = array.astype(float) if plain else np.array([_number(value, words) for value in array.tolist()], dtype=float)
    good = (floats > low if above else floats >= low) & (floats <= high) & _checks.usable(floats)  # NaN fails every comparison
    size = f", at most {_checks.LARGEST:g} in size" if max(-low, high) > _checks.LARGEST else ""
    refuse(name, ~good, floats if plain else array, f"a number in {'(' if above else '['}{low:g}, {high:g}]{size}")
    return floats


def _number(value: Any, words: tuple[type, ...]) -> float:
    """Return a number that hides in a column of objects, else NaN; words are none, even if they look like one."""
    try:
        return math.nan if value is np.ma.masked or isinstance(value, words) else float(value)
    except (TypeError, ValueError, OverflowError):
        return math.nan


def actions(given: Any, sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return a column of actions, each from 0 to one less than the number of arms of its row."""
    array = column("actions", given, len(sizes))
    whole = array if array.dtype.kind in "iu" else np.array([int(one) if _is_whole(one) else -1 for one in array.tolist()])
    bad = (whole < 0) | (whole >= sizes)
    if bad.any():
        arms = sizes[bad][0]
        refuse("actions", bad, array, f"one of {arms} arms, an integer from 0 to {arms - 1}")
    return whole.astype(np.int64)


def _is_whole(value: Any) -> bool:
    """Whether it is an integer, if perhaps written as a float, as tables do that lack a number elsewhere."""
    return _checks.is_number(value, Integral) or (isinstance(value, float) and value.is_integer())


def users(given: Any, rows: int) -> tuple[Hashable, ...]:
    """Return a column of ids, integers or words, as a tuple of Python's own."""
    ids = [value.item() if isinstance(value, np.generic) else value for value in column("users", given, rows, object)]
    known = [_checks.is_number(value, Integral) or isinstance(value, str) for value in ids]
    refuse("users", ~np.array(known), ids, "an integer or a word")
    return tuple(ids)


def features(given: ArrayLike, rows: int) -> Floats | tuple[Floats, ...]:
    """Return what was shown, shape (arms, dimension) in all rows or (rows, arms, dimension), or one array per row."""
    shown: Floats | tuple[Floats, ...]
    try:
        shown = _checks.numbers("features", given, "numbers of shape (arms, dimension) or (rows, arms, dimension)")
    except ValueError:
        shown = _ragged(given)
    else:
        if shown.ndim not in (2, 3) or 0 in shown.shape:
            raise ValueError("features must have shape (arms, dimension), the same in all rows, or (rows, arms, dimension), got "
                             f"{shown.shape}")
    same = isinstance(shown, np.ndarray) and shown.ndim == 2
    if not same and len(shown) != rows:
        raise ValueError(f"features must have {rows} entries, one per row of actions, got {len(shown)}")
    for row, own in enumerate([shown] if same else shown):
        if not _checks.usable(own).all():
            where = "" if same else f" in row {row}"
            raise ValueError(f"features must be finite numbers, at most {_checks.LARGEST:g} in size, got "
                             f"{own[~_checks.usable(own)][0]}{where}")
    return shown


def _ragged(given: Any) -> tuple[Floats, ...]:
    """Return one array per row, whose numbers of arms vary."""
    shown: list[Floats] = []
    for row, one in enumerate(given if np.iterable(given) and hasattr(given, "__len__") else [given]):
        try:
            own = _checks.numbers("features", one, "numbers of shape (arms, dimension)")
        except ValueError as error:
            raise ValueError(f"{error} in row {row}") from error
        shown.append(own)
        if own.ndim != 2 or 0 in own.shape or own.shape[1] != shown[0].shape[-1]:
            raise ValueError(f"features must have shape (arms, dimension), of one dimension in all rows, got {own.shape} in row "
                             f"{row} after {shown[0].shape} in row 0")
    return tuple(shown)


def picked(rows: Iterable[Any], actions: Iterable[int]) -> Floats:
    """Return what rows say about their actions."""
    return np.array([own[action] for own, action in zip(rows, actions, strict=True)], dtype=float)
