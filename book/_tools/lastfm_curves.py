"""Play the learners of chapter 14 on the Last.fm files of HetRec 2011, and keep aggregates for the chapter.

``BANDITS_DP_DATA=<folder of the files> python book/_tools/lastfm_curves.py`` takes ten minutes; names of parts after it make these
anew and leave the others. Nothing about a single user, artist or listen is kept.
"""

import json
import sys
from typing import Any

import numpy as np

import bandits_dp as bdp
from bandits_dp.companion.lastfm import LastFM
from bandits_dp.companion.lastfm.features import tag_features
from bandits_dp.companion.lastfm.files import CHECKS
from checkout import ROOT, store

STORE = ROOT / "bandits_dp" / "companion" / "lastfm" / "curves.json"  # beside the loader, so that it is wherever the package is
HORIZON, RUNS, SEED = 5000, 20, 0
TWO = {"epsilon": 2.0, "delta": 0.1}
LEARNERS: dict[str, dict[str, Any]] = {  # what each is made from
    "LinUCB": {"name": "LinUCB"},
    "LinUCB, tuned": {"name": "LinUCB", "radius_scale": 0.1},
    "LinUCB, early code": {"name": "LinUCB-DGS", "calibration": "experiment", "epsilon": 1e9, "delta": 0.1},
    "RewardTree": {"name": "LinUCB-RewardTree", **TWO},
    "RewardTree, tuned": {"name": "LinUCB-RewardTree", **TWO, "radius_scale": 0.3},
    "RewardTree, proved width": {"name": "LinUCB-RewardTree", **TWO, "width": None},
    "RewardTree, small budget": {"name": "LinUCB-RewardTree", "epsilon": 1.0, "delta": 1e-4},
    "Tree": {"name": "LinUCB-Tree", **TWO},
    "Tree, tuned": {"name": "LinUCB-Tree", **TWO, "radius_scale": 0.0},
    "DGS, early code": {"name": "LinUCB-DGS", **TWO, "calibration": "experiment"},
    "DGS, Lemma 1": {"name": "LinUCB-DGS", **TWO, "calibration": "theorem", "strict": False},
    "DGS, certified": {"name": "LinUCB-DGS", **TWO},
    "JDP": {"name": "LinUCB-JDP", **TWO},
    "JDP, tuned": {"name": "LinUCB-JDP", **TWO, "radius_scale": 0.1},
}
SCALES = (1.0, 0.3, 0.1, 0.03, 0.0)
SCALED = ("LinUCB", "RewardTree", "RewardTree, proved width", "DGS, early code", "Tree", "JDP")
SEASONS = (1, 2, 3, 5, 10)
FLIPPED = (0, 1000, 2000)
CHANGING = ("LinUCB, early code", "LinUCB", "DGS, early code", "Tree", "RewardTree")
WORLDS = 10


def ratios(problem: LastFM, options: dict[str, Any], horizon: int, runs: int) -> tuple[Any, Any]:
    """Return checkpoints, and for every run the reward so far over that of random play."""
    learner = bdp.make(options["name"], problem, horizon=horizon, **{key: options[key] for key in options.keys() - {"name"}})
    result = bdp.simulate(learner, problem, horizon, runs=runs, seed=SEED, progress=False)
    return result.rounds, problem.click_rate(result) / problem.random_click_rate


def packed(rounds: Any, ratio: Any) -> dict[str, Any]:
    """Return the curve with its standard error, at some forty rounds, and the end of every run."""
    keep = np.unique(np.searchsorted(rounds, np.geomspace(20, rounds[-1], 40)))
    error = ratio.std(axis=0, ddof=1) / np.sqrt(len(ratio))
    return {"rounds": rounds[keep].tolist(), "mean": ratio.mean(axis=0)[keep].round(4).tolist(),
            "error": error[keep].round(4).tolist(), "ends": ratio[:, -1].round(6).tolist()}


def random_play(problem: LastFM, runs: int) -> tuple[Any, Any]:
    """Return what :func:`ratios` returns, for a policy that plays at random: the first candidate, as places are random."""
    rounds = np.arange(1, HORIZON + 1)
    hits = [problem.liked(problem.numbers(np.random.default_rng([SEED, run]), HORIZON)) == 0 for run in range(runs)]
    return rounds, np.cumsum(hits, axis=1) / rounds / problem.random_click_rate


def longest(problem: LastFM) -> list[float]:
    """Return the ends of runs that always play the candidate with the longest features, and so learn nothing."""
    made = []
    for run in range(RUNS):
        rows = problem.numbers(np.random.default_rng([SEED, run]), HORIZON)
        played = np.linalg.norm(problem.contexts(rows), axis=2).argmax(axis=1)
        made.append(round(float((played == problem.liked(rows)).mean() / problem.random_click_rate), 6))
    return made


def plays(problem: LastFM, options: dict[str, Any], rounds: int, world: int, flipped: int | None) -> Any:
    """Return the arms played by a learner that is told one reward the wrong way round; users and noise do not change."""
    learner = bdp.make(options["name"], problem, horizon=rounds, **{key: options[key] for key in options.keys() - {"name"}})
    users, noise = np.random.default_rng([SEED, world]).spawn(2)
    rows = problem.numbers(users, rounds)
    arms = []
    for t, (shown, liked) in enumerate(zip(problem.contexts(rows), problem.liked(rows), strict=True)):
        ticket = learner.act(shown)
        arms.append(ticket.arm)
        learner.update(ticket, float((ticket.arm == liked) != (t == flipped)), noise)
    return np.array(arms)


