"""The house before and the new one do the same: every system, hash for hash, as long as both stand.

The same tickets, arms, messages, releases and errors, the same saved state after every step, the same next bytes of the generator;
and each goes on from what the other one saved. States and tickets have no random bits here, so that they can be compared.
"""

import copy
import hashlib

import numpy as np
import pytest

import bandits_book.replicas  # noqa: F401 - plays published figures
import bandits_dp as bdp
from bandits_dp._state import pack
from bandits_dp.app import app
from bandits_dp.app.phases import PhasedApp
from bandits_dp.live import register
from bandits_dp.live.asked import LiveAsked
from bandits_dp.play import plain as plain_loop
from bandits_dp.play.paths import path_for
from bandits_dp.privatizers import Identity, Reals
from bandits_dp.problems import BernoulliArms, ClientPopulation, ContextualLinear
from bandits_dp.serve import served
from tests.houses import Alone, Guests, app_of
from tests.small_problems import CASES, PROBLEMS, SYSTEMS, Crowd
from tests.test_combine import Greedy
from tests.test_live_safety import Doubling

LINEAR = ("LinUCB", "LinUCB-LDP", "LinUCB-JDP", "LinUCB-SDP-Amp", "LinUCB-SDP-Vec")
UNPUBLISHED = {"LDP-OLS", "LinUCB-RewardTree"}  # no theorem is
HORIZONS = {"DP-SE, theorem": 1400}
LATE = {"batch_size": 3, "late": "next"}
MORE = {  # whatever else the catalogue makes of its systems
    **{f"{name}, messages": (name, {"fidelity": "messages"}) for name, system in SYSTEMS.items()
       if any(option.name == "fidelity" for option in system.options)},
    **{f"{name}, experiment": (name, {"calibration": "experiment"}) for name in (*LINEAR, "LinUCB-DGS")},
    **{f"{name}, theorem": (name, {"calibration": "theorem", "epsilon": 0.38}) for name in SYSTEMS if name not in UNPUBLISHED},
    "SDP-AE, theorem": ("SDP-AE", {"calibration": "theorem"}),
    "LinUCB-DGS, theorem": ("LinUCB-DGS", {"calibration": "theorem", "least_eigenvalue": 0.9}),
    "DP-SE, theorem": ("DP-SE", {"calibration": "theorem", "epsilon": 2.0}),
    "centred LinUCB-LDP": ("LinUCB-LDP", {"centred": True}),
    "clipped CDP-DPE": ("CDP-DPE", {"clip": True}),
    "square": ("AE", {"first_horizon": 5, "growth": "square"}),
    "late UCB1, unknown horizon": ("UCB1", {"first_horizon": 9, "late": "next"}),
    **{f"late {name}": (name, LATE) for name in ("LinUCB", "LinUCB-Tree", "LinUCB-RewardTree")},
    **{f"late {name}": (name, LATE | {"returning_users": 5}) for name in (
        "LinUCB-SDP-Amp", "LinUCB-Batched-LDP", "LinUCB-Batched-JDP")},
}
ALL = CASES | MORE


def plain(thing):
    """Return something as bytes that are the same for the same numbers of the same type."""
    array = np.asarray(thing)
    return repr(array.tolist()).encode() if array.dtype.hasobject else f"{array.dtype.str}{array.shape}".encode() + array.tobytes()


def pair(before, now, case, monkeypatch):
    """Return the same users in both houses."""
    monkeypatch.setitem(CASES, case, ALL[case])
    return tuple(crowd(case, horizon=HORIZONS.get(case)) for crowd in (before, now))


