"""Rehearsals: solutions under many seeds, how often a mistake is caught, and plans that do not fit."""

import json
from concurrent.futures import ThreadPoolExecutor

import pytest

from rehearse import expectations, main, rehearsal, rehearse, rows, score, stored
from tests import small_course as small

PLAN = '''
PARTLY = {"laplace": "def noisy(values, epsilon, rng):\\n    return values"}
PARTLY_POINTS = 8
HARD_CODED = PARTLY | {"split": "def split(epsilon, parts):\\n    return [0.5, 0.5]"}
HARD_CODED_POINTS = 0
MISTAKES = {
    "scale inverted": (
        "epsilon is the scale",
        {"laplace": "def noisy(values, epsilon, rng):\\n    return values + rng.laplace(scale=epsilon, size=len(values))"},
    ),
    "harmless": ("no mistake", {"split": "    return [epsilon / parts] * parts"}),
}
'''


@pytest.fixture
def small_set(tmp_path):
    (tmp_path / "9_small.ipynb").write_text(small.text(small.master()), "utf-8")
    (tmp_path / "set_9.py").write_text(PLAN, "utf-8")
    return tmp_path


@pytest.fixture
def inline(monkeypatch):
    monkeypatch.setattr("rehearse.ProcessPoolExecutor", lambda workers, mp_context: ThreadPoolExecutor(workers))


def looked(folder):
    return main(["--seeds", "1", "--look", "--workers", "1", "--masters", str(folder), "--plans", str(folder)])


def test_power_is_measured(small_set):
    one = rehearsal(small_set / "9_small.ipynb", small_set)
    assert [score(one, seed) for seed in (1, 2)] == [20, 20]
    assert expectations(one, 1) == []
    runs = [rehearse(one, seed) for seed in (1, 2, 3)]
    assert all(run["solution"] == {} and run["broken"] == [] for run in runs)
    caught, missed = rows(one, runs)
    assert (caught["caught"], caught["seeds"], missed["caught"]) == (3, 3, 0)
    assert caught["told"].startswith("AssertionError: the noise is not Laplace(1/epsilon)") and missed["told"] == ""


@pytest.mark.parametrize(("old", "new", "said"), [
    ('"split": "def split(epsilon, parts):\\n    return [0', '"splat": "def split(e):\\n    return [0',
     "set_9.py names the cells ['splat'], which"),
    ('{"split": "    return [epsilon / parts] * parts"}', '{"split": [("epsilon / 0", "1")]}',
     "the solution of 'split' has no words 'epsilon / 0'"),
    ("HARD_CODED = PARTLY |", "HARD_CODED =", "HARD_CODED has no answer for ['laplace']"),
    ("PARTLY_POINTS = 8", "PARTLY_POINTS = 9", "PARTLY gets 8 points where the plan says 9"),
    ("return values +", "return valued +", ""),
    ("rng):\\n    return values +", "rng)\\n    return values +", "'scale inverted' does not even run: laplace: SyntaxError"),
])
def test_what_is_not_as_planned_is_told(small_set, inline, capsys, old, new, said):
    assert old in PLAN
    (small_set / "set_9.py").write_text(PLAN.replace(old, new), "utf-8")
    assert looked(small_set) == bool(said) and said in capsys.readouterr().out


def test_a_solution_that_fails_is_told(small_set, capsys):
    master = small.answered(small.master(), {"split": small.SPLIT.replace("epsilon / parts", "SEED")})
    (small_set / "9_small.ipynb").write_text(small.text(master), "utf-8")
    assert looked(small_set) == 1
    assert "the solution fails with the seed 1: {'test-split':" in capsys.readouterr().out


def test_sets_that_were_not_rehearsed_keep_their_rows(tmp_path):
    file = tmp_path / "power.json"
    for name, caught in (("2_b", 1), ("1_a", 2), ("2_b", 3)):
        stored([{"set": name, "caught": caught}], [{"set": name, "passed": caught}], 3, file)
    kept = json.loads(file.read_text("utf-8"))
    assert kept["mistakes"] == [{"set": "1_a", "caught": 2}, {"set": "2_b", "caught": 3}]
    assert [row["passed"] for row in kept["solutions"]] == [2, 3]
    assert kept["made"]["command"] == "make rehearsal SEEDS=3"
