"""The comparison of two samples: rounding breaks no tie, and a difference is seen."""

import numpy as np
from scipy import stats

from tests.same_law import codes, same_law

FALSE_ALARM = 1e-6  # of each statistical test here, with fixed seeds


def test_rounding_breaks_no_tie_and_another_law_is_seen():
    """Three values in both samples, in one of them off by 1e-13: the plain test takes that for another law."""
    one, other = np.random.default_rng(0).integers(1, 4, (2, 200)) * 0.1
    off = other * (1 + 1e-13)
    assert stats.ks_2samp(one, off).pvalue < FALSE_ALARM < same_law(one, off) == same_law(one, other)
    assert same_law(one, other + 0.1) < FALSE_ALARM
    assert [code.tolist() for code in codes([0.3, -0.5, 0.1], [0.1 + 0.2])] == [[2, 0, 1], [2]]
