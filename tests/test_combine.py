"""Learners, privatizers and problems of somebody's own: what is wrong with them is said, and nothing has changed then."""

import re
from functools import partial

import numpy as np
import pytest

import bandits_dp as bdp
from bandits_dp import privatizers
from bandits_dp.arms import running_widths as running
from bandits_dp.arms.batches import DoublingBatches
from bandits_dp.arms.widths import ChernoffWidth
from bandits_dp.contextual.radius import PlainRadius
from bandits_dp.learners import UCB, ArmElimination, LinUCB, PhasedElimination
from bandits_dp.linear.designs import support_bound
from bandits_dp.linear.widths import ExactWidth
from bandits_dp.serve import Served
from tests.small_problems import refused, same_state, served

BITS = bdp.problems.BernoulliArms([0.9, 0.5, 0.2])
GRAINS = bdp.problems.Rounds(lambda rng: ((None, rng.random(3)) for _ in range(200)), arms=3)
SEEN = bdp.problems.ContextualLinear(arms=3, dimension=2)
WATCHED = bdp.problems.ClientPopulation(np.eye(3), [0.5, 0.1, 0.1], clients=500)
LINEAR = bdp.privatizers.LinearStatistics(2)
SHUFFLED = partial(privatizers.BinarySum, epsilon=1.0, delta=1e-4)
BATCH = privatizers.CentralGaussian(20, 1.0, 1e-3, domain=LINEAR)


class Leader:
    changes = ("best",)

    def __init__(self, asked=None):
        self.best, self.asked = -1, bdp.Asked([0, 1, 2], [10, 10, 10]) if asked is None else asked

    def ask(self):
        return self.asked if self.best < 0 else bdp.Asked([self.best], [1], decides=False)

    def tell(self, released, noise):
        self.best = int(released.argmax())


class Greedy:
    def __init__(self, answer=None):
        self.theta, self.answer = np.zeros(2), answer

    def choose(self, features):
        return (features @ self.theta).argmax(axis=-1) if self.answer is None else self.answer

    def tell(self, released):
        vector, matrix = LINEAR.decode(released)
        self.theta = np.linalg.lstsq(matrix + 9 * np.eye(2), vector)[0]


class Fragile:
    """Plays two arms for ten users each, notes what it is told, and fails as long as it is asked to."""

    changes = ("best",)

    def __init__(self, where):
        self.where, self.seen, self.best = where, [], 0

    def __deepcopy__(self, memory):
        then = object.__new__(Fragile)
        then.__dict__.update(self.__dict__)  # what it has seen is seen by all copies
        return then

    def ask(self):
        if self.where == "ask" and self.seen and len(self.seen) < 20:
            self.seen.append(self.seen[-1])
            raise ConnectionError("no log server")
        return bdp.Asked(arms=[0, 1], plays=[10, 10])

    def tell(self, released, noise):
        self.seen.append(released.copy())
        if self.where == "tell" and len(self.seen) < 20:
            raise ConnectionError("no log server")


class Doubling:
    """Asks for twice as many users, or clients, in every phase; it holds numbers and arrays, and names none."""

    def __init__(self, clients=0):
        self.phase, self.clients, self.best, self.viable = 0, clients, -np.inf, np.array([True, True])

    def ask(self):
        users = 4 if self.clients else 100 * 2**self.phase
        return bdp.Asked(arms=[0, 1], plays=[users, min(users, 50)], clients=self.clients * 2**self.phase)

    def tell(self, released, noise):
        self.phase, self.best = self.phase + 1, float(released.max())


class Own(privatizers.Privatizer):
    """Of a trusted server; hides nothing. Parts can be replaced by keywords."""

    noise_std, bits_per_user = 0.0, 1.0
    guarantee = bdp.Guarantee(np.inf, 1.0, "central", "one reward", "replace one reward", "certified", "there is no noise")

    def __init__(self, users, domain=privatizers.Box(1), **parts):  # noqa: B008  # domains are frozen
        super().__init__(users, domain)
        for name, part in parts.items():
            setattr(self, name, part)

    def randomize(self, values, rng):
        return self.check(values)

    def analyze(self, messages, rng):
        return messages.sum(axis=0)


def central(clients, numbers):
    return privatizers.CentralGaussian(clients, 1.0, 1e-4, domain=privatizers.Box(numbers, -1, 1))


