"""Generated calls and sequences, all of them: `make fuzz`, or `python -m tests.fuzz CALLS=1000 SEQUENCES=0 ONLY=accounting`.

CALLS and SEQUENCES say how many, SEED which, WORKERS on how many processes, ONLY a part of a name. Every violation is printed as a
call to paste; the first of a kind is shown, and how many there are.
"""

from __future__ import annotations

import sys
import time
from collections import defaultdict
from importlib.util import find_spec

from tests.fuzz import calls
from tests.fuzz.judge import Violation

OPTIONS = {"CALLS": "1_000_000", "SEQUENCES": "20_000", "SEED": "1", "WORKERS": "2", "ONLY": ""}


def told(made: int, found: list[Violation], seconds: float, what: str) -> None:
    """Print what was found, by kind."""
    kinds = defaultdict(list)
    for violation in found:
        kinds[violation.target, violation.what[:60]].append(violation)
    for (_, _), same in sorted(kinds.items()):
        print(f"{len(same):6} x {same[0].what}\n         {min((one.call for one in same), key=len)}")
    print(f"{made:,} {what} in {seconds:,.0f} s, {made / max(seconds, 1e-9):,.0f} a second: "
          f"{len(found):,} violations, {len(kinds)} kinds", flush=True)


def main() -> int:
    """Run both halves and return whether something was found."""
    given = dict(word.partition("=")[::2] for word in sys.argv[1:])
    unknown = set(given) - set(OPTIONS)
    if unknown:
        raise SystemExit(f"no such option: {', '.join(sorted(unknown))}; there are {', '.join(OPTIONS)}")
    options = {name: given.get(name) or value for name, value in OPTIONS.items()}
    seed, workers, only = int(options["SEED"]), int(options["WORKERS"]), options["ONLY"]
    halves = [(calls.run, int(options["CALLS"]), "calls")]
    if find_spec("tests.fuzz.sequences"):
        from tests.fuzz import sequences

        halves.append((sequences.run, int(options["SEQUENCES"]), "sequences"))
    failed = False
    for run, count, what in halves:
        start = time.monotonic()
        made, found = run(count, seed, workers, only) if count else (0, [])
        told(made, found, time.monotonic() - start, what)
        failed |= bool(found)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
