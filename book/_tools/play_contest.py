"""Play the contest of `bandits_book.contest`, and store it beside `bandits_book.contest`: `make contest`.

    python book/_tools/play_contest.py --only "arms pure" --workers 2 --instances 5

First every contestant's width is tuned, on instances of their own; then all play instance after instance, and after each the file
is written. Stopped at any time, also by force, it goes on where it was: what a learner gave on an instance is kept in
_build/contest, until code changes. `--only` is part of a contestant's setting, trust model and name, in this order; the others'
rows stay. `--lastfm` plays on the Last.fm files, whose folder BANDITS_DP_DATA names, and stores that apart, in some minutes; nobody
is tuned there.
"""

import argparse
import json
import os
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import joblib
from tqdm import tqdm

from bandits_book import contest
from bandits_book.contest import Row
from bandits_book.contestants import Contestant
from bandits_dp.play.fingerprint import fingerprint
from bandits_dp.play.parent import end_with_parent
from checkout import BUILD, ROOT, store
from provenance import provenance

STORED = ROOT / "book" / "bandits_book" / "contest.json"  # in the package, so that it is wherever the package is
LASTFM = STORED.parent / "lastfm" / "contest.json"
CACHE = BUILD / "contest"
KEYS = ("setting", "trust", "system")
Entry = tuple[Contestant, float | None]


def entries(only: str = "", everybody: Iterable[Contestant] = ()) -> list[Entry]:
    """List contestants with each epsilon, if their setting, trust and name, in this order, have some words in them."""
    return [(one, epsilon) for one in everybody or contest.contestants() for epsilon in one.epsilons
            if only in f"{one.setting} {one.trust} {one.name}"]


def tune(caller: int, entry: Entry) -> dict[float, float] | str:
    end_with_parent(caller)
    return contest.tune(*entry, kept)


def as_contexts(entry: Entry) -> dict[float, float] | str:
    """Return what the stored contest has of a learner with contexts, by which it plays on Last.fm."""
    one, epsilon = entry
    told = [row for row in contest.results()["rows"]
            if (row["setting"], row["trust"], row["system"], row["epsilon"]) == ("contextual", one.trust, one.name, epsilon)]
    if not told:
        return {1.0: 1.0}  # a rule that nobody tuned
    return str(told[0]["note"]) or {row["scale"]: row["tuning"] for row in told}


def play(caller: int, entry: Entry, number: int, scales: Sequence[float]) -> list[Row]:
    """Play one instance with each scale."""
    end_with_parent(caller)
    one, epsilon = entry
    return [kept(one, contest.instances(one.setting)[number], epsilon, scale) for scale in scales]


def kept(one: Contestant, instance: contest.Instance, epsilon: float | None, scale: float = 1.0) -> Row:
    """Play an instance, or find what the same learner and code gave."""
    try:
        learner = one.make(instance, epsilon)
        path = CACHE / f"{fingerprint(learner, instance.problem, instance.horizon, instance.seed, scale)}.json"
    except Exception:  # whatever somebody's learner raises: the row says so
        return contest.play(one, instance, epsilon, scale)
    if path.exists():
        return dict(json.loads(path.read_text("utf-8")))
    row = contest.play(one, instance, epsilon, scale)
    if "note" not in row:
        store(path, json.dumps(row))
    return row


def beginning(entry: Entry, shares: dict[float, float] | str) -> list[Row]:
    """Return the rows of a contestant that has been tuned, as proved and with its own scale."""
    one, epsilon = entry
    note, shares = (shares, {1.0: 1.0}) if isinstance(shares, str) else ("", shares)
    best = min(shares, key=lambda scale: (shares[scale], -scale))
    return [{"setting": one.setting, "trust": one.trust, "epsilon": epsilon, "system": one.name, "tuned": tuned, "scale": scale,
             "tuning": shares[scale], "note": note, "regret": [], "lost": [], "bits": [], "seconds": []}
            for tuned, scale in ((False, 1.0), (True, best))]


