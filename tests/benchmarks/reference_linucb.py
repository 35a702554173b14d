"""LinUCB as one would write it on a blackboard: one run, one user after the other, no tricks; oracle of tests and benchmarks."""

import copy
import math

import numpy as np

from bandits_dp.learners.linucb_release import ExactSums
from bandits_dp.learners.linucb_releases import CountedSums
from bandits_dp.widths.ridge import Shape


def released(release, values, rng):
    """Return the noisy sum of one batch, or None and the noise on the running sum for a counter; ``values`` is (users, numbers)."""
    if isinstance(release, ExactSums):
        return values.sum(axis=0), None
    if isinstance(release, CountedSums):
        return None, release.counter.add(np.zeros(release.counter.dimension), rng)  # a stream of zeros: what comes out is noise
    return release.privatizer.release(values, rng, "messages" if release.width == 0 else "aggregate"), None


def symmetric(triangle, d):
    """Return the symmetric matrix with this upper triangle."""
    matrix = np.zeros((d, d))
    matrix[np.triu_indices(d)] = triangle
    return matrix + np.triu(matrix, 1).T


def model(sums, radius, batch, d):
    """Return estimate, inverse of V, radius, and whether V had to be shifted, from released sums."""
    ridge = radius.regularizer(batch)
    V = ridge * np.eye(d) + symmetric(sums[d:], d)
    eigenvalues = np.linalg.eigvalsh(V)
    least = (np.abs(eigenvalues) ** -32.0).sum() ** (-1 / 32)  # what is used for the least eigenvalue, a little below it
    shift = radius.floor(batch) - eigenvalues[0]
    if shift > 0:
        V, ridge, least = V + shift * np.eye(d), ridge + shift, radius.floor(batch)
    beta = float(np.squeeze(radius.beta(batch, Shape(np.array([ridge]), np.array([least])))))
    return np.linalg.solve(V, sums[:d]), np.linalg.inv(V), beta, int(shift > 0)


def play(learner, problem, rng, horizon):
    """Play one run of LinUCB with the learner's release and radius; return pseudo-regret after every round and the shifts."""
    answers, noise = rng.spawn(2)
    instance = problem.draw(answers)
    release, radius, d = copy.deepcopy(learner.release), learner.radius, learner.dimension  # a counter counts from zero
    exact = np.zeros(d + d * (d + 1) // 2)
    sums = exact.copy()  # as released
    theta, inverse, beta, shifts = model(sums, radius, 0, d)
    batch, users, lost, regret = 0, [], 0.0, []
    for _ in range(horizon):
        numbers = instance.numbers(answers, 1)
        features = instance.contexts(numbers)[0]
        index = [phi @ theta + learner.radius_scale * beta * math.sqrt(phi @ inverse @ phi) for phi in features]
        tie = 1e-9 * max(index) if batch == 0 else 0.0  # at first all arms of one norm are equally good, up to rounding
        arm = next(a for a, value in enumerate(index) if value >= max(index) - tie)
        means = instance.means(features)
        reward = float(instance.reward_quantiles(means[arm], instance.chances(numbers)[0])) - learner.reward_shift
        lost += means.max() - means[arm]
        regret.append(lost)
        phi = features[arm]
        users.append(np.concatenate([phi * reward, np.outer(phi, phi)[np.triu_indices(d)]]))
        if len(users) == learner.batch_size:  # the model changes at the end of a batch only
            values = np.array(users)
            exact += values.sum(axis=0)
            fresh, on_running_sum = released(release, values, noise)
            sums = exact + on_running_sum if fresh is None else sums + fresh
            batch, users = batch + 1, []
            theta, inverse, beta, shifted = model(sums, radius, batch, d)
            shifts += shifted
    return np.array(regret), shifts
