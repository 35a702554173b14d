r"""No horizon is known: play for T_0 rounds, then start again for twice as many, and so on.

This is the doubling trick. Learners here need the horizon, for widths and for the size of trees.
Restarts cost a constant factor of a regret that grows like :math:`\sqrt T`. A regret of
:math:`c \ln T` becomes :math:`c (\ln T_0 + \ln 2 T_0 + \dots)`, which grows like :math:`\ln^2 T`;
when horizons are *squared* instead (Besson & Kaufmann 2018), which ``growth="square"`` does, the
logarithm stays. Either is a "standard doubling argument" (Tenenbaum et al. 2021, footnote 10:
"roughly the same results").

**Privacy.** A restart forgets everything and has other users than all other restarts. So the whole
run, however long, has the guarantee of one restart (parallel composition). Returning users are
therefore refused: each restart would protect some of a user's batches, and no guarantee would cover
all of them together. Visits of users with ids are kept over restarts. A ticket that is open at a
restart expires; with ``late="next"`` its answer joins a batch of the app that plays when it comes,
and no other.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from bandits_dp import _checks
from bandits_dp._snapshot import snapshot
from bandits_dp.app.app import NO_END, App
from bandits_dp.app.refusals import HorizonReached
from bandits_dp.app.ticket import Ticket
from bandits_dp.serve.saved import locked
from bandits_dp.serve.served import Served
from bandits_dp.serve.state import State
from bandits_dp.serve.status import Status
from bandits_dp.serve.ticket import Sealed

GROWTHS = ("double", "square")
SETTINGS = ("arms", "contextual")


class Restarts(Served):
    """A served app for an unknown horizon, made of apps for known ones.

    Parameters
    ----------
    make : callable
        ``make(horizon=T)`` gives a fresh app for T rounds, of plain arms or with features.
    first_horizon : int
        Horizon T_0 of the first app, >= 2.
    growth : {"double", "square"}
        Whether the horizons are T_0, 2 T_0, 4 T_0, ... or T_0, T_0^2, T_0^4, ...
    late : {"drop", "next"}
        See :class:`bandits_dp.serve.served.Served`.

    Attributes
    ----------
    stage : int
        Number of apps before the current one.
    horizon : int
        More rounds than can be played.

    Raises
    ------
    ValueError
        If an argument is out of range, or no app can be made for ``first_horizon`` rounds.

    Examples
    --------
    >>> from functools import partial
    >>> import bandits_dp as bdp
    >>> from bandits_dp.serve import Restarts
    >>> problem = bdp.problems.BernoulliArms([0.9, 0.8])
    >>> served = Restarts(partial(bdp.make, "UCB1", problem), first_horizon=100)
    >>> for _ in range(150):
    ...     served.update(served.act(), 1)
    >>> served.played, served.stage, [served.horizon_of(stage) for stage in range(4)]
    (150, 1, [100, 200, 400, 800])
    """

    horizon = NO_END

    def __init__(self, make: Callable[..., App], first_horizon: int = 1024,
                 growth: str = "double", late: str = "drop") -> None:
        self.first = _checks.integer("first_horizon", first_horizon, low=2)
        self.growth = _checks.choice("growth", growth, GROWTHS)
        self.make, self.stage = _checks.called("make", make), 0
        app = self._begun()
        super().__init__(app, late)
        self.name = f"{app.name}, unknown horizon"
        self.parameters = app.parameters | {"first_horizon": self.first, "growth": self.growth}
        self.description = f"Restarts(growth={growth!r}, first={app.description})"
        one = app.guarantee
        self.guarantee = replace(one, reason=f"{one.reason}; a restart for {self.first} rounds "
                                             "and all later ones have other users")

    def horizon_of(self, stage: int) -> int:
        """Return the horizon of a stage; the first one is 0."""
        if stage >= 62:
            return NO_END
        squared = self.first ** (1 << min(stage, 6))
        return min(self.first << stage if self.growth == "double" else squared, NO_END)

    @property
    def played(self) -> int:
        """Rounds played so far."""
        with self.lock:
            return sum(map(self.horizon_of, range(self.stage))) + self.app.played

    @locked
    def update(self, ticket: Ticket, answers: ArrayLike,
               rng: np.random.Generator | None = None) -> None:
        """Take the answer to a ticket, and restart when the horizon is reached.

        Parameters and errors are those of :meth:`bandits_dp.serve.served.Served.update`.
        HorizonReached is raised only where no app can be made for a longer horizon.
        """
        super().update(ticket, answers, rng)
        with suppress(HorizonReached):  # the answer counts
            self._settle()

    @locked
    def ticket(self, token: str) -> Sealed:
        """Return the open ticket of a token; see :meth:`bandits_dp.serve.served.Served.ticket`."""
        self._settle()
        return super().ticket(token)

    def status(self) -> Status:
        """Return the status, with None for the horizon."""
        return replace(super().status(), horizon=None)

    def _settle(self) -> None:
        """Restart in one step if the horizon is reached; a release that is due is dropped."""
        if self.app.played == self.app.horizon:
            then, old = snapshot(self), self.app
            then.stage += 1
            try:
                app = then._begun()
            except ValueError as error:
                raise HorizonReached(f"horizon is {old.horizon} and played, and no app with a "
                                     f"longer one can be made: {error}") from error
            app.visits, app.handed, app.bits = old.visits, old.handed, old.bits
            app.salt, app.listener = old.salt, old.listener
            then.app = app
            then._expire(old.open)
            self.__dict__ = then.__dict__
        super()._settle()

    def _begun(self) -> App:
        """Return a fresh app for this stage, or raise a ValueError if it promises less."""
        app = self.make(horizon=self.horizon_of(self.stage))
        if not isinstance(app, App) or app.setting not in SETTINGS:
            raise ValueError("make must give learners of the settings 'arms' or 'contextual', "
                             f"got {getattr(app, 'name', _checks.told(app))}")
        one, promised = app.guarantee, self.__dict__.get("guarantee", app.guarantee)
        if one.proved and app.appearances > 1:
            raise ValueError("returning_users must be left out where no horizon is known, as users "
                             "may not return after a restart, got "
                             f"{app.appearances} batches for each")
        if one.epsilon > promised.epsilon or one.delta > promised.delta:
            raise ValueError(f"make must promise ({promised.epsilon:g}, {promised.delta:g}), as "
                             f"for {self.first} rounds, got ({one.epsilon:g}, {one.delta:g}) for "
                             f"{app.horizon}")
        return app

    def _pack(self) -> dict[str, Any]:
        inner = {f"inner_{key}": value for key, value in super()._pack().items()}
        return {"played": self.played, "stage": self.stage, **inner}

    def _unpack(self, given: State) -> None:
        self.stage = int(given["stage"])
        self.app = self._begun()
        super()._unpack({key.removeprefix("inner_"): value for key, value in given.items()
                         if key.startswith("inner_")})


App.register(Restarts)  # to be simulated and audited as one
