"""G-optimal designs: the Kiefer-Wolfowitz bound, optima found by other means, and inputs that are hard on linear algebra."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import minimize

from bandits_dp.linear.designs import g_optimal_design, support_bound
from tests.small_problems import sphere


def g_of(actions, weights):
    """max x' V^+ x over the actions, by a pseudo-inverse: nothing in common with the package's way."""
    actions = np.asarray(actions, dtype=float)
    inverse = np.linalg.pinv((actions * weights[:, None]).T @ actions, rcond=1e-11, hermitian=True)
    return float(np.einsum("ij,jk,ik->i", actions, inverse, actions).max())


def check(actions, tolerance=2.0):
    actions = np.asarray(actions, dtype=float)
    design = g_optimal_design(actions, tolerance)
    assert design.weights.shape == (len(actions),)
    assert (design.weights >= 0).all() and design.weights.sum() == pytest.approx(1, abs=1e-12)
    assert not design.weights[~actions.any(axis=1)].any()
    assert design.rank * (1 - 1e-9) <= design.g <= tolerance * design.rank * (1 + 1e-9)
    return design


@settings(max_examples=150, deadline=None, derandomize=True)
@given(
    arrays(float, st.tuples(st.integers(1, 12), st.integers(1, 5)), elements=st.integers(-3, 3)),
    st.sampled_from([2.0, 1.3, 1.01]),
)
def test_every_set_of_small_integers_has_a_design(actions, tolerance):
    """Small integers make repeated, zero and dependent actions, with a rank that is computed without doubt."""
    if not actions.any():
        with pytest.raises(ValueError, match="actions must hold a vector that is not zero"):
            g_optimal_design(actions)
        return
    design = check(actions, tolerance)
    assert design.rank == np.linalg.matrix_rank(actions)
    assert design.g == pytest.approx(g_of(actions, design.weights), rel=1e-6)
    assert (design.weights > 0).sum() <= support_bound(actions.shape[1]) or tolerance < 2


@pytest.mark.parametrize("tolerance", (2.0, 1.05, 1.001))
@pytest.mark.parametrize(("k", "d"), ((3, 2), (50, 2), (200, 8), (1000, 20), (300, 40)))
def test_g_is_as_near_as_asked_for(k, d, tolerance):
    for seed in range(3):
        actions = sphere(k, d, seed)
        design = check(actions, tolerance)
        assert design.rank == d
        assert design.g == pytest.approx(g_of(actions, design.weights), rel=1e-9)
        if tolerance == 2:
            assert (design.weights > 0).sum() <= support_bound(d)


def log_det(actions, weights):
    return np.linalg.slogdet((actions * weights[:, None]).T @ actions)[1]


@pytest.mark.parametrize("seed", range(5))
def test_the_optimum_is_that_of_a_general_optimizer(seed):
    """Kiefer & Wolfowitz: g <= (1 + c) d means that ln det V is within d ln(1 + c) of the largest; scipy cannot do better."""
    rng = np.random.default_rng(seed)
    actions = rng.normal(size=(9, 3)) * rng.uniform(0.2, 1.0, (9, 1))

    def loss(z):
        weights = np.exp(z - z.max())
        return -log_det(actions, weights / weights.sum())

    best = min((minimize(loss, rng.normal(size=9), method="BFGS") for _ in range(4)), key=lambda found: found.fun)
    design = check(actions, 1.0001)
    ours = log_det(actions, design.weights)
    assert ours >= -best.fun - 1e-7 - 3 * math.log(1.0001)
    assert ours <= -best.fun + 1e-4  # else the oracle has not converged, and proves nothing
    rough = check(actions, 2.0)
    assert log_det(actions, rough.weights) >= -best.fun - 3 * math.log(2)


def test_known_optima():
    quadratic = np.array([[1, x, x * x] for x in np.linspace(-1, 1, 21)])
    design = check(quadratic, 1.0001)
    for place in (0, 10, 20):  # a parabola on [-1, 1]: the ends and the middle
        assert design.weights[place] == pytest.approx(1 / 3, abs=1e-3)
    line = np.array([[1, x] for x in np.linspace(0, 1, 11)])
    np.testing.assert_allclose(check(line, 1.0001).weights[[0, 10]], 0.5, atol=1e-6)
    np.testing.assert_allclose(check(np.eye(6) * 0.3).weights, 1 / 6)


@pytest.mark.parametrize("scale", (1e-12, 1e-6, 1e6))
def test_units_of_columns_do_not_matter(scale):
    base = sphere(100, 6)
    units = np.array([1, scale, 1, 1, scale, 1])
    one, other = check(base), check(base * units)
    assert other.rank == 6
    np.testing.assert_allclose(other.weights, one.weights, atol=1e-9)
    np.testing.assert_array_equal(check(base * 1e-200).weights > 0, one.weights > 0)


def test_dependent_columns_work_in_the_span():
    rng = np.random.default_rng(3)
    inner = sphere(80, 4)
    axes = np.linalg.qr(rng.normal(size=(10, 10)))[0][:4]
    one, other = check(inner, 1.05), check(inner @ axes, 1.05)
    assert other.rank == 4 and other.g == pytest.approx(g_of(inner, other.weights), rel=1e-6)
    assert one.g == pytest.approx(other.g, rel=0.05)
    tiny = inner.copy()
    tiny[:, 3] = inner[:, :3].sum(axis=1) * 0.1  # a column that says nothing new
    assert check(tiny).rank == 3
    line = rng.normal(size=(1000, 1)) * [1.0, 1.0]
    line[:, 1] *= 1 + 1e-14 * rng.normal(size=1000)  # rounding errors of a thousand actions are no second dimension
    assert g_optimal_design(line).rank == 1


def test_an_indispensable_action_keeps_its_weight():
    """One action alone reaches a direction, however short it is: its weight is near 1 / d, and away steps must not remove it."""
    actions = np.zeros((201, 4))
    actions[:200, :3] = sphere(200, 3)
    actions[200, 3] = 1e-5
    design = check(actions, 1.01)
    assert design.rank == 4 and design.weights[200] == pytest.approx(1 / 4, rel=0.02)


def test_the_bound_on_the_support():
    assert support_bound(20) == pytest.approx(4 * 20 * math.log(math.log(20)) + 16)
    assert support_bound(1) == support_bound(2) == 16  # the double logarithm is negative or undefined
