"""Build the book into _build/html with warnings as errors, trusting nothing that is half-built or outdated.

`_build/state.json` says how the last build ended and what it was made from. A build that was cut off is
removed whole. A build that failed is read again from the start, because Sphinx gives a page's warnings only
when it reads that page; cells that ran are kept. When the package, the data that pages show or the locked versions
have changed, every notebook runs again: the cache of executed notebooks compares cells only and cannot see what they use.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

from checkout import BUILD, ROOT, SITE, exclusive, fingerprint
from kernels import neutralise

LOG = BUILD / "build.log"
STATE = BUILD / "state.json"
# What the outputs of cells depend on, besides the cells; and what pages depend on, besides their own text.
CODE = ("bandits_dp/**/*", "book/*.json", "requirements.lock")
PAGES = ("_config.yml", "_toc.yml", "book/_ext/*", "book/_static/**/*", "book/*.bib")

EXECUTED = (".jupyter_cache", "jupyter_execute")
RENDERED = (".doctrees", "html")

TERMINAL_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
# A kernel says this of the machine it runs on; it is no warning about the book.
KERNEL_NOISE = re.compile(r"\[IPKernelApp\]|debugger|frozen_modules|PYDEVD")


def worth_printing(line: str) -> str:
    """Shorten a line of the build if it is a warning, an error or the start of a run; drop any other."""
    line = TERMINAL_COLOUR.sub("", line).replace(f"{ROOT}/", "").rstrip()
    run = re.match(r"(.+): Executing notebook using", line)
    if run:
        return f"  running {run[1]}"
    line = re.sub(r"(\.ipynb):(\d+)(\d{4}): ", lambda m: f"{m[1]}, cell {m[2]}, line {int(m[3])}: ", line)
    told = re.search(r"WARNING|ERROR|CRITICAL|[Ee]rror: ", line) and not KERNEL_NOISE.search(line)
    return line if told else ""


def read_state() -> dict[str, str]:
    """Read how the last build ended; empty if that is not known."""
    try:
        state = json.loads(STATE.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return state if isinstance(state, dict) else {}


def write_state(state: dict[str, str]) -> None:
    """Write the state in one step, so that it is never half-written."""
    BUILD.mkdir(exist_ok=True)
    draft = STATE.with_suffix(".tmp")
    draft.write_text(json.dumps(state, indent=2) + "\n", "utf-8")
    os.replace(draft, STATE)


def outdated(state: dict[str, str], code: str, pages: str) -> tuple[str, tuple[str, ...]]:
    """Decide what of the last build to remove before this one: the reason, and names in _build.

    A reason without names means all of it.
    """
    if state.get("status") not in ("built", "failed"):
        return "The last build was interrupted.", ()
    if state.get("code") != code:
        return "The package or its data have changed: every notebook runs again.", EXECUTED + RENDERED
    if state.get("status") == "failed":
        return "The last build failed.", RENDERED
    if state.get("pages") != pages:
        return "The book's settings have changed: every page is made again.", RENDERED
    return "", ()


def prepare(code: str, pages: str) -> None:
    """Remove what must not be trusted, and mark the build as begun."""
    if BUILD.exists():
        reason, names = outdated(read_state(), code, pages)
        if reason:
            print(reason, flush=True)
            for path in [BUILD / name for name in names] or [BUILD]:
                shutil.rmtree(path, ignore_errors=not path.exists())
    else:
        print("Building the book; the first time every notebook runs, which takes a while.", flush=True)
    write_state({"status": "building", "code": code, "pages": pages})


def run_jupyter_book(lock: int) -> int:
    """Run the build and return its status; all it says goes to `LOG`, and what a reader needs is printed."""
    command = [sys.executable, "-c", "from jupyter_book.cli.main import main; main()"]
    options = ["build", str(ROOT), "-W", "-n", "--keep-going"]
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    neutralise(environment)
    with (
        LOG.open("w", encoding="utf-8") as log,
        subprocess.Popen(
            [*command, *options],
            cwd=ROOT,
            env=environment,
            pass_fds=(lock,),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="replace",
        ) as process,
    ):
        for line in process.stdout or ():
            log.write(line)
            log.flush()
            if short := worth_printing(line):
                print(short, flush=True)
    return process.returncode


def main() -> int:
    """Build, and say where the book is."""
    argparse.ArgumentParser(description=__doc__.splitlines()[0]).parse_args()
    started = time.monotonic()
    with exclusive() as lock:
        code, pages = fingerprint(*CODE), fingerprint(*PAGES)
        prepare(code, pages)
        status = run_jupyter_book(lock)
        write_state({"status": "failed" if status else "built", "code": code, "pages": pages})
    if status:
        for report in sorted((SITE / "reports").rglob("*.err.log")):
            lines = TERMINAL_COLOUR.sub("", report.read_text("utf-8", errors="replace")).strip().splitlines()
            print(f"\n{report.relative_to(ROOT)} ends:\n  " + "\n  ".join(lines[-8:]), file=sys.stderr)
        print(f"\nThe book was not built: see above, or everything in {LOG}", file=sys.stderr)
        return 1
    page: Path = SITE / "index.html"
    print(f"\nThe book is built ({time.monotonic() - started:.0f} s). Open it with a browser:")
    print(f"  {page.as_uri()}\nor run `make serve` and open http://127.0.0.1:8000/")
    return 0


if __name__ == "__main__":
    sys.exit(main())
