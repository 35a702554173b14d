"""What chapter 5 claims: clones, the sum over their number, the published formula, and the price of a local delta."""

import itertools
import math
from collections import defaultdict
from fractions import Fraction

import numpy as np
import pytest

import bandits_dp as bdp
from bandits_dp.accounting import shuffle_epsilon
from bandits_dp.accounting.shuffling import clones_delta
from tests.chapters import changed, one_way

Law = dict[object, Fraction]
Rows = list[list[Fraction]]


def choose(n: int, k: int, p: Fraction) -> Fraction:
    return math.comb(n, k) * p**k * (1 - p) ** (n - k)


def clone_pairs(users: int, grow: Fraction) -> tuple[Law, Law]:
    """Return the laws of the two pairs of counts by brute force over (C, Y, Z); grow is e^epsilon_0."""
    laws: tuple[defaultdict, defaultdict] = defaultdict(Fraction), defaultdict(Fraction)
    q = grow / (grow + 1)
    for c in range(users):
        for a in range(c + 1):
            for d in (0, 1):
                mass = choose(users - 1, c, 1 / grow) * choose(c, a, Fraction(1, 2)) * (q if d else 1 - q)
                laws[0][a + d, c - a + 1 - d] += mass
                laws[1][a + 1 - d, c - a + d] += mass
    return dict(laws[0]), dict(laws[1])


def shuffled(rows: Rows, inputs: tuple[int, ...]) -> Law:
    """Return the law of the histogram of all messages: what is left when their order carries nothing."""
    law: Law = {(0,) * len(rows[0]): Fraction(1)}
    for user in inputs:
        new: defaultdict[object, Fraction] = defaultdict(Fraction)
        for seen, mass in law.items():
            for message, chance in enumerate(rows[user]):
                new[tuple(count + (i == message) for i, count in enumerate(seen))] += mass * chance
        law = dict(new)
    return law


def worst(rows: Rows, users: int, ratio: Fraction) -> Fraction:
    """Return the exact delta of the shuffled messages over all crowds and all pairs of neighbours."""
    most = Fraction(0)
    kinds = range(len(rows))
    for others in itertools.combinations_with_replacement(kinds, users - 1):
        laws = [shuffled(rows, (mine, *others)) for mine in kinds]
        most = max([most, *(one_way(a, b, ratio) for a, b in itertools.permutations(laws, 2))])
    return most


def response(kinds: int, grow: Fraction) -> Rows:
    total = grow + kinds - 1
    return [[(grow if i == j else Fraction(1)) / total for j in range(kinds)] for i in range(kinds)]


UNEVEN = [[Fraction(x, 20) for x in row] for row in ([8, 8, 2, 2], [2, 6, 4, 8], [4, 2, 6, 8])]
RANDOMIZERS = [(response(2, Fraction(2)), 2), (response(2, Fraction(5)), 5), (response(3, Fraction(3)), 3), (UNEVEN, 4)]


@pytest.mark.parametrize(("rows", "grow"), RANDOMIZERS, ids=["two", "two, weak", "three", "uneven"])
def test_clones_dominate_small_crowds(rows: Rows, grow: int) -> None:
    """Exact divergence of real shuffled messages, over every crowd, against that of the two pairs of counts."""
    assert max(a / b for x, y in itertools.permutations(rows, 2) for a, b in zip(x, y, strict=True)) == grow
    close = False
    for users in (1, 2, 3, 5):
        first, second = clone_pairs(users, Fraction(grow))
        for ratio in (Fraction(11, 10), Fraction(3, 2), Fraction(19, 10)):
            real, bound = worst(rows, users, ratio), one_way(first, second, ratio)
            assert real <= bound
            close |= real > bound * Fraction(6, 10) > 0
    assert close  # the bound is not so large that nothing could ever exceed it


@pytest.mark.parametrize(("rows", "grow"), RANDOMIZERS, ids=["two", "two, weak", "three", "uneven"])
def test_the_two_decompositions(rows: Rows, grow: int) -> None:
    q = Fraction(grow, grow + 1)
    for p0, p1 in itertools.permutations(rows, 2):
        q0 = [(q * a - (1 - q) * b) / (2 * q - 1) for a, b in zip(p0, p1, strict=True)]
        q1 = [(q * b - (1 - q) * a) / (2 * q - 1) for a, b in zip(p0, p1, strict=True)]
        assert min(q0 + q1) >= 0
        assert sum(q0) == sum(q1) == 1
        assert [q * a + (1 - q) * b for a, b in zip(q0, q1, strict=True)] == p0
        assert [(1 - q) * a + q * b for a, b in zip(q0, q1, strict=True)] == p1
        for other in rows:
            assert all(r >= (a + b) / (2 * grow) for r, a, b in zip(other, q0, q1, strict=True))


@pytest.mark.parametrize("grow", [Fraction(3, 2), Fraction(3), Fraction(8)])
def test_divergence_is_a_sum_of_tails(grow: Fraction) -> None:
    """The brute force over (C, Y, Z), both ways, against the sum of tails in fractions and in the package."""
    q = grow / (grow + 1)
    for users in (1, 2, 5, 12):
        first, second = clone_pairs(users, grow)
        for ratio in (Fraction(21, 20), Fraction(5, 4), Fraction(7, 5)):
            exact = one_way(first, second, ratio)
            assert exact == one_way(second, first, ratio)  # the mirror image
            total = Fraction(0)
            for c in range(users):
                edge = (c + 1) * (q * ratio - (1 - q)) / ((2 * q - 1) * (1 + ratio))

                def tail(low: int, c: int = c) -> Fraction:
                    return sum((choose(c, a, Fraction(1, 2)) for a in range(max(low, 0), c + 1)), Fraction(0))

                x = math.floor(edge) + 1
                excess = (q - ratio * (1 - q)) * tail(x - 1) + (1 - q - ratio * q) * tail(x)
                total += choose(users - 1, c, 1 / grow) * excess
            assert total == exact
            assert clones_delta(math.log(grow), users, math.log(ratio)) == pytest.approx(float(exact), rel=1e-9, abs=1e-15)


