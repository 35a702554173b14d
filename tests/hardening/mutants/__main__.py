"""Change the package in small ways, one at a time, and see whether a test fails (`make mutants SHARE=50 ONLY=accounting SEED=2`).

The first run measures which test executes which line, and keeps that in `_build/mutants/`. What changes no behaviour is listed in
`equivalent.toml`.
"""

import argparse
import json
import queue
import random
import tomllib
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.hardening.mutants.operators import ROOT, mutants_of
from tests.hardening.mutants.suite import BUILT, Suite, copy

FOLDERS = ("accounting", "noise", "privatizers", "continual", "contextual", "arms", "linear",
           "app", "play", "serve", "audit")
REST = tuple(f"bandits_dp/{name}.py" for name in ("_state", "_checks", "guarantee"))
PARTS = (*FOLDERS, "rest")
EQUIVALENT = tomllib.loads(Path(__file__).with_name("equivalent.toml").read_text("utf-8"))["change"]
HEADS = ("changes", "equivalent", "killed", "timeout", "survived", "score")


def files(part):
    folder = sorted((ROOT / "bandits_dp" / part).rglob("*.py"))
    return REST if part == "rest" else [path.relative_to(ROOT).as_posix() for path in folder]


def chosen(parts, share, seed):
    everything = [mutant for part in parts for file in files(part) for mutant in mutants_of(file)]
    return random.Random(seed).sample(everything, min(share, len(everything)))


def row(part, outcomes):
    mine = Counter(outcome for file, outcome in outcomes if part == "all" or file in files(part))
    seen, valid = mine["killed"] + mine["timeout"], mine.total() - mine["equivalent"]
    counts = [mine.total(), *(mine[head] for head in HEADS[1:-1]), f"{seen / valid:.1%}" if valid else "-"]
    return f"{part:11}" + "".join(f"{count:>12}" for count in counts)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", choices=PARTS)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--share", type=int, default=400, help="how many changes")
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    parts = [options.only] if options.only else PARTS
    hopeless = {(row["file"], row["line"], row["becomes"]) for row in EQUIVALENT}
    suite, trees = Suite(), queue.SimpleQueue()
    for number in range(options.workers):
        trees.put(copy(number))

    def judge(mutant):
        if (mutant.file, mutant.before, mutant.after) in hopeless:
            return mutant.file, "equivalent"
        tree = trees.get()
        outcome = suite.outcome(mutant, tree)
        trees.put(tree)
        with open(BUILT / "results.jsonl", "a") as file:
            file.write(json.dumps(vars(mutant) | {"outcome": outcome}) + "\n")
        survivor = f"\n{mutant.file}:{mutant.line} survives\n  - {mutant.before}\n  + {mutant.after}\n"
        print(survivor if outcome == "survived" else outcome[0], end="", flush=True)
        return mutant.file, outcome

    with ThreadPoolExecutor(options.workers) as pool:
        outcomes = list(pool.map(judge, chosen(parts, options.share, options.seed)))
    print("\n", " " * 11 + "".join(f"{head:>12}" for head in HEADS), *(row(part, outcomes) for part in (*parts, "all")), sep="\n")


if __name__ == "__main__":
    main()
