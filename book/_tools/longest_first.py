"""A pytest plugin for several workers, who take file after file: what lasts long comes first, so that none is left with it.

The first file of the site builds the book while other workers run notebooks, so nobody waits for that.
"""

from pathlib import Path

import pytest

from checkout import NOTEBOOKS, ROOT

# More than about 20 seconds each, the longest first; what is not listed follows, so that nothing breaks when a list grows old.
LONG = (
    "tests/site/test_every_page.py",
    "notebooks/12_dynamic_sensitivity.ipynb",
    "notebooks/10_private_linucb.ipynb",
    "tests/site/test_reading.py",
    "tests/site/test_formulas.py",
    "tests/test_10_private_linucb.py",
    "tests/test_true_delta.py",
    "notebooks/13_auditing.ipynb",
    "notebooks/09_distributed_feedback.ipynb",
    "tests/test_07_arm_elimination.py",
    "tests/test_09_distributed_feedback.py",
    "tests/test_reward_private.py",
)


def place(path: Path) -> tuple[int, int, int]:
    """Return what files are sorted by: the list, then notebooks before the site before other tests, then the larger one."""
    name = path.relative_to(ROOT).as_posix()
    kind = 0 if path.is_relative_to(NOTEBOOKS) else 1 if name.startswith("tests/site/") else 2
    return LONG.index(name) if name in LONG else len(LONG), kind, -path.stat().st_size


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Sort the files; the tests of each stay as they are."""
    items.sort(key=lambda item: place(item.path))
