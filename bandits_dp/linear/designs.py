r"""G-optimal designs: how often to play each action to estimate a linear model well everywhere.

A design is a distribution :math:`\pi` over k actions :math:`x \in R^d`. With
:math:`V(\pi) = \sum_x \pi(x)\, x x^\top`, least squares predicts at x with variance
:math:`x^\top V(\pi)^{-1} x`, up to a constant; a G-optimal design makes

.. math:: g(\pi) = \max_x x^\top V(\pi)^{-1} x

as small as possible. The smallest value is the rank r of the actions, and a design that maximizes
:math:`\ln \det V(\pi)` reaches it (Kiefer & Wolfowitz 1960), because
:math:`\sum_x \pi(x)\, x^\top V(\pi)^{-1} x = r` for every design.

**The algorithm** is Khachiyan's (1996): Frank-Wolfe on :math:`\ln \det V(\pi)` with exact line
search. It moves weight to the action with the largest :math:`g_i = x_i^\top V^{-1} x_i`, or away
from the support's action with the smallest one (Atwood 1973), which makes convergence linear. A
step changes V by a rank-one matrix, so all :math:`g_i` follow from one product of the actions with
a vector: O(k d) time and memory. It starts as in Kumar & Yildirim (2005), with equal weights on r
actions, each the farthest from the span of the previous ones. From such a start at most
:math:`4 r \ln \ln r + 16` actions get weight until :math:`g \le 2 r` (Todd 2016, from memory, as
the text was not at hand; Li, Zhou, Ji 2022, section 3.2, cite Lattimore, Szepesvari, Weisz 2020,
Proposition 3.7, for these numbers). At k = 1000 and d = 20 about 26 actions get weight.

All computations are in the span of the actions, so rank-deficient, repeated and zero actions are
allowed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from bandits_dp import _checks
from bandits_dp._ties import NEAR, first_largest
from bandits_dp._types import Floats
from bandits_dp.privatizers.domain import Ball

# steps between exact recomputations, which remove the rounding errors of rank-one updates
REFRESH = 200


@dataclass(frozen=True)
class Design:
    """A near-G-optimal design.

    Parameters
    ----------
    weights : ndarray, shape (k,)
        pi, non-negative, with sum one; zero vectors have weight 0.
    g : float
        max_x x' V(pi)^-1 x, in [rank, tolerance * rank].
    rank : int
        r, the dimension of the actions' span.

    Examples
    --------
    >>> from bandits_dp.linear.designs import g_optimal_design
    >>> design = g_optimal_design([[1, 0], [2, 0], [0, 0]])  # they span a line; the longest is best
    >>> design.weights.tolist(), design.rank
    ([0.0, 1.0, 0.0], 1)
    """

    weights: Floats
    g: float
    rank: int


@_checks.checked()
def support_bound(dimension: int) -> float:
    """Largest support of a design with g <= 2d: 4 d ln ln d + 16.

    Cited by Li, Zhou, Ji 2022, section 3.2. For d <= 2 we use 16, as the double logarithm is
    negative at d = 2 and undefined at d = 1.

    Examples
    --------
    >>> from bandits_dp.linear.designs import support_bound
    >>> round(support_bound(20))  # for any number of actions in 20 dimensions
    104
    """
    d = dimension
    return 16.0 + 4 * d * math.log(math.log(d)) if d > 2 else 16.0


def action_rows(actions: ArrayLike) -> Floats:
    """Return a copy of the actions, shape (k, d), not all zero, or raise a ValueError."""
    shape = "finite numbers of shape (k, d), one row per action, with k, d >= 1"
    array, allowed = _checks.numbers("actions", actions, shape), f"actions must be {shape}"
    if array.ndim != 2 or array.size == 0:
        raise ValueError(f"{allowed}, got shape {array.shape}")
    bad = ~_checks.usable(array)
    if bad.any():
        row, column = np.argwhere(bad)[0]
        raise ValueError(f"{allowed}, got {array[row, column]} in row {row}")
    if not array.any():
        raise ValueError(f"actions must hold a vector that is not zero, got {len(array)} zero "
                         "vectors")
    return array


def bounded_actions(actions: ArrayLike) -> Floats:
    """Return a copy of at least two actions, shape (k, d), of norm at most 1, not all zero.

    Examples
    --------
    >>> from bandits_dp.linear.designs import bounded_actions
    >>> bounded_actions([[1, 0], [3, 4]])
    Traceback (most recent call last):
        ...
    ValueError: actions must have norm at most 1, got 5 in row 1; nothing is clipped for you
    """
    array = action_rows(actions)
    if len(array) < 2:
        raise ValueError("actions must be at least 2, or there is nothing to learn, got 1")
    Ball(array.shape[1]).check(array, "actions")
    return array


@_checks.checked(tolerance=lambda name, value: _checks.real(name, value, 1.0001, 2.0, ends="[]"))
def g_optimal_design(actions: ArrayLike, tolerance: float = 2.0) -> Design:
    """Find a near-G-optimal design.

    Parameters
    ----------
    actions : array_like, shape (k, d)
        The actions, one per row; not all zero.
    tolerance : float
        g is at most tolerance times the rank; in [1.0001, 2]. 2 takes a few steps, 1.05 about 5 to
        8 per dimension.

    Returns
    -------
    Design
        Weights, g and the rank; a deterministic function of the actions.

    Raises
    ------
    ValueError
        If the actions are not finite numbers of shape (k, d) or are all zero, or the tolerance is
        out of range.

    Examples
    --------
    >>> from bandits_dp.linear.designs import g_optimal_design
    >>> design = g_optimal_design([[1, 0], [0, 1], [0.1, 0.1]], tolerance=1.01)
    >>> design.weights.round(2).tolist()  # the long actions teach more than the short one
    [0.5, 0.5, 0.0]
    >>> round(design.g, 2)  # equal to the rank
    2.0
    """
    points = _whiten(action_rows(actions))
    rank = points.shape[1]
    weights = np.zeros(len(points))
    weights[_far_apart(points)] = 1 / rank
    while True:
        inverse, g = _solve(points, weights)
        if g.max() <= tolerance * rank * (1 - NEAR):
            return Design(weights / weights.sum(), float(g.max()), rank)
        _improve(points, weights, inverse, g, tolerance)


def _whiten(actions: Floats) -> Floats:
    """Return coordinates in the span, shape (k, r), whose second-moment matrix is the identity.

    Designs do not depend on the coordinates. Columns are first scaled to a largest entry of one, so
    that the computed rank does not either.
    """
    largest = np.abs(actions).max(axis=0)
    scaled = actions[:, largest > 0] / largest[largest > 0]
    _, singular, axes = np.linalg.svd(np.linalg.qr(scaled, mode="r"))
    rank = int((singular > singular[0] * max(scaled.shape) * np.finfo(float).eps).sum())
    return scaled @ (axes[:rank].T / singular[:rank])


def _far_apart(points: Floats) -> list[int]:
    """Pick r actions, each the farthest from the span of the previous ones.

    Squared distances are updated by subtraction. This is safe: in whitened coordinates the squared
    distances of all actions to any r - 1 dimensions sum to one, so the largest is at least 1/k.
    """
    rank = points.shape[1]
    axes = np.zeros((0, rank))
    distance = np.einsum("ij,ij->i", points, points)
    picked = []
    for _ in range(rank):
        picked.append(int(first_largest(distance)))
        axis = points[picked[-1]]
        for _ in range(2):  # twice is enough for orthogonality to rounding error
            axis = axis - axes.T @ (axes @ axis)
        axis = axis / np.linalg.norm(axis)
        axes = np.vstack([axes, axis])
        distance = distance - (points @ axis) ** 2
    return picked


def _solve(points: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """Return V^-1 and all g_i = x_i' V^-1 x_i."""
    support = np.flatnonzero(weights)
    base = points[support]
    inverse = np.asarray(np.linalg.inv((base * weights[support, None]).T @ base), dtype=float)
    return inverse, np.einsum("ij,ij->i", points @ inverse, points)


def _improve(points: Floats, weights: Floats, inverse: Floats, g: Floats, tolerance: float) -> None:
    """Take up to REFRESH steps, until g <= tolerance * r; changes ``weights`` in place."""
    rank = points.shape[1]
    for _ in range(REFRESH):
        i = int(first_largest(g))
        if g.max() <= tolerance * rank * (1 - NEAR):
            break
        support = np.flatnonzero(weights)
        weakest = int(support[first_largest(-g[support])])
        if rank - g[weakest] > (g[i] - rank) * (1 + NEAR):
            i = weakest
        # Exact line search: ln det((1 - step) V + step x_i x_i') is largest here, or at weight 0.
        gone = -weights[i] / (1 - weights[i])
        step = max((g[i] / rank - 1) / (g[i] - 1), gone) if g[i] > 1 else gone
        image = inverse @ points[i]
        factor = step / (1 - step + step * g[i])
        g[:] = (g - factor * (points @ image) ** 2) / (1 - step)
        inverse[:] = (inverse - factor * np.outer(image, image)) / (1 - step)
        weights *= 1 - step
        weights[i] = max(weights[i] + step, 0.0) if step > gone else 0.0
