"""Live use of every system of the catalogue: to the horizon, through every kind of wrong call, and through a save in mid-run."""

import numpy as np
import pytest

import bandits_dp as bdp
from bandits_dp.play.paths import path_for
from tests.small_problems import PROBLEMS, SYSTEMS

HORIZON = 130
HALF = 67
EARLY = 30  # with clients, after which some phase still asks for somebody
LONGER = {"DP-SE": 900}  # whose first batches are as large as that
NAMES = tuple(SYSTEMS)
PRIVATE = {"epsilon": 1.0, "delta": 0.1}


class User:
    """Everything that a learner is told by one problem instance, one round at a time."""

    def __init__(self, name, seed=0, horizon=None):
        distribution, _ = PROBLEMS[SYSTEMS[name].setting]
        self.setting = distribution.setting
        self.rng, self.noise = np.random.default_rng(seed).spawn(2)
        self.problem = distribution.draw(self.rng)
        self.horizon = horizon or LONGER.get(name, HORIZON)
        self.learner = bdp.make(name, distribution, horizon=self.horizon, **PRIVATE)
        self.half = EARLY if self.setting == "clients" else HALF
        if hasattr(self.learner, "show"):
            self.learner.show(self.problem.actions)

    def shown(self):
        """Return what ``act`` takes."""
        if self.setting != "contextual":
            return ()
        return (self.problem.contexts(self.problem.numbers(self.rng, 1))[0],)

    def answer(self, ticket):
        """Return what ``update`` takes with the ticket: values that are allowed, and differ."""
        size = (ticket.users, len(ticket.arm)) if self.setting == "clients" else 1
        reward = self.rng.integers(0, 2, size).astype(float)
        return 2 * reward - 1 if self.setting in ("clients", "linear") else reward

    def play(self, rounds):
        """Play so many rounds at least, use all arrays for something else afterwards, and return the arms."""
        arms, end = [], self.learner.played + rounds
        while self.learner.played < end:
            shown = self.shown()
            ticket = self.learner.act(*shown)
            arms += np.ravel(ticket.arm).tolist()
            reward = self.answer(ticket)
            for features in shown:
                features[:] = np.nan
            self.learner.update(ticket, reward, self.noise)
            reward[:] = np.nan
        return arms


def same(one, other):
    """Whether two states hold the same entries, but for the name by which tickets know their learner."""
    return one.keys() == other.keys() and all(np.array_equal(one[key], other[key]) for key in one if key != "owner")


@pytest.mark.parametrize("name", NAMES)
def test_it_plays_to_the_horizon_and_no_further(name):
    """All rounds are played with arms that exist, and then every verb says that there is no next user and changes nothing."""
    user = User(name)
    first = user.learner.act(*user.shown())
    arms = user.play(user.horizon)
    assert user.learner.played == user.horizon and user.learner.name == name
    assert all(isinstance(arm, int) and 0 <= arm < user.learner.arms for arm in arms)
    end = user.learner.save()
    with pytest.raises(ValueError, match="horizon"):
        user.learner.act(*user.shown())
    with pytest.raises(ValueError, match="horizon"):
        user.learner.update(first, [1.0], user.noise)
    assert same(end, user.learner.save())


@pytest.mark.parametrize("name", NAMES)
def test_wrong_calls_raise_and_change_nothing(name):
    """A learner that was given bad rewards, bad features, no generator or another one's state plays on as if it had not been."""
    user, other = User(name), User(name)
    user.play(user.half)
    other.play(user.half)
    learner, shown = user.learner, user.shown()
    act, theirs = learner.act(*shown), other.learner.act(*other.shown())
    before = learner.save()
    good = user.answer(act)
    other.answer(theirs)
    shape = np.shape(good)
    bounded = SYSTEMS[name].model != "none" or user.setting != "clients"  # averages may be anything without privacy
    bad = [np.full(shape, np.nan), np.full(shape, np.inf), np.zeros((*shape, 2)), np.zeros((2, *shape, 3)), "much", None, [],
           {"reward": 1.0}, [object()], np.zeros(10**6)]
    for rewards in [*bad, np.full(shape, 7.0), np.full(shape, -7.0)] if bounded else bad:
        with pytest.raises(ValueError, match=r"\w"):
            user.learner.update(act, rewards, user.noise)
        assert same(before, learner.save())
    for rng in (3, np.random.RandomState(3)) :
        if name == "UCB1":  # which draws nothing
            break
        with pytest.raises(ValueError, match="rng must be"):
            user.learner.update(act, good, rng)
        assert same(before, learner.save())
    if user.setting == "contextual":
        (features,) = shown
        zero, long, nan = features.copy(), features.copy(), features.copy()
        zero[1], long[1], nan[1, 0] = 0.0, 2.0, np.nan
        for wrong in (zero, long, nan, features[:1], features[:, :-1], features[0], "arms", np.stack([features] * 1000)):
            with pytest.raises(ValueError, match="features must"):
                learner.act(wrong)
            assert same(before, learner.save())
    for state in ({}, {"learner": "me"}, User(name, horizon=user.horizon + 1).learner.save(), {**before, "more": 1},
                  dict(list(before.items())[:-1]), {**before, "played": "many"}):
        with pytest.raises(ValueError, match="state must"):
            learner.restore(state)
        assert same(before, learner.save())
    user.learner.update(act, good, user.noise)
    other.learner.update(theirs, good, other.noise)
    rest = user.horizon - learner.played
    assert user.play(rest) == other.play(rest)
    assert same(*({**state.save(), "owner": ""} for state in (learner, other.learner)))  # tickets differ in whose they are