class Pair:
    """Two crowds with the same users and noise, of which one has the house before."""

    def __init__(self, case, monkeypatch):
        for module in (register, app, served):
            monkeypatch.setattr(module, "DRAWN", 0)
        self.crowds, self.monkeypatch, self.open, self.used = pair(Crowd, Guests, case, monkeypatch), monkeypatch, [], []
        self.sent, self.tapped = [], set()
        before, now = (crowd.learner for crowd in self.crowds)
        for named in (getattr(before, "live", before).register, now):
            named.owner, named.secret = "one name", bytes(range(16))
        self.look()

    def tap(self, crowd):
        """Write down what users send, whoever the privatizer is."""
        learner = crowd.learner
        for slot in getattr(learner, "app", getattr(learner, "live", learner)).slots:
            kind = type(slot.source)
            if slot.source is not None and kind not in self.tapped:
                def send(source, values, rng, kind=kind, plainly=kind.send):
                    found = plainly(source, values, rng)
                    self.sent.append((kind.__name__, plain(found)))
                    return found
                self.monkeypatch.setattr(kind, "send", send)
                self.tapped.add(kind)

    def both(self, verb):
        """Let both do something, and compare all that can be seen of it; return both answers."""
        seen, answers = [], []
        for which, crowd in enumerate(self.crowds):
            self.tap(crowd)
            self.sent.clear()
            try:
                answer = verb(crowd, which)
                told = getattr(answer, "token", None) or plain(0 if answer is None else answer)
            except (ValueError, TypeError) as error:
                answer, told = None, (type(error).__name__, str(error).replace("Sealed(", "Ticket("))
            answers.append(answer)
            seen.append((told, tuple(self.sent), crowd.noise.bit_generator.state, crowd.rng.bit_generator.state))
        assert seen[0] == seen[1]
        self.look()
        return None if answers[0] is None else tuple(answers)

    def look(self):
        """Compare states, and what a server can ask."""
        (one, state), (other, then) = ((crowd.learner, crowd.learner.save()) for crowd in self.crowds)
        assert {key for key in state.keys() | then.keys() if key not in state or key not in then
                or plain(state[key]) != plain(then[key])} == set()
        for name in ("tickets", "missing", "missed", "played", "bits", "horizon", "name", "parameters", "terms"):
            assert getattr(one, name) == getattr(other, name), name
        assert repr(one.status()) == repr(other.status()) and repr(one) == repr(other)

    def swapped(self):
        """Let each go on from what the other one saved."""
        states = [crowd.learner.save() for crowd in self.crowds]
        self.crowds = tuple(crowd.restored(state) for crowd, state in zip(self.crowds, states[::-1], strict=True))
        self.look()

    def act(self, user=None, users=None, explore=0.0):
        """Let one user come, or several."""
        def verb(crowd, _):
            if crowd.setting != "contextual":
                more = {} if not explore else {"explore": explore, "rng": crowd.noise}
                if crowd.setting == "clients" and crowd.learner.missing and user is not None:
                    return crowd.learner.act(1, user)
                return crowd.learner.act(user=user, **more) if users is None else crowd.learner.act(users, **more)
            shown = crowd.problem.contexts(crowd.problem.numbers(crowd.rng, users or 1))
            return crowd.learner.act(shown if users else shown[0], user=user, rng=crowd.noise, explore=explore)

        if (tickets := self.both(verb)) is not None:
            self.open.append(tickets)
        return tickets

    def update(self, tickets, answer=None):
        """Let the answer to a ticket come, or a wrong one."""
        self.both(lambda crowd, which: crowd.learner.update(
            tickets[which], crowd.answer(tickets[which]) if answer is None else answer, crowd.noise))
        self.used.append(tickets)

    def token(self, tickets):
        """Let it come with its token."""
        self.both(lambda crowd, which: crowd.learner.update(
            crowd.learner.ticket(tickets[which].token), crowd.answer(tickets[which]), crowd.noise))


@pytest.mark.parametrize("case", ALL)
def test_both_houses_do_the_same(case, monkeypatch):
    """Users come and answer in any order, one by one or together, twice, wrongly, late or never; both are saved and restored."""
    both = Pair(case, monkeypatch)
    rng = np.random.default_rng(int.from_bytes(hashlib.sha256(case.encode()).digest()[:4], "big"))
    explores = both.crowds[0].setting == "contextual" or case.endswith(("UCB1", "DP-UCB"))
    late = "late" in case  # of these users more come back
    ids = [None, "Ada", "5", *range(9 if late else 40)]
    for step in range(240 if late else 90):
        what = rng.integers(12)
        if what < 4 or not both.open:
            both.act(ids[rng.integers(len(ids))], explore=0.5 if explores and what == 0 else 0.0)
        elif what == 4:
            both.act(users=int(rng.integers(1, 4)))
        elif what < 9:
            both.update(both.open.pop(int(rng.integers(len(both.open)))))
        elif what == 9:
            both.token(both.open.pop(int(rng.integers(len(both.open)))))
        elif what == 10 and both.used:
            both.update(both.used[int(rng.integers(len(both.used)))])
        else:
            both.update(both.open[-1], [np.nan, "much", None, np.zeros((2, 2, 2)), 1e6][rng.integers(5)])
            both.both(lambda crowd, _: crowd.learner.update(1.0, 1.0, crowd.noise))
        if step % 30 == 29:
            both.swapped()
    both.open = both.open[-3:]
    while both.crowds[0].learner.played < both.crowds[0].horizon:
        many = min(50, both.crowds[0].learner.missing)
        if both.crowds[0].setting == "clients" or (tickets := both.act(users=many) if many > 1 else both.act()) is None:
            tickets = both.act()
        both.update(tickets)
    if both.crowds[0].setting != "contextual":
        both.both(lambda crowd, _: crowd.learner.suggest())
    both.act()


