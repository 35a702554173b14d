"""The page "Which one should I use?": every line of code that it shows runs, and its answers follow from the contest."""

import itertools
import math

import numpy as np
import pytest

import bandits_dp as bdp
import which
from bandits_book import contest

ANSWERS = list(which.answers())
LEAVES = [(answer, name) for answer, chosen, _ in ANSWERS for name in dict.fromkeys(chosen.values())]
SYSTEMS = {system.name: system for system in bdp.systems()}


def played(code, kind):
    names = {"actions": np.vstack([np.eye(kind.dimension or 1)] * kind.arms)[: kind.arms]}
    features = np.full((kind.arms, max(kind.dimension, 2)), 0.0)
    features[:, 0], features[:, -1] = math.sqrt(0.5), math.sqrt(0.5)
    names["features"] = features
    before, last = code.rsplit("\n", 1)
    exec(before, names)
    names["averages"] = np.zeros((1, np.size(names["ticket"].arm)))
    exec(last, names)
    return names["app"]


@pytest.mark.parametrize(("answer", "name"), LEAVES, ids=[f"{which.anchor(answer)}: {name}" for answer, name in LEAVES])
def test_the_five_lines_run_and_promise_what_is_shown(answer, name):
    kind, system = which.KINDS[answer.kind], SYSTEMS[name]
    code = which.filled(which.lines(answer, name), kind)
    assert len(code.splitlines()) == 5 and "{" not in code and code.splitlines()[2].startswith("app = bdp.make(")
    promise = played(code, kind).guarantee
    assert promise.model == system.model and promise.proved == (system.model != "none")
    if promise.proved:
        assert promise.calibration == "certified" and promise.epsilon == 1.0
        assert promise.delta == 0 or math.isclose(promise.delta, 0.1 / kind.horizon)
        assert ("delta" in code) == which.wants_delta(name)


def test_the_lines_for_returning_users_run():
    for name in (name for name in SYSTEMS if "{returning}" in which.call(name)):
        answer = next(one for one in which.ANSWERS if name in one.systems)
        code = which.filled(which.lines(answer, name).replace("{returning}", "returning_users=5"), which.KINDS[answer.kind])
        assert "returning_users=5" in str(played(code, which.KINDS[answer.kind]).description)


def test_an_answer_lost_least_or_was_as_good():
    """For readers without a size, and for several sizes; of the names before it, each lost more by a whole interval."""
    for size in ((None, None, None), (2, None, None), (20, 4, 10**5), (1000, 8, 10**6)):
        for answer, chosen, seen in which.answers(size):
            here = which.nearest(which.KINDS[answer.kind].setting, size)
            assert len(here) == (which.NEAR if any(size) else len(which.sizes(which.KINDS[answer.kind].setting)))
            for epsilon, name in chosen.items():
                shares = {other: one["shares"][here] for (other, at), one in seen.items() if at == epsilon}
                least = min(shares.values(), key=np.mean)
                mean, half = contest.interval(shares[name] - least)
                assert mean <= half
                for other in answer.systems[:answer.systems.index(name)]:
                    mean, half = contest.interval(shares[other] - least)
                    assert mean > half


def test_the_nearest_instances_are_nearest_by_ratios():
    sizes = which.sizes("arms")
    ten = which.nearest("arms", (2, None, None))
    worst = max(sizes[i][0] for i in ten)
    assert all(sizes[i][0] >= worst for i in set(range(20)) - set(ten))
    assert which.nearest("arms", (None, 7, None)) == list(range(10))  # arms have no d: all are as near


def test_no_answer_asks_for_more_trust_than_there_is():
    enough = {"none": 0, "central": 1, "aggregation": 2, "shuffle": 3, "local": 4}
    for answer in which.ANSWERS:
        for name in answer.systems:
            needs = "aggregation" if name == "Dist-DP-AE" else SYSTEMS[name].model
            assert enough[needs] >= enough[answer.trust.split()[0]], (answer.title, name)


def test_every_question_has_an_answer_and_every_system_a_place():
    for kind in which.KINDS:
        for trust in which.TRUST:
            found = [one for one in which.ANSWERS if trust in one.trust.split() and kind in (one.kind, *one.kinds)]
            assert found or (kind, trust) == ("public", "central"), (kind, trust)
    named = {name for answer in which.ANSWERS for name in answer.systems}
    assert named == set(SYSTEMS)
    for name in set(SYSTEMS) - {name for _, name in LEAVES}:
        assert "comes first" in which.reason(name, ANSWERS), name


def test_the_share_of_delta_covers_group_privacy():
    """Changing n answers of e = epsilon / n costs epsilon and delta (1 + e^e + ...); the page divides by n e^epsilon."""
    for visits, epsilon in itertools.product((2, 5, 30), (0.1, 1.0, 3.0)):
        assert sum(math.exp(epsilon / visits * i) for i in range(visits)) <= visits * math.exp(epsilon)


def test_numbers_are_told_as_they_are():
    assert which.told(np.repeat([0.015, 0.017], 10)) == "1.6 ± 0.048%" and which.told(np.repeat([0.99, 1.01], 10)) == "100 ± 0.48%"
    a, b = np.arange(20.0), np.arange(20.0) + np.where(np.arange(20) % 2, 1.0, -0.9)
    assert which.best(("b", "a"), {"a": a, "b": b}) == "b" and which.best(("b", "a"), {"a": a, "b": a + 1}) == "a"
