"""The list of changes that change nothing follows the code."""

from tests.hardening.mutants import __main__ as mutants
from tests.hardening.mutants import operators


def test_every_equivalent_change_is_still_one_of_the_changes():
    files = {row["file"] for row in mutants.EQUIVALENT}
    found = {file: {(mutant.before, mutant.after) for mutant in operators.mutants_of(file)} for file in files}
    for row in mutants.EQUIVALENT:
        assert set(row) == {"file", "line", "becomes", "because"} and row["because"].endswith(".")
        assert (row["line"], row["becomes"]) in found[row["file"]], f"out of date: {row}"
