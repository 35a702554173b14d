"""Inputs at the edge of floats: what neighbours move, by brute force and before any noise, is at most what noise is made for.

Every noise is set to 0, so that what waits for it is seen, as exact fractions. Ranges of rewards lie anywhere, features are as
short as floats are, in all of numpy's kinds. What is refused names what is wrong. `make fuzz` tries many more (EDGES=).
"""

import math
import os
from fractions import Fraction
from functools import partial

import numpy as np
import pytest

import bandits_dp as bdp
from bandits_dp import continual
from bandits_dp import privatizers as P
from bandits_dp.app.slot import Slot
from bandits_dp.app.streams import CountedBatches, FreshBatches
from bandits_dp.contextual.curator import Curator
from bandits_dp.noise.grid import Grid, whole
from bandits_dp.noise.noise_bits import NoiseBits
from bandits_dp.privatizers.integer_sum import IntegerSum

POINTS = int(os.environ.get("EDGES", "40"))  # for each kind of learner or privatizer
ROOM = 1e-9
KINDS = (np.float16, np.float32, np.float64, np.longdouble)
TINY, BELOW_ONE, FAR = 5e-324, 1 - 2**-53, 2.0**53
BATCHED = {"LinUCB-SDP-Amp": 2, "LinUCB-SDP-Vec": 2, "LinUCB-Batched-LDP": 2, "LinUCB-Batched-JDP": 2, "LinUCB-Tree": 3,
           "LinUCB-RewardTree": 3, "SDP-AE": 2, "LDP-AE": 2, "Dist-DP-AE": 2}
PRIVATE = {system.name: system for system in bdp.systems() if system.model != "none"}


@pytest.fixture(autouse=True)
def heard(monkeypatch):
    """Set all noise to 0, and write down what noise would be added to, with who adds it."""
    def none(*shape):
        return np.zeros(shape, dtype=np.int64)

    monkeypatch.setattr(Grid, "noise", lambda self, shape, rng, factor=1.0: none(*shape))
    monkeypatch.setattr(NoiseBits, "draw", lambda self, shape, rng: none(*shape, self.rare + self.common).astype(np.uint8))
    monkeypatch.setattr(NoiseBits, "draw_sum", lambda self, users, shape, rng: none(*shape))
    for kind in (P.DiscreteLaplaceSum, P.SkellamSum):
        monkeypatch.setattr(kind, "_draw", lambda self, users, shape, rng: none(*shape))
    found = []

    def listening(kind, method, seen):
        true = getattr(kind, method)
        monkeypatch.setattr(kind, method, lambda self, *given: seen(self, *given) or true(self, *given))

    for kind in (FreshBatches, CountedBatches, Curator):
        listening(kind, "receive", lambda self, waiting, rng: found.append((self, waiting)))
    taking = Slot.with_answers

    def taken(self, *given):
        then = taking(self, *given)
        if isinstance(then.source, P.Privatizer) and then.filled == then.users:
            found.append((then.source, then.waiting))
        return then

    monkeypatch.setattr(Slot, "with_answers", taken)
    return found


def apart(one, other, step, power):
    """Distance of two arrays in steps, exactly but for the root."""
    pairs = zip(np.ravel(one).tolist(), np.ravel(other).tolist(), strict=True)
    moves = [(Fraction(a) - Fraction(b)) / Fraction(step) for a, b in pairs]
    return float(sum(map(abs, moves))) if power == 1 else math.sqrt(sum(move**2 for move in moves))


