"""What left the core for the book's package: whoever asks in the old place is told the new one, and workers find replicas."""

import importlib
import pickle
import re
import subprocess
import sys

import numpy as np
import pytest
from joblib import Parallel, delayed

import bandits_dp as bdp
from bandits_book import contest, lastfm, logs, museum, plots, setup, source
from bandits_book.replicas import CodeLinear
from bandits_dp.options import FIGURES

PROBLEM = bdp.problems.ContextualLinear(arms=5, dimension=3)  # of the core, so that a worker gets nothing of the book by it
EXPERIMENT = {"horizon": 60, "epsilon": 1.0, "delta": 0.1, "calibration": "experiment"}


@pytest.mark.parametrize("name", ["Setup", "contest", "lastfm", "logs", "museum", "plots", "setup", "source"])
def test_a_name_that_left_says_where_it_is(name):
    with pytest.raises(AttributeError, match=f"^bandits_dp.{name} is in the book's package: from bandits_book import {name}$"):
        getattr(bdp, name)
    assert name not in bdp.__all__ and name in importlib.import_module("bandits_book").__all__


def test_whatever_else_left_says_where_it_is():
    """And what was never there is still said not to be there."""
    with pytest.raises(AttributeError, match=r"^bandits_dp.problems.CodeLinear is in .*: from bandits_book.replicas import CodeL"):
        _ = bdp.problems.CodeLinear
    with pytest.raises(AttributeError, match=r"^bandits_dp.live is not loaded: from bandits_dp import serve"):
        _ = bdp.live
    result = bdp.simulate(bdp.make("UCB1", bdp.problems.BernoulliArms([0.9, 0.8]), horizon=10),
                          bdp.problems.BernoulliArms([0.9, 0.8]), 10, runs=2, progress=False)
    with pytest.raises(AttributeError, match=r"^Result.plot is in the book's package: from bandits_book.plots import regret"):
        _ = result.plot
    for thing in (bdp, bdp.problems, importlib.import_module("bandits_book")):
        with pytest.raises(AttributeError, match=f"^module '{thing.__name__}' has no attribute 'nothing'$"):
            _ = thing.nothing


EARLIER = {  # all modules of 0.2.0 before it had families that are elsewhere now
    "": "_memory designs",
    "catalog.": "arms clients linear linucb options rewards setups",
    "companion.": "asserts contest contestants floors instances lastfm.data logs.log museum plots.figure replicas.linucb "
                  "scaled_width source",
    "continual.": "curator dynamic",
    "learners.": "arm_elimination kl_ucb linucb linucb_rewards phased_elimination ucb",
    "live.": "arms asked clients combine contexts counted leading live randomness refusals register restarts slot status streams "
             "ticket",
    "play.": "arms contexts pilots ucb",
    "privatizers.": "exact exact_counts grid noise_bits",
    "problems.": "arms base clients code_linear contextual graded linear pool rounds",
    "schedules.": "arms clients users",
    "widths.": "arms designs greedy rewards ridge ridge_private running upper",
}


@pytest.mark.parametrize("old", [f"bandits_dp.{room}{name}" for room, names in EARLIER.items() for name in names.split()])
def test_an_old_path_says_where_it_leads_now(old):
    """Every place that is named can be imported, and from an old room an old module, too, is told."""
    room, _, name = old.rpartition(".")
    for line in (f"import {old}", f"from {old} import anything", f"from {room} import {name}"):
        with pytest.raises(ImportError, match=r"^bandits_dp\.[\w.]+ is now (bandits_dp|bandits_book)\b") as told:
            exec(line, {})
        said = str(told.value)
        assert f"{old}.".startswith(said.partition(" ")[0] + ".")
    for new in re.findall(r"\b(?:bandits_dp|bandits_book)\.[\w.]+", said.partition(" is now ")[2]):
        importlib.import_module(new)


def test_what_never_was_is_still_not_there():
    for line in ("import bandits_dp.nothing", "import bandits_dp.learners.nothing", "from bandits_dp.catalog import nothing"):
        with pytest.raises(ImportError, match=r"^(No module named|cannot import name) '(bandits_dp.*\.)?nothing'"):
            exec(line, {})


