r"""Composition: what several releases about the same person cost together.

Three classical rules for k adaptive releases, each (epsilon, delta)-DP. Releases about *different* people cost the largest
one only (parallel composition): that is why algorithms with a fresh user in every round, or in every batch, pay once.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from bandits_dp import _checks


def basic_composition(epsilon: float, delta: float, releases: int) -> tuple[float, float]:
    """Privacy of k adaptive releases by adding up (Dwork & Roth 2014, Theorem B.1; 3.16 if nothing adapts).

    Parameters
    ----------
    epsilon, delta : float
        Guarantee of each release; epsilon > 0, delta in [0, 1).
    releases : int
        Their number k, >= 1.

    Returns
    -------
    tuple of float
        (k epsilon, min(k delta, 1)).

    Raises
    ------
    ValueError
        If an argument is out of range.
    """
    epsilon = _checks.epsilon(epsilon)
    delta = _checks.delta(delta, zero=True)
    releases = _checks.integer("releases", releases)
    return releases * epsilon, min(releases * delta, 1.0)


def advanced_composition(epsilon: float, delta: float, releases: int, slack: float) -> tuple[float, float]:
    """Privacy of k adaptive releases with a slack in delta (Dwork & Roth 2014, Theorem 3.20).

    Parameters
    ----------
    epsilon, delta : float
        Guarantee of each release; epsilon > 0, delta in [0, 1).
    releases : int
        Their number k, >= 1.
    slack : float
        The additional failure mass delta', in (0, 1).

    Returns
    -------
    tuple of float
        (sqrt(2 k ln(1 / slack)) epsilon + k epsilon (e^epsilon - 1), min(k delta + slack, 1)).

    Raises
    ------
    ValueError
        If an argument is out of range.

    Notes
    -----
    Not always better than :func:`basic_composition`: for few releases or a large epsilon the sum is smaller.
    """
    epsilon = _checks.epsilon(epsilon)
    delta = _checks.delta(delta, zero=True)
    releases = _checks.integer("releases", releases)
    slack = _checks.real("slack", slack, 0.0, 1.0)
    total = math.sqrt(2 * releases * math.log(1 / slack)) * epsilon + releases * epsilon * math.expm1(epsilon)
    return total, min(releases * delta + slack, 1.0)


def gaussian_composition(noise_stds: Sequence[float], sensitivities: Sequence[float]) -> float:
    """Noise std of the one Gaussian release that is exactly as private as several together.

    Parameters
    ----------
    noise_stds : sequence of float
        Standard deviations s_i of the releases, > 0.
    sensitivities : sequence of float
        Their l2-sensitivities D_i to the same user, > 0, as many.

    Returns
    -------
    float
        s such that 1 / s^2 = sum of D_i^2 / s_i^2: the noise of an equally private release with sensitivity 1.

    Raises
    ------
    ValueError
        If the sequences are empty, of unequal length, or hold a number that is not positive and finite.

    Notes
    -----
    Exact, also when each query depends on earlier answers (Dong, Roth, Su 2022, Corollary 3.3). Feed the result to
    :func:`bandits_dp.accounting.gaussian.gaussian_delta`.
    """
    if len(noise_stds) == 0 or len(noise_stds) != len(sensitivities):
        raise ValueError(
            "noise_stds and sensitivities must be non-empty and of equal length, "
            f"got lengths {len(noise_stds)} and {len(sensitivities)}"
        )
    ratios = (
        _checks.positive("sensitivities", d) / _checks.positive("noise_stds", s)
        for s, d in zip(noise_stds, sensitivities, strict=True)
    )
    return 1 / math.hypot(*ratios)