def spent(source, one, other):
    """Return how far apart two sums are that get noise, over how far they may be for which that noise is made."""
    if isinstance(source, Curator):
        one, other = (whole(waiting[:, : source.public], source.step) for waiting in (one, other))
        return apart(one, other, 1, 2) / (source.eta.change / source.step * (1 + 4e-9) + math.sqrt(source.public))
    source = getattr(source, "privatizer", getattr(source, "counter", source))  # of a stream
    domain = source.domain
    if isinstance(source, IntegerSum):
        g, d = source.levels, source.dimension
        assert min(one.min(), other.min()) >= 0 and max(one.max(), other.max()) <= g * source.users
        shift = domain.l2_diameter * g / (source.high - source.low) * (1 + 4e-9) + math.sqrt(d)
        return apart(one, other, 1, 2) / min(shift, g * math.sqrt(d))
    if isinstance(source, P.RandomizedResponse):
        return apart(one, other, 1, 1)
    laplace = source.grid.law == "laplace"
    if isinstance(source, continual.Counter):
        scale = source.noise_std / math.sqrt(2) if laplace else source.noise_std
    else:
        scale = source.scale if laplace else source.unit_std
    distance = domain.l1_diameter if laplace else domain.l2_diameter
    return apart(one, other, source.grid.step, 1 if laplace else 2) * (scale / distance) / source.grid.scale


def range_of(rng):
    """Return a range of rewards, of any length and anywhere: around 0, or as far as floats tell its ends apart, or not."""
    half = 2.0 ** rng.choice([rng.integers(-1070, 1020), rng.integers(-400, 300), 0])
    far = rng.choice([0, 1, 2, 20, 30, 45, 51, 54])
    middle = float(rng.integers(-(2**far), 2**far, endpoint=True)) if far else rng.uniform(-3, 3)
    with np.errstate(over="ignore"):
        return float(half * (middle - 1)), float(half * (middle + 1))


def inside(rng, low, high):
    """Return a number from low to high: an end, a neighbour of one, or any."""
    near = rng.choice([low, high, np.nextafter(low, high), np.nextafter(high, low), low / 2 + high / 2, -0.0, TINY, rng.uniform()])
    return float(min(max(near, low), high))


def vector(rng, d, norm):
    """Return a vector no longer than the norm, or much shorter, with zeros of both signs."""
    x = rng.normal(size=d) * rng.choice([0.0, -0.0, 1.0, 1.0, 1.0], d)
    length = np.sqrt(x @ x)
    x = x / length * (1 - 1e-15) if length else np.full(d, d**-0.5)
    short = x * norm * 10.0 ** rng.choice([0.0, 0.0, -rng.uniform(0, 323 + math.log10(norm))])
    return short if short.any() else np.full(d, TINY)


def cast(rng, number, right):
    """Return a number, or an array, as one of numpy's kinds of floats, if it is right in that one, too."""
    with np.errstate(over="ignore"):
        other = rng.choice(KINDS)(number)
    return other if right(np.float64(other)) else number


def fed(learner, shown, answers):
    """Play users of one ticket each; return what the last release got noise for."""
    rng = np.random.default_rng(0)  # the same rounding for both
    for features, answer in zip(shown, answers, strict=True):
        learner.update(learner.act(features), answer, rng)


def contextual(rng, name):
    """Users with features and rewards; the last one's reward is another one, and, if they are private too, her features."""
    rewards_only, d, users = PRIVATE[name].unit == "one reward", int(rng.integers(1, 4)), BATCHED.get(name, 1)
    (low, high), norm = range_of(rng), float(10.0 ** rng.choice([0, rng.uniform(-149, 20)])) if rewards_only else 1.0
    if not rewards_only:
        low, high = sorted(rng.choice([-1.0, 0.0, 1.0, -1e-9, TINY, BELOW_ONE, rng.uniform()], 2, replace=False).tolist())
    theta_norm = min(max(high / norm - low / norm, 1e-100), 1e100) if rewards_only else 1.0
    problem = bdp.problems.Rounds(iter, 2, d, (low, high), feature_norm=norm, theta_norm=theta_norm)
    options = {"batch_size": users} if name in BATCHED else {}

    def look():
        return np.tile(cast(rng, vector(rng, d, norm), lambda x: np.isfinite(x).all() and x.any()), (2, 1))

    def answer():
        return cast(rng, rng.choice([low, high, inside(rng, low, high)]), lambda y: low <= y <= high)

    shown, answers = [look() for _ in range(users)], [answer() for _ in range(users)]
    others, changed = [*shown[:-1], shown[-1] if rewards_only else look()], [*answers[:-1], answer()]
    return lambda: bdp.make(name, problem, horizon=users, epsilon=1.0, delta=0.01, **options), (shown, answers), (others, changed)


