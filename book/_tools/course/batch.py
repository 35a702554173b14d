"""Grade a folder of submissions: several at once, each by itself, and nothing twice; and the command that does it."""

import argparse
import contextlib
import hashlib
import json
import os
import re
import secrets
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import asdict
from pathlib import Path

from tqdm import tqdm

from checkout import store, taken
from course import sandbox
from course.processes import Limits
from course.release import checked
from course.reports import imported, page, similar, table
from course.restore import Original, parsed
from course.roster import Roster
from course.score import GRADED, Result, graded, nothing
from course.sets import MASTERS, POINTS, masters
from course.submissions import NO_NOTEBOOK, Handed, handed_in, inferred, known_ids, owner, text_of

ERROR = "grader's error"  # such a result is not kept: the next run tries again


class Batch:
    """The submissions of one set in a folder, and the folder with their results."""

    def __init__(self, folder: Path, out: Path, name: str, seed: int | None, limits: Limits, sets: Path = MASTERS,
                 roster: str = "") -> None:
        """Open the folder of results, or make it; raise ValueError if it holds those of another batch."""
        self.folder, self.out, self.name, self.limits, self.roster = folder, out, name, limits, roster
        self.known = known_ids(sets)
        self.master = sets / f"{name}.ipynb"
        self.seed = self.opened(seed)

    def opened(self, seed: int | None) -> int:
        """Return the seed of the batch: drawn once, and kept with the results."""
        stored = self.out / "batch.json"
        if stored.exists():
            batch = json.loads(stored.read_text("utf-8"))
            if batch["set"] != self.name or seed not in (None, batch["seed"]):
                raise ValueError(f"{self.out} holds results of the set {batch['set']} with the seed {batch['seed']}; "
                                 "name another folder with OUT=, or remove it")
            return int(batch["seed"])
        seed = secrets.randbelow(10**9) if seed is None else seed
        store(stored, json.dumps({"set": self.name, "seed": seed}) + "\n")
        return seed

    def run(self, workers: int) -> list[Result]:
        """Grade what is not graded yet; return all results."""
        handed = handed_in(self.folder, self.name)
        roster = Roster(Path(self.roster).expanduser(), self.name, handed) if self.roster else None
        listed = roster.found if roster else {}
        stray = [one for one in handed if one.status == NO_NOTEBOOK and not one.number and one.student not in listed]
        print(*(f"Left out, as nobody's: {one.remark}\n" for one in stray), sep="", end="", file=sys.stderr)
        handed = [one for one in handed if one not in stray]
        if roster:
            print("Not on the roster:", ", ".join(one.student for one in handed if one.student not in listed) or "nobody")
            there = {one.student.casefold() for one in handed}
            handed += [one for one in roster.absent() if one.student.casefold() not in there]
        before = {one.student: digest(one.path) for one in handed}
        names = file_names([one.student for one in handed])
        keys = {one.student: self.key(before[one.student], one.remark) for one in handed}
        found = {one.student: self.kept(names[one.student], keys[one.student]) for one in handed if one.path}
        results = {student: result for student, result in found.items() if result}
        waiting = [one for one in handed if one.student not in results]
        release = Original(checked(self.master), self.name)
        with ThreadPoolExecutor(workers) as pool:
            if waiting:
                self.prove(release)
            futures = {pool.submit(self.graded, one, release, keys[one.student]): one for one in waiting}
            try:
                bar = tqdm(as_completed(futures), total=len(handed), initial=len(results), desc=self.name, unit="submission")
                for future in bar:
                    student, result = futures[future].student, future.result()
                    results[student] = result
                    store(self.out / "feedback" / f"{names[student]}.html", page(result, self.name))
                    store(self.out / "results" / f"{names[student]}.json", json.dumps(asdict(result), indent=1) + "\n")
            except KeyboardInterrupt:
                print(f"\nStopped. The same command goes on from here; what is done is in {self.out}", file=sys.stderr, flush=True)
                os._exit(130)  # without waiting for submissions that still run: they end with this process
        for one in handed:
            if digest(one.path) != before[one.student]:
                raise RuntimeError(f"{one.path} changed while it was graded")
        final = [results[one.student] for one in handed]
        given = [cell.source for cell in (*release.marked.values(), *checked(self.master).cells) if cell.cell_type == "code"]
        store(self.out / "grades.csv", table(final, self.name))
        store(self.out / "import.csv", roster.filled(final) if roster else imported(final))
        store(self.out / "similar.csv", similar(final, [*given, *release.released.values()]))
        return final

    def prove(self, release: Original) -> None:
        """Make sure that the master's own solution gets everything here and with this seed."""
        result = graded(checked(self.master), release, self.seed, self.limits)
        if result.total != POINTS:
            said = "; ".join(f"{task['task']}: {task['said']}" for task in result.tasks if task["said"])
            raise RuntimeError(f"the master's own solution gets {result.total:g} of {POINTS} with the seed {self.seed}: {said}")

    def key(self, submission: str, remark: str) -> str:
        parts = json.dumps([submission, remark, digest(self.master), self.seed, asdict(self.limits)])
        return hashlib.sha256(parts.encode()).hexdigest()

    def kept(self, name: str, key: str) -> Result | None:
        """Return the result that is there, if it is of just this submission."""
        with contextlib.suppress(OSError, ValueError, TypeError):
            result = Result(**json.loads((self.out / "results" / f"{name}.json").read_text("utf-8")))
            if result.key == key and result.status != ERROR and (self.out / "feedback" / f"{name}.html").exists():
                return result
        return None

    def graded(self, one: Handed, release: Original, key: str) -> Result:
        """Grade one submission; whatever is wrong with it becomes its status."""
        try:
            result = self.judged(one, release)
        except Exception as error:  # one bad submission never stops the rest
            result = nothing(release, one.student, ERROR, f"{type(error).__name__}: {error}")
        result.key = key
        if one.path and one.remark:
            result.remarks.insert(0, one.remark)
        # What is no text, such as half of a character, could not be stored.
        return Result(**json.loads(json.dumps(asdict(result), ensure_ascii=False).encode("utf-8", "replace")))

    def judged(self, one: Handed, release: Original) -> Result:
        """Grade a submission if it is one of this set."""
        if one.path is None:
            return nothing(release, one.student, one.status, one.remark)
        try:
            notebook = parsed(text_of(one.path, self.limits.file))
        except (ValueError, OSError) as error:
            return nothing(release, one.student, "unreadable", f"{one.path.name} {error}")
        other = owner(notebook, self.known)
        if not other:
            remark = f"{one.path.name} has no cell of any set, or their marks are lost: copy the answers to a new notebook"
            return nothing(release, one.student, "no set", remark)
        if other != self.name:
            return nothing(release, one.student, "another set", f"{one.path.name} is of the set {other}")
        return graded(notebook, release, self.own_seed(one), self.limits, one.student)

    def own_seed(self, one: Handed) -> int:
        """Return a student's seed, which a changed notebook changes: what feedback says of one attempt is no answer to the next."""
        told = f"{self.seed} {one.student} {digest(one.path)}"
        return int(hashlib.sha256(told.encode()).hexdigest(), 16) % 10**9


