"""Sphinx extension: the table of the contest, made from `contest.json` and, for real answers, `lastfm/contest.json`.

    ```{standings}
    ```

is a form that filters and sorts, and a table: a row for each learner, trust model and epsilon, with proved and with tuned widths.
"""

import json
import math
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

from bandits_book import contest
from browse import Browse, Element, form, rounded, row, table

COLUMNS = {"item": "Learner", "where": "Setting, trust, ε", "share": "Regret, % of random play’s",
           "difference": "Behind the favourite, %", "rank": "Mean rank; best arm lost", "cost": "Bits per user; seconds a run"}
SETTINGS = {"arms": "arms", "linear": "linear arms", "clients": "clients", "contextual": "contexts",
            "LastFM": "Last.fm, real answers"}
TRUST = {"none": "nobody asked", "pure": "a server, δ = 0", "central": "a server", "shuffle": "a shuffler",
         "local": "nobody trusted", "pure rewards": "a server, δ = 0, public features",
         "central rewards": "a server, public features"}
ORDERS = {"share": "regret", "difference": "difference", "rank": "mean rank", "lost": "best arm lost"}
EPSILONS = ("0.1", "0.3", "1", "3", "10")


def percent(pair: tuple[float, float], sign: str = "") -> str:
    """Write a mean and half an interval in percent."""
    half = f"{100 * pair[1]:.2g}" if math.isfinite(pair[1]) else "?"
    return f"{100 * pair[0]:{sign}.3g} ± {half}".replace("-", "−")


def key(value: float) -> str:
    """Write a number so that names are sorted as numbers, negative ones first."""
    return str(round(1e6 * (1000 + value)))


class Standings(Browse):
    def run(self) -> list[nodes.Node]:
        folder = self.root / "book" / "bandits_book"
        files = [path for path in (folder / "contest.json", folder / "lastfm" / "contest.json") if path.exists()]
        stored = [json.loads(path.read_text("utf-8")) for path in files]
        random = {name: list(lost.values()) for each in stored for name, lost in each["instances"].items()}
        told = contest.standings([row for each in stored for row in each["rows"]], random)
        places = {"setting": list(SETTINGS), "trust": list(TRUST)}
        told.sort(key=lambda one: (*(places[name].index(one[name]) for name in places), one["epsilon"] or 0, one["tuned"],
                                   one.get("share", (math.inf,))[0]))
        choices = {"setting": SETTINGS, "trust": TRUST, "epsilon": {one: one for one in EPSILONS},
                   "width": {"proved": "as proved", "tuned": "tuned"}, "learner": {one["system"]: one["system"] for one in told}}
        most = max((one["played"] for one in told if "played" in one), default=0)
        words = f"{len(told)} rows; {most} of {contest.INSTANCES} instances of each setting are played"
        lines = [self.line(one, contest.INSTANCES) for one in told]
        return [form("rows", choices, ORDERS), table([nodes.Text(words)], COLUMNS, lines)]

    def line(self, one: dict[str, Any], instances: int) -> Element:
        width, epsilon = "tuned" if one["tuned"] else "proved", f"{one['epsilon']:g}" if one["epsilon"] else ""
        own = {"setting": one["setting"], "trust": one["trust"], "epsilon": epsilon or "|".join(EPSILONS), "width": width,
               "learner": one["system"]}
        cells = dict.fromkeys(COLUMNS, ("",)) | {
            "item": (one["system"], f"width × {one['scale']:g}" if one["tuned"] else "width as proved"),
            "where": (SETTINGS[one["setting"]], TRUST[one["trust"]], epsilon and f"ε = {epsilon}"),
            "share": (one["note"] or "not played",)}
        if "share" in one:
            own |= {name: key(one[name][0]) for name in ("share", "difference")}
            own |= {name: key(one[name] or 0.0) for name in ("rank", "lost")}
            favourite = one["favourite"] == one["system"]
            cells |= {
                "share": (percent(one["share"]), f"{one['played']} of {instances} instances" * (one["played"] < instances)),
                "difference": ("the favourite",) if favourite else (percent(one["difference"], "+"), one["favourite"]),
                "rank": (f"{one['rank']:.1f}", "" if one["lost"] is None else f"lost in {one['lost']:.0%} of runs"),
                "cost": (rounded(one["bits"]), f"{one['seconds']:.2g} s")}
        name = " ".join((one["setting"], one["trust"], one["system"].lower(), epsilon, width)).replace(".", "-")
        shown = {column: [nodes.paragraph("", text) for text in texts if text] for column, texts in cells.items()}
        return row(COLUMNS, shown, "-".join(name.split()), own)


def setup(app: Sphinx) -> None:
    app.setup_extension("browse")
    app.add_directive("standings", Standings)
