"""Exact noise against OpenDP's, an implementation by others in another language: the same law, and the same moments.

OpenDP takes no seed, so these tests are not the same in every run; each fails by chance twice in ten million runs.
``DRAWS=25000000 pytest tests/test_exact_oracle.py`` compares moments to a thousandth, in an hour.
"""

import math
import os

import numpy as np
import opendp.prelude as dp
import pytest
from scipy import stats

from bandits_dp.privatizers.exact import Coins
from tests.same_law import same_law

FALSE_ALARM = 1e-7
DRAWS = int(os.environ.get("DRAWS", "40000"))
dp.enable_features("contrib")


def theirs(law: str, scale: int) -> np.ndarray:
    make = {"gaussian": dp.m.make_gaussian, "laplace": dp.m.make_laplace}[law]
    metric = dp.l2_distance(T=float) if law == "gaussian" else dp.l1_distance(T="i64")
    mechanism = make(dp.vector_domain(dp.atom_domain(T="i64")), metric, scale=float(scale))
    return np.array(mechanism([0] * DRAWS))


@pytest.mark.parametrize("scale", [1, 3, 2**20 + 1])
@pytest.mark.parametrize("law", ["laplace", "gaussian"])
def test_our_noise_and_that_of_opendp_have_one_law(law: str, scale: int) -> None:
    """Two samples, by Kolmogorov and Smirnov, and by the second moment, whose difference has a known error."""
    samples = [getattr(Coins(np.random.default_rng(scale)), law)(scale, DRAWS), theirs(law, scale)]
    assert same_law(*samples) > FALSE_ALARM
    squares = [(sample / scale) ** 2 for sample in samples]
    error = math.sqrt(sum(square.var() for square in squares) / DRAWS)
    assert abs(squares[0].mean() - squares[1].mean()) < stats.norm.isf(FALSE_ALARM / 2) * error
