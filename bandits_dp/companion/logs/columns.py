"""Columns of a log, checked row by row: whatever is wrong is named by its column and its row, counted from 0."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence, Set
from datetime import date
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bandits_dp import _checks

Floats = NDArray[np.float64]


def column(name: str, given: Any, rows: int | None = None) -> NDArray[Any]:
    """Return a copy of a column as an array of one dimension, of so many rows if that is known."""
    try:
        array = np.array(given)
    except ValueError as error:
        raise ValueError(f"{name} must have one entry per row, got {given!r}") from error
    if array.ndim != 1 or (rows is not None and len(array) != rows):
        many = "one entry per row" if rows is None else f"{rows} entries, one per row of actions"
        raise ValueError(f"{name} must have {many}, got {'a single value' if not array.ndim else f'shape {array.shape}'}")
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
        raise ValueError(f"{name} must be {allowed}, got {value!r} in row {row}{others}")


def numbers(name: str, given: Any, rows: int | None, low: float, high: float, *, above: bool = False) -> Floats:
    """Return a column of finite numbers from ``low`` to ``high``; strictly above ``low`` if ``above``."""
    array = column(name, given, rows)
    allowed = f"a number in {'(' if above else '['}{low:g}, {high:g}]"
    if array.dtype.kind not in ("iuf" if above else "biuf"):  # a click may be True, a probability may not
        read = [_number(value) for value in array.tolist()]
        refuse(name, np.array([value is None for value in read]), array, allowed)
        array = np.array(read)
    floats = array.astype(float)
    good = (floats > low if above else floats >= low) & (floats <= high) & np.isfinite(floats)  # NaN fails every comparison
    refuse(name, ~good, floats, allowed)
    return floats


def _number(value: Any) -> float | None:
    """Return a number that hides in a column of objects; words are none, even if they look like one."""
    try:
        return None if value is np.ma.masked or isinstance(value, (str, bytes, bool)) else float(value)
    except (TypeError, ValueError, OverflowError):
        return None


def actions(name: str, given: Any, sizes: NDArray[np.int64] | int) -> NDArray[np.int64]:
    """Return a column of actions, each from 0 to one less than the number of arms of its row."""
    array = column(name, given, None if isinstance(sizes, int) else len(sizes))
    most = np.broadcast_to(sizes, array.shape)
    if array.dtype.kind not in "iu":
        whole = [_is_whole(value) and 0 <= value < many for value, many in zip(array.tolist(), most.tolist(), strict=True)]
        refuse(name, ~np.array(whole, dtype=bool), array, f"an integer from 0 to {int(most.max(initial=1)) - 1}")
        array = array.astype(np.int64)
    bad = (array < 0) | (array >= most)
    if bad.any():
        refuse(name, bad, array, f"one of {most[bad][0]} arms, an integer from 0 to {most[bad][0] - 1}")
    return array.astype(np.int64)


def _is_whole(value: Any) -> bool:
    """Whether it is an integer, if perhaps written as a float, as tables do that lack a number elsewhere."""
    if isinstance(value, bool):
        return False
    return isinstance(value, Integral) or (isinstance(value, float) and value.is_integer())


def users(name: str, given: Any, rows: int) -> tuple[Hashable, ...]:
    """Return a column of ids, integers or words, as a tuple of Python's own."""
    listed = hasattr(given, "__len__") and getattr(given, "ndim", 1) != 0 and not isinstance(given, (str, bytes, Mapping, Set))
    if not listed or len(given) != rows:
        raise ValueError(f"{name} must have {rows} entries, one per row of actions, got {_checks.told(given)}")
    ids = tuple(value.item() if isinstance(value, np.generic) else value for value in list(given))
    known = [isinstance(value, (Integral, str)) and not isinstance(value, bool) for value in ids]
    refuse(name, ~np.array(known, dtype=bool), ids, "an integer or a word")
    return ids


def rounds(name: str, given: Any, rows: int) -> NDArray[Any]:
    """Return a column of round numbers or times that never go back."""
    array = column(name, given, rows)
    if array.dtype.kind == "M":
        refuse(name, np.isnat(array), array, "a time")
    elif array.dtype == object and all(isinstance(value, date) for value in array):
        refuse(name, np.array([value != value for value in array]), array, "a time")  # pandas.NaT is none
    elif array.dtype.kind not in "iu":
        array = numbers(name, array, rows, -np.inf, np.inf)
    try:
        back = np.append(False, array[1:] < array[:-1]).astype(bool)
    except TypeError as error:  # with and without time zones, or times and dates
        raise ValueError(f"{name} must be times of one kind: {error}") from error
    if back.any():
        row = int(np.flatnonzero(back)[0])
        refuse(name, back, array, f"in the order in which rounds were played, at least {array[row - 1]} as in row {row - 1}")
    return array


def features(name: str, given: ArrayLike, rows: int | None) -> Floats | tuple[Floats, ...]:
    """Return what was shown, shape (arms, dimension) in all rows or (rows, arms, dimension), or one array per row."""
    try:
        array = _checks.numbers(name, given, "numbers of shape (arms, dimension) or (rows, arms, dimension)")
    except ValueError:
        return _ragged(name, given)
    if array.ndim not in (2, 3) or 0 in array.shape:
        raise ValueError(f"{name} must have shape (arms, dimension), the same in all rows, or (rows, arms, dimension), got "
                         f"{array.shape}")
    if array.ndim == 2 and not np.isfinite(array).all():
        raise ValueError(f"{name} must be finite numbers, got {array[~np.isfinite(array)][0]}")
    if array.ndim == 3:
        if rows is not None and len(array) != rows:
            raise ValueError(f"{name} must have {rows} entries, one per row of actions, got shape {array.shape}")
        _finite(name, array)
    return array


def _ragged(name: str, given: Any) -> tuple[Floats, ...]:
    """Return one array per row, whose numbers of arms vary."""
    shown = []
    for row, own in enumerate(given if np.iterable(given) and hasattr(given, "__len__") else [given]):
        try:
            shown.append(_checks.numbers(name, own, "numbers of shape (arms, dimension)"))
        except ValueError as error:
            raise ValueError(f"{error} in row {row}") from error
    for row, own in enumerate(shown):
        if own.ndim != 2 or 0 in own.shape or own.shape[1] != shown[0].shape[-1]:
            raise ValueError(f"{name} must have shape (arms, dimension), of one dimension in all rows, got {own.shape} in row "
                             f"{row} after {shown[0].shape} in row 0")
    _finite(name, shown)
    return tuple(shown)


def _finite(name: str, shown: Any) -> None:
    for row, own in enumerate(shown):
        if not np.isfinite(own).all():
            raise ValueError(f"{name} must be finite numbers, got {own[~np.isfinite(own)][0]} in row {row}")
