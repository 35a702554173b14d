"""Write the moving figure of the welcome page: its scripts in one, and the noise that the package calibrates."""

import json
from collections import Counter
from pathlib import Path

import bandits_dp as bdp

EPSILONS = (0.2, 0.3, 0.5, 0.7, 1, 1.5, 2, 3)
USERS = (32, 64)  # on one exercise a night: half of the people, or all of them
DELTA = 1e-6
SEED = 6  # of the people on the page; not chosen for what they do
PARTS = Path(__file__).parent.parent / "_figure"
OUTCOMES = ("confirmed", "confirmed, loose", "confirmed with other constants", "open", "not reproduced by our reading", "refuted",
            "not testable")
SCRIPTS = ("model", "panels", "stage", "start")


def noise_bits(users: int, epsilon: float) -> tuple[int, float]:
    """Return how many pairs of noise bits a user adds in the certified M_sum, and the chance p of the rare one."""
    bits = bdp.privatizers.BinarySum(users, epsilon=epsilon, delta=DELTA).noise_bits
    assert bits.rare == bits.common
    return bits.rare, bits.p


def table() -> dict[str, object]:
    bits = {epsilon: {users: noise_bits(users, epsilon) for users in USERS} for epsilon in EPSILONS}
    return {"seed": SEED, "delta": DELTA, "epsilons": EPSILONS, "bits": bits}


def html() -> str:
    """Return the figure as one piece of HTML that loads nothing."""
    script = "\n".join((PARTS / f"{name}.js").read_text("utf-8") for name in SCRIPTS)
    return (
        f"<style>\n{(PARTS / 'figure.css').read_text('utf-8')}</style>\n{(PARTS / 'figure.html').read_text('utf-8')}"
        f'<script type="application/json" id="lull-table">{json.dumps(table())}</script>\n'
        f'<script>\n(function () {{\n"use strict";\n{script}}}());\n</script>\n'
    )


def ledger_bar() -> str:
    """Return the way into the book: a button, and the outcomes of the claims ledger as a bar that opens it."""
    rows = json.loads((PARTS.parent / "claims.json").read_text("utf-8"))
    rows += [{"outcome": "not testable"} for _ in json.loads((PARTS.parent / "not_testable.json").read_text("utf-8"))]
    counted = Counter(row["outcome"] for row in rows if row["outcome"] != "observation")
    told = " · ".join(f"{counted[outcome]} {outcome}" for outcome in OUTCOMES if counted[outcome])
    parts = "".join(f'<i style="flex: {counted[outcome]}; --share: {place / (len(OUTCOMES) - 1):.2f}"></i>'
                    for place, outcome in enumerate(OUTCOMES) if counted[outcome])
    return (
        '<div class="lull-go"><a class="lull-start" href="../notebooks/01_bandits.html">Start the book</a>\n'
        '<a href="get_the_code.html">Run it: laptop, Binder, Colab, source</a>\n'
        f'<a class="lull-ledger" href="claims.html"><span>{sum(counted.values())} published claims, tested</span>'
        f'<span class="lull-outcomes" aria-hidden="true">{parts}</span><span>{told}</span></a></div>'
    )
