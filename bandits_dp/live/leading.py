"""Which arm looks best, by what was released and nothing else."""

from typing import Any

import numpy as np

from bandits_dp._state import locked
from bandits_dp._ties import first_largest
from bandits_dp.ask_tell import Asked
from bandits_dp.learners.arm_elimination import ArmElimination
from bandits_dp.learners.kl_ucb import KLUCB
from bandits_dp.learners.phased_elimination import PhasedElimination
from bandits_dp.learners.ucb import UCB
from bandits_dp.live.live import Live


def leading_arm(learner: Any, asked: Asked) -> int:
    """Return the arm with the best estimate among those that may be best; of somebody's own learner, the first that it asks about.

    Examples
    --------
    >>> import numpy as np
    >>> from bandits_dp.learners import UCB
    >>> from bandits_dp.live.leading import leading_arm
    >>> from bandits_dp.widths.running import ExactWidth
    >>> learner = UCB(2, ExactWidth())
    >>> for reward in (0.0, 1.0):  # of arm 0, and of arm 1
    ...     learner.tell(np.array([reward]), [])
    >>> leading_arm(learner, learner.ask())
    1
    """
    if isinstance(learner, PhasedElimination):
        arms, values = learner.active, learner.actions[learner.active] @ learner.estimate
    elif isinstance(learner, ArmElimination):  # each of them has as many rewards
        arms, values = learner.viable, learner.sums[learner.viable]
    elif isinstance(learner, (UCB, KLUCB)):
        count = learner.pulls if isinstance(learner, UCB) else learner.rewards
        arms = np.flatnonzero(count) if count.any() else np.arange(1)
        values = learner.sums[arms] / np.maximum(count[arms], 1)
    else:
        arms, values = asked.arms, np.zeros(len(asked.arms))
    return int(arms[first_largest(values)])


class Suggesting(Live):
    """A live learner of arms without features, which can suggest one without learning."""

    asked: Asked

    @locked
    def suggest(self) -> int:
        """Return the arm that looks best by what was released, for a user from whom nothing is learned.

        Nobody answers, nothing is counted or changed, and it costs her nothing: the arm is a function of releases, whose price is
        paid. So it is for users whose budget is spent, and for all when the horizon is reached.

        Examples
        --------
        >>> import bandits_dp as bdp
        >>> problem = bdp.problems.BernoulliArms([0.9, 0.8])
        >>> learner = bdp.make("SDP-AE", problem, horizon=1000, epsilon=1.0, delta=1e-3, batch_size=50)
        >>> learner.suggest(), learner.tickets
        (0, {})
        """
        self._must_know_actions()
        return leading_arm(self.learner, self.asked)

    def _must_know_actions(self) -> None:
        """Raise a ValueError if what can be shown is not known yet."""
