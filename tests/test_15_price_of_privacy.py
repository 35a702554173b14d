"""Chapter 15: the stored sweep is what the chapter's code gives, and its scene shows it."""

import json
import math

import pytest

import bandits_dp as bdp
import price_sweep
from tests.chapters import stored_scene

NAME = "15_price_of_privacy"
STORED = json.loads(price_sweep.STORED.read_text("utf-8"))
MAP = {(row["problem"], row["system"], row["epsilon"]): row for row in STORED["map"]}


@pytest.fixture(scope="module")
def chapter():
    return price_sweep.chapter_names(*price_sweep.CELLS)


def test_the_sweep_is_whole(chapter):
    """Each learner of the catalogue is on the map at every epsilon, and everything of the fits is there, once."""
    assert [(*key, MAP[key]["runs"]) for key in MAP] == list(chapter["squares"]()) and len(MAP) == len(STORED["map"])
    assert {name for _, name, _ in MAP} == {system.name for system in bdp.systems()}
    asked = [row[:4] for row in chapter["costs"]()]
    assert [(row["setting"], row["axis"], row["value"], row["system"]) for row in STORED["cost"]] == asked
    assert STORED["made"]["package"] == bdp.__version__ and STORED["random"].keys() == chapter["problems"].keys()


@pytest.mark.parametrize("key", [
    ("arms", "AE", None), ("arms", "SDP-AE", 0.3), ("arms", "Dist-DP-AE", 3.0), ("arms as actions", "CDP-PE", 0.3),
    ("linear as arms", "DP-SE", 0.1), ("linear", "LDP-PE", 10.0), ("clients", "DPE", None), ("clients", "CDP-DPE", 1.0),
    ("contexts", "LinUCB-Batched-JDP", 3.0),
])  # fmt: skip
def test_a_square_comes_out_again(chapter, key):
    problem, name, epsilon = key
    row = chapter["measure"](chapter["problems"][problem], name, epsilon, chapter["horizons"][problem], MAP[key]["runs"])
    assert all(math.isclose(row[what], MAP[key][what], rel_tol=1e-9, abs_tol=1e-9) for what in ("regret", "error", "bits"))


def test_every_square_is_certified_and_comparable(chapter):
    """What the text says is common: the certified calibration, delta, proved widths, and nobody worse than random play."""
    for problem, name, epsilon in MAP:
        assert MAP[problem, name, epsilon]["regret"] < 1.1 * STORED["random"][problem]
        if epsilon != 1.0 or name == "LinUCB-SDP-Vec":
            continue
        T, system = chapter["horizons"][problem], chapter["catalogue"][name]
        private = {"epsilon": 1.0, "delta": 0.1 / T}
        promise = bdp.make(name, chapter["problems"][problem], horizon=T, **private, **chapter["usual"](name)).guarantee
        assert promise.calibration == "certified" and promise.proved and promise.model == system.model


def test_the_scene_shows_the_sweep(chapter):
    """Every learner's dot stands at its stored share of random play, at every epsilon, and moves with it."""
    frames = stored_scene(NAME, "scene")
    also = {"arms": "arms as actions", "linear": "clients"}
    assert len(frames) == 3 * len(chapter["epsilons"])
    for (epsilon, problem), (marks, note) in frames.items():
        shown = 0
        for where, name, own in MAP:
            if where in (problem, also.get(problem)) and own in (None, float(epsilon)):
                share = MAP[where, name, own]["regret"] / STORED["random"][where]
                assert abs(marks[name]["x"] - (4 + 23 * (4 + math.log10(min(max(share, 1e-4), 1))))) < 0.01
                assert bool(marks[name].get("hollow")) == (where != problem)
                shown += 1
        assert shown == sum(key.startswith("track ") for key in marks)
        for model in ("none", "central", "shuffle", "local"):
            here = {name: row["regret"] for (where, name, own), row in MAP.items() if where == problem
                    and own in (None, float(epsilon)) and chapter["catalogue"][name].model == model}
            assert min(here, key=here.get) in note
    weak, strong = frames["10", "arms"][0]["LDP-AE"]["x"], frames["0.1", "arms"][0]["LDP-AE"]["x"]
    assert strong > weak + 40 and frames["10", "arms"][0]["AE"] == frames["0.1", "arms"][0]["AE"]
