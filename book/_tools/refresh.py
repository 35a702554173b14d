"""Make again everything that is computed and stored in the repository, in order, and say what moved: `make refresh`.

Each step's own tool does the work. A run that was stopped goes on where it was, except with what is made from code or data that
changed since; a run that came to its end is forgotten. What moved is told against the last commit.
"""

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat
from tqdm import tqdm

import drift
import lastfm_curves
import stored_outputs
from checkout import BUILD, NOTEBOOKS, ROOT, exclusive, fingerprint, store
from course.sets import masters
from kernels import neutralise

STATE, LOG = BUILD / "refresh" / "state.json", BUILD / "refresh" / "log.txt"
WANTS = {  # variables without which some steps are left out
    "IDLE": "it measures time; with nothing else to do for the machine, say IDLE=yes",
    "BANDITS_DP_DATA": "it plays on the Last.fm files, whose folder BANDITS_DP_DATA has to name",
}


@dataclass(frozen=True)
class Step:
    """A tool's command, once for each part; the files it writes, and what these are made from besides the packages."""

    name: str
    command: str
    writes: tuple[str, ...]
    reads: tuple[str, ...] = ()
    chapter: str = ""  # the notebook whose code it runs; its outputs and texts make no difference
    parts: tuple[str, ...] = ("",)
    wants: str = ""

    def made_from(self, part: str) -> str:
        """Return a fingerprint of all that a part is made from."""
        patterns = ("bandits_dp/**/*.py", "book/bandits_book/**/*.py", "requirements.lock", "book/_tools/*kernel*.py", *self.reads)
        code = stored_outputs.hashes(nbformat.read(ROOT / self.chapter.format(part=part), 4)) if self.chapter else []
        return " ".join([fingerprint(*(pattern.format(part=part) for pattern in patterns)), *code])

    def files(self) -> list[Path]:
        return sorted(path for pattern in self.writes for path in ROOT.glob(pattern))

    def is_kept(self) -> bool:
        """Say whether the step is left out, because something that it wants is not there."""
        return bool(self.wants) and not os.environ.get(self.wants)


SETS = tuple(path.name.split("_")[0] for path in masters())
MASTER = "notebooks/assignments/masters/{part}_*.ipynb"
CURVES = "book/bandits_book/lastfm/curves.json"
CHAPTERS = tuple(f"notebooks/{path.name}" for path in sorted(NOTEBOOKS.glob("*.ipynb")))
TESTS = {f"tests/{path.name}": path.read_text("utf-8") for path in sorted((ROOT / "tests").glob("test_*.py"))}
CLAIMS = tuple(name for name, text in TESTS.items() if "mark.claim" in text)
CONTEST = "book/bandits_book/contest.json"
ON_LASTFM = "book/bandits_book/lastfm/contest.json"
STEPS = (  # in this order: none reads what a later one writes
    Step("contest", "book/_tools/play_contest.py --workers 2", (CONTEST,), ("book/_tools/play_contest.py",),
         wants="IDLE"),
    Step("lastfm", "book/_tools/lastfm_curves.py {part}", (CURVES,), ("book/_tools/lastfm_curves.py",),
         parts=tuple(lastfm_curves.PARTS), wants="BANDITS_DP_DATA"),
    Step("contest-lastfm", "book/_tools/play_contest.py --lastfm", (ON_LASTFM,), ("book/_tools/play_contest.py", CONTEST),
         wants="BANDITS_DP_DATA"),
    Step("bench", "-m tests.benchmarks", ("book/benchmarks.json",), ("tests/benchmarks/*.py",), wants="IDLE"),
    Step("claims", "-m pytest -q --write-claims {part}", ("book/claims.json",), ("tests/[!t]*.py", "{part}", CURVES), parts=CLAIMS),
    Step("notebooks", "book/_tools/run_notebooks.py {part}", ("notebooks/*.ipynb",),
         (CURVES, CONTEST, ON_LASTFM, "book/_tools/run_notebooks.py"), "{part}", CHAPTERS),
    Step("assignments", "book/_tools/make_assignments.py {part}", ("notebooks/assignments/*.ipynb",),
         (MASTER, "book/_tools/course/*.py", "_config.yml"), parts=SETS),
    Step("power", "book/_tools/rehearse.py {part}", ("book/teaching/power.json",),
         (MASTER, "tests/course/set_{part}.py", "book/_tools/course/*.py", "book/_tools/rehearse.py"), parts=SETS),
    Step("link", "book/_tools/link_picture.py", ("book/_static/link.png",),
         ("book/_tools/link_picture.*", "book/_tools/welcome_figure.py", "book/_figure/*")),
    Step("picture", "book/_tools/readme_picture.py", ("book/_static/regret.svg",), ("book/_tools/readme_picture.py",)),
)