def test_more_clones_hide_better() -> None:
    """Given C = c the divergence falls as c grows, so a block of values may be counted at its smallest."""
    q = Fraction(3, 4)
    for ratio in (Fraction(11, 10), Fraction(2)):
        given = []
        for c in range(30):
            half = [choose(c, a, Fraction(1, 2)) for a in range(c + 1)]
            up, still = [Fraction(0), *half], [*half, Fraction(0)]
            first = dict(enumerate(q * u + (1 - q) * s for u, s in zip(up, still, strict=True)))
            second = dict(enumerate((1 - q) * u + q * s for u, s in zip(up, still, strict=True)))
            ratios = [first[x] / second[x] for x in range(c + 2)]
            assert all(a < b for a, b in itertools.pairwise(ratios))
            given.append(one_way(first, second, ratio))
        assert all(a >= b for a, b in itertools.pairwise(given))
        assert given[0] > given[-1]


def published(eps0: float, users: int, delta: float) -> float:
    """The closed form of Feldman, McMillan, Talwar 2021, written out."""
    grow = math.exp(eps0)
    crowd = 8 * math.sqrt(grow * math.log(4 / delta) / users) + 8 * grow / users
    return math.log(1 + (grow - 1) / (grow + 1) * crowd)


@pytest.mark.parametrize("delta", [1e-2, 1e-4, 1e-6, 1e-9])
@pytest.mark.parametrize("users", [200, 10_000, 10**6])
def test_published_formula_holds_in_its_range(users: int, delta: float) -> None:
    most = math.log(users / (16 * math.log(2 / delta)))
    inside = [share * most for share in (0.2, 0.6, 1.0)] if most > 0 else []
    for eps0 in inside:
        epsilon = published(eps0, users, delta)
        assert clones_delta(eps0, users, epsilon) <= delta
        exact = shuffle_epsilon(eps0, users, delta)
        closed = shuffle_epsilon(eps0, users, delta, bound="closed-form")
        assert exact <= closed == pytest.approx(min(eps0, epsilon), rel=1e-7)
        assert exact < epsilon / 1.5  # and with room
    for outside in (max(most, 0) + 0.01, max(most, 0) + 2):
        assert shuffle_epsilon(outside, users, delta, bound="closed-form") == outside


@pytest.mark.parametrize("leak", [Fraction(1, 1000), Fraction(1, 50)])
def test_local_delta_has_its_price(leak: Fraction) -> None:
    """A randomizer that now and then tells the truth in clear: (epsilon_0, leak)-private, shuffled exactly."""
    grow = Fraction(3)
    rows = [[*((1 - leak) * x for x in row), *(leak * (i == j) for j in (0, 1))] for i, row in enumerate(response(2, grow))]
    for users in (2, 4, 7):
        first, second = clone_pairs(users, grow)
        for ratio in (Fraction(6, 5), Fraction(2), grow):
            price = (ratio + 1) * (1 + 1 / (2 * grow)) * users * leak
            real, free = worst(rows, users, ratio), one_way(first, second, ratio)
            assert real <= free + price
            if ratio == grow:
                assert real > free == 0  # without the price it would be false
    # the package charges the same
    epsilon = shuffle_epsilon(1.0, 10_000, 1e-6, 1e-11)
    paid = (math.exp(epsilon) + 1) * (1 + math.exp(-1) / 2) * 10_000 * 1e-11
    assert clones_delta(1.0, 10_000, epsilon) + paid == pytest.approx(1e-6, rel=1e-4)


def test_reference_values() -> None:
    for args, value in {(1, 10**4, 1e-6): 0.0530, (4, 10**5, 1e-6): 0.1698, (0.5, 10**3, 1e-5): 0.0583}.items():
        assert shuffle_epsilon(*args) == pytest.approx(value, abs=5e-5)


def test_the_pile_s_epsilon_belongs_to_the_phones(capsys: pytest.CaptureFixture[str]) -> None:
    """epsilon_0, users and delta stood twice or more in the cell: phones of epsilon_0 = 1 got the pile's epsilon for 2."""
    names = {name: getattr(bdp.privatizers, name) for name in ("RandomizedResponse", "BinarySum")}
    for n, eps0, delta in [(10_000, 2.0, 1e-6), (10_000, 1.0, 1e-6), (3000, 2.0, 1e-5)]:
        here = changed("05_shuffling", "in-practice", {"10_000, 2.0, 1e-6": f"{n}, {eps0}, {delta}"}, rng=np.random.default_rng(1),
                       shuffle_epsilon=shuffle_epsilon, **names)
        assert here["phones"].noise_std == names["RandomizedResponse"](n, eps0).noise_std
        assert len(here["answers"]) == here["shared"].users == n
        assert f"eps of the pile {shuffle_epsilon(eps0, n, delta):.3f}" in capsys.readouterr().out
