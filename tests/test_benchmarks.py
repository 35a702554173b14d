"""What `make bench` measures can be measured, and what it stored is what the book's page shows. Speed itself is never asserted."""

import json

import pytest

from bandits_dp.problems import BernoulliArms
from tests.benchmarks.__main__ import STORED, machine, told
from tests.benchmarks.cases import CASES, FAMILIES, Case
from tests.benchmarks.measure import DESIGNS, simulation

SIMULATED = {case.key: case for case in CASES}


def test_cases_have_names_of_their_own():
    assert len(SIMULATED) == len(CASES) and {key.partition("/")[0] for key in (*SIMULATED, *DESIGNS)} == set(FAMILIES)


@pytest.mark.parametrize("key", SIMULATED)
def test_every_case_can_be_made(key):
    assert SIMULATED[key].learner().horizon == SIMULATED[key].horizon


def test_a_case_is_measured_in_ratios():
    row = simulation(Case("arms", "AE", BernoulliArms([0.9, 0.1]), 1000, 3, 50))
    assert row["times the plain loop"] > 0 and row["seconds"] > 0 and row["peak megabytes"] > 10
    assert (row["runs"], row["rounds"]) == (3, 1000) and "AE" in told(row)


def test_stored_rows_are_those_of_the_cases():
    """After a change of the cases: make bench."""
    stored = json.loads(STORED.read_text("utf-8"))
    rows = {"/".join(filter(None, (row["family"], row["name"], "" if row["family"] == "designs" else row["note"])))
            for row in stored["cases"]}
    assert rows == {*SIMULATED, *DESIGNS} and len(stored["cases"]) == len(rows)
    assert stored["machine"].keys() == machine().keys() == {"system", "processor", "cores", "python", "numpy", "scipy"}


def test_full_scale_simulations_fit_into_memory():
    """As stored: a simulation of 500 MB or more does not get into the book, nor does a design of 1 GB."""
    for row in json.loads(STORED.read_text("utf-8"))["cases"]:
        assert row["peak megabytes"] < (1000 if row["family"] == "designs" else 500), row
