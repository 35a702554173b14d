"""Play part of chapter 15's map on clusters of processes, kill a worker, store times in book/cluster_times.json.

    python book/_tools/cluster_times.py    # some minutes; wants a machine with nothing else to do

Each cluster first plays the squares, then it *replays* them: a worker sleeps as long as the square took a processor, by price.json.
Sleeping needs no processor, so the replay shows how a cluster hands out tasks even where other work keeps the machine busy.
Both are done several times over, and the quickest is kept, because other work only ever makes it longer. Every play has a cluster
of its own: a process remembers the noise that it computed, and would be quicker the second time.
"""

import importlib
import json
import logging
import os
import platform
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import distributed
from distributed import Client, LocalCluster, as_completed

import price_sweep
from checkout import ROOT, store

STORED = ROOT / "book" / "cluster_times.json"
PROBLEMS = ("arms", "linear", "clients")
SLOW = ("UCB1", "DP-UCB")
WORKERS = (1, 2, 4)
TIMES = 2
SLEEPERS = (1, 2, 4, 8)  # more workers than processors, since they only sleep
LONGEST = 3600  # seconds for all tasks of a play; this stops what hangs
NOTHING = 1000  # tasks that do nothing, for the cost of a task as such

Square = tuple[str, str, float | None, int]


@contextmanager
def cluster(workers: int) -> Iterator[Client]:
    """Start processes with one thread each that listen to this machine only."""
    with LocalCluster(n_workers=workers, threads_per_worker=1, processes=True, dashboard_address=None, host="127.0.0.1",
                      silence_logs=logging.CRITICAL) as made, Client(made) as client:
        client.wait_for_workers(workers, timeout=300)
        yield client


def job(chapter: dict[str, Any]) -> Callable[[Square], tuple[dict[str, float], float]]:
    """Return what a worker does: one square, and the seconds that it took there."""
    measure, problems, horizons = chapter["measure"], chapter["problems"], chapter["horizons"]

    def play(square: Square) -> tuple[dict[str, float], float]:
        problem, name, epsilon, runs = square
        start = time.perf_counter()
        made = measure(problems[problem], name, epsilon, horizons[problem], runs)
        return made, time.perf_counter() - start

    return play


def gathered(client: Client, futures: list[Any]) -> list[Any]:
    """Return what tasks gave, or fail if they do not end."""
    distributed.wait(futures, timeout=LONGEST)
    return list(client.gather(futures))


def timed(client: Client, function: Callable[[Any], Any], tasks: Sequence[Any]) -> tuple[float, list[Any]]:
    """Run all tasks, in this order, and return the seconds of the whole, and what they gave."""
    start = time.perf_counter()
    made = gathered(client, client.map(function, tasks, pure=False))
    return time.perf_counter() - start, made


def empty(client: Client) -> float:
    """Return the seconds that a task takes that does nothing."""
    return timed(client, abs, range(NOTHING))[0] / NOTHING


def with_a_death(client: Client, play: Callable[[Square], Any], squares: list[Square]) -> tuple[list[dict[str, float]], int]:
    """Play all squares, kill one worker when half of them are done, and return what came and how many were done by then."""
    futures = client.map(play, squares, pure=False)
    victim = min(client.run(os.getpid).values())
    for done, _ in enumerate(as_completed(futures, timeout=LONGEST), 1):
        if done == len(squares) // 2:
            os.kill(victim, signal.SIGKILL)
    return [made for made, _ in gathered(client, futures)], len(squares) // 2


def same(made: list[dict[str, float]], squares: list[Square], stored: dict[Any, dict[str, Any]]) -> int:
    """Count the squares whose numbers are those of book/price.json, bit for bit."""
    pairs = [(row, stored[square[:3]]) for row, square in zip(made, squares, strict=True)]
    return sum(all(row[key] == old[key] for key in ("regret", "error", "bits")) for row, old in pairs)


def rounded(seconds: float, digits: int = 4) -> float:
    return float(f"{seconds:.{digits}g}")


def main() -> int:
    chapter = price_sweep.chapter_names(*price_sweep.CELLS)
    squares = [square for square in chapter["squares"]() if square[0] in PROBLEMS and square[1] not in SLOW]
    stored = json.loads(price_sweep.STORED.read_text("utf-8"))["map"]
    table = {(row["problem"], row["system"], row["epsilon"]): row for row in stored}
    seconds = [table[square[:3]]["seconds"] for square in squares]
    play, best, nothing = job(chapter), {}, {}
    for workers in WORKERS:
        every = []
        for _ in range(TIMES):
            with cluster(workers) as client:
                client.run(importlib.import_module, "bandits_dp.catalog")  # else the first tasks would wait for it
                every.append(timed(client, play, squares))
        makespan, made = min(every, key=lambda one: one[0])
        best[workers] = {"makespan": rounded(makespan), "tasks": [rounded(seconds) for _, seconds in made]}
        print(workers, "workers played for", best[workers]["makespan"], "s", flush=True)
    slept: dict[int, float] = {}
    for workers in SLEEPERS:
        with cluster(workers) as client:
            empty(client)  # every process imports what it needs first
            nothing[workers] = rounded(min(empty(client) for _ in range(TIMES)), 3)
            slept[workers] = rounded(min(timed(client, time.sleep, seconds)[0] for _ in range(TIMES)))
        print(workers, "workers slept for", slept[workers], "s, an empty task takes", nothing[workers], "s", flush=True)
    with cluster(2) as client:
        made, killed_after = with_a_death(client, play, squares)
    equal = same(made, squares, table)
    print(f"{equal} of {len(squares)} squares the same after a worker was killed at {killed_after}")
    about = price_sweep.provenance(
        "python book/_tools/cluster_times.py", seed=0, calibration="certified", distributed=distributed.__version__,
        processor=platform.machine(), cores=os.cpu_count(), times=TIMES,
    )
    kept = {
        "made": about,
        "squares": [f"{problem}, {name}" + (f", {epsilon:g}" if epsilon else "") for problem, name, epsilon, _ in squares],
        "empty task": nothing, "death": {"workers": 2, "killed after": killed_after, "squares": len(squares), "same": equal},
        "seconds": seconds, "replayed": slept, "played": best,
    }
    store(STORED, "{\n" + ",\n".join(f'"{key}": {json.dumps(value)}' for key, value in kept.items()) + "\n}\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