NAMES = ("problem", "rewards", "features", "reward_range", "feature_norm", "theta_norm", "ridge", "users", "domain", "norm", "low",
         "high", "value", "values", "averages", "bound")


def worst_of(one_of, heard, least=0.4):
    """Return the largest share of what noise is made for that two neighbours use, over many pairs of them; few may be refused."""
    worst, kept = 0.0, 0
    for _ in range(POINTS):
        try:
            for play in one_of():
                play()
        except ValueError as error:
            assert any(name in str(error) for name in NAMES), str(error)
        else:
            half = len(heard) // 2
            for (source, before), (_, after) in zip(heard[:half], heard[half:], strict=True):
                worst = max(worst, spent(source, before, after))
            kept += 1
        heard.clear()
    assert kept >= least * POINTS, kept
    return worst


@pytest.mark.parametrize("name", [name for name, system in PRIVATE.items() if system.setting == "contextual"])
def test_a_user_with_features_moves_what_gets_noise_no_further_than_noise_is_made_for(name, heard):
    """Features of 1e-162 moved sums 6.75 times as far, and rewards around 2^53 told the last answer."""
    rng = np.random.default_rng(len(name))

    def pair():
        make, *data = contextual(rng, name)
        return [lambda own=own: fed(make(), *own) for own in data]

    assert 0.1 < worst_of(pair, heard) <= 1 + ROOM


def box(rng, d):
    low, high = range_of(rng)
    return P.Box(d, low, high)


def ball(rng, d):
    return P.Ball(d, 10.0 ** rng.choice([0, rng.uniform(-149, 99)]))


def numbers(rng, domain):
    """Return a value of a domain, at its edge or anywhere, up to what its check lets pass."""
    if isinstance(domain, P.LinearStatistics):
        return domain.encode(vector(rng, domain.features, 1.0)[None], [inside(rng, -1.0, 1.0)])[0]
    if isinstance(domain, P.Ball):
        return vector(rng, domain.dimension, domain.norm) * (1 + 0.9e-9 * rng.integers(2))
    own = [rng.choice([0.0, 1.0]) if domain.whole else inside(rng, domain.low, domain.high) for _ in range(domain.dimension)]
    return np.array(own)


def linear(rng, d):
    return P.LinearStatistics(int(rng.integers(1, 4)))


PRIVATIZERS = {  # each with the domains that it can have
    P.CentralGaussian: (box, ball, linear), P.LocalGaussian: (box, ball, linear), P.CentralLaplace: (box, ball),
    P.LocalLaplace: (box,), P.AmplifiedGaussian: (box, linear), P.VectorSum: (ball, linear), P.ScalarSum: (box,),
    P.DiscreteLaplaceSum: (box,), P.SkellamSum: (box,),
}


@pytest.mark.parametrize("kind", PRIVATIZERS, ids=lambda kind: kind.__name__)
def test_a_value_moves_a_sum_no_further_than_noise_is_made_for(kind, heard):
    """A ball of radius 1e-200 let all vectors pass whose squares are 0; below its ball a number was encoded as -1."""
    rng = np.random.default_rng(7)

    def pair():
        d = 1 if kind in (P.ScalarSum, P.DiscreteLaplaceSum, P.SkellamSum) else int(rng.integers(1, 4))
        users, domain = int(rng.integers(1, 4)), PRIVATIZERS[kind][rng.integers(len(PRIVATIZERS[kind]))](rng, d)
        noisy = kind(users, 1.0, 0.01, domain=domain, **({"levels": int(rng.integers(1, 9))} if kind is P.VectorSum else {}))
        one = [numbers(rng, domain) for _ in range(users)]

        def sent(values):
            right = noisy.check(np.array([cast(rng, value, partial(np.array_equal, value)) for value in values]), users)
            heard.append((noisy, noisy.send(right, np.random.default_rng(0)).sum(axis=0)))

        return [lambda values=values: sent(values) for values in (one, [*one[:-1], numbers(rng, domain)])]

    assert 0.3 < worst_of(pair, heard, 0.25) <= 1 + ROOM


