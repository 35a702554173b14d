"""What every purely private learner loses on an instance of arms: a floor at its horizon, and one for large horizons only."""

import math

import numpy as np

from bandits_book.instances import Instance


def fewest_lost(instance: Instance, epsilon: float) -> float:
    r"""Return what every purely private learner loses on arms, if it loses at most :math:`T^{2/3}` when an arm is raised.

    Theorem 16.2 (chapter 16), for each arm the best of many :math:`\tau` and :math:`\eta`, each of which gives a valid bound.

    Examples
    --------
    >>> from bandits_book import contest
    >>> hard = contest.instances("arms")[1]
    >>> 0 < contest.fewest_lost(hard, 1.0) < contest.fewest_lost(hard, 0.1) < hard.random
    True
    """
    T, means = instance.horizon, instance.problem.means
    tau, worst = np.geomspace(0.5, T / 2, 400)[:, None], T ** (2 / 3)
    total = 0.0
    for mean, gap in zip(means, instance.problem.gaps, strict=True):
        if gap > 0 and mean + gap + 0.005 < 1:
            eta = np.linspace(gap + 0.005, 1 - mean, 80)
            c = np.log1p(math.expm1(epsilon) * eta / (mean + eta))
            told = np.exp(np.minimum(c * tau, 100)) * worst / ((eta - gap) * (T - tau))
            total += float(gap) * max(0.0, float((tau * (1 - told)).max()))
    return total


def lost_in_the_limit(instance: Instance, epsilon: float) -> float:
    r"""Return :math:`\sum_a \Delta_a \ln T / d_\varepsilon(\mu_a, \mu^*)`, which holds for large T only (Theorem 16.3, chapter 16).

    Examples
    --------
    >>> from bandits_book import contest
    >>> hard = contest.instances("arms")[1]
    >>> contest.lost_in_the_limit(hard, 1.0) < contest.lost_in_the_limit(hard, 0.1)
    True
    """
    best, total = float(instance.problem.means.max()), 0.0
    for mean in map(float, instance.problem.means):
        if mean < best:
            z = max(mean, 1 / (1 + math.exp(epsilon) * (1 - best) / best))
            kl = z * math.log(z / best) + (1 - z) * math.log((1 - z) / (1 - best))
            total += (best - mean) * math.log(instance.horizon) / (epsilon * (z - mean) + kl)
    return total