def plays(learner, privatizer, problem, horizon=200, **options):
    for fidelity in ("aggregate", "messages"):
        live = bdp.combine(learner, privatizer, problem, horizon=horizon, fidelity=fidelity, **options)
        result = bdp.simulate(live, problem, horizon=horizon, runs=2, progress=False)
        assert np.isfinite(result.regret).all() and live.played == 0
    return live


@pytest.mark.parametrize("kind", ("CentralLaplace", "LocalLaplace", "DiscreteLaplaceSum", "RandomizedResponse", "CentralGaussian",
                                  "LocalGaussian", "BinarySum", "ScalarSum", "SkellamSum", "AmplifiedGaussian", "VectorSum"))
def test_any_privatizer_of_rewards_goes_into_arm_elimination(kind):
    pure = {} if kind in {"CentralLaplace", "LocalLaplace", "DiscreteLaplaceSum", "RandomizedResponse"} else {"delta": 1e-4}
    more = {"domain": privatizers.Box(1)} if kind == "VectorSum" else {}
    made = partial(getattr(privatizers, kind), epsilon=1.0, **pure, **more)
    plays(ArmElimination(3, DoublingBatches(), ChernoffWidth(200, 10)), made, BITS)


@pytest.mark.parametrize("kind", ("VectorSum", "CentralGaussian", "LocalGaussian"))
def test_any_privatizer_of_vectors_goes_to_clients(kind):
    def made(clients, numbers):
        return getattr(privatizers, kind)(clients, 1.0, 1e-4, domain=privatizers.Box(numbers, -1, 1))

    plays(PhasedElimination(3, 3, 2.0, ExactWidth(3, 200), clients=lambda phase: 20, population=500), made, WATCHED)
    plays(Leader(bdp.Asked([0, 1, 2], [5, 5, 5], clients=20)), made, WATCHED)


def test_phased_elimination_by_hand_is_that_of_the_catalogue():
    problem = bdp.problems.SphericalArms(arms=8, dimension=2)
    learner = PhasedElimination(8, 2, support_bound(2), ExactWidth(8, 600, problem.reward_std))
    noise = partial(privatizers.CentralLaplace, epsilon=1.0, domain=privatizers.Box(1, -1, 1, whole=True))
    mine = bdp.combine(learner, noise, problem, horizon=600)
    listed = bdp.make("CDP-PE", problem, horizon=600, epsilon=1.0, noise="laplace")
    one, other = (bdp.simulate(live, problem, horizon=600, runs=3, seed=4, progress=False) for live in (mine, listed))
    assert (one.regret == other.regret).all() and one.regret[:, -1].min() > 0
    refused("actions must be known before", mine.act)
    wide = partial(privatizers.CentralLaplace, epsilon=1.0, domain=privatizers.Box(1, -2, 2))
    with pytest.raises(ValueError, match=r"problem must have rewards in \[-2, 2\], for which the learner was made, got \{-1, 1\}"):
        bdp.combine(learner, wide, problem, horizon=600)


def test_counters_and_batches_go_to_learners_with_features():
    plays(Greedy(), BATCH, SEEN)
    plays(Greedy(), Own(20, LINEAR), SEEN)
    plays(Greedy(), bdp.continual.TreeCounter(200, 1.0, 1e-4, domain=LINEAR), SEEN)


