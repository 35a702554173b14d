"""Sphinx extension: the table of the contest, made from `contest.json`.

    ```{standings}
    ```

is a form that filters and sorts, and a table with a row for each learner, trust model and epsilon, with proved and with tuned widths.
"""

import json
import math
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

from browse import Browse, Element, form, row, table

COLUMNS = {"item": "Learner", "where": "Setting, trust, ε", "share": "Regret, % of random play's", "difference": "Behind the favourite, %",
           "rank": "Mean rank; best arm lost", "cost": "Bits per user; seconds a run"}
SETTINGS = {"arms": "arms", "linear": "linear arms", "clients": "clients", "contextual": "contexts"}
TRUST = {"none": "nobody asked", "pure": "a server, δ = 0", "central": "a server", "shuffle": "a shuffler", "local": "nobody trusted",
         "pure rewards": "a server, δ = 0, public features", "central rewards": "a server, public features"}
ORDERS = {"share": "regret", "difference": "difference", "rank": "mean rank", "lost": "best arm lost"}
EPSILONS = ("0.1", "0.3", "1", "3", "10")


def percent(pair: tuple[float, float], sign: str = "") -> str:
    """Write a mean and half an interval in percent."""
    half = f"{100 * pair[1]:.2g}" if math.isfinite(pair[1]) else "?"
    return f"{100 * pair[0]:{sign}.3g} ± {half}".replace("-", "−")


def key(value: float) -> str:
    """Write a number so that names are sorted as numbers: those from -1 on, in millionths."""
    return str(round(1e6 * (1 + value)))


class Standings(Browse):
    """The form and the table."""

    def run(self) -> list[nodes.Node]:
        from bandits_dp.companion import contest

        stored = json.loads((self.root / "book" / "contest.json").read_text("utf-8"))
        random = {setting: list(lost.values()) for setting, lost in stored["instances"].items()}
        told = contest.standings(stored["rows"], random)
        told.sort(key=lambda one: (list(SETTINGS).index(one["setting"]), list(TRUST).index(one["trust"]), one["epsilon"] or 0,
                                   one["tuned"], one.get("share", (math.inf,))[0]))
        names = {one["system"]: one["system"] for one in told}
        choices = {"setting": SETTINGS, "trust": TRUST, "epsilon": {one: one for one in EPSILONS},
                   "width": {"proved": "as proved", "tuned": "tuned"}, "learner": names}
        most = max((one["played"] for one in told if "played" in one), default=0)
        words = f"{len(told)} rows; {most} of {contest.INSTANCES} instances are played"
        lines = [self.line(one, contest.INSTANCES) for one in told]
        return [form("rows", choices, ORDERS), table([nodes.Text(words)], COLUMNS, lines)]

    def line(self, one: dict[str, Any], instances: int) -> Element:
        width, epsilon = "tuned" if one["tuned"] else "proved", f"{one['epsilon']:g}" if one["epsilon"] else ""
        own = {"setting": one["setting"], "trust": one["trust"], "epsilon": epsilon or "|".join(EPSILONS), "width": width,
               "learner": one["system"]}
        scaled = f"width × {one['scale']:g}" if one["tuned"] else "width as proved"
        cells = {"item": [one["system"], scaled], "where": [SETTINGS[one["setting"]], TRUST[one["trust"]], epsilon and f"ε = {epsilon}"]}
        if "share" not in one:
            cells |= {"share": [one["note"] or "not played"], "difference": [], "rank": [], "cost": []}
        else:
            favourite = one["favourite"] == one["system"]
            own |= {"share": key(one["share"][0]), "difference": key(one["difference"][0]), "rank": key(one["rank"]),
                    "lost": key(one["lost"] or 0.0)}
            few = f"{one['played']} of {instances} instances" if one["played"] < instances else ""
            lost = "" if one["lost"] is None else f"lost in {one['lost']:.0%} of runs"
            cells |= {"share": [percent(one["share"]), few],
                      "difference": ["the favourite" if favourite else percent(one["difference"], "+"), "" if favourite else one["favourite"]],
                      "rank": [f"{one['rank']:.1f}", lost], "cost": [f"{one['bits']:,.3g}", f"{one['seconds']:.2g} s"]}
        name = "-".join(filter(None, (one["setting"], one["trust"].replace(" ", "-"), one["system"].lower(), epsilon.replace(".", "-"),
                                      width)))
        return row(COLUMNS, {column: [nodes.paragraph("", text) for text in texts if text] for column, texts in cells.items()}, name, own)


def setup(app: Sphinx) -> None:
    app.setup_extension("browse")
    app.add_directive("standings", Standings)