BARE = [case for case, (_, options) in ALL.items() if not {"first_horizon", "late"} & options.keys()]


@pytest.mark.parametrize("case", BARE)
def test_a_bare_app_does_the_same(case, monkeypatch):
    """With nobody's id, to the horizon: arms, all that the learner knows, bits, and the next bytes of the generator."""
    old, new = pair(Crowd, Alone, case, monkeypatch)
    for until in (7, 40, old.horizon):
        if old.learner.played < until:
            assert old.play(0, until=until) == new.play(0, until=until)
        known = [{key: plain(value) for key, value in pack(crowd.learner.learner, "").items()} for crowd in (old, new)]
        assert known[0] == known[1] and old.noise.bit_generator.state == new.noise.bit_generator.state
        for name in ("played", "bits", "counts", "missing"):
            assert plain(list(np.ravel(getattr(old.learner, name)))) == plain(list(np.ravel(getattr(new.learner, name)))), name
        new.learner = copy.deepcopy(new.learner)


@pytest.mark.parametrize("case", BARE)
def test_simulations_of_both_houses_are_the_same(case, monkeypatch):
    """By whatever plays today's learner: every regret, bit and count of three runs."""
    monkeypatch.setattr(plain_loop, "LiveAsked", (LiveAsked, PhasedApp))
    crowd, _ = pair(Crowd, Crowd, case, monkeypatch)
    live, (problem, _) = crowd.make(), PROBLEMS[crowd.setting]
    results = [path_for(live, problem)(one, problem, np.random.default_rng(3).spawn(3), np.array([9, crowd.horizon]), int)
               for one in (live, app_of(live))]
    for kind in ("regret", "bits"):
        assert plain(getattr(results[0], kind)) == plain(getattr(results[1], kind))
    for kind in ("counts", "curves"):
        one, other = (getattr(result, kind) for result in results)
        assert one.keys() == other.keys() and all(plain(one[key]) == plain(other[key]) for key in one)


class Rows(Identity):
    """A sum that tells in which order its rows came."""

    adds = False

    def receive(self, waiting, rng):
        return np.arange(1.0, 1 + len(waiting)) @ waiting


@pytest.mark.parametrize("setting", ["arms", "clients", "contextual"])
def test_what_is_somebodys_own_is_the_same(setting):
    """A learner and a privatizer whose messages do not add up: they wait in the same random order."""
    own, problem = (Greedy(), ContextualLinear(arms=3, dimension=2)) if setting == "contextual" else (
        Doubling(3), ClientPopulation(np.eye(2), [0.5, 0.3])) if setting == "clients" else (Doubling(), BernoulliArms([0.5, 0.5]))
    source = Rows(5, Reals(5)) if setting == "contextual" else (lambda users, numbers=1: Rows(users, Reals(numbers)))
    old = bdp.combine(own, source, problem, horizon=400)
    new, rngs, seen = app_of(old), [np.random.default_rng(3) for _ in range(2)], [[], []]
    for step in range(160 if setting != "clients" else 9):
        for app_or_live, rng, log in zip((old, new), rngs, seen, strict=True):
            ticket = app_or_live.act(*([np.eye(3, 2) * 0.8 + 0.001 * (step + 1)] if setting == "contextual" else [1]))
            answer = [0.01 * (step + np.arange(2))] if setting == "clients" else float(step % 2)
            app_or_live.update(ticket, answer, rng)
            log += [plain(ticket.arm), *(plain(slot.waiting) for slot in app_or_live.slots if slot.waiting is not None),
                    plain(list(vars(app_or_live.learner).values())[-1])]
    assert seen[0] == seen[1] and rngs[0].bytes(16) == rngs[1].bytes(16) != np.random.default_rng(3).bytes(16)
