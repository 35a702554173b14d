"""What the simulator's speed is compared with: plain loops over rounds, which are also the oracles of the tests.

Each takes a fresh learner, its problem and a number of rounds, and plays them one after the other, with every user's message. They
are imported when they run, so that what a test file needs does not count as the simulator's memory.
"""

import copy

import numpy as np


def user_by_user(learner, problem, rounds):
    """Live use: ask for an arm, draw one reward, give it back."""
    learner, (answers, noise) = copy.deepcopy(learner), np.random.default_rng(0).spawn(2)
    for _ in range(rounds):
        learner.update(float(problem.rewards(learner.act(), 1, answers)[0, 0]), noise)


def ucb1(learner, problem, rounds):
    from tests.test_learners import plain_ucb1

    plain_ucb1(problem.means.tolist(), rounds, seed=0)


def linucb(learner, problem, rounds):
    from bandits_dp.engine.plain import play_plainly

    play_plainly(learner, problem, [np.random.default_rng(0)], np.array([rounds]), int)


def figure_linucb(learner, problem, rounds):
    from tests.benchmarks.reference_experiment import play

    play(learner.name, 1.0, count=1, horizon=rounds)


def phased_elimination(learner, problem, rounds):
    from tests.test_phased_elimination import plain_elimination

    learner, instance = copy.deepcopy(learner), problem.draw(np.random.default_rng(0))
    learner.show(instance.actions)
    plain_elimination(instance, rounds, 0, learner.phase.privatizers[0].noise_std, "certified")


def client_elimination(learner, problem, rounds):
    from tests.test_distributed import plain_loop

    plain_loop(learner.name, problem.draw(np.random.default_rng(0)), rounds, 0)


def reward_private(learner, problem, rounds):
    from tests.test_reward_private import plain_run

    case = {"LinUCB-Tree": "tree", "LinUCB-DGS": "dgs, theorem"}.get(learner.name, "reward tree")
    plain_run(learner, case, problem, *np.random.default_rng(0).spawn(2), rounds)
