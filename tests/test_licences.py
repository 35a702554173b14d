"""Other people's work: the list of it is complete, each licence lies where the list says, and goes where the files go."""

import re
from pathlib import Path

import pytest

import make_slides
import vendor_assets
from checkout import ROOT

STATIC = ROOT / "book" / "_static"
NOTICE = (STATIC / "vendor" / "NOTICE.txt").read_text("utf-8")
WORDS = {"MIT": "Permission is hereby granted, free of charge", "OFL-1.1": "SIL OPEN FONT LICENSE Version 1.1"}
ENTRY = r"(?m)^(?P<name>\S.*): (?P<licence>MIT|OFL-1\.1)\n  Copyright .*\n  files: (?P<files>.*)\n  licence: (?P<text>\S+)$"
ENTRIES = [found.groupdict() for found in re.finditer(ENTRY, NOTICE)]
LISTED = {ROOT / name for entry in ENTRIES for name in entry["files"].split()}
TEXTS = {ROOT / entry["text"] for entry in ENTRIES}


def listed(path: Path) -> bool:
    """Whether the list names a file, or a folder that it is in."""
    return path in LISTED or any(path.is_relative_to(folder) for folder in LISTED)


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry["name"].split()[0])
def test_what_is_listed_is_there_with_its_licence(entry: dict[str, str]) -> None:
    assert all((ROOT / name).exists() for name in entry["files"].split())
    assert WORDS[entry["licence"]] in (ROOT / entry["text"]).read_text("utf-8")


def test_everything_fetched_is_listed_in_its_version() -> None:
    names = " ".join(entry["name"] for entry in ENTRIES).lower()
    for package, told in vendor_assets.PACKAGES.items():
        targets, (name, version) = told["files"].values(), package.rsplit("@", 1)
        if all("LICENSE" in target for target in targets):  # of what is within something else
            version = version.partition(".")[0]
        assert re.search(rf"{re.escape(name)} {re.escape(version)}\b", names), package
        assert all(listed(ROOT / "book" / target) or ROOT / "book" / target in TEXTS for target in targets), package


def test_nothing_else_is_other_peoples() -> None:
    """Neither a folder of vendored files, nor a font, nor a script or style that a program wrote: one with a very long line."""
    assert len(ENTRIES) == NOTICE.count("\n  licence: ")
    strangers = [path for path in (STATIC / "vendor").rglob("*") if path.is_file() and path.name != "NOTICE.txt"]
    for path in (path for top in ("bandits_dp", "book", "tests") for path in (ROOT / top).rglob("*")):
        drawn_by_us = "data:image/svg+xml"
        if path.suffix in (".woff", ".woff2", ".ttf", ".otf"):
            strangers.append(path)
        elif path.suffix in (".js", ".css", ".mjs") and "__pycache__" not in path.parts:
            lines = path.read_text("utf-8").splitlines()
            if any(len(line) > 1000 and drawn_by_us not in line for line in lines):
                strangers.append(path)
    unknown = [str(path.relative_to(ROOT)) for path in strangers if not listed(path) and path not in TEXTS]
    assert len(strangers) > 25 and not unknown, f"say in book/_static/vendor/NOTICE.txt whose these are: {unknown}"


def test_slides_take_the_licences_along(tmp_path: Path) -> None:
    make_slides.copy_assets(tmp_path)
    taken = {path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert all(path.read_bytes() in taken for path in TEXTS) and NOTICE.encode() in taken
