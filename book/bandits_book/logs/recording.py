"""Make a log: play a policy that draws its arms, and write everything down."""

from collections.abc import Callable, Sequence
from functools import partial
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bandits_book.logs.columns import picked
from bandits_book.logs.log import Log
from bandits_book.logs.policies import probabilities
from bandits_dp import _checks
from bandits_dp.contextual.problems import shown_means
from bandits_dp.play.rounds import Rounds
from bandits_dp.problem import check_problem

Floats = NDArray[np.float64]


def record(policy: Any, problem: Any, rounds: int, rng: np.random.Generator) -> Log:
    """Return the log of a policy that was played on a problem, with its propensities, for teaching and tests.

    Parameters
    ----------
    policy : "uniform", array_like of shape (arms,), callable, or App
        What draws the arms: all alike, the same probabilities in all rounds, ``policy(features)`` for one round's features (None
        without), or a frozen learner.
    problem : Problem
        Who gives rewards, of the setting "arms", "linear" or "contextual". A distribution of instances is drawn from once: draw
        the instance yourself, by ``problem.draw(rng)``, if you want to know the truth.
    rounds : int
        How many, >= 1; every one is another user's, unless the problem says who comes.
    rng : numpy.random.Generator
        Source of randomness.

    Returns
    -------
    Log
        With users 0, 1, 2, ..., or those of the problem.

    Examples
    --------
    >>> import numpy as np
    >>> import bandits_dp as bdp
    >>> from bandits_book import logs
    >>> problem = bdp.problems.BernoulliArms([0.9, 0.2])
    >>> log = logs.record([0.75, 0.25], problem, 1000, np.random.default_rng(1))
    >>> sorted(set(log.propensities.tolist()))
    [0.25, 0.75]
    """
    check_problem(problem)
    rounds = _checks.integer("rounds", rounds, high=10**6)
    rng = _checks.generator(rng)
    if problem.setting == "clients":
        raise ValueError(f"problem must answer with single rewards, got {_checks.told(problem)}, whose clients answer with "
                         "averages of a phase")
    world = problem.draw(rng)
    shown, sizes, pay, users = _world(world, rounds, rng)
    chances = list(probabilities(policy, zip(shown, sizes, strict=True)))
    actions = np.array([rng.choice(len(own), p=own / own.sum()) for own in chances])
    plain = shown[0] is None
    always = getattr(world, "features", None)  # the same in all rows, if the problem has such
    low, high = getattr(world, "reward_range", None) or (world.domain.low, world.domain.high)
    return Log(actions, pay(actions), picked(chances, actions), features=None if plain else shown if always is None else always,
               arms=world.arms if plain else None, reward_range=(float(low), float(high)), users=users)


def _world(world: Any, rounds: int, rng: np.random.Generator) -> tuple[Sequence[Any], Sequence[int], Callable[..., Floats], Any]:
    """Return the features (or None) and the number of arms of every round, what pays for the actions, and who comes."""
    if isinstance(world, Rounds):
        shown, rewards, _ = zip(*islice(world.one_by_one(rng), rounds), strict=True)
        return shown, list(map(len, rewards)), partial(picked, rewards), range(rounds)
    if world.setting != "contextual":
        return [None] * rounds, [world.arms] * rounds, partial(_by_arm, world, rng), range(rounds)
    numbers = world.numbers(rng, rounds)
    shown = world.contexts(numbers)
    means = shown_means(world, numbers, shown)

    def pay(actions: NDArray[np.int64]) -> Floats:
        return np.asarray(world.reward_quantiles(picked(means, actions), world.chances(numbers)))

    return shown, list(map(len, shown)), pay, world.users(numbers) if hasattr(world, "users") else range(rounds)


def _by_arm(world: Any, rng: np.random.Generator, actions: NDArray[np.int64]) -> Floats:
    """Draw the rewards of plain arms, all those of one arm together."""
    rewards = np.empty(len(actions))
    for arm in np.unique(actions):
        rewards[actions == arm] = world.rewards(int(arm), int((actions == arm).sum()), rng)[:, 0]
    return rewards
