"""How often the tests of a set catch a usual mistake: the rows that a rehearsal gives, and the file that the book shows."""

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from checkout import ROOT, store
from course.plans import Plan
from provenance import provenance

STORED = ROOT / "book" / "teaching" / "power.json"


def rows(name: str, plan: Plan, runs: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return how often each mistake was caught, and what students who make it are told most often."""
    made = []
    for mistake in plan.mistakes:
        said = [run["caught"][mistake.name] for run in runs]
        told = Counter(filter(None, said)).most_common(1)
        row = {"set": name, "mistake": mistake.name, "belief": mistake.belief, "test": mistake.test}
        made.append(row | {"caught": sum(map(bool, said)), "seeds": len(said), "told": told[0][0][:300] if told else ""})
    return made


def stored(mistakes: list[dict[str, Any]], solutions: list[dict[str, Any]], seeds: int, file: Path = STORED) -> None:
    """Write what was measured; sets that were not rehearsed keep their rows."""
    old = json.loads(file.read_text("utf-8")) if file.exists() else {"solutions": [], "mistakes": []}
    fresh = {row["set"] for row in solutions}
    text = [f'"made": {json.dumps(provenance(f"make rehearsal SEEDS={seeds}", seed=f"1 to {seeds}"))}']
    for key, new in (("solutions", solutions), ("mistakes", mistakes)):
        kept = [row for row in old[key] if row["set"] not in fresh]
        lines = [json.dumps(row, ensure_ascii=False) for row in sorted(kept + new, key=lambda row: row["set"])]
        text.append(f'"{key}": [\n' + ",\n".join(lines) + "\n]")
    store(file, "{\n" + ",\n".join(text) + "\n}\n")
