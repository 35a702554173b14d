"""A pytest plugin beside nbval, which compares the texts that a notebook's cells put out: the rest of what a reader sees.

In the same run, figures are compared with the stored ones by their shapes, and a cell that writes to stderr fails.
"""

from collections.abc import Generator, Iterable

import pytest
from nbformat import NotebookNode
from nbval.plugin import IPyNbCell

from run_notebooks import same_picture


def pictures(outputs: Iterable[NotebookNode]) -> list[str]:
    """Return the figures among a cell's outputs, as SVG."""
    return [output.data["image/svg+xml"] for output in outputs if "image/svg+xml" in output.get("data", {})]


def complaint(cell: IPyNbCell) -> str | None:
    """Say what is wrong with the outputs of a cell that nbval has just run and found nothing wrong with."""
    printed = "".join(output.text for output in cell.test_outputs if output.get("name") == "stderr")
    if printed:
        return f"Cell wrote to stderr: {printed}"
    if not cell.options["check"] or cell.cell.execution_count is None:
        return None
    stored, fresh = pictures(cell.cell.outputs), pictures(cell.test_outputs)
    changed = [str(index) for index, pair in enumerate(zip(stored, fresh, strict=True), start=1) if not same_picture(*pair)]
    return f"Cell drew another picture than is stored, as its figure {', '.join(changed)}" if changed else None


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None]:
    """Look at a cell's outputs when nbval has."""
    yield
    if isinstance(item, IPyNbCell) and (told := complaint(item)):
        item.raise_cell_error(told)