@pytest.mark.parametrize(("parts", "error", "words"), (
    ((Leader, SHUFFLED, BITS), TypeError, "learner must be an instance, got the class Leader"),
    ((BITS, SHUFFLED, Leader()), TypeError, "learner must have ask"),
    ((Leader(), SHUFFLED(30), BITS), TypeError, "privatizer must be callable as privatizer(users)"),
    ((Leader(), privatizers.BinarySum, BITS), TypeError, "missing 2 required positional arguments"),
    ((Leader(), lambda users: privatizers.BinarySum, BITS), TypeError, "instance of a subclass of"),
    ((Leader(), lambda users: SHUFFLED(7), BITS), ValueError, "(users, dimension) = (10, 1) if asked for it, got (7, 1)"),
    ((Leader(), lambda users: Own(users, privatizers.Box(2)), BITS), ValueError, "got (10, 2)"),
    ((Leader(), lambda users: Own(users, privatizers.Box(1, 5, 6)), BITS), ValueError, "problem must have rewards in [5, 6]"),
    ((Leader(), SHUFFLED, GRAINS), ValueError, "problem must have rewards in {0, 1}"),
    ((Leader(), SHUFFLED, [0.9, 0.5, 0.2]), TypeError, "problem must be one of bandits_dp.problems"),
    ((Leader(), SHUFFLED, bdp.problems.BernoulliArms), TypeError, "problem must be one of bandits_dp.problems"),
    ((Leader(), SHUFFLED, SEEN), ValueError, "problem must not be of the setting 'contextual'"),
    ((Greedy(), BATCH, BITS), ValueError, "problem must be of the setting 'contextual'"),
    ((Greedy(), lambda users: BATCH, SEEN), TypeError, "instance of a subclass of"),
    ((Greedy(), SHUFFLED(20), SEEN), ValueError, "privatizer must be for 5 numbers per user"),
    ((Greedy(), bdp.continual.TreeCounter(20, 1.0, 1e-4, domain=LINEAR), SEEN), ValueError, "fresh counter for 200 rounds"),
    ((LinUCB(3, PlainRadius(3, 20, 0.5, 0.1)), BATCH, SEEN), ValueError, "learner must be for features of length 2, got one for 3"),
    ((UCB(3, running.ExactWidth()), bdp.continual.TreeCounter(200, 1.0, 1e-4), BITS), TypeError, "privatizer must be callable"),
    ((Leader(), lambda users: Own(users, guarantee="mine"), BITS), TypeError, "guarantee must be a bandits_dp.Guarantee"),
    ((Leader(), lambda users: Own(users, "mine"), BITS), TypeError, "domain must be one of bandits_dp.privatizers"),
    ((Leader("all"), Own, BITS), TypeError, "ask must return an Asked"),
    ((Leader(bdp.Asked([1, 2, 3], [1, 1, 1])), Own, BITS), ValueError, "arms must be 0 to 2"),
    ((Leader(bdp.Asked([], [])), Own, BITS), ValueError, "ask must name an arm"),
    ((Leader(bdp.Asked([0], [1], clients=3)), Own, BITS), ValueError, "clients must be 0"),
    ((Leader(), Own, WATCHED), TypeError, "domain must be one of bandits_dp.privatizers"),
    ((Leader(), lambda users, numbers: Own(users), WATCHED), ValueError, "clients must be at least 1"),
))
def test_parts_that_do_not_fit_are_refused_at_once(parts, error, words):
    learner, privatizer, problem = parts
    refused(re.escape(words), bdp.combine, learner, privatizer, problem, horizon=200, error=error)


def test_an_incomplete_privatizer_is_refused():
    class Bare(privatizers.Privatizer):
        randomize, analyze = Own.randomize, Own.analyze

    refused("lacks guarantee, noise_std, bits_per_user", bdp.combine, Leader(), Bare, BITS, horizon=200, error=TypeError)
    refused("lacks guarantee", bdp.audit, Bare(3), [1, 0, 0], [0, 0, 0], rng=np.random.default_rng(1), error=TypeError)

    class Half(Bare):
        analyze = privatizers.Privatizer.analyze

    refused("abstract", bdp.combine, Leader(), Half, BITS, horizon=200, error=TypeError)


@pytest.mark.parametrize(("part", "given"), (
    ("analyze", np.array([np.nan])), ("analyze", 3.0), ("analyze", None), ("analyze", "much"), ("analyze", np.zeros(0)),
    ("analyze", np.zeros(2)), ("analyze", np.array([1j])), ("shuffle", None),
))
def test_what_an_own_privatizer_returns_is_checked_and_nothing_has_changed(part, given):
    live = Served(bdp.combine(Leader(), partial(Own, **{part: lambda messages, rng: given}), BITS, horizon=200))
    for _ in range(9):
        live.update(live.act(), 1.0)
    ticket = live.act()
    state = live.save()
    refused(f"{part} must return", live.update, ticket, 1.0)
    assert all(np.array_equal(state[key], value) for key, value in live.save().items())