def digest(path: Path | None) -> str:
    """Return the checksum of a file; "" if there is none that can be read."""
    with contextlib.suppress(OSError):
        return hashlib.sha256(path.read_bytes()).hexdigest() if path else ""
    return ""


def file_names(students: Sequence[str]) -> dict[str, str]:
    """Return for each student a file name that every system takes, and that nobody shares."""
    made = {}
    for student in students:
        name = re.sub(r"[^\w @.-]", "_", student).strip(". ").encode()[:120].decode(errors="ignore")
        same = name == student and not re.search(r"-[0-9a-f]{8}$", name)  # as those are made that are not
        made[student] = name if same else f"{name}-{hashlib.sha256(student.encode()).hexdigest()[:8]}"
    return made


@contextlib.contextmanager
def alone(out: Path) -> Iterator[None]:
    """Let one run at a time write to a folder of results."""
    out.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(out, os.O_RDONLY)
    try:
        if not taken(descriptor):
            raise ValueError(f"another run is writing to {out}")
        yield
    finally:
        os.close(descriptor)


def chosen(word: str, folder: Path, sets: Path) -> str:
    """Return the name of the set that a number or a name means, or that most submissions are of."""
    known = known_ids(sets)
    if not word:
        return inferred(folder, known, Limits().file)
    found = [path.stem for path in masters(sets) if word in (path.stem, path.stem.split("_")[0])]
    if not found:
        raise ValueError(f"SET={word!r} is no set; the sets are {', '.join(known)}")
    return found[0]


