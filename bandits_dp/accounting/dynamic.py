r"""Privacy of noise on released regression parameters: epsilon bounded from both sides.

Ridge regression has :math:`\hat\theta_t = A_t^{-1} \sum_{s \le t} x_s r_s`, with public
:math:`A_t = \lambda I + \sum_{s \le t} x_s x_s^\top`. Changing the reward of round j by 2 moves
**every** later parameter,

.. math:: h_t = 2 A_t^{-1} x_j , \qquad t \ge j,

by less and less. Wang, Zhao, Wang (2022) add noise that shrinks in the same way, by "dynamic global
sensitivity" (their Algorithm 1: a sum of Laplace noises of scales
:math:`b_{t, 1}, b_{t, 2}, \dots`, taken here in each coordinate). If the noise is drawn **afresh**
for every t, as Algorithms 1 and 2 print it, then, given the earlier releases, release t differs
between the two inputs only by the shift :math:`h_t`, so the privacy loss is the total loss of T
shifted noises. (Their text can also be read as keeping one noise per partial sum; then the shifts
belong to the tree's nodes, :mod:`bandits_dp.contextual.dynamic`.) For given features
:func:`laplace_sums_epsilon` bounds the loss from both sides, exactly up to rounding;
:func:`parameter_shifts` refuses matrices that floating point cannot invert:

*Above.* Split :math:`h_t` among its Laplace noises in proportion to their squared scales; each part
is a pure mechanism, and a pure :math:`\varepsilon'` is :math:`\varepsilon'^2/2`-zCDP (Bun & Steinke
2016). Summing noises is post-processing, so

.. math:: \rho = \sum_t \frac{\lVert h_t \rVert_2^2}{2 \sum_k b_{t,k}^2} , \qquad
          \varepsilon_{\text{pure}} = \sum_t \frac{\lVert h_t \rVert_1}{\max_k b_{t,k}} .

*Below.* The attacker subtracts the known part of each release and sums the rest with the weights
:math:`w_t = h_t / \operatorname{Var}_t`. Without the changed reward, Chernoff's bound with the
exact moment generating function of Laplace noise limits how often the sum exceeds a threshold; with
it, the sum exceeds its own mean with probability 1/2, by symmetry.

If the features depend on earlier releases, as in a bandit, both bounds describe the observed
sequence. If every round has only one candidate, the sequence is fixed, and both bound the
mechanism.

Both bounds are for an adversary who sees the *parameters*. The paper's output is the sequence of
arms: an upper bound holds for arms, too, as they are functions of parameters; a lower bound does
not.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from bandits_dp import _checks
from bandits_dp._types import Floats
from bandits_dp.accounting.composition import zcdp_epsilon

BLOCK = 1 << 20  # numbers in the matrices that are inverted together
# per dimension and unit of the features' sum of squares; less ridge spoils the inverses
LEAST_RIDGE = 1e-9
THRESHOLDS = np.linspace(0.3, 1.0, 15)  # of the attack, as fractions of its mean
BINS = 100  # per factor of 2, for scales in Chernoff's bound
# arguments of Chernoff's bound, in units of its pole
TILTS = np.concatenate([np.geomspace(1e-6, 0.3, 60), 1 - np.geomspace(0.68, 1e-4, 60)])


@_checks.checked()
def parameter_shifts(features: ArrayLike, ridge: float, record: int,
                     change: float) -> Floats:
    """Shifts of all later ridge parameters when one reward changes.

    Parameters
    ----------
    features : array_like, shape (rounds, d)
        Features x_t of the arms that were played.
    ridge : float
        lambda, > 0; at least 1e-9 d times the sum of all squared features.
    record : int
        Round j whose reward changes, counted from 0.
    change : float
        Change of that reward, > 0.

    Returns
    -------
    ndarray, shape (rounds, d)
        h_t, the shift of the parameter released after round t, with a relative error below 1e-6;
        zero before round j.

    Raises
    ------
    ValueError
        If features have another shape or are not finite, or a number is out of range.

    Notes
    -----
    The error comes from solving linear equations in floating point: at most about 3 d 2^-53 times
    the sum of squares over lambda. Rounding errors of the sums A_t are kept and added back, so the
    error does not grow with the number of rounds.

    Examples
    --------
    For an arm whose only feature is 1, changing the first reward by 2 moves the three estimates of
    its mean by

    >>> import bandits_dp as bdp
    >>> shifts = bdp.accounting.parameter_shifts(
    ...     [[1.0], [1.0], [1.0]], ridge=1.0, record=0, change=2.0)
    >>> shifts.ravel().round(3).tolist()
    [1.0, 0.667, 0.5]
    """
    x = _checks.numbers("features", features, "finite numbers of shape (rounds, d)")
    if x.ndim != 2 or not _checks.usable(x).all() or x.size == 0:
        raise ValueError("features must be finite numbers of shape (rounds, d), got shape "
                         f"{x.shape}")
    if _checks.integer("record", record, low=0) >= len(x):
        raise ValueError(f"record must be below {len(x)}, the number of rounds, got {record}")
    dimension, size = x.shape[1], float((x**2).sum())
    if ridge < (least := LEAST_RIDGE * dimension * size):
        raise ValueError(f"ridge must be at least {least!r} for {len(x)} rounds of {dimension} "
                         f"features with a sum of squares of {size:.3g}, got {ridge!r}: less ridge "
                         "spoils the inverses of their matrices in doubles")
    shifts = np.zeros_like(x)
    gram, lost = ridge * np.eye(dimension), np.zeros((dimension, dimension))
    rounds = max(1, BLOCK // dimension**2)
    for start in range(0, len(x), rounds):
        block = x[start : start + rounds]
        products = block[:, :, None] * block[:, None, :]
        sums = np.cumsum(np.concatenate([gram[None], products]), axis=0)
        added = np.diff(sums, axis=0)
        # rounding errors of the sums
        rest = np.cumsum((sums[:-1] - (sums[1:] - added)) + (products - added), axis=0) + lost
        gram, lost, first = sums[-1], rest[-1], max(record - start, 0)
        shifts[start + first : start + rounds] = (
            change * np.linalg.solve((sums[1:] + rest)[first:], x[record][:, None])[:, :, 0])
    return shifts


@_checks.checked(delta=_checks.mass)
def laplace_sums_epsilon(shifts: ArrayLike, scales: ArrayLike, delta: float) -> tuple[float, float]:
    """Bound the epsilon of releases with sums of Laplace noises, from below and above.

    Parameters
    ----------
    shifts : array_like, shape (releases, d)
        How far one user moves each release.
    scales : array_like, shape (releases, k)
        Scales of the independent Laplace noises on every coordinate of a release, >= 0; 0 stands
        for no noise. Each release with a nonzero shift needs at least one.
    delta : float
        Failure mass, in [0, 1).

    Returns
    -------
    tuple of float
        A lower bound, >= 0, and an upper bound on the smallest epsilon at this delta.

    Raises
    ------
    ValueError
        If shapes do not fit, a scale is negative, a number is not finite, a moved release has no
        noise, or delta is out of range.

    Examples
    --------
    Fresh noise of scale 0.1 on each of a hundred estimates of a mean does not hide the first
    reward:

    >>> import bandits_dp as bdp
    >>> shifts = bdp.accounting.parameter_shifts([[1.0]] * 100, ridge=1.0, record=0, change=2.0)
    >>> low, high = bdp.accounting.laplace_sums_epsilon(shifts, [[0.1]] * 100, delta=1e-6)
    >>> print(f"epsilon is between {low:.1f} and {high:.1f}")
    epsilon is between 19.6 and 83.9
    """
    h = _checks.numbers("shifts", shifts, "finite numbers of shape (releases, d)")
    b = _checks.numbers("scales", scales, "numbers that are at least 0, of shape (releases, k)")
    if h.ndim != 2 or b.ndim != 2 or len(h) != len(b):
        raise ValueError("shifts must have shape (releases, d) and scales (releases, k), got "
                         f"{h.shape} and {b.shape}")
    if not _checks.usable(h).all() or not _checks.usable(b).all() or (b < 0).any():
        raise ValueError("shifts must be finite, and scales finite and at least 0, got other "
                         "numbers")
    moved = h.any(axis=1)
    h, b = h[moved], b[moved]
    if not b.any(axis=1).all():
        raise ValueError("scales must have a positive entry for each release that shifts move, got "
                         "one without")
    if not len(h):
        return 0.0, 0.0
    square = (b**2).sum(axis=1)
    pure = float((np.abs(h).sum(axis=1) / b.max(axis=1)).sum())
    above = (min(pure, zcdp_epsilon(float(((h**2).sum(axis=1) / (2 * square)).sum()), delta))
             if delta > 0 else pure)
    return min(_attack(h, b, delta), above), above


def _attack(h: Floats, b: Floats, delta: float) -> float:
    """Return log (P_a - delta) / P_b at the best threshold, P_a and P_b bounded by Chernoff."""
    weights = h / (b**2).sum(axis=1)[:, None]  # twice h / Var: the unit does not matter
    mean = float((weights * h).sum())  # of the weighted sum with the changed reward; without it 0
    products = np.abs(weights)[:, :, None] * b[:, None, :]
    pole = 1 / products.max()
    # in (0, 1]; rounded up to bins, which only weakens the bound
    products = products[products > 0] * pole
    bins = np.ceil(np.log2(np.maximum(products, 2.0**-30)) * BINS).astype(np.int64)
    counts = np.bincount(-bins).astype(float)
    log_mgf = -np.log1p(-(np.outer(TILTS, np.exp2(-np.arange(len(counts)) / BINS)) ** 2)) @ counts

    def log_tail(distance: float) -> float:
        """Bound log P(weighted noise >= distance)."""
        return min(0.0, float((log_mgf - TILTS * pole * distance).min()))

    best = 0.0
    for fraction in THRESHOLDS:
        seen = max(0.5 if fraction == 1 else 0.0, -math.expm1(log_tail((1 - fraction) * mean)))
        if seen > delta:
            best = max(best, math.log(seen - delta) - log_tail(fraction * mean))
    return best
