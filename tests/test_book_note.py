"""The note (``book/note.md``) quotes numbers that chapters have stored, and names tests that exist."""

import json
import re
from functools import cache

import plain_text
from checkout import NOTEBOOKS, ROOT

NOTE = (ROOT / "book" / "note.md").read_text("utf-8")
QUOTED = re.compile(r"<!-- = (\d\d) ([\w.-]+) -->")


@cache
def stored(chapter: str) -> dict[str, str]:
    """Return the numbers that a chapter's last cell shows."""
    (path,) = NOTEBOOKS.glob(f"{chapter}_*.ipynb")
    return plain_text.run_numbers(json.loads(path.read_text("utf-8")))


def test_the_numbers_are_the_chapters() -> None:
    found = QUOTED.findall(NOTE)
    assert len(found) == NOTE.count("<!--") >= 9
    right = {place: stored(place[0])[place[1]] for place in found}
    wrong = [f"{name} is {value} in chapter {chapter}" for (chapter, name), value in right.items()
             if f" {value}<!-- = {chapter} {name} -->" not in NOTE.replace("\n", " ")]
    assert not wrong


def test_the_exponent_is_the_ledgers() -> None:
    rows = json.loads((ROOT / "book" / "claims.json").read_text("utf-8"))
    (row,) = [one for one in rows if one["test"].endswith("::test_local_regret")]
    assert f"grows with the exponent {row['measured']['exponent of d (bound 1.5)']:.2f} in $d$" in NOTE.replace("\n", " ")


def test_the_tests_that_it_names_exist() -> None:
    lines = re.findall(r"(?m)^\* `(tests/\w+\.py)`: (.+)$", NOTE)
    assert len(lines) == 3
    for file, names in lines:
        text = (ROOT / file).read_text("utf-8")
        assert all(f"def {name}(" in text for name in re.findall(r"`(test_\w+)`", names))
