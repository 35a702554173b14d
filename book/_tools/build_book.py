"""Build the book into _build/html with warnings as errors, trusting nothing that is half-built or outdated.

Chapters show the outputs that are stored in their notebooks; only the pages that are made from data run their cells.

`_build/state.json` says how the last build ended and what it was made from. If nothing has changed since, there is nothing
to do. If only the texts of pages have changed, those are made again. In any other case all is: Sphinx gives a page's warnings
only when it reads that page, and does not see what the cells of a page read.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Sequence

import stored_outputs
from checkout import BUILD, NOTEBOOKS, ROOT, SITE, exclusive, fingerprint, store
from kernels import neutralise

LOG = BUILD / "build.log"
LONGEST = 3600  # seconds; this stops what hangs
STATE = BUILD / "state.json"
# What every page may depend on, besides its own text; and what else makes a difference to a build. (Theorems name their tests.)
BASE = (
    *("bandits_dp/**/*", "book/bandits_book/**/*", "requirements.lock", "_config.yml", "_toc.yml"),
    *("book/**/*.json", "book/*.bib", "book/*.toml", "book/_ext/*", "book/_figure/*", "book/_static/**/*"),
    "book/_tools/welcome_figure.py",
    "notebooks/assignments/*.ipynb",  # the instructor's guide lists them
)
TEXTS = ("book/**/*.md", "notebooks/*.ipynb", "tests/**/*.py")

TERMINAL_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
# A kernel says this of the machine it runs on; it is no warning about the book.
KERNEL_NOISE = re.compile(r"\[IPKernelApp\]|debugger|frozen_modules|PYDEVD")


def worth_printing(line: str) -> str:
    """Shorten a line of the build if it is a warning, an error or the start of a run; drop any other."""
    line = TERMINAL_COLOUR.sub("", line).replace(f"{ROOT}{os.sep}", "").rstrip()
    if run := re.match(r"(.+): Executing notebook using", line):
        return f"  running {run[1]}"
    line = re.sub(r"(\.ipynb):(\d+)(\d{4}): ", lambda m: f"{m[1]}, cell {m[2]}, line {int(m[3])}: ", line)
    told = re.search(r"WARNING|ERROR|CRITICAL|[Ee]rror: ", line) and not KERNEL_NOISE.search(line)
    return line if told else ""


def read_state() -> dict[str, str]:
    """Read how the last build ended; empty if that is not known."""
    try:
        return dict(json.loads(STATE.read_text("utf-8")))
    except (OSError, ValueError):
        return {}


def write_state(state: dict[str, str]) -> None:
    store(STATE, json.dumps(state, indent=2) + "\n")


def is_current(made_from: dict[str, str]) -> bool:
    return read_state() == {"status": "built", **made_from} and (SITE / "index.html").is_file()


def prepare(made_from: dict[str, str]) -> None:
    """Remove what must not be trusted, and mark the build as begun."""
    state = read_state()
    if BUILD.exists() and (state.get("status") != "built" or state.get("base") != made_from["base"]):
        for path in BUILD.iterdir():
            if path.name != "refresh":  # what a `make refresh` that was stopped goes on with
                shutil.rmtree(path) if path.is_dir() else path.unlink()
    write_state({"status": "building", **made_from})


def run_jupyter_book(lock: Sequence[int]) -> int:
    """Run the build and return its status; all it says goes to `LOG`, and what a reader needs is printed."""
    command = [sys.executable, "-c", "from jupyter_book.cli.main import main; main()"]
    command += ["build", str(ROOT), "-W", "-n", "--keep-going"]
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    neutralise(environment)
    with LOG.open("w", 1, "utf-8") as log, subprocess.Popen(
        command, cwd=ROOT, env=environment, pass_fds=lock, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, encoding="utf-8", errors="replace",
    ) as process:  # fmt: skip
        hangs = threading.Timer(LONGEST, process.kill)
        hangs.start()
        try:
            for line in process.stdout or ():
                log.write(line)
                if short := worth_printing(line):
                    print(short, flush=True)
        finally:
            hangs.cancel()
    return process.returncode


def build() -> int:
    """Build what is not built yet, and return the status."""
    with exclusive() as lock:
        made_from = {"base": fingerprint(*BASE), "texts": fingerprint(*TEXTS)}
        if is_current(made_from):
            return 0
        prepare(made_from)
        print("Building the book; chapters show the outputs stored in notebooks/.", flush=True)
        status = run_jupyter_book(lock)
        write_state({"status": "failed" if status else "built", **made_from})
    if status:
        for report in sorted((SITE / "reports").rglob("*.err.log")):
            lines = TERMINAL_COLOUR.sub("", report.read_text("utf-8", errors="replace")).strip().splitlines()
            print(f"\n{report.relative_to(ROOT)} ends:\n  " + "\n  ".join(lines[-8:]), file=sys.stderr)
        print(f"\nThe book was not built: see above, or everything in {LOG}", file=sys.stderr)
    return status


def main() -> int:
    """Refuse outputs of other code, build, and say where the book is."""
    started = time.monotonic()
    if stored_outputs.stale(sorted(NOTEBOOKS.glob("*.ipynb"))) or build():
        return 1
    print(f"\nThe book is built ({time.monotonic() - started:.0f} s). Open it with a browser:")
    print(f"  {(SITE / 'index.html').as_uri()}\nor run `make serve` and open http://127.0.0.1:8000/")
    return 0


if __name__ == "__main__":
    sys.exit(main())
