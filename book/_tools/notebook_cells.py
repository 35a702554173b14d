"""A pytest plugin beside nbval, which compares the texts that a notebook's cells put out: the rest of what a reader sees.

In the same run, figures are compared with the stored ones by their shapes, and a cell that writes to stderr fails. At the end a
line for each cell that failed says what drifted, and by how much (`drift.py`).
"""

from collections.abc import Generator

import pytest
from nbval.plugin import IPyNbCell, NbCellError

import drift

KEY = "drift"  # among what a report carries from one process to another


def complaint(cell: IPyNbCell) -> str | None:
    """Say what is wrong with the outputs of a cell that nbval has just run and found nothing wrong with."""
    printed = "".join(output.text for output in cell.test_outputs if output.get("name") == "stderr")
    if printed:
        return f"Cell wrote to stderr: {printed}"
    if not cell.options["check"] or cell.cell.execution_count is None:
        return None
    moved = drift.told(cell.cell.outputs, cell.test_outputs, cell.sanitize)
    return f"Cell drew another picture than is stored: {moved}" if moved else None


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None]:
    try:
        yield
        if isinstance(item, IPyNbCell) and (told := complaint(item)):
            item.raise_cell_error(told)
    except NbCellError:
        first = next(iter(item.cell.source.splitlines()), "")
        how = drift.told(item.cell.outputs, item.test_outputs, item.sanitize)
        item.user_properties.append((KEY, f"{item.nodeid} ({item.cell.id}, `{first}`): {how}"))
        raise


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say of each cell that failed what drifted."""
    lines = [text for report in terminalreporter.getreports("failed") for key, text in report.user_properties if key == KEY]
    if lines:
        terminalreporter.section("drifted cells")
    for line in lines:
        terminalreporter.line(f"DRIFT {line}")
