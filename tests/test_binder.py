"""Binder and Colab get what a reader needs, and no more; `look_alike.py` tells when chapters come out differently there."""

import re

from nbformat.v4 import new_output

import look_alike
from checkout import ROOT
from tests.book_helpers import chapter


def requirements(path: str) -> dict[str, str]:
    """Return what a file of requirements names, and the bounds of each."""
    lines = (line.split("#")[0].strip() for line in (ROOT / path).read_text("utf-8").splitlines())
    return {re.split(r"[<>=~!]", line)[0]: line for line in lines if line}


def test_binder_gets_the_package_and_a_place_to_run_notebooks() -> None:
    light, everything = requirements("binder/requirements.txt"), requirements("requirements.txt")
    assert set(light) == {"numpy", "scipy", "matplotlib", "scikit-learn", "pooch", "pandas", "jupyterlab", "-e ."}
    assert light.items() <= everything.items()  # the same bounds, so the same numbers


def test_binder_reads_its_folder_and_nothing_at_the_top() -> None:
    assert re.fullmatch(r"python-3\.1[1-3]\n", (ROOT / "binder" / "runtime.txt").read_text("utf-8"))
    assert not [name for name in ("runtime.txt", ".binder", "environment.yml", "postBuild") if (ROOT / name).exists()]


def test_look_alike_compares_texts_and_not_pictures() -> None:
    stored, fresh = chapter("a", "b"), chapter("a", "b")
    for notebook, number in ((stored, "0.1"), (fresh, "0.2")):
        figure = new_output("display_data", {"image/png": number, "text/plain": f"<Figure {number}>"})
        notebook.cells[1].outputs = [figure]
        notebook.cells[2].outputs = [figure, new_output("stream", text=f"the same\n{number}\n")]
    assert look_alike.differing(stored, stored) == []
    assert look_alike.differing(stored, fresh) == ["  cell-1: -0.1", "  cell-1: +0.2"]
    fresh.cells[1].outputs = [new_output("error", ename="AssertionError", evalue="no")]
    assert look_alike.differing(stored, fresh)[0] == "  cell-0: +AssertionError no"