@pytest.mark.parametrize("given", (None, 3.0, [[1.0]], np.zeros((2, 1))))
def test_messages_have_a_row_per_user(given):
    live = Served(bdp.combine(Leader(), partial(Own, randomize=lambda values, rng: given), BITS, horizon=200))
    refused("randomize must return an array with one row for each of 1 users", live.update, live.act(), 1.0)
    widths = iter((1, 2))
    live = Served(bdp.combine(Leader(), partial(Own, randomize=lambda values, rng: np.zeros((1, next(widths)))), BITS, horizon=200))
    live.update(live.act(), 1.0)
    refused("messages must be of one shape", live.update, live.act(), 1.0)
    assert live.played == 1


@pytest.mark.parametrize("answer", (3, -1, 0.5, np.nan, "first", [0], np.zeros(3, dtype=int)))
def test_what_an_own_learner_chooses_is_checked(answer):
    live = bdp.combine(Greedy(answer), BATCH, SEEN, horizon=200)
    for users in ((), (2,)):
        refused("choose must return integers from 0 to 2", live.act, np.full((*users, 3, 2), 0.5))
    refused("choose", live.act, np.full((3, 2), 0.5), user="Ada")
    assert not live.open and not live.visits


def test_a_clipping_privatizer_clips_in_simulations_too():
    half = partial(privatizers.CentralLaplace, epsilon=9.0, domain=privatizers.Box(1, 0, 0.5), clip=True)
    live = bdp.combine(ArmElimination(3, DoublingBatches(), ChernoffWidth(200, 10)), half, BITS, horizon=200)
    many = bdp.combine(ArmElimination(3, DoublingBatches(), ChernoffWidth(200, 10)), half, BITS, horizon=200, fidelity="messages")
    regret = [bdp.simulate(one, BITS, horizon=200, runs=2, progress=False).regret for one in (live, many)]
    assert np.array_equal(*regret)  # no sum is drawn from its law


class Dice:
    """Asks about an arm that it draws, and knows nothing."""

    def __init__(self):
        self.rng = np.random.default_rng(1)

    def ask(self):
        return bdp.Asked([int(self.rng.integers(3))], [10])

    def tell(self, released, noise):
        pass


def test_a_learner_that_draws_random_numbers_draws_others_in_each_run():
    """Also for what it asks first; and the same ones on any number of workers."""
    dice = bdp.combine(Dice(), SHUFFLED, BITS, horizon=200)
    first = bdp.simulate(dice, BITS, 10, runs=40, progress=False).regret[:, -1]
    assert set(first.round(6)) == {0.0, 4.0, 7.0}
    whole = [bdp.simulate(dice, BITS, 200, runs=6, workers=workers, progress=False).regret for workers in (1, 2)]
    assert np.array_equal(*whole) and len({*whole[0][:, -1].round(6)}) > 3


def test_own_learners_are_saved_or_say_why_not():
    live, again = (Served(bdp.combine(Greedy(), BATCH, SEEN, horizon=200)) for _ in range(2))
    refused(r"Greedy must name .* `changes` .* answer is None", live.save, error=TypeError)
    live.learner.changes = ("theta",)
    for _ in range(30):
        live.update(live.act(np.eye(3, 2) * 0.5 + 0.1), 1.0)
    again.learner.changes = ("theta",)
    again.restore(live.save())
    assert np.array_equal(again.learner.theta, live.learner.theta) and live.learner.theta.any()
    live.learner.theta = np.array([np.nan, 1.0])  # which is its own
    again.restore(live.save())
    assert np.array_equal(again.learner.theta, [np.nan, 1.0], equal_nan=True)


def test_a_learner_that_names_nothing_is_saved_with_all_its_numbers():
    live, again = (Served(bdp.combine(Doubling(), privatizers.Identity, BITS, horizon=1000)) for _ in range(2))
    for users in (100, 50):
        again.restore(live.save())
        assert same_state(live.save(), again.save()) and again.learner.best == -np.inf
        live.update(live.act(users), np.ones(users))
    again.restore(live.save())
    assert again.missing == live.missing == 200 and again.learner.best == 100.0


def test_the_weakest_privatizer_of_the_first_phase_is_promised():
    live = bdp.combine(Doubling(), lambda n: privatizers.CentralLaplace(n, epsilon=1.0 if n == 100 else 50.0), BITS, horizon=10_000)
    assert live.guarantee.epsilon == 50.0


def loud(clients, numbers):
    return privatizers.CentralGaussian(clients, max(clients, 5) / 5, 1e-3, domain=privatizers.Box(numbers, -1.0, 1.0))