def main(arguments: Sequence[str] | None = None) -> int:
    usual = Limits()
    parser = argparse.ArgumentParser(description="Grade a folder of submissions of one set.")
    parser.add_argument("submissions", help="the folder with what was handed in")
    parser.add_argument("--set", default="", help="number or name of the set (default: that of most submissions)")
    parser.add_argument("--out", default="", help="folder for the results (default: beside the submissions, <folder>-graded)")
    parser.add_argument("--seed", type=lambda word: int(word) if word else None, help="seed (default: drawn once and kept)")
    parser.add_argument("--masters", type=Path, default=MASTERS, help="folder with the master notebooks")
    parser.add_argument("--workers", type=int, default=2, help="submissions at once")
    parser.add_argument("--cell", type=float, default=usual.cell, help="seconds for one cell")
    parser.add_argument("--total", type=float, default=usual.total, help="seconds for one submission")
    parser.add_argument("--memory", type=int, default=usual.memory, help="megabytes of memory for one submission")
    parser.add_argument("--roster", default="", help="a platform's list of students, to be filled in")
    parser.add_argument("--sandbox", choices=("bwrap", "none"), default="bwrap", help="what keeps submissions from your files")
    options = parser.parse_args(arguments)
    folder = Path(options.submissions).expanduser().resolve()
    out = Path(options.out).expanduser().resolve() if options.out else folder.with_name(f"{folder.name}-graded")
    try:
        if not options.submissions or not folder.is_dir():
            raise ValueError(f"SUBMISSIONS={options.submissions!r} is not a folder; say make grade SUBMISSIONS=folder")
        if out == folder or folder in out.parents:
            raise ValueError(f"OUT={str(out)!r} must not be inside the folder of submissions")
        if options.workers < 1:
            raise ValueError(f"WORKERS={options.workers} must be at least 1")
        if options.sandbox == "bwrap" and (why := sandbox.missing()):
            raise ValueError(sandbox.NONE.format(why))
        with alone(out):
            limits = Limits(options.cell, options.total, options.memory, usual.file, options.sandbox == "bwrap")
            name = chosen(options.set, folder, options.masters)
            batch = Batch(folder, out, name, options.seed, limits, options.masters, options.roster)
            results = batch.run(options.workers)
    except (ValueError, RuntimeError, FileNotFoundError) as error:
        print(error, file=sys.stderr)
        return 1
    if options.sandbox == "none":
        print("NO SANDBOX: these submissions ran as you, and could do whatever you can.", file=sys.stderr)
    return summary(results, out)


def summary(results: Sequence[Result], out: Path) -> int:
    """Say how it went, with the names of those that somebody should look at."""
    for result in results:
        if result.status != GRADED:
            print(f"{result.student}: {result.status}: {'; '.join(result.remarks)}")
    counted = ", ".join(f"{times} {status}" for status, times in Counter(one.status for one in results).items())
    print(f"{len(results)} submissions ({counted or 'none'})")
    print(f"Scores: {out / 'grades.csv'}\nA page for each student: {out / 'feedback'}")
    return int(any(result.status == ERROR for result in results))
