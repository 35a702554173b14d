"""Asserts of an open notebook: a reader who has changed something reads a sentence, and tests still fail."""

import os
import subprocess
import sys

import pytest

from bandits_book import asserts

CODE = """from bandits_book.asserts import explain_asserts
explain_asserts()
explain_asserts()
get_ipython().run_cell("epsilon = 2; assert epsilon == 1; x = 1")
get_ipython().run_cell("assert epsilon == 2; print('true ones are silent')")
"""


@pytest.mark.parametrize("strict", ["", "1"])
def test_an_assert_explains_itself_once_and_goes_on(strict: str) -> None:
    environment = {**os.environ, asserts.STRICT: strict}
    done = subprocess.run([sys.executable, "-m", "IPython", "--colors=NoColor", "-c", CODE],
                          env=environment, capture_output=True, text=True, timeout=120, check=False)
    assert "true ones are silent" in done.stdout
    assert done.stdout.count("The book's check `epsilon == 1` does not hold here") == (0 if strict else 1)
    assert ("AssertionError" in done.stdout) == bool(strict)
