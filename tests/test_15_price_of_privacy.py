"""Chapter 15: the stored sweep is what the chapter's code gives, its scene shows it, and schedules and clusters do what it says."""

import importlib
import json
import logging
import math
import os
import threading
import time

import joblib
import numpy as np
import pytest
from distributed import Client, LocalCluster

import bandits_dp as bdp
import price_sweep
from tests.chapters import stored_scene
from tests.small_problems import Diary, assert_same_runs, slowly

NAME = "15_price_of_privacy"
STORED = json.loads(price_sweep.STORED.read_text("utf-8"))
TIMES = json.loads((price_sweep.STORED.parent / "cluster_times.json").read_text("utf-8"))
MAP = {(row["problem"], row["system"], row["epsilon"]): row for row in STORED["map"]}


@pytest.fixture(scope="module")
def chapter():
    return price_sweep.chapter_names(*price_sweep.CELLS, "scheduler")


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


def test_list_scheduling(chapter):
    """Proposition 15.1, on random tasks, and an order for which its factor is met."""
    makespan, rng = chapter["makespan"], np.random.default_rng(15)
    for _ in range(300):
        workers, times = int(rng.integers(1, 9)), rng.exponential(size=rng.integers(1, 30)) ** rng.integers(1, 4)
        share, longest, made = times.sum() / workers, times.max(), makespan(times, workers)
        assert max(share, longest) <= made * (1 + 1e-12) and made <= (share + (1 - 1 / workers) * longest) * (1 + 1e-12)
        assert makespan(times, workers, 0.1) >= max(made, 0.1 * len(times)) * (1 - 1e-12)
    for workers in (1, 2, 4, 7):
        short = [1] * workers * (workers - 1)
        assert (makespan([*short, workers], workers), makespan([workers, *short], workers)) == (2 * workers - 1, workers)


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


def test_stored_times_are_those_of_the_sweep():
    """Every cluster played the same squares, and the killed worker changed no number; how long it took is nobody's test."""
    assert set(TIMES["played"]) == {"1", "2", "4"} and set(TIMES["replayed"]) == {"1", "2", "4", "8"}
    assert TIMES["death"]["same"] == TIMES["death"]["squares"] == len(TIMES["squares"])
    assert all(len(one["tasks"]) == len(TIMES["squares"]) for one in TIMES["played"].values())
    assert len(TIMES["seconds"]) == len(TIMES["squares"])
    assert set(TIMES["squares"]) <= {f"{p}, {name}" + (f", {epsilon:g}" if epsilon else "") for p, name, epsilon in MAP}


@pytest.mark.filterwarnings("ignore:Port 8787 is already in use")
def test_a_worker_dies_and_no_number_changes(tmp_path):
    """Kill one of two processes when a third of the runs are begun; the rest is played by others, and all is as without it."""
    problem = Diary([0.9, 0.6], tmp_path / "diary")
    learner, killed = slowly(problem, 2500), []
    with LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, host="127.0.0.1",
                      silence_logs=logging.CRITICAL) as cluster, Client(cluster) as client:
        client.wait_for_workers(2, timeout=300)
        workers = set(client.run(os.getpid).values())

        def kill():
            until = time.monotonic() + 60
            while time.monotonic() < until:
                begun = (tmp_path / "diary").read_text().splitlines() if (tmp_path / "diary").exists() else []
                if len(begun) >= 5:
                    killed.append(int(begun[-1].split()[1]))
                    os.kill(killed[0], 9)
                    return
                time.sleep(0.005)

        killer = threading.Thread(target=kill)
        killer.start()
        with joblib.parallel_config(backend="dask"):
            there = bdp.simulate(learner, problem, 2500, runs=16, seed=15, progress=False)
        killer.join(60)
    assert killed and killed[0] in workers
    played = problem.read()
    assert {run for run, _ in played} == set(range(16)) and len({process for _, process in played}) >= 2
    assert_same_runs(there, bdp.simulate(learner, problem, 2500, runs=16, seed=15, progress=False))


def test_the_live_cell_is_polite(monkeypatch, chapter):
    """It does nothing unless a reader asks, and nothing where distributed is not installed."""
    names = price_sweep.chapter_names("imports", "problems")
    code = {cell.id: cell.source for cell in price_sweep.nbformat.read(price_sweep.CHAPTER, as_version=4).cells}["killed"]
    assert "\nTRY = False\n" in code
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    exec(code.replace("\nTRY = False\n", "\nTRY = True\n"), names)
    assert "there" not in names
