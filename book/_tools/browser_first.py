"""A pytest plugin: the browser is found or got before any test runs; if there is none, one failure stands for all who need it."""

from pathlib import Path

import pytest

import get_browser


class Missing(pytest.Item):
    """Fails in the place of the tests that open pages."""

    def __init__(self, why: str, **known: object) -> None:
        super().__init__(**known)  # type: ignore[arg-type]
        self.why = why

    def runtest(self) -> None:
        """Say what is missing."""
        pytest.fail(self.why, pytrace=False)

    def reportinfo(self) -> tuple[Path, None, str]:
        """Name this failure."""
        return self.path, None, self.name


@pytest.hookimpl(trylast=True)  # when it is known which tests will run
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Settle the browser if a test opens pages, and without one leave those tests out."""
    opening = [item for item in items if item.get_closest_marker("browser")]
    if not opening:
        return
    with config.pluginmanager.getplugin("capturemanager").global_and_fixture_disabled():
        why = get_browser.settle()
    if why:
        told = f"{len(opening)} tests that open pages did not run, because no browser starts.\n{why}"
        missing = Missing.from_parent(opening[0].parent, name="a_browser_starts", why=told)
        left_out = set(opening)
        items[:] = [missing if item is opening[0] else item for item in items if item is opening[0] or item not in left_out]
        config.hook.pytest_deselected(items=opening)