@pytest.mark.parametrize("kind", [continual.TreeCounter, continual.HybridCounter, continual.FactorizationCounter,
                                  continual.NaiveCounter, continual.TwoLevelCounter, continual.PerStepCounter])
def test_a_value_moves_a_counter_no_further_than_noise_is_made_for(kind, heard):
    """Of a factorization all partial sums get noise, after they were rounded; of the others whole intervals of values."""
    rng = np.random.default_rng(8)

    def pair():
        domain = (box, ball, linear)[rng.integers(3)](rng, int(rng.integers(1, 4)))
        counter, values = kind(6, 1.0, 0.01, domain), [numbers(rng, domain) for _ in range(6)]
        others = [numbers(rng, domain), *values[1:]]

        def counted(stream):
            counter.reset()
            for value in stream:
                counter.add(value, rng)
            rows = [counter.grid.whole(counter._check_value(stream[0]))]
            if counter.grid.step * 2.0**47 > max(map(abs, (domain.low, domain.high))) and kind is continual.FactorizationCounter:
                rows = counter._rows[:6, counter.dimension :].astype(object)  # longer ones are rounded when they have noise
            heard.append((counter, np.array(rows, dtype=object) * Fraction(counter.grid.step)))

        return [lambda stream=stream: counted(stream) for stream in (values, others)]

    share = counter_norm(kind)
    assert 0.3 < worst_of(pair, heard, 0.25) <= share * (1 + ROOM)


def counter_norm(kind):
    """How much further the partial sums move together than the value: 1 where a value is looked at alone."""
    example = kind(6, 1.0, 0.01)
    return example.sensitivity if kind is continual.FactorizationCounter else 1.0


@pytest.mark.parametrize("name", [name for name, system in PRIVATE.items() if system.setting != "contextual"])
def test_a_user_of_an_arm_moves_what_gets_noise_no_further_than_noise_is_made_for(name, heard):
    rng, setting = np.random.default_rng(9), PRIVATE[name].setting

    def pair():
        bits, bound = rng.random() < 0.5, 10.0 ** rng.choice([0, rng.uniform(-140, 90)])
        if setting == "arms":
            problem, low, high = bdp.problems.BernoulliArms([0.5, 0.5]) if bits else bdp.problems.Rounds(iter, 2), 0.0, 1.0
        elif setting == "linear":
            signs = {"rewards": "signs"} if bits else {"rewards": "gaussian", "bound": bound}
            problem, high = bdp.problems.LinearArms(np.eye(2), [0.5, 0.5], **signs), 1.0 if bits else bound
            low = -high
        else:
            problem, low, high, bits = bdp.problems.ClientPopulation(np.eye(2), [0.5, 0.5], 0.2), -bound, bound, False
        options = {"bound": bound} if setting == "clients" else {"batch_size": BATCHED[name]} if name in BATCHED else {}
        seed = int(rng.integers(2**32))

        def play(last):
            learner, own = bdp.make(name, problem, horizon=900, epsilon=1.0, delta=0.1, **options), np.random.default_rng(seed)
            while len(heard) <= last and learner.played < 900:
                ticket = learner.act() if setting == "clients" else learner.act(users=learner.missing)
                size = (ticket.users, 2) if setting == "clients" else (ticket.users,)
                answers = np.array([low if bits else inside(own, low, high) for _ in range(math.prod(size))]).reshape(size)
                answers[-1] = high if last else low
                learner.update(ticket, answers if ticket.users > 1 or setting == "clients" else answers[0], own)

        return [lambda: play(False), lambda: play(True)]

    assert 0.3 < worst_of(pair, heard, 0.3) <= 1 + ROOM
