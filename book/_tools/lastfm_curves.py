"""Play the learners of chapter 14 on the Last.fm files of HetRec 2011, and keep aggregates for the chapter.

``BANDITS_DP_DATA=<folder of the files> python book/_tools/lastfm_curves.py`` takes ten minutes; names of parts after it make these
anew and leave the others. Nothing about a single user, artist or listen is kept.
"""

import json
import sys
from typing import Any

import numpy as np

import bandits_dp as bdp
from bandits_book.lastfm import LastFM
from bandits_book.lastfm.features import tag_features
from bandits_book.lastfm.files import CHECKS
from checkout import ROOT, store

STORE = ROOT / "book" / "bandits_book" / "lastfm" / "curves.json"  # beside the loader, so that it is wherever the package is
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
WORLDS = 10
VISITS, FLIPPED_OWN = 50, (0, 10, 20)  # of every user, where each has a model


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


def plain(problem: LastFM, rows: Any, noise_on: str, noise: Any, flipped: int | None = None) -> Any:
    """Return the arms (models, rounds) of models that learn apart: LinUCB of width 0.3 and ridge 0.1, as in early code.

    ``rows`` are the models' rounds, (models, rounds, numbers). Kept noise is that of a tree, on ``"the estimate"``, where the scale
    of the interval that ends in round t is divided by t, or on ``"the sum"``; or on ``"nothing"``.
    """
    models, rounds, d = len(rows), rows.shape[1], problem.dimension
    candidates = np.stack([problem.candidates(own) for own in rows])
    liked, everyone = np.stack([problem.liked(own) for own in rows]), np.arange(models)
    shrink = np.arange(1.0, rounds + 1) if noise_on == "the estimate" else np.ones(rounds)
    kept = np.zeros((rounds + 1, models, d))
    kept[1:] = noise * (np.log2(rounds) / TWO["epsilon"] / shrink[:, None, None])
    for t in range(1, rounds + 1):
        kept[t] += kept[t & (t - 1)]
    V, u, theta = np.tile(0.1 * np.eye(d), (models, 1, 1)), np.zeros((models, d)), np.zeros((models, d))
    arms = np.empty((models, rounds), dtype=int)
    for t in range(rounds):
        shown, inverse = problem.pool[candidates[:, t]], np.linalg.inv(V)
        width = np.sqrt(((shown @ inverse) * shown).sum(axis=2))
        arms[:, t] = ((shown @ theta[:, :, None])[:, :, 0] + 0.3 * width).argmax(axis=1)
        x = shown[everyone, arms[:, t]]
        V = V + x[:, :, None] * x[:, None, :]
        u = u + x * ((arms[:, t] == liked[:, t]) != (t == flipped))[:, None]
        theta = np.linalg.solve(V, (u + kept[t + 1] * (noise_on == "the sum"))[:, :, None])[:, :, 0]
        theta = theta + kept[t + 1] * (noise_on == "the estimate")
    return arms


def one_code(problem: LastFM) -> dict[str, Any]:
    """Return ratios and changed plays of one code: a model for all users, and a model for each, with errors over users."""
    made: dict[str, Any] = {"ends": {}, "changed": {}, "one model per user": {}}
    pairs = [np.random.default_rng([SEED, run]).spawn(2) for run in range(RUNS)]
    rows = np.stack([problem.numbers(users, HORIZON) for users, _ in pairs])
    noise = np.stack([coins.laplace(size=(HORIZON, problem.dimension)) for _, coins in pairs], axis=1)
    liked = np.stack([problem.liked(own) for own in rows])
    visits = LastFM(returning=VISITS, listening=problem.listening).draw(np.random.default_rng(SEED))
    own = visits.numbers(np.random.default_rng(SEED), VISITS * visits.listening.users)
    own = own[np.argsort(visits.users(own), kind="stable")].reshape(visits.listening.users, VISITS, -1)
    theirs, root = np.stack([visits.liked(one) for one in own]), np.sqrt(len(own))
    coins, rates = np.random.default_rng([SEED, 1]).laplace(size=(VISITS, len(own), problem.dimension)), {}
    for place in ("nothing", "the estimate", "the sum"):
        base = plain(problem, rows, place, noise)
        made["ends"][place] = ((base == liked).mean(axis=1) / problem.random_click_rate).round(6).tolist()
        some = rows[:WORLDS], place, noise[:, :WORLDS]
        flips = [(plain(problem, *some, record) != base[:WORLDS]).sum(axis=1) for record in FLIPPED]
        made["changed"][place] = np.transpose(flips).tolist()
        base = plain(visits, own, place, coins)
        rates[place] = (base == theirs).mean(axis=1) / problem.random_click_rate
        less = rates["nothing"] - rates[place]
        flips = [(plain(visits, own, place, coins, record) != base).sum(axis=1) for record in FLIPPED_OWN]
        made["one model per user"][place] = {
            "ratio": round(float(rates[place].mean()), 4), "less than without noise": round(float(less.mean()), 4),
            "its error": round(float(less.std(ddof=1) / root), 4), "changed": [round(float(f.mean()), 3) for f in flips],
            "errors": [round(float(f.std(ddof=1) / root), 3) for f in flips]}
    return made


def provenance(problem: LastFM) -> dict[str, Any]:
    return {
        "data": "HetRec 2011 Last.fm, version 1.0 (May 2011)", "sha256": {name: digest for name, (_, digest) in CHECKS.items()},
        "package": f"bandits_dp {bdp.__version__}", "command": "BANDITS_DP_DATA=... python book/_tools/lastfm_curves.py",
        "horizon": HORIZON, "runs": RUNS, "seed": SEED, "worlds of changes": WORLDS,
    }


PARTS = {part.__name__: part for part in (provenance, described, longest, curves, scales, returning, shown_again, one_code)}


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
