"""A pytest plugin that turns skips into failures: what did not run has not been checked."""

from collections.abc import Generator

import pytest


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Refuse a test that skipped itself, unless it was expected to fail."""
    report = yield
    if report.skipped and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"Skipped, and no test may be: {report.longrepr}"
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Refuse a file that skipped itself as a whole."""
    report = yield
    if report.skipped:
        report.outcome = "failed"
        report.longrepr = f"Skipped, and no test may be: {report.longrepr}"
    return report
