"""Values to try in the place of an argument, each as text that can be pasted: some equal to a valid one, some near it, some absurd.

A value is judged by what it is: see `judge.py`. What is listed as WRONG must be refused wherever it is given.
"""

from __future__ import annotations

import math
import warnings
from decimal import Decimal
from fractions import Fraction
from functools import cache
from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

import bandits_dp as bdp


def masked(values: Any) -> Any:
    """Hide the first number."""
    array = np.ma.array(values)
    array[(0,) * array.ndim] = np.ma.masked
    return array


def holding(values: Any, entry: Any) -> Any:
    """Put something in the place of the first number."""
    array = np.array(values, dtype=object if not isinstance(entry, float) else float)
    array[(0,) * array.ndim] = entry
    return array


def strided(values: Any) -> Any:
    """Return a view of every second entry of a larger array."""
    array = np.array(values, dtype=float)
    larger = np.zeros(tuple(2 * n for n in array.shape))
    view = larger[tuple(slice(None, None, 2) for _ in array.shape)]
    view[...] = array
    return view


def readonly(values: Any) -> Any:
    """Return an array that cannot be written."""
    array = np.array(values, dtype=float)
    array.flags.writeable = False
    return array


def table(values: Any) -> Any:
    """Return what pandas makes of it."""
    array = np.array(values)
    return pd.Series(array) if array.ndim == 1 else pd.DataFrame(array) if array.ndim == 2 else array


def unlabelled(values: Any) -> Any:
    """Return a table with rows in an order of its own."""
    made = table(values)
    return made if isinstance(made, np.ndarray) else made.set_axis(range(len(made), 0, -1), axis=0)


NAMES = {
    "bdp": bdp, "np": np, "pd": pd, "math": math, "Decimal": Decimal, "Fraction": Fraction, "masked": masked, "holding": holding,
    "strided": strided, "readonly": readonly, "table": table, "unlabelled": unlabelled,
}


class Value(NamedTuple):
    """Text, and whether it is the valid value in another form ("same"), must be refused ("wrong"), or may be anything ("any")."""

    text: str
    status: str


@cache
def compiled(text: str) -> Any:
    """Compile an expression."""
    return compile(text, "<call>", "eval")


