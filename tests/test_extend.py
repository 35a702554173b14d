"""The page "Extend it": its code runs as it stands, and each example is as short as it promises."""

import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parent.parent / "book" / "extend.md"
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), flags=re.DOTALL)


@pytest.fixture(scope="module")
def names():
    """Everything that the page defines, after all its code has run."""
    space = {"__name__": "extend"}
    for block in BLOCKS:
        exec(compile(block, PAGE.name, "exec"), space)
    return space


def test_every_block_runs_and_plays(names):
    for learner in ("halving", "geometric", "learner"):
        assert names[learner].guarantee.proved and names[learner].played == 0


def test_examples_are_short():
    assert len(BLOCKS) >= 4 and max(len(block.splitlines()) for block in BLOCKS) < 30
