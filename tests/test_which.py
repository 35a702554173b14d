"""The page "Which one should I use?": every line of code that it shows runs, and its answers follow from the sweep."""

import itertools
import math

import numpy as np
import pytest

import bandits_dp as bdp
import price_sweep
import which
from checkout import ROOT

SQUARES, RANDOM = which.sweep(ROOT)
ANSWERS = list(which.answers(ROOT))
LEAVES = [(answer, name) for answer, chosen, _ in ANSWERS for name in dict.fromkeys(chosen.values())]
SYSTEMS = {system.name: system for system in bdp.systems()}


def played(code, kind):
    """Run the lines of an answer as a reader would, with a reader's actions, features and averages."""
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


def test_the_lines_for_returning_users_run():
    for name in (name for name in SYSTEMS if "{returning}" in which.call(name)):
        answer = next(one for one in which.ANSWERS if name in one.systems)
        code = which.filled(which.lines(answer, name).replace("{returning}", "returning_users=5"), which.KINDS[answer.kind])
        assert "returning_users=5" in str(played(code, which.KINDS[answer.kind]).description)


def test_options_are_those_of_the_sweep():
    chapter = price_sweep.chapter_names("imports", "problems", "measure")
    assert {name: which.options(name) for name in SYSTEMS} == {name: chapter["usual"](name) for name in SYSTEMS}
    assert tuple(chapter["epsilons"]) == which.EPSILONS


def test_an_answer_lost_least_or_was_as_good():
    for answer, chosen, seen in ANSWERS:
        for epsilon, name in chosen.items():
            least = min(seen[other, epsilon]["regret"] for other in answer.systems)
            mine = seen[name, epsilon]
            spread = max(math.hypot(mine["error"], seen[other, epsilon]["error"]) for other in answer.systems)
            assert mine["regret"] - least <= 2 * spread


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
    page = which.Which.reason
    for name in set(SYSTEMS) - {name for _, name in LEAVES}:
        assert "comes first" in page(None, name, ANSWERS), name


def test_the_share_of_delta_covers_group_privacy():
    """Changing n answers of e = epsilon / n costs epsilon and delta (1 + e^e + ...); the page divides by n e^epsilon."""
    for visits, epsilon in itertools.product((2, 5, 30), (0.1, 1.0, 3.0)):
        assert sum(math.exp(epsilon / visits * i) for i in range(visits)) <= visits * math.exp(epsilon)


def test_numbers_are_told_as_they_are():
    row = {"regret": 1944.4, "error": 136.6, "bits": 0.0621}
    assert which.told(row, 120_000.0) == ["1,944 ± 137", "1.6%", "0.0621"]
    assert which.told(row | {"regret": 119_999.0}, 120_000.0)[1] == "100%"
    assert which.best(("a", "b"), {"a": {"regret": 11, "error": 1}, "b": {"regret": 9, "error": 1}}) == "a"
    assert which.best(("a", "b"), {"a": {"regret": 19, "error": 1}, "b": {"regret": 9, "error": 1}}) == "b"
