"""Say, in Markdown, which installed packages are other than in requirements.lock, or what a log of the tests says has drifted.

    python book/_tools/newest.py            # the packages
    python book/_tools/newest.py tests.log  # the cells of notebooks and the tests that failed
"""

import argparse
import re
from collections.abc import Iterable, Iterator
from importlib.metadata import distributions
from pathlib import Path

from checkout import ROOT


def locked(text: str) -> dict[str, str]:
    """Return the versions that a lock names."""
    return dict(re.findall(r"(?m)^([a-z0-9][a-z0-9._-]*)==([^\s;\\]+)", text))


def installed() -> dict[str, str]:
    """Return the versions that this Python has, by the names that a lock uses."""
    return {re.sub(r"[-_.]+", "-", one.metadata["Name"]).lower(): one.version for one in distributions()}


def moved(before: dict[str, str], now: dict[str, str]) -> Iterator[str]:
    """Yield a table of the packages that the lock has in another version."""
    rows = [f"| {name} | {before[name]} | {now[name]} |" for name in sorted(before) if now.get(name, before[name]) != before[name]]
    yield f"## Packages\n\n{len(rows)} of {len(before)} are other than in the lock.\n"
    if rows:
        yield "| package | in the lock | now |\n| --- | --- | --- |\n" + "\n".join(rows) + "\n"


def drifted(log: str) -> Iterator[str]:
    """Yield a list of what failed: cells of notebooks first, with how their outputs moved, then tests."""
    failed = dict.fromkeys(re.findall(r"(?m)^(?:FAILED|ERROR) (.+?)(?: - .*)?$", log))
    how = dict(re.findall(r"(?m)^DRIFT (.+?::Cell \d+)( .+)$", log))
    cells = [name for name in failed if ".ipynb::" in name]
    for title, names in (("Cells", cells), ("Tests", [name for name in failed if name not in cells])):
        yield f"## {title} that drifted\n\n" + ("\n".join(f"* `{name}`{how.get(name, '')}" for name in names) or "None.") + "\n"


def main(arguments: Iterable[str] | None = None) -> None:
    """Print one of the two."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("log", nargs="?", type=Path, help="what the tests printed")
    log = parser.parse_args(arguments).log
    lock = (ROOT / "requirements.lock").read_text("utf-8")
    print(*(drifted(log.read_text("utf-8")) if log else moved(locked(lock), installed())), sep="\n")


if __name__ == "__main__":
    main()
