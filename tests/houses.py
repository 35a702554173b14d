"""The house before and the new one, side by side: apps and served apps that are made of today's learners."""

import copy
from types import SimpleNamespace

from bandits_dp.app.arms import RunningApp
from bandits_dp.app.contextual import ContextsApp
from bandits_dp.app.linear import ClientsApp
from bandits_dp.app.sums import SumsApp
from bandits_dp.live.arms import LiveArms
from bandits_dp.live.clients import LiveClients
from bandits_dp.live.counted import LiveCounted
from bandits_dp.live.restarts import Restarts as LiveRestarts
from bandits_dp.serve import Restarts, Served
from tests.small_problems import Crowd


def app_of(live):
    """Return the app of a fresh live learner for a known horizon; the two share nothing."""
    live = copy.deepcopy(live)
    if isinstance(live, (LiveArms, LiveClients)):
        kind, setting = (SumsApp, (live.setting,)) if isinstance(live, LiveArms) else (ClientsApp, ())
        app = kind(live.learner, live.privatizer, live.arms, live.horizon, live.guarantee, live.fidelity, *setting)
        app.weakest = live.weakest
    elif isinstance(live, LiveCounted):
        app = RunningApp(live.learner, live.slots[0].source, live.arms, live.horizon, live.guarantee)
    else:
        public = SimpleNamespace(**{name: getattr(live, name) for name in ("arms", "dimension", "reward_range", "feature_norm")})
        app = ContextsApp(live.learner, live.stream, public, live.horizon, live.centre, live.fidelity, live.register.most)
        app.guarantee = live.guarantee
    app.name, app.description, app.parameters = live.name, live.description, live.parameters
    return app


def served(live):
    """Return a served app that does what a fresh live learner does."""
    if isinstance(live, LiveRestarts):
        return Restarts(Stages(live.make), live.first, live.growth, live.late)
    return Served(app_of(live), live.late)


class Stages:
    """Makes apps of what makes live learners."""

    def __init__(self, make):
        self.make = make

    def __call__(self, horizon):
        return app_of(self.make(horizon=horizon))


class Guests(Crowd):
    """The crowd of one of the cases, with a served app in the place of a live learner."""

    def __init__(self, case, seed=0, horizon=None):
        super().__init__(case, seed, horizon)
        make = self.make
        self.make = lambda: served(make())
        self.learner = self.make()
        self.meet(self.learner)


class Alone(Crowd):
    """The crowd of one of the cases, with a bare app in the place of a live learner."""

    def __init__(self, case, seed=0, horizon=None):
        super().__init__(case, seed, horizon)
        make = self.make
        self.make = lambda: app_of(make())
        self.learner = self.make()
        self.meet(self.learner)

    def brink(self):
        """Play until an answer is lacking for the learner to be told something; return its ticket, and that answer."""
        while True:
            many = max(1, self.learner.missing - 1) if self.setting in ("arms", "linear") else 1
            ticket = self.learner.act(many) if many > 1 else self.act()
            answer, twin = self.answer(ticket), copy.deepcopy(self.learner)
            before = twin.learner
            twin.update(twin.open[ticket.number], answer, copy.deepcopy(self.noise))
            if twin.learner is not before:
                return ticket, answer
            self.learner.update(ticket, answer, self.noise)
