"""Binder gets what a reader needs, and no more."""

import re

from checkout import ROOT


def requirements(path: str) -> dict[str, str]:
    lines = (line.split("#")[0].strip() for line in (ROOT / path).read_text("utf-8").splitlines())
    return {re.split(r"[<>=~!]", line)[0]: line for line in lines if line}


def test_binder_gets_the_package_and_a_place_to_run_notebooks() -> None:
    light, everything = requirements("binder/requirements.txt"), requirements("requirements.txt")
    assert set(light) == {"numpy", "scipy", "matplotlib", "scikit-learn", "pooch", "pandas", "jupyterlab", "-e ."}
    assert light.items() <= everything.items()  # the same bounds, so the same numbers


def test_binder_reads_its_folder_and_nothing_at_the_top() -> None:
    assert re.fullmatch(r"python-3\.1[1-3]\n", (ROOT / "binder" / "runtime.txt").read_text("utf-8"))
    assert not [name for name in ("runtime.txt", ".binder", "environment.yml", "postBuild") if (ROOT / name).exists()]