@pytest.mark.parametrize("name", NAMES)
def test_a_copy_restored_in_mid_run_goes_on_alike(name, tmp_path):
    """A fresh learner that is given the saved state plays the same rounds and ends in the same state."""
    user = User(name)
    user.play(user.half)
    np.savez(tmp_path / "state.npz", **user.learner.save())
    learner, other = user.learner, User(name, seed=1).learner
    with np.load(tmp_path / "state.npz") as state:
        fresh = bdp.make(name, PROBLEMS[user.setting][0], horizon=user.horizon, **PRIVATE)
        fresh.restore(state)
        assert same(fresh.save(), learner.save())
        if hasattr(other, "show"):
            with pytest.raises(ValueError, match="state must"):
                other.restore(state)  # it was shown other actions
    streams = [generator.bit_generator.state for generator in (user.rng, user.noise)]
    rest = user.horizon - learner.played
    arms = user.play(rest)
    for generator, stream in zip((user.rng, user.noise), streams, strict=True):
        generator.bit_generator.state = stream
    user.learner = fresh
    assert user.play(rest) == arms
    assert same(fresh.save(), learner.save())


def test_a_refused_release_leaves_linucb_as_it_was(monkeypatch):
    """The last user of a batch whose release fails may try again, for instance after some memory was freed."""
    def no_memory(*given):
        raise MemoryError

    problem = PROBLEMS["contextual"][0]
    learner = bdp.make("LinUCB-SDP-Vec", problem, horizon=HORIZON, batch_size=4, **PRIVATE)
    rng = np.random.default_rng(0)
    instance = problem.draw(rng)
    ticket = learner.act(instance.contexts(instance.numbers(rng, 4)))
    before = learner.save()
    with monkeypatch.context() as small:
        small.setattr("bandits_dp.privatizers.VectorSum.receive", no_memory)
        with pytest.raises(MemoryError):
            learner.update(ticket, [1, 0, 1, 1], rng)
    assert same(before, learner.save())
    learner.update(ticket, [1, 0, 1, 1], rng)
    assert learner.played == 4 and learner.learner.batch == 1


@pytest.mark.parametrize("name", [name for name in NAMES if SYSTEMS[name].model != "none"])
def test_privacy_parameters_out_of_range_are_refused(name):
    """Also where delta is allowed and not used."""
    problem, horizon = PROBLEMS[SYSTEMS[name].setting]
    for named, wrong in (
        ("epsilon", 0.0), ("epsilon", float("nan")), ("epsilon", None), ("delta", 1.0), ("delta", -0.1), ("delta", "small"),
    ):
        with pytest.raises(ValueError, match=f"{named} must be"):
            bdp.make(name, problem, horizon=horizon, **PRIVATE | {named: wrong})


@pytest.mark.parametrize("name", NAMES)
def test_progress_tells_of_every_round_of_every_run(name):
    problem, _ = PROBLEMS[SYSTEMS[name].setting]
    horizon, told = LONGER.get(name, HORIZON), []
    live = bdp.make(name, problem, horizon=horizon, **PRIVATE)
    path_for(live, problem)(live, problem, np.random.default_rng(0).spawn(3), np.array([7, horizon]), told.append)
    assert sum(told) == 3 * horizon
