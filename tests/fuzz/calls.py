"""Generated calls: choose a target, put other values in the place of one argument or more, and judge what the call does."""

from __future__ import annotations

import faulthandler
import multiprocessing
import os
import resource
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from numbers import Integral
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from tests.fuzz.judge import Violation, held, judged
from tests.fuzz.targets import Target, targets
from tests.fuzz.values import kind_of, made, values

HEAVY = {"audit": 50, "simulate": 50, "moving_figure": 10, "moving_scene": 10, "band": 20, "LastFM": 50, "source": 10, "setup": 5,
         "exhibits": 50, "systems": 50, "use_style": 50, "AmplifiedGaussian": 5, "make": 3, "VectorSum": 3, "evaluate": 3,
         "replay": 3, "warm_start": 3, "record": 3}  # called so many times less often, because they take longer
MEMORY = 1_000_000_000  # bytes that a call may take
DAY = 86400.0  # seconds that a worker may work
HANGS = 60.0  # seconds after which a worker that no clock can stop is ended
Choose = Callable[[Sequence[Any]], Any]


@cache
def valid(text: str) -> list[Any]:
    """Return what a valid call holds."""
    return held(made(text))


def drawn(target: Target, choose: Choose, number: Callable[[str], str]) -> dict[str, tuple[str, str]]:
    """Choose arguments to change, and what to put in their place: text and status."""
    names = list(target.arguments)
    if not names:
        return {}
    how_many = choose((1, 1, 1, 1, 1, 2, 2, 3, 0))
    changed = {}
    for _ in range(min(how_many, len(names))):
        name = choose(names)
        kind = kind_of(target.arguments[name])
        if kind in ("real", "integer") and choose((False, False, True)):
            text, status = number(kind), "any"
        else:
            text, status = choose(values(target.arguments[name]))
        if text == "None" and name in target.optional:
            status = "any"
        if name == "workers" and isinstance(made(text), Integral) and made(text) > 1:
            continue  # processes that the clock and the limit of memory would break; tests of the simulator start some
        changed[name] = (text, status)
    return changed


def by_generator(rng: np.random.Generator) -> tuple[Choose, Callable[[str], str]]:
    """Return how a numpy generator chooses, and draws numbers of all sizes."""

    def choose(options: Sequence[Any]) -> Any:
        return options[int(rng.integers(len(options)))]

    def number(kind: str) -> str:
        if kind == "integer":
            return str(int(2.0 ** rng.uniform(0, 70)))
        return repr(float(10.0 ** rng.uniform(*choose(((-3, 3), (-12, 6), (-320, 308))))))

    return choose, number


def one(target: Target, changed: dict[str, tuple[str, str]], clock: bool = True) -> Violation | None:
    """Judge a call."""
    what = judged(target, changed, valid(target.text(target.arguments)), clock)
    if not what:
        return None
    return Violation(target.callee, what, target.text(target.arguments | {name: text for name, (text, _) in changed.items()}))


@contextmanager
def little_memory() -> Iterator[None]:
    """Let this process grow by no more than a call may take."""
    before = resource.getrlimit(resource.RLIMIT_AS)
    if sys.platform == "linux":
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        resource.setrlimit(resource.RLIMIT_AS, (pages * os.sysconf("SC_PAGE_SIZE") + MEMORY, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


def worker(number: int, seconds: float, count: int, seed: int, only: str, folder: str) -> None:
    """Make many calls in a process that may not grow, and write down those that violate the rules."""
    rng = np.random.default_rng([seed, number])
    choose, draw = by_generator(rng)
    rows = [target for target in targets() if only in target.callee]
    chances = np.array([1 / HEAVY.get(target.name, 1) for target in rows])
    steps = np.cumsum(chances / chances.sum())
    for target in rows:
        valid(target.text(target.arguments))
    current = os.open(f"{folder}/{number}.current", os.O_CREAT | os.O_RDWR)
    start, done = time.monotonic(), 0
    with little_memory(), open(f"{folder}/{number}.found", "a", buffering=1) as found, open(f"{folder}/{number}.log", "w") as log:
        while done < count and time.monotonic() - start < seconds:
            target = rows[min(int(np.searchsorted(steps, rng.random())), len(rows) - 1)]
            changed = drawn(target, choose, draw)
            text = target.text(target.arguments | {name: value for name, (value, _) in changed.items()})
            os.pwrite(current, f"{done} {text}".encode().ljust(4000), 0)
            faulthandler.dump_traceback_later(HANGS, exit=True, file=log)
            violation = one(target, changed)
            done += 1
            if violation:
                found.write("\t".join(part.replace("\n", " ").replace("\t", " ") for part in violation) + "\n")
        faulthandler.cancel_dump_traceback_later()
    os.pwrite(current, f"{done} ".encode().ljust(4000), 0)


def run(count: int, seed: int, workers: int, only: str = "", seconds: float = 1e9) -> tuple[int, list[Violation]]:
    """Make so many calls, in several processes, and return how many were made and what was found."""
    made_calls, found = 0, []
    with TemporaryDirectory() as folder:
        left = {number: count // workers + (number < count % workers) for number in range(workers)}
        start = time.monotonic()
        while left:  # a worker that died or hung is started again with what is left to do
            parts = {number: multiprocessing.get_context("spawn").Process(
                target=worker, args=(number, seconds - time.monotonic() + start, calls, seed, only, folder))
                for number, calls in left.items()}
            for part in parts.values():
                part.start()
            for number, part in parts.items():
                part.join(min(seconds, DAY) + 10 * HANGS)
                part.kill()
                part.join(HANGS)
                done, _, text = Path(folder, f"{number}.current").read_text().strip().partition(" ")
                made_calls += int(done)
                left[number] -= int(done)
                if part.exitcode:
                    found.append(Violation(text.split("(")[0], f"ends the process ({part.exitcode})", text))
                    made_calls, left[number], seed = made_calls + 1, left[number] - 1, seed + 1
                if left[number] <= 0 or not part.exitcode:
                    del left[number]
        for path in sorted(Path(folder).glob("*.found")):
            found += [Violation(*line.split("\t")) for line in path.read_text().splitlines()]
    return made_calls, found
