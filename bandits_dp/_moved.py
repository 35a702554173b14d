"""Modules of earlier versions: importing one raises an error that says where it is now."""

import sys

# modules and folders of earlier versions, and their places now
MOVED = {
    "_memory": "play.memory", "catalog.arms": "arms.systems",
    "catalog.clients": "linear.client_systems", "catalog.linear": "linear.systems",
    "catalog.linucb": "contextual.systems", "catalog.options": "options",
    "catalog.rewards": "contextual.reward_systems", "catalog.setups": "bandits_book.setups",
    "companion": "bandits_book (its plots, for instance, bandits_book.plots)",
    "continual.curator": "contextual.curator", "continual.dynamic": "contextual.dynamic",
    "designs": "linear.designs", "learners.arm_elimination": "arms.elimination",
    "learners.kl_ucb": "arms.kl_ucb", "learners.linucb": "contextual.linucb",
    "learners.linucb_rewards": "contextual.linucb_rewards",
    "learners.phased_elimination": "linear.elimination", "learners.ucb": "arms.ucb",
    "live": "app for act and update, and bandits_dp.serve for Served, Restarts and errors like "
            "BudgetSpent",
    "play.arms": "arms.fast", "play.contexts": "contextual.fast", "play.pilots": "linear.pilots",
    "play.ucb": "arms.fast_ucb", "privatizers.exact": "noise.exact",
    "privatizers.exact_counts": "noise.exact_counts", "privatizers.grid": "noise.grid",
    "privatizers.noise_bits": "noise.noise_bits", "problems.arms": "arms.problems",
    "problems.base": "problem", "problems.clients": "linear.client_problems",
    "problems.code_linear": "bandits_book.replicas.code_linear",
    "problems.contextual": "contextual.problems", "problems.graded": "arms.graded",
    "problems.linear": "linear.problems", "problems.pool": "contextual.pool",
    "problems.rounds": "play.rounds",
    "schedules": "arms.batches, linear.clients_needed and contextual.batches",
    "widths": "arms.widths, arms.running_widths, arms.kl_widths, linear.widths, "
              "contextual.radius and others of these families",
}


class Moved:
    """An import finder that only says where a module is now.

    It is asked first, because files of an earlier version may still lie around.
    """

    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> None:
        """Raise an ImportError that says where a moved module is."""
        root, _, old = name.partition(".")
        if root == "bandits_dp" and old in MOVED:
            new = MOVED[old]
            raise ImportError(
                f"{name} is now {'' if new.startswith('bandits_book') else 'bandits_dp.'}{new}",
                name=name)


sys.meta_path.insert(0, Moved)