def made(text: str) -> Any:
    """Evaluate an expression, anew each time; what numpy has to say about its value is of no interest here."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return eval(compiled(text), NAMES)


JUNK = (
    "None", "'1'", "b'1'", "''", "'no such word'", "1j", "3+0j", "np.complex128(1)", "object()", "int", "np.float64", "len", "...",
    "[]", "{}", "set()", "{'a': 1}", "{1, 2}", "(x for x in [1, 2])", "[[1], [1, 2]]", "['a', 'b']", "np.array(['1', '2'])",
    "np.array([b'1'])", "np.array([1j, 2])", "np.array([None, 1])", "np.array(1j)", "np.ma.masked", "pd.NA", "pd.NaT",
    "pd.Timestamp('2026-01-01')", "np.datetime64('2026-01-01')", "np.timedelta64(1, 'D')", "pd.Series(['a', 'b'])",
    "pd.DataFrame({'a': ['x', 'y']})", "lambda: None", "range(2)", "slice(2)", "bytearray(b'12')", "memoryview(b'12')",
    "np.random.RandomState(1)", "np.random.default_rng(1)", "bdp.problems.BernoulliArms", "bdp.problems.BernoulliArms([0.9, 0.8])",
    "bdp.privatizers.CentralLaplace(3, epsilon=1.0)", "bdp.privatizers.Box(2)", "np.array([])", "np.zeros((0, 2))",
    "np.zeros((2, 0))", "np.array(1.0)", "np.array([1.0])", "[1.0]", "True", "False", "np.True_", "Decimal('0.5')",
    "Decimal('NaN')", "np.void(b'1')", "np.array([(1, 2)], dtype='i4,i4')", "pd.Categorical(['a'])",
)
REALS = (
    "0", "-0.0", "0.0", "1", "1.0", "-1.0", "2.0", "0.5", "0.99", "1.01", "1e-3", "1e-9", "1e-30", "1e-100", "1e-290", "1e-308",
    "1e-320", "5e-324", "10.0", "37.0", "100.0", "709.0", "710.0", "800.0", "1e4", "1e9", "1e15", "1e16", "1e100", "1e150", "1e300",
    "1.7976931348623157e308", "math.inf", "-math.inf", "math.nan", "10**400", "-10**400", "2**31", "2**53 + 1", "2**64",
    "np.float32(0.1)", "np.float16(0.5)", "np.longdouble('1e400')", "np.longdouble('1e-400')", "np.longdouble(1)",
    "np.float64('nan')", "np.float32('inf')", "np.int8(1)", "np.int8(-1)", "np.uint8(255)", "np.uint64(2**63)", "Fraction(1, 3)",
    "Fraction(10**400)", "Fraction(1, 10**400)", "0.9999999999999999", "1.0000000000000002", "0.1", "0.25", "3.0",
)
INTEGERS = (
    "0", "1", "2", "3", "4", "5", "7", "17", "64", "100", "127", "128", "255", "1000", "10**4", "10**6", "10**8", "10**9",
    "2**31 - 1", "2**31", "2**32", "2**53", "2**53 + 1", "2**63 - 1", "2**63", "2**64", "10**30", "10**400", "-1", "-2**63",
    "-10**400", "1.0",
    "2.0", "2.5", "math.nan", "math.inf", "np.int8(1)", "np.int8(15)", "np.int8(127)", "np.uint8(200)", "np.uint8(255)",
    "np.int16(200)", "np.int32(50_000)", "np.uint64(2**63)", "np.int64(2**62)", "np.float32(3)", "np.float64(4)", "Fraction(3)",
)
ENTRIES = ("0.0", "1.0", "-1.0", "0.5", "2.0", "7.0", "1e-300", "1e300", "5e-324", "-0.0", "1e200", "0.9999999999", "1.0000000001")
BAD_ENTRIES = ("math.nan", "math.inf", "-math.inf", "None", "'1'", "b'1'", "1j", "10**400", "pd.NA", "pd.NaT", "np.ma.masked",
               "object()", "np.datetime64('2026-01-01')")
# What holds the same numbers in another form; "{}" stands for a valid list.
FORMS = (
    "np.array({})", "np.array({}, order='F')", "np.array({}, dtype=float)[::-1][::-1]", "strided({})", "readonly({})", "tuple({})",
    "np.array({}, dtype=np.longdouble)", "np.array({}, dtype='>f8')", "table({})", "unlabelled({})", "np.array({}, dtype=object)",
    "np.array({}, dtype=float).view(np.ndarray)", "list(np.array({}))", "np.ma.array({})",
)
ROUNDED = ("np.array({}, dtype=np.float32)", "np.array({}, dtype=np.float16)", "np.array({}).astype(np.int8)",
           "np.array({}).astype(np.uint8)", "np.array({}).astype(np.int64)", "np.array({}).astype(bool)")  # may be the same
RESHAPED = ("np.array({})[0]", "np.array({})[:0]", "np.array({})[:1]", "np.array({})[..., :0]", "np.array({})[None]",
            "np.array({})[..., None]", "np.array({}).T", "np.array({}).ravel()", "2 * np.array({})", "-np.array({})",
            "1e-300 * np.array({})", "0 * np.array({})", "1e200 * np.array({})", "np.concatenate([np.array({})] * 2)",
            "np.matrix({})")
WRONG_FORMS = ("masked({})", "np.array({}).astype(complex)", "np.array({}) + 1j", "np.array({}).astype(str)",
               "np.array({}).astype(bytes)", "str({})", "np.array({}, dtype='M8[s]')", "np.array({}, dtype='m8[s]')",
               "table(np.array({}).astype(str))", "{{1.0: {}}}", "iter({})", "[{}, [1, 2, 3, 4]]")
SCALARS = ("np.float64({})", "np.float32({})", "np.float16({})", "np.longdouble({})", "Fraction({})", "np.int64({})", "np.int8({})",
           "np.uint8({})", "np.int16({})")
FLAGS = ("True", "False", "np.True_", "np.False_", "1", "0", "'False'", "'no'", "None", "np.array([True, False])", "[]", "math.nan")


def kind_of(example: str) -> str:
    """Return what kind of argument a valid example is."""
    value = made(example)
    if isinstance(value, bool):
        return "flag"
    if isinstance(value, Integral):
        return "integer"
    if isinstance(value, Real):
        return "real"
    if isinstance(value, str):
        return "word"
    if isinstance(value, np.ndarray) or (isinstance(value, (list, tuple)) and value and number_rows(value)):
        return "array"
    return "thing"


def number_rows(value: Any) -> bool:
    """Whether nested lists hold numbers only."""
    return all(number_rows(one) if isinstance(one, (list, tuple)) else isinstance(one, Real) for one in value)


def equal(text: str, example: str) -> bool:
    """Whether two texts are the same numbers, not all of them converted to a smaller type with loss."""
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            one, other = np.asarray(made(text)), np.asarray(made(example))
            whole = other.ndim and other.dtype.kind in "iu"  # as indices are, for which no floats will do
            if (one.dtype == bool) != (other.dtype == bool) or (whole and one.dtype.kind not in "iu"):
                return False
            return one.shape == other.shape and np.array_equal(one.astype(float), other.astype(float))
    except (TypeError, ValueError, OverflowError):
        return False


@cache
def values(example: str) -> tuple[Value, ...]:
    """Return what to try in the place of a valid example."""
    kind = kind_of(example)
    found = [Value(text, "any" if maybe(made(text), made(example), kind) else "wrong") for text in JUNK]
    if kind in ("real", "integer"):
        for text in (*(REALS if kind == "real" else INTEGERS), *INTEGERS[:24], *(form.format(example) for form in SCALARS)):
            try:
                value = made(text)
            except (OverflowError, ValueError, TypeError):
                continue
            right = isinstance(value, Integral if kind == "integer" else Real) and equal(text, example)
            found.append(Value(text, "same" if right else "wrong" if value != value or (
                kind == "integer" and not isinstance(value, Integral)) else "any"))
    if kind == "flag":
        found += [Value(text, "any" if isinstance(made(text), (bool, np.bool_)) else "wrong") for text in FLAGS]
    if kind == "array":
        for form in (*FORMS, *ROUNDED):
            text = form.format(example)
            loose = isinstance(made(example), tuple) or "object" in text or "bool" in text  # a pair need not be an array
            found.append(Value(text, "same" if equal(text, example) and not loose else "any"))
        found += [Value(form.format(example), "any") for form in RESHAPED]
        found += [Value(form.format(example), "wrong") for form in WRONG_FORMS]
        found += [Value(f"holding({example}, {entry})", "any") for entry in ENTRIES]
        found += [Value(f"holding({example}, {entry})", "wrong") for entry in BAD_ENTRIES]
    return tuple(one for one in found if works(one.text))


def maybe(value: Any, valid: Any, kind: str) -> bool:
    """Whether something listed as junk may pass for a valid value."""
    if kind == "flag":
        return isinstance(value, (bool, np.bool_))
    if kind in ("word", "thing"):  # functions pass for functions, and what the package makes may be known by what it can do
        ours = all(type(one).__module__.startswith("bandits_dp") for one in (value, valid))
        return isinstance(value, type(valid)) or ours or (callable(value) and callable(valid))
    if kind != "array":
        return isinstance(value, (Decimal, np.ndarray)) and np.asarray(value).dtype.kind in "fiuO" and np.size(value) == 1
    return isinstance(value, (bool, np.bool_, range, list, tuple, bytearray, memoryview, Decimal)) or hasattr(value, "iloc") or (
        isinstance(value, np.ndarray) and value.dtype.kind in "fiub")


def works(text: str) -> bool:
    """Whether a value can be made at all."""
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            made(text)
    except Exception:  # whatever numpy or pandas says: then there is nothing to try
        return False
    return True