def test_the_face_of_the_book_shows_its_parts():
    book = importlib.import_module("bandits_book")
    assert [getattr(book, name) for name in ("contest", "lastfm", "logs", "museum", "plots", "setup", "source")] == [
        contest, lastfm, logs, museum, plots, setup, source]
    assert len(FIGURES) == 5 and set(FIGURES) <= {system.name for system in bdp.systems() if system.experiment}


REFUSED = """
import bandits_dp as bdp
problem = bdp.problems.ContextualLinear(arms=5, dimension=3)
for name in ("LinUCB", "LinUCB-LDP", "LinUCB-JDP", "LinUCB-SDP-Amp", "LinUCB-SDP-Vec"):
    try:
        bdp.make(name, problem, horizon=60, epsilon=1.0, delta=0.1, calibration="experiment")
    except ValueError as error:
        print(error)
"""


def test_without_the_books_package_an_experiment_says_what_to_import():
    said = subprocess.run([sys.executable, "-c", REFUSED], capture_output=True, text=True, check=True, timeout=600).stdout
    told = [f"calibration must be 'certified' or 'theorem' for {name}, got 'experiment': the published code that it plays is in "
            "the book's package, import bandits_book first" for name in FIGURES]
    assert sorted(said.splitlines()) == sorted(told)


PLAYED = """
import pickle, sys
import bandits_dp as bdp
learner, problem = pickle.load(sys.stdin.buffer)
print(bdp.simulate(learner, problem, 60, runs=2, progress=False).regret.tobytes().hex())
print(bdp.make(learner.name, problem, horizon=60, epsilon=1.0, delta=0.1, calibration="experiment").parameters["calibration"])
"""


@pytest.mark.parametrize("name", FIGURES)
def test_a_learner_brings_its_published_code_to_a_process_that_never_imported_it(name):
    """By its classes, which are the replica's: the process can then make others, too."""
    learner = bdp.make(name, PROBLEM, **EXPERIMENT)
    done = subprocess.run([sys.executable, "-c", PLAYED], input=pickle.dumps((learner, PROBLEM)), capture_output=True, check=True,
                          timeout=600)
    regret, calibration = done.stdout.decode().split()
    here = bdp.simulate(learner, PROBLEM, 60, runs=2, progress=False).regret
    assert regret == here.tobytes().hex() and calibration == "experiment"
    shared = bdp.simulate(learner, PROBLEM, 60, runs=2, workers=2, progress=False).regret
    assert np.array_equal(shared, here)


def test_joblibs_workers_make_experiments_of_the_books_problems():
    """A worker that is handed something of the book's has the replicas."""
    apart = Parallel(n_jobs=2)(delayed(bdp.make)("LinUCB-SDP-Vec", CodeLinear(5, 3), **EXPERIMENT) for _ in range(2))
    assert [one.guarantee.calibration for one in apart] == ["experiment"] * 2
    made = setup("chowdhury-zhou-2022-code", dimension=3, arms=5)
    apart = Parallel(n_jobs=2)(delayed(made.make)(name, 1.0) for name in made.systems)
    assert [one.parameters["calibration"] for one in apart] == ["experiment"] * 5


BARE = """
from joblib import Parallel, delayed
import bandits_dp as bdp
problem = bdp.problems.ContextualLinear(arms=5, dimension=3)
try:
    Parallel(n_jobs=2)(delayed(bdp.make)("LinUCB-SDP-Vec", problem, horizon=60, epsilon=1.0, delta=0.1, calibration="experiment")
                       for _ in range(2))
except ValueError as error:
    print(error)
"""


def test_a_worker_that_is_handed_nothing_of_the_books_says_so():
    said = subprocess.run([sys.executable, "-c", BARE], capture_output=True, text=True, check=True, timeout=600).stdout
    assert said.rstrip().endswith("is in the book's package, import bandits_book first")
