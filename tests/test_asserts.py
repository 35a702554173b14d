"""Asserts of an open notebook: a reader who has changed something reads a sentence, and tests still fail."""

import os
import subprocess
import sys

import pytest

from bandits_book import asserts

CODE = """from bandits_book.asserts import explain_asserts
explain_asserts()
explain_asserts()
get_ipython().run_cell("epsilon = 2; assert epsilon == 1; x = 1", store_history=True)
get_ipython().run_cell("assert epsilon == 2; print('true ones are silent')")
"""


@pytest.mark.parametrize("strict", ["", "1"])
def test_an_assert_explains_itself_once_and_goes_on(strict: str) -> None:
    environment = {**os.environ, asserts.STRICT: strict}
    done = subprocess.run([sys.executable, "-m", "IPython", "--colors=NoColor", "-c", CODE],
                          env=environment, capture_output=True, text=True, timeout=120, check=False)
    assert "true ones are silent" in done.stdout
    assert done.stdout.count("The book's check `epsilon == 1` does not hold here") == (0 if strict else 1)
    assert ("It is about `epsilon = 2`." in done.stdout) is not bool(strict)
    assert ("AssertionError" in done.stdout) == bool(strict)


SETTING = r"""from bandits_book.asserts import explain_asserts
explain_asserts()
get_ipython().run_cell("users = 3")
get_ipython().run_cell("assert users == 2, 'This is for 2 users.'\nprint('drawn'); made = 1")
get_ipython().run_cell("assert made, 'This is for what was made.'\nprint('checked')")
get_ipython().run_cell("assert users == 3, 'This is for 3 users.'\n'shown'")
"""


@pytest.mark.parametrize("strict", ["", "1"])
def test_a_cell_of_the_books_setting_says_so_and_does_nothing_else(strict: str) -> None:
    """A folded picture that knew the book's sizes crashed when a visible cell was changed."""
    environment = {**os.environ, asserts.STRICT: strict}
    done = subprocess.run([sys.executable, "-m", "IPython", "--colors=NoColor", "-c", SETTING],
                          env=environment, capture_output=True, text=True, timeout=120, check=False)
    lines = done.stdout.splitlines()
    assert "drawn" not in lines and "checked" not in lines and "'shown'" in done.stdout
    for said in ("This is for 2 users.", "This is for what was made."):
        assert (said in lines) is not bool(strict)
    assert ("Error" in done.stdout) == bool(strict)


NUMBERS = r"""from bandits_book.asserts import explain_asserts
explain_asserts()
get_ipython().run_cell("numbers = {}; few = [1]")
get_ipython().run_cell("numbers['third'] = few[2]\nprint('went on')")
get_ipython().run_cell("few[2]")
"""


@pytest.mark.parametrize("strict", ["", "1"])
def test_a_cell_of_the_texts_numbers_says_that_it_failed_and_no_other_cell_does(strict: str) -> None:
    """A hidden cell, which a reader neither sees nor needs, stopped the run of all cells."""
    environment = {**os.environ, asserts.STRICT: strict}
    done = subprocess.run([sys.executable, "-m", "IPython", "--colors=NoColor", "-c", NUMBERS],
                          env=environment, capture_output=True, text=True, timeout=120, check=False)
    told = "The book's numbers, which the text shows, are not computed here (IndexError: list index out of range)."
    assert (told in done.stdout) is not bool(strict) and "went on" not in done.stdout.splitlines()
    assert done.stdout.count("Traceback") == (2 if strict else 1)


BLANK = r"""from bandits_book.asserts import explain_asserts
explain_asserts()
get_ipython().run_cell("def twice(x):\n    'Return 2 x.'\n    ...\n\nassert twice(2) == 4\nprint('ran')")
get_ipython().run_cell("half = ...\nassert half == 1")
get_ipython().run_cell("def twice(x):\n    return x\n\nassert twice(2) == 4, 'Twice 2 is 4.'\nprint('went on')")
"""


@pytest.mark.parametrize("strict", ["", "1"])
def test_a_blank_says_that_it_waits_and_a_wrong_answer_is_told_what_is_right(strict: str) -> None:
    environment = {**os.environ, asserts.STRICT: strict}
    done = subprocess.run([sys.executable, "-m", "IPython", "--colors=NoColor", "-c", BLANK],
                          env=environment, capture_output=True, text=True, timeout=120, check=False)
    assert all(asserts.BLANK.format(name) in done.stdout for name in ("twice", "half")) and "ran" not in done.stdout.splitlines()
    assert ("went on" in done.stdout.splitlines()) is not bool(strict) and "Twice 2 is 4." in done.stdout
    assert ("AssertionError" in done.stdout) == bool(strict)


ORDER = r"""from bandits_book.asserts import explain_asserts
explain_asserts()
get_ipython().run_cell("lab(narrow, 'Which width?')")
get_ipython().run_cell("def play():\n    return len(tapes)\n\nplay()")
get_ipython().run_cell("def wrong():\n    one += 1\n\nwrong()")
"""


@pytest.mark.parametrize("strict", ["", "1"])
def test_a_cell_that_is_run_before_those_above_says_so(strict: str) -> None:
    """Its NameError stood there with Python's traceback; a fault in a reader's own function still does."""
    environment = {**os.environ, asserts.STRICT: strict}
    done = subprocess.run([sys.executable, "-m", "IPython", "--colors=NoColor", "-c", ORDER],
                          env=environment, capture_output=True, text=True, timeout=120, check=False)
    assert all((asserts.UNKNOWN.format(name) in done.stdout.splitlines()) is not bool(strict) for name in ("lab", "tapes"))
    assert done.stdout.count("Traceback") == (3 if strict else 1) and "UnboundLocalError" in done.stdout
