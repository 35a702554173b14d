"""A pytest plugin that turns skips into failures: what did not run has not been checked. Sandboxes are not to be had everywhere."""

from collections.abc import Generator
from typing import Any

import pytest


def failed(report: Any) -> Any:
    """Refuse what skipped itself, unless it was expected to fail or needs a sandbox."""
    if report.skipped and not hasattr(report, "wasxfail") and "sandbox" not in getattr(report, "keywords", ()):
        report.outcome = "failed"
        report.longrepr = f"Skipped, and no test may be: {report.longrepr}"
    return report


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, Any, Any]:
    return failed((yield))


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, Any, Any]:
    return failed((yield))