def run(step: Step, part: str, bar: Any, lock: Sequence[int]) -> bool:
    """Run a step's command for one part, with all that it says in the log; say how it went, and whether well."""
    started, command = time.monotonic(), [sys.executable, *(word.format(part=part) for word in step.command.split())]
    bar.set_description(f"{step.name} {part}".strip())
    with (
        LOG.open("w+", encoding="utf-8") as log,
        subprocess.Popen(command, cwd=ROOT, pass_fds=lock, stdin=subprocess.DEVNULL, stdout=log, stderr=log) as process,
    ):
        while process.poll() is None:
            time.sleep(0.2)
            bar.refresh()
        last = LOG.read_text("utf-8").splitlines()[-20:] if process.returncode else []
    told = "FAILED" if process.returncode else "made"
    bar.write("\n  ".join([f"{step.name} {part}  {time.monotonic() - started:.1f} s  {told}", *last]))
    return process.returncode == 0


def committed(path: Path) -> str | None:
    """Return a file as it was last committed, or None if it was not."""
    name = f"HEAD:./{path.relative_to(ROOT).as_posix()}"
    done = subprocess.run(["git", "show", name], cwd=ROOT, capture_output=True, check=False, timeout=60)
    return None if done.returncode else done.stdout.decode()


def without_times(text: str) -> str:
    """Leave out of a stored table how fast it was made, and when."""
    return re.sub(r'"(seconds|day)": ("[^"]*"|[\d.e-]+)', r'"\1"', text)


def undone_times(step: Step) -> None:
    """Put a stored table back as it was committed if only its times moved: here they say nothing but how busy the machine is."""
    for path in step.files() if not os.environ.get("IDLE") else ():
        before = committed(path) if path.suffix == ".json" else None
        if before and without_times(before) == without_times(path.read_text("utf-8")):
            store(path, before)


def moved(path: Path) -> str:
    """Say of a stored file whether it is what is committed, or else which of its lines moved most."""
    name, before, now = path.relative_to(ROOT).as_posix(), committed(path), path.read_text("utf-8")
    if before is None:
        return f"{name}: new"
    if path.suffix == ".svg" and before != now:
        return f"{name}: {drift.moved_figure(before, now)}"
    before, now = without_times(before), without_times(now)
    return f"{name}: {'unchanged' if before == now else drift.moved_text(before, now)}"


def make(steps: Sequence[Step], lock: Sequence[int]) -> int:
    """Make what is not made yet, and forget that when all is; stop after a step of which a part failed."""
    done = json.loads(STATE.read_text("utf-8")) if STATE.exists() else {}
    steps = [step for step in steps if not step.is_kept()]
    with tqdm(total=sum(len(step.parts) for step in steps), unit="part", disable=None) as bar:
        for step in steps:
            made = {f"{step.name} {part}": step.made_from(part) for part in step.parts}
            for part, (key, origin) in zip(step.parts, made.items(), strict=True):
                if done.get(key) != origin and run(step, part, bar, lock):
                    store(STATE, json.dumps(done := {**done, key: origin}))
                bar.update()
            undone_times(step)
            if not made.items() <= done.items():
                return 1
    names = {step.name for step in steps}
    store(STATE, json.dumps({key: origin for key, origin in done.items() if key.split()[0] not in names}))
    return 0


def main(only: str = "") -> int:
    """Make the steps, or the one that is named, and say what moved in all that they store."""
    steps = [step for step in STEPS if only in ("", step.name)]
    if not steps:
        sys.exit(f"no such step: {only}; there are {', '.join(step.name for step in STEPS)}")
    last = subprocess.run(["git", "rev-parse", "-q", "--verify", "HEAD"], cwd=ROOT, capture_output=True, check=False, timeout=60)
    if last.returncode:
        sys.exit("what moved is told against the last commit, and none was found: run this in a clone, with git")
    neutralise()
    with exclusive() as lock:
        LOG.parent.mkdir(parents=True, exist_ok=True)
        status = make(steps, lock)
    for step in steps:
        for path in step.files():
            kept = f"{path.relative_to(ROOT).as_posix()}: kept; {WANTS[step.wants]}" if step.is_kept() else ""
            print(kept or moved(path))
    print("A part failed: see above. Mend it, and say the same again; it goes on from there." if status else "Now: make test.")
    return status


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:2]))