def changes(problem: LastFM, options: dict[str, Any], rounds: int, world: int, flipped: tuple[int, ...]) -> list[int]:
    """Return how many plays change if one reward is flipped, for each of the rounds in which it may be."""
    base = plays(problem, options, rounds, world, None)
    return [int((plays(problem, options, rounds, world, record) != base).sum()) for record in flipped]


def described(problem: LastFM) -> dict[str, Any]:
    listening = problem.listening
    _, components, explained = tag_features(listening, problem.dimension)
    often, tagged = np.diff(listening.starts), np.unique(listening.taggings[:, 0])
    audience = np.sort(np.bincount(listening.heard, minlength=listening.artists))[::-1]
    ranks = np.unique(np.geomspace(1, listening.artists, 40).astype(int))
    return {
        "users": listening.users, "artists": listening.artists, "tags": len(listening.tags), "listens": len(listening.heard),
        "tag assignments to listed artists": int(listening.taggings[:, 2].sum()),
        "tags in use": len(np.unique(listening.taggings[:, 1])), "artists with tags": len(tagged),
        "listens to artists with tags": float(np.isin(listening.heard, tagged).mean().round(4)),
        "users with 50 artists": float((often == 50).mean().round(4)),
        "artists with one listener": float((audience == 1).mean().round(4)),
        "listens to the top hundredth": float((audience[: listening.artists // 100].sum() / audience.sum()).round(4)),
        "listeners by rank": [ranks.tolist(), audience[ranks - 1].tolist()],
        "explained": round(explained, 4), "least eigenvalue": round(problem.least_eigenvalue, 6),
        "words of the first components": [[listening.tags[tag] for tag in np.argsort(-np.abs(row))[:3]] for row in components[:3]],
    }


def curves(problem: LastFM) -> dict[str, Any]:
    made = {name: packed(*ratios(problem, options, HORIZON, RUNS)) for name, options in LEARNERS.items()}
    return made | {"random play": packed(*random_play(problem, RUNS))}


def scales(problem: LastFM) -> dict[str, Any]:
    """Return the ends of all runs for factors on the width."""
    return {name: {f"{scale:g}": packed(*ratios(problem, LEARNERS[name] | {"radius_scale": scale}, HORIZON, RUNS))["ends"]
                   for scale in SCALES} for name in SCALED}


def returning(problem: LastFM) -> dict[str, Any]:
    """Return the ends of all runs when every user comes once in each of some seasons, by promise."""
    made: dict[str, Any] = {}
    for seasons in SEASONS:
        there, horizon = LastFM(returning=seasons, listening=problem.listening), seasons * problem.listening.users
        promises = {
            "no privacy": LEARNERS["LinUCB, tuned"],
            "one reward": LEARNERS["RewardTree"],
            "one user": LEARNERS["RewardTree"] | {"returning_users": seasons},
            "one user, features too": LEARNERS["JDP, tuned"] | {"returning_users": seasons},
        }
        made[str(seasons)] = {name: packed(*ratios(there, options, horizon, RUNS))["ends"] for name, options in promises.items()}
    return made


def varying(problem: LastFM) -> dict[str, Any]:
    """Return click rates with 5 to 25 candidates."""
    vary = LastFM(fewest=5, listening=problem.listening)
    ratio = ratios(vary, LEARNERS["RewardTree"], 2000, 5)[1][:, -1]
    return {"random click rate": vary.random_click_rate, "RewardTree": (ratio * vary.random_click_rate).round(6).tolist()}


def changed(problem: LastFM) -> dict[str, Any]:
    """Return how many plays change in each world, by learner and flipped round."""
    return {name: [changes(problem, LEARNERS[name], HORIZON, world, FLIPPED) for world in range(WORLDS)] for name in CHANGING}


def shown_again(problem: LastFM) -> dict[str, Any]:
    """Return what candidates alone tell after ten visits: pairs of a user and an artist shown so often, and the share heard."""
    listening = problem.listening
    there = LastFM(returning=10, listening=listening).draw(np.random.default_rng(SEED))
    rows = there.numbers(np.random.default_rng(SEED), 10 * listening.users)
    pairs = there.users(rows)[:, None] * listening.artists + there.candidates(rows)
    seen, counts = np.unique(pairs, return_counts=True)
    heard = np.repeat(np.arange(listening.users), np.diff(listening.starts)) * listening.artists + listening.heard
    return {str(least): [int((counts >= least).sum()), float(np.isin(seen[counts >= least], heard).mean().round(4))]
            for least in (1, 2, 3)}


def provenance(problem: LastFM) -> dict[str, Any]:
    """Return where all this comes from."""
    return {
        "data": "HetRec 2011 Last.fm, version 1.0 (May 2011)", "sha256": {name: digest for name, (_, digest) in CHECKS.items()},
        "package": f"bandits_dp {bdp.__version__}", "command": "BANDITS_DP_DATA=... python book/_tools/lastfm_curves.py",
        "horizon": HORIZON, "runs": RUNS, "seed": SEED, "worlds of changes": WORLDS,
    }


PARTS = {part.__name__: part for part in (provenance, described, longest, curves, scales, returning, varying, changed, shown_again)}


def main(names: list[str]) -> None:
    if unknown := set(names) - PARTS.keys():
        sys.exit(f"no such part: {', '.join(sorted(unknown))}; there are {', '.join(PARTS)}")
    stored = json.loads(STORE.read_text("utf-8")) if STORE.exists() else {}
    problem = LastFM(source="files")
    for name in names or PARTS:
        stored[name] = PARTS[name](problem)
        print(name, flush=True)
    lines = [f"{json.dumps(name)}: {json.dumps(part, ensure_ascii=False)}" for name, part in stored.items()]
    store(STORE, "{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