def rows(listed: Sequence[Entry], workers: int, count: int) -> Iterator[list[Row]]:
    """Yield all rows after each instance."""
    pid, parallel, searched = os.getpid(), joblib.Parallel(workers, return_as="generator"), contest.TUNING * len(contest.SCALES)
    with tqdm(total=len(listed) * (searched + 2 * count), unit="play", disable=None) as bar:
        made = []
        real = any(one.setting == contest.LASTFM for one, _ in listed)
        tuned = map(as_contexts, listed) if real else parallel(joblib.delayed(tune)(pid, entry) for entry in listed)
        for entry, shares in zip(listed, tuned, strict=True):
            made.append(beginning(entry, shares))
            bar.update(searched)
        for number in range(count):
            scales = [sorted({row["scale"] for row in pair}, reverse=True) for pair in made]
            jobs = (joblib.delayed(play)(pid, entry, number, asked) for entry, asked in zip(listed, scales, strict=True))
            for pair, played in zip(made, parallel(jobs), strict=True):
                for row in pair:
                    add(row, played[row["scale"] != 1.0], number)
                bar.update(2)
            yield [row for pair in made for row in pair]


def add(row: Row, given: Row, number: int) -> None:
    """Add what one more instance gave; who fails once is out, and the row says why."""
    if row["note"]:
        return
    if "note" in given:
        row["note"] = f"instance {number}: {given['note']}"
        return
    for key, value in given.items():
        row[key].append(value)


def stored_row(row: Row) -> Row:
    """Leave of a row what the file has: bits are means, seconds those of a run of the first instance."""
    if row["note"] or not row["regret"]:
        return row | {"bits": None, "seconds": None}
    return row | {"bits": float(f"{sum(row['bits']) / len(row['bits']):.3g}"),
                  "seconds": float(f"{row['seconds'][0] / (1 if row['setting'] == contest.LASTFM else contest.RUNS):.2g}")}


def text(made: Sequence[Row], only: str, old: dict[str, Any], lastfm: bool = False) -> str:
    """Write a file: the rows that were played, and those of an old file that were not asked for."""
    kept = [row for row in old.get("rows", []) if only and only not in " ".join(row[key] for key in KEYS)]
    everybody = contest.on_lastfm() if lastfm else contest.contestants()
    place = {(one.setting, one.trust, one.name): i for i, one in enumerate(everybody)}
    ordered = sorted([*kept, *map(stored_row, made)], key=lambda row: place.get(tuple(row[key] for key in KEYS), len(place)))
    told = {setting: {one.name: one.random for one in contest.instances(setting)}
            for setting in ((contest.LASTFM,) if lastfm else contest.HORIZONS)}
    command, runs = ('make contest ARGS=--lastfm', 1) if lastfm else ("make contest", contest.RUNS)
    about = provenance(command, runs=runs, tuning=contest.TUNING, calibration="certified")
    rows = ",\n".join(map(json.dumps, ordered))
    return f'{{\n"made": {json.dumps(about)},\n"instances": {json.dumps(told)},\n"rows": [\n{rows}\n]\n}}\n'


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", default="", help="words of a setting, a trust model and a learner, in this order")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--instances", type=int, default=contest.INSTANCES, help="how many, from the first")
    parser.add_argument("--lastfm", action="store_true", help="play on the Last.fm files instead")
    asked = parser.parse_args(arguments)
    if not (listed := entries(asked.only, contest.on_lastfm() if asked.lastfm else ())):
        parser.error(f"--only must be part of the name of a contestant, got {asked.only!r}")
    path = LASTFM if asked.lastfm else STORED
    old = json.loads(path.read_text("utf-8")) if path.exists() else {}
    for made in rows(listed, asked.workers, min(asked.instances, contest.INSTANCES)):
        store(path, text(made, asked.only, old, asked.lastfm))
    told = contest.standings([row for row in map(stored_row, made) if not row["tuned"]])
    for row in told:
        share = row["note"] or f"{row['share'][0]:.1%} of random play's regret, rank {row['rank']:.1f}"
        print(*(row[key] for key in KEYS), row["epsilon"] or "", share)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
