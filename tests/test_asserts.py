"""Asserts of an open notebook: a reader who has changed something reads a sentence, and tests still fail."""

import os
import subprocess
import sys

import pytest

from bandits_book import asserts

NUMBERS = "The book's numbers, which the text shows, are not computed here (IndexError: list index out of range)."
CELLS = (  # what is run; what is said in place of an error; whether the cell goes on for a reader, and in a test
    ("epsilon = 2; assert epsilon == 1", "The book's check `epsilon == 1` does not hold here", True, False),
    ("assert epsilon == 2; users = 3", "", True, True),
    ("assert users == 2, 'This is for 2 users.'\nmade = 1", "This is for 2 users.", False, False),
    ("assert made, 'This is for what was made.'\nx = 2", "This is for what was made.", False, False),
    ("assert users == 3, 'This is for 3 users.'\nx = 3", "", True, True),
    ("numbers = {}; few = [1]\nnumbers['third'] = few[2]", NUMBERS, False, False),
    ("few[2]", "IndexError", False, False),
    ("def twice(x):\n    'Return 2 x.'\n    ...\n\nassert twice(2) == 4", asserts.BLANK.format("twice"), False, False),
    ("half = ...\nassert half == 1", asserts.BLANK.format("half"), False, False),
    ("def twice(x):\n    return x\n\nassert twice(2) == 4, 'Twice 2 is 4.'", "Twice 2 is 4.", True, False),
    ("lab(narrow, 'Which width?')", asserts.UNKNOWN.format("lab"), False, False),
    ("def play():\n    return len(tapes)\n\nplay()", asserts.UNKNOWN.format("tapes"), False, False),
    ("def wrong():\n    one += 1\n\nwrong()", "UnboundLocalError", False, False),
)


@pytest.mark.parametrize("strict", ["", "1"])
def test_asserts_explain_themselves_once_and_a_reader_goes_on(strict: str) -> None:
    """What a cell of the book's setting, or of the text's numbers, cannot do stops nobody; a blank waits, and errors are errors."""
    lines = ["from bandits_book.asserts import explain_asserts", *["explain_asserts()"] * 2]
    for cell, *_ in CELLS:
        shown = cell + "\nprint('went on')"
        lines += ["print('@')", f"get_ipython().run_cell({shown!r}, store_history=True);"]
    done = subprocess.run([sys.executable, "-m", "IPython", "--colors=NoColor", "-c", "\n".join(lines)], timeout=120, check=False,
                          env={**os.environ, asserts.STRICT: strict}, capture_output=True, text=True)
    for (cell, said, *on), told in zip(CELLS, done.stdout.split("@\n")[1:], strict=True):
        failed = "Traceback" in told
        assert failed == (said.endswith("Error") or (strict != "" and not on[1] and "..." not in cell)), told
        assert ("went on" in told.splitlines()) == on[strict == "1"], told
        assert failed or not said or told.count(said) == 1, told
    assert ("It is about `epsilon = 2`." in done.stdout) is not bool(strict) and "Twice 2 is 4." in done.stdout