@pytest.mark.parametrize(("clients", "privatizer", "problem", "words"), (
    (0, lambda users: privatizers.CentralLaplace(users, max(users, 100) / 100), BITS, r"\(1, 0\).* 200 users, got \(2, 0\)"),
    (5, loud, WATCHED, r"\(1, 0.001\).* 10 users, got \(2, 0.001\)"),
))
def test_a_weaker_privatizer_of_a_later_phase_is_refused_before_anybody_is_asked(clients, privatizer, problem, words):
    live, own = (bdp.combine(Doubling(clients), privatizer, problem, horizon=10_000, guarantee=guarantee)
                 for guarantee in (None, privatizers.CentralGaussian(1, 4.0, 1e-3).guarantee))

    def plays_a_phase(app):
        while app.learner.phase == 0:
            ticket = app.act(app.missing)
            app.update(ticket, np.zeros((ticket.users, 2) if clients else ticket.users))

    refused(f"privatizer must promise {words}", plays_a_phase, live)
    refused("privatizer must promise", live.act)
    plays_a_phase(own)
    assert live.guarantee.epsilon == 1.0 and own.guarantee.epsilon == 4.0 and live.played == own.played > 0 < own.missing


@pytest.mark.parametrize(("one", "words"), (
    ([None, [0, 1, 0]], "rounds must yield (features, rewards)"), ((None, [0, 1]), "a known reward for each of 3 arms"),
    ((None, [0, 1, np.nan]), "a known reward"), ((None, "yes"), "a known reward"), ((None, [0] * 3, [np.nan] * 3), "means if any"),
    ((None, [0, 1, 5]), "rewards of round 1 must be"), ((np.eye(3), [0, 1, 0]), "rounds must yield None in the place of features"),
))
def test_rounds_say_what_is_wrong_with_a_round(one, words):
    problem = bdp.problems.Rounds(lambda rng: iter([one]), arms=3)
    refused(re.escape(words), next, problem.one_by_one(np.random.default_rng(1)))


def test_rounds_refuse_what_they_cannot_be():
    refused("bits", bdp.problems.Rounds, iter, 3, bits=True, dimension=2)
    for rounds, words in ((lambda rng: None, "must yield"), (lambda rng: [], "no round 1")):
        refused(words, next, bdp.problems.Rounds(rounds, 3).one_by_one(np.random.default_rng(1)))


def test_tapes_and_users_of_audits_are_checked():
    quiet = partial(bdp.audit, epsilon=1.0, delta=0.01, trials=300, rng=np.random.default_rng(1), progress=False)
    arms, seen = bdp.combine(Leader(), Own, BITS, horizon=9), bdp.combine(Greedy(), BATCH, SEEN, horizon=9)
    for live, data, more, words in (
        (arms, np.zeros((9, 2)), {}, "data must be an array of shape (any, 3)"),
        (arms, np.full((9, 3), "x"), {}, "data must be an array of shape (any, 3)"),
        (arms, np.zeros((9, 3)), {"user": 9, "view": "suggestions"}, "user must be 0 to 8"),
        (seen, np.zeros((9, 3)), {}, "data must be a pair"),
        (seen, (np.full((9, 3, 2), 0.5), np.zeros((9, 2))), {}, "data must be an array of shape (9, 3)"),
        (Own(3), np.zeros(2), {"view": "messages"}, "values must have shape (3, 1)"),
        (Own(3), np.zeros(3), {"view": "one user", "user": 3}, "user must be 0 to 2")):
        refused(re.escape(words), quiet, live, data, None, **more)


def test_what_learners_are_told_has_one_shape():
    """Room for every number that can be released, and NaN where none was; what is shown are floats, too, in all settings."""
    arms = bdp.view_of(bdp.combine(Leader(), Own, BITS, horizon=9))
    assert arms(np.zeros((9, 3)), np.random.default_rng(0)).dtype == float
    three = privatizers.CentralGaussian(3, 1.0, 1e-3, domain=LINEAR)
    contexts = bdp.view_of(bdp.combine(Greedy(), three, SEEN, horizon=9), "releases")
    heard = contexts((np.full((9, 3, 2), 0.5), np.ones((9, 3))), np.random.default_rng(0))
    assert heard.shape == (3 * 5,) and np.isfinite(heard).all()
    leader = Leader(bdp.Asked([0, 1, 2], [5, 5, 5], clients=2))
    clients = bdp.view_of(bdp.combine(leader, central, WATCHED, horizon=20), "releases")
    heard = clients(np.full((4, 3), 0.5), np.random.default_rng(0))
    assert np.isfinite(heard).tolist() == [True] * 3 + [False] * 9
    shown = bdp.view_of(bdp.combine(leader, central, WATCHED, horizon=20), "suggestions")
    assert shown(np.full((4, 3), 0.5), np.random.default_rng(0))[:15].tolist() == [0] * 5 + [1] * 5 + [2] * 5


