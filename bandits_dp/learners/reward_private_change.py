"""How many arms change when one reward changes: Figure 2 (b) and (c) of Wang, Zhao, Wang (2022)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bandits_dp import _checks
from bandits_dp.learners.linucb_old import LinUCB
from bandits_dp.problems.contextual import Contextual


def arms_changed(
    learner: LinUCB,
    problem: Contextual,
    record: int,
    change: float | str = 0.5,
    horizon: int = 500,
    runs: int = 5,
    seed: int = 0,
) -> NDArray[np.int64]:
    """Play everything twice with the same users and the same noise, but for one reward, and count the arms that differ.

    A private learner hides the change by its noise: both runs see the *same* noise here, so the count says how much the arms react,
    not how well anybody could tell. (A learner that plays at random with a public seed has a count of 0.)

    Parameters
    ----------
    learner : LinUCB
        Of the LinUCB family, with batches of one user; it is not changed.
    problem : Contextual
        Who gives rewards.
    record : int
        The round whose reward changes, from 0.
    change : float or "flip"
        Added to the reward, which stays in its range; or the reward is mirrored in the middle of its range.
    horizon : int
        Rounds to play, above ``record`` and at most the learner's horizon.
    runs : int
        Number of runs, >= 1.
    seed : int
        As in :func:`bandits_dp.simulate`.

    Returns
    -------
    ndarray of int, shape (runs,)
        Number of rounds in which another arm was played.

    Raises
    ------
    ValueError
        If the learner has larger batches or cannot play the problem, or a number is out of range.
    """
    learner.check_problem(problem)
    if learner.batch_size != 1:
        raise ValueError(f"learner must have batches of one user, got {learner.batch_size}")
    horizon = _checks.integer("horizon", horizon)
    if horizon > learner.horizon:
        raise ValueError(f"horizon must be at most {learner.horizon}, for which the learner was made, got {horizon}")
    if _checks.integer("record", record, low=0) >= horizon:
        raise ValueError(f"record must be below the horizon {horizon}, got {record}")
    if change != "flip":
        change = _checks.real("change", change, -np.inf, np.inf)
    seed, runs = _checks.integer("seed", seed, low=0), _checks.integer("runs", runs)

    def arms(changed: bool) -> NDArray[np.intp]:
        children = np.random.SeedSequence(seed).spawn(runs)  # anew each time: a child remembers what it has spawned
        answers, noise = (list(pair) for pair in zip(*(np.random.default_rng(child).spawn(2) for child in children), strict=True))
        instances = [problem.draw(rng) for rng in answers]
        model = learner.new_model(runs)
        low, high = problem.reward_range
        played = np.empty((runs, horizon), dtype=np.intp)
        for t in range(horizon):
            pairs = [(instance, instance.numbers(rng, 1)) for instance, rng in zip(instances, answers, strict=True)]
            features = np.stack([instance.contexts(own) for instance, own in pairs])  # (runs, 1, arms, d)
            played[:, t] = model.choose(features)[:, 0]
            phi = np.take_along_axis(features, played[:, [t], None, None], axis=2)[:, :, 0]
            means = np.stack([instance.means(own) for instance, own in zip(instances, phi, strict=True)])
            y = problem.reward_quantiles(means, np.stack([instance.chances(own) for instance, own in pairs]))
            if changed and t == record:
                y = low + high - y if isinstance(change, str) else np.clip(y + change, low, high)
            model.learn(phi, y - learner.reward_shift, noise)
        return played

    return np.count_nonzero(arms(False) != arms(True), axis=1)
