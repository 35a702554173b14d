r"""No horizon is known: play for T_0 rounds, then start again for twice as many, and so on (the doubling trick).

Learners here need the horizon, for widths and for the size of trees. Restarts cost a constant factor of a regret that grows like
:math:`\sqrt T`. A regret of :math:`c \ln T` becomes :math:`c (\ln T_0 + \ln 2 T_0 + \dots)`, which grows like :math:`\ln^2 T`; when
horizons are *squared* instead (Besson & Kaufmann 2018), which ``growth="square"`` does, the logarithm stays. Either is a "standard
doubling argument" (Tenenbaum et al. 2021, footnote 10: "roughly the same results").

**Privacy.** A restart forgets everything and has other users than all other restarts: the guarantee of one restart is that of the
whole run (parallel composition), however long it gets. That is why ``returning_users`` is refused without a horizon: each restart
would keep its promise about so many batches, and nothing says what all of them keep together. Users who say who they are keep
their visits over restarts. A ticket that is open at a restart expires; with ``late="next"`` its answer joins a batch of the
learner that plays when it comes, and no other.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bandits_dp import _checks
from bandits_dp._state import Saved, locked, snapshot
from bandits_dp.app.refusals import HorizonReached
from bandits_dp.live.live import NO_END
from bandits_dp.live.status import Status
from bandits_dp.live.ticket import Ticket
from bandits_dp.problem import Problem

GROWTHS = ("double", "square")


class Restarts(Saved):
    """A learner for an unknown horizon, made of learners for known ones.

    Parameters
    ----------
    make : callable
        ``make(horizon=T)`` gives a fresh learner for so many rounds.
    first_horizon : int
        Horizon T_0 of the first learner, >= 2.
    growth : {"double", "square"}
        Whether the horizons are T_0, 2 T_0, 4 T_0, ... or T_0, T_0^2, T_0^4, ...

    Attributes
    ----------
    live : Live
        The one that plays now.
    stage : int
        How many were before it.
    horizon : int
        More rounds than anybody plays.

    Raises
    ------
    ValueError
        If an argument is out of range, or no learner can be made for ``first_horizon`` rounds.

    Examples
    --------
    >>> import bandits_dp as bdp
    >>> problem = bdp.problems.BernoulliArms([0.9, 0.8])
    >>> learner = bdp.make("UCB1", problem, horizon=None, first_horizon=100)  # nobody knows when it ends
    >>> result = bdp.simulate(learner, problem, horizon=1000, runs=2, progress=False)
    >>> [learner.horizon_of(stage) for stage in range(4)]
    [100, 200, 400, 800]
    """

    kind = "learner"
    horizon = NO_END

    def __init__(self, make: Callable[..., Any], first_horizon: int = 1024, growth: str = "double") -> None:
        super().__init__()
        self.first = _checks.integer("first_horizon", first_horizon, low=2)
        self.growth = _checks.choice("growth", growth, GROWTHS)
        self.make = make
        self.stage = 0
        self.live: Any = self._begun()
        self.arms, self.setting, self.late = self.live.arms, self.live.setting, self.live.late
        self.dimension = getattr(self.live, "dimension", None)  # of features, if there are any
        self.name = f"{self.live.name}, unknown horizon"
        self.parameters: dict[str, Any] = self.live.parameters | {"first_horizon": self.first, "growth": self.growth}
        self.description = f"Restarts(growth={growth!r}, first={self.live.description})"
        self.terms = self.live.terms
        one = self.live.guarantee
        self.guarantee = replace(one, reason=f"{one.reason}; a restart for {self.first} rounds and all later ones have other users")

    def horizon_of(self, stage: int) -> int:
        """Return the horizon of a stage, from 0."""
        if stage >= 62:
            return NO_END
        return min(self.first << stage if self.growth == "double" else self.first ** (1 << min(stage, 6)), NO_END)

    @property
    def learner(self) -> Any:
        """The algorithm that plays now."""
        return self.live.learner

    @property
    def played(self) -> int:
        """Rounds played so far."""
        return sum(map(self.horizon_of, range(self.stage))) + self.live.played

    @property
    def bits(self) -> float:
        """Bits that users sent for what was released so far."""
        return self.live.bits

    @property
    def tickets(self) -> dict[int, int]:
        """Open tickets: how many users each is for, by its number."""
        tickets: dict[int, int] = self.live.tickets
        return tickets

    @property
    def missed(self) -> int:
        """How many users were shown something and are not counted, as their tickets expired."""
        missed: int = self.live.missed
        return missed

    @property
    def missing(self) -> int:
        """How many users one ticket can be for."""
        return self.live.missing

    @locked
    def act(self, *shown: Any, **who: Any) -> Ticket:
        """Ask the learner that plays now for a ticket; arguments and errors are those of its ``act``."""
        self._turn_over()
        ticket: Ticket = self.live.act(*shown, **who)
        return ticket

    @locked
    def update(self, ticket: Ticket, answers: ArrayLike, rng: np.random.Generator | None = None) -> None:
        """Tell the learner that plays now, and restart when its horizon is reached; errors are those of its ``update``."""
        self._turn_over()
        self.live.update(ticket, answers, rng)
        with suppress(HorizonReached):  # the answer counts
            self._turn_over()

    @locked
    def ticket(self, token: str) -> Ticket:
        """Return the open ticket of a token; see :meth:`bandits_dp.live.live.Live.ticket`."""
        self._turn_over()
        ticket: Ticket = self.live.ticket(token)
        return ticket

    @locked
    def status(self) -> Status:
        """Return how it is doing; nobody knows the horizon."""
        return replace(self.live.status(), name=self.name, answers=self.played, horizon=None)

    @locked
    def suggest(self, *features: Any) -> Any:
        """Return what to show a user from whom nothing is learned; see the learner that plays now."""
        return self.live.suggest(*features)

    def _turn_over(self) -> None:
        """Restart in one step, if the horizon is reached; what the last learner is yet to be told is of no use any more."""
        if self.live.played == self.live.horizon:
            then = snapshot(self)
            then.stage += 1
            try:
                begun = then._begun()
            except ValueError as error:
                raise HorizonReached(f"horizon is {self.live.horizon} and played, and there is no longer one: {error}") from error
            then.live = begun.follow(self.live)
            self.__dict__ = then.__dict__

    def _begun(self) -> Any:
        """Return a fresh learner for this stage, or say why it does not promise what the first one does."""
        live = self.make(horizon=self.horizon_of(self.stage))
        one, promised = live.guarantee, getattr(self, "guarantee", live.guarantee)
        if one.proved and live.register.most > 1:
            raise ValueError("returning_users must be left out where horizon=None, as users may not return after a restart, got "
                             f"{live.register.most} batches for each")
        if one.epsilon > promised.epsilon or one.delta > promised.delta:
            raise ValueError(f"make must promise ({promised.epsilon:g}, {promised.delta:g}), as for {self.first} rounds, got "
                             f"({one.epsilon:g}, {one.delta:g}) for {live.horizon}")
        return live

    def _pack(self) -> dict[str, ArrayLike]:
        inner = {f"inner_{key}": value for key, value in self.live._pack().items()}
        return {"played": self.played, "stage": self.stage, **inner}

    def _unpack(self, state: dict[str, NDArray[Any]]) -> None:
        self.stage = int(state["stage"])
        self.live = self._begun()
        self.live._unpack({key.removeprefix("inner_"): value for key, value in state.items() if key.startswith("inner_")})

    def check_problem(self, problem: Problem) -> None:
        """Raise a ValueError if this learner cannot play the problem."""
        self.live.check_problem(problem)

    def __repr__(self) -> str:
        """Return the description, the rounds played and the guarantee."""
        return f"{self.description}, {self.played} rounds played. {self.guarantee}"