def test_views_of_messages_are_those_that_somebody_sees():
    """Without noise and without shuffling, messages are values: of one user, of the first one, and of all."""
    values, rng = [0.25, 0.5, 1.0], np.random.default_rng(0)
    assert bdp.view_of(Own(3), "one user", user=1)(values, rng).tolist() == [0.5]
    assert bdp.view_of(Own(3), "first message")(values, rng).tolist() == [0.25]
    assert bdp.view_of(Own(3), "messages")(values, rng).tolist() == values


@pytest.mark.parametrize("view", ("suggestions", "releases"))
def test_learners_that_restart_are_audited(view):
    even = bdp.problems.BernoulliArms([0.5, 0.5])
    private, public = (served(name, even, epsilon=1.0, first_horizon=4) for name in ("LDP-AE", "UCB1"))
    tape = np.zeros((9, 2))
    other = tape.copy()
    other[0] = 1
    quiet = partial(bdp.audit, a=tape, b=other, epsilon=1.0, delta=0.01, trials=120, rng=np.random.default_rng(1), view=view)
    assert quiet(private, progress=False).passed and not quiet(public, progress=False).passed
    heard = bdp.view_of(public, "releases")(tape, np.random.default_rng(1))
    assert np.isfinite(heard).tolist() == [True] * 9  # in both stages
    rng, words = np.random.default_rng(1), "epsilon must be given where the guarantee does not cover"
    refused(words, quiet, public, epsilon=None)
    for private, view in ((privatizers.CentralLaplace(3, 1.0), "messages"), (privatizers.BinarySum(3, 1.0, 0.01), "one user")):
        refused(words, bdp.audit, private, [1, 0, 0], np.zeros(3), rng=rng, view=view)
    refused("mechanism must be callable", quiet, Own)


def test_the_user_of_an_audit_is_the_one_whose_data_differ():
    quiet = partial(bdp.audit, trials=1000, epsilon=1.0, delta=0.01, rng=np.random.default_rng(1), user=1, progress=False)
    seen, rewards = bdp.combine(Greedy(), BATCH, SEEN, horizon=9), np.zeros((9, 3))
    features = np.full((9, 3, 2), 0.5)
    for private, a, b, view in ((Own(3), [1, 0, 0], [0, 0, 0], "one user"),
                                (seen, [features, np.eye(9, 1) + rewards], [features, rewards], "suggestions")):
        refused("user must be the one whose data differ in a and b, got 1", quiet, private, a, b, view=view)
        assert quiet(private, a, b, view=view, user=0).trials == 1000


class Curious:
    """Plays the first arm, and remembers whom it saw."""

    def __init__(self):
        self.seen = np.zeros(1)

    def choose(self, features):
        self.seen += features.sum()
        return np.zeros(features.shape[:-2], dtype=int)

    def tell(self, released):
        pass


def test_a_chooser_that_takes_notes_has_them_forgotten():
    """What one user's features are must not reach the next user's choice but through releases."""
    live = bdp.combine(Curious(), privatizers.LocalGaussian(1, 1.0, 0.1, domain=LINEAR), SEEN, horizon=10)
    live.update(live.act(np.eye(3, 2) / 2 + 0.1), 1.0)
    assert live.learner.seen == 0.0


def test_a_central_learner_with_features_promises_joint_privacy_only():
    """Whoever sees what a user is shown sees a function of her own features; in the local model only messages are seen."""
    for kind, joint in ((privatizers.CentralGaussian, True), (privatizers.LocalGaussian, False)):
        privatizer = kind(5, epsilon=1.0, delta=0.1, domain=LINEAR)
        live = bdp.combine(Curious(), privatizer, SEEN, horizon=10)
        assert live.guarantee.joint is joint and ("joint" in str(live.guarantee)) is joint
        assert not privatizer.guarantee.joint
