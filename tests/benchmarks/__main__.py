"""Measure the simulator at full scale, as ratios to the plain loop in the same run, and write `book/benchmarks.json`.

    make bench                     # everything, about four minutes
    make bench ONLY=linucb         # one family; the other rows stay as they are

Ratios carry over to other machines, seconds do not. Every case has a process and a single thread of its own.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import scipy

from tests.benchmarks.cases import CASES, FAMILIES
from tests.benchmarks.measure import DESIGNS

STORED = Path(__file__).resolve().parents[2] / "book" / "benchmarks.json"
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"), "1")


def machine() -> dict[str, Any]:
    return {"system": platform.system(), "processor": platform.machine(), "cores": os.cpu_count(),
            "python": platform.python_version(), "numpy": np.__version__, "scipy": scipy.__version__}


def measured(key: str) -> dict[str, Any]:
    command = [sys.executable, "-m", "tests.benchmarks.measure", key]
    done = subprocess.run(command, env={**os.environ, **ONE_THREAD}, stdout=subprocess.PIPE, text=True, check=True, timeout=3600)
    return json.loads(done.stdout)


def told(row: dict[str, Any]) -> str:
    name = f"{row['family']:>10} {row['name']}" + (f" ({row['note']})" if row["note"] else "")
    ratio = f"{row['times the plain loop']:12,.0f} times the plain loop" if "times the plain loop" in row else ""
    return f"{name:<60} {row['seconds']:8.3g} s {row['peak megabytes']:6.0f} MB {ratio}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("only", nargs="*", help=f"families: {', '.join(FAMILIES)}")
    chosen = parser.parse_args().only or FAMILIES
    unknown = set(chosen) - set(FAMILIES)
    if unknown:
        parser.error(f"no such family: {', '.join(sorted(unknown))}; there are {', '.join(FAMILIES)}")
    started, here = time.monotonic(), machine()
    stored = json.loads(STORED.read_text("utf-8")) if STORED.exists() else {"machine": here, "cases": []}
    if stored["machine"] != here and set(chosen) != set(FAMILIES):
        parser.error("the other rows were measured on another machine or with other versions; measure all families")
    rows = {(row["family"], row["name"], row["note"]): row for row in stored["cases"] if row["family"] not in chosen}
    for key in (*(case.key for case in CASES), *DESIGNS):
        if key.partition("/")[0] in chosen:
            row = measured(key)
            rows[row["family"], row["name"], row["note"]] = row
            print(told(row), flush=True)
    ranked = sorted(rows.values(), key=lambda row: (FAMILIES.index(row["family"]), row["name"], row["note"]))
    draft = STORED.with_suffix(".tmp")
    draft.write_text(json.dumps({"machine": here, "cases": ranked}, indent=1) + "\n", "utf-8")
    os.replace(draft, STORED)
    print(f"{time.monotonic() - started:.0f} s; stored in {STORED.relative_to(STORED.parents[1])}, which the book's page shows")


if __name__ == "__main__":
    main()
