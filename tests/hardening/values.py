"""Values to try in the place of an argument, each as text that can be pasted, with a verdict on it.

"same" is the valid value in another form, which must give the same answer; "wrong" must be refused; "any" may be either.
"""

import warnings
from decimal import Decimal
from fractions import Fraction
from math import inf, nan

import numpy as np
import pandas as pd

import bandits_dp as bdp


def holding(values, entry):
    """Put something in the place of the first number; masked numbers are hidden."""
    array = np.ma.array(values) if entry is np.ma.masked else np.array(values, dtype=float if isinstance(entry, float) else object)
    array[(0,) * array.ndim] = entry
    return array


def strided(values, writeable=True):
    """Return a view of every second entry of a larger array."""
    view = np.zeros([2 * n for n in np.shape(values)])[tuple(slice(None, None, 2) for _ in np.shape(values))]
    view[...] = values
    view.flags.writeable = writeable
    return view


def table(values):
    """Return what pandas makes of it, with labels in an order of their own."""
    made = (pd.Series if np.ndim(values) == 1 else pd.DataFrame)(np.array(values))
    return made.set_axis(range(len(made), 0, -1), axis=0)


NAMES = {"bdp": bdp, "np": np, "pd": pd, "nan": nan, "inf": inf, "Decimal": Decimal, "Fraction": Fraction, "holding": holding,
         "strided": strided, "table": table}
JUNK = """None; '1'; b'1'; ''; 'no such word'; 1j; 3+0j; np.complex128(1); object(); int; len; ...; []; {}; set(); {'a': 1}; {1, 2}
(x for x in [1, 2]); [[1], [1, 2]]; ['a', 'b']; np.array(['1', '2']); np.array([b'1']); np.array([1j, 2]); np.array([None, 1])
np.array(1j); np.ma.masked; pd.NA; pd.NaT; pd.Timestamp('2026-01-01'); np.datetime64('2026-01-01'); np.timedelta64(1, 'D')
pd.Series(['a', 'b']); pd.DataFrame({'a': ['x', 'y']}); lambda: None; range(2); slice(2); bytearray(b'12'); memoryview(b'12')
np.random.RandomState(1); np.random.default_rng(1); bdp.problems.BernoulliArms; bdp.problems.BernoulliArms([0.9, 0.8])
bdp.problems.ContextualLinear(3, 2); bdp.privatizers.CentralLaplace(3, epsilon=1.0); bdp.continual.TreeCounter(9, 1.0, 0.1)
bdp.privatizers.Box(2); bdp.privatizers.Ball(2); bdp.privatizers.LinearStatistics(2); bdp.privatizers.Reals(1); np.array([])
np.zeros((0, 2)); np.zeros((2, 0)); np.array(1.0); [1.0]; True; False; np.True_; Decimal('0.5'); Decimal('NaN'); np.void(b'1')
np.array([(1, 2)], dtype='i4,i4'); pd.Categorical(['a']); np.array([True, False])"""
INTEGERS = """0; 1; 2; 3; 17; 127; 128; 1000; 10**6; 10**9; 2**31 - 1; 2**31; 2**53 + 1; 2**63 - 1; 2**64; 10**30; 10**400; -1
-2**63; -10**400; 1.0; 2.5; nan; inf; np.int8(1); np.int8(127); np.uint8(200); np.int16(200); np.uint64(2**63); np.int64(2**62)
np.float32(3); Fraction(3)"""
REALS = """0.0; -0.0; 0.5; 0.99; 1.01; 1e-9; 1e-30; 1e-290; 1e-308; 5e-324; 37.0; 710.0; 1e15; 1e100; 1e150; 1e300; 1.7e308
-inf; np.float32(0.1); np.longdouble('1e400'); np.longdouble('1e-400'); np.float64('nan'); Fraction(1, 3); Fraction(10**400)"""
SCALARS = "np.float64({}); np.float32({}); np.float16({}); np.longdouble({}); Fraction({}); np.int64({}); np.int8({}); np.uint8({})"
FORMS = """np.array({}); np.array({}, order='F'); strided({}); strided({}, False); table({}); list(np.array({})); np.ma.array({})
np.array({}, dtype=float)[::-1][::-1]; np.array({}, dtype=np.longdouble); np.array({}, dtype='>f8')
np.array({}, dtype=np.float32); np.array({}, dtype=np.float16); np.array({}).astype(np.int8); np.array({}).astype(np.int64)"""
SHAPES = """tuple({}); np.array({}, dtype=object); np.array({}).astype(bool); np.array({})[0]; np.array({})[:0]; np.array({})[:1]
np.array({})[..., :0]; np.array({})[None]; np.array({})[..., None]; np.array({}).T; np.array({}).ravel(); 2 * np.array({})
-np.array({}); 1e-300 * np.array({}); 0 * np.array({}); 1e200 * np.array({}); np.concatenate([np.array({})] * 2); np.matrix({})
holding({}, 0.0); holding({}, -1.0); holding({}, 7.0); holding({}, 1e-300); holding({}, 5e-324); holding({}, 1e300)
holding({}, 1.0000000001)"""
WRONG = """holding({}, nan); holding({}, inf); holding({}, -inf); holding({}, None); holding({}, '1'); holding({}, 1j)
holding({}, 10**400); holding({}, pd.NA); holding({}, np.ma.masked); holding({}, object()); np.array({}).astype(complex)
np.array({}) + 1j; np.array({}).astype(str); np.array({}).astype(bytes); str({}); np.array({}, dtype='m8[s]')
table(np.array({}).astype(str)); dict([(1.0, {})]); iter({}); [{}, [1, 2, 3, 4]]"""


def listed(texts, example="{}"):
    return [text.replace("{}", example) for text in texts.replace("\n", "; ").split("; ")]


def quietly(call, *given):
    """Call something; what numpy and pandas have to say while a value is made is of no interest."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return call(*given)
