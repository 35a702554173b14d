"""Sphinx extension: the claims ledger, made from `claims.json`, which tests write, and `not_testable.json`.

    ```{ledger-summary}
    ```

counts, per paper and outcome, and links each count to its rows;

    ```{ledger}
    ```

is the form that filters, and one table per paper. A row holds the paper's words, what became of them, and the evidence, each in
a cell of its own.
"""

import json
import re
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from docutils import nodes
from sphinx.application import Sphinx

from browse import Browse, Element, chapter_title, element, fold, form, row, table

Row = dict[str, Any]

# Every outcome with the colour of its badge; an observation has none, because it is no verdict.
BADGES = {
    "confirmed": "success",
    "confirmed, loose": "success",
    "confirmed with other constants": "info",
    "open": "warning",
    "not reproduced by our reading": "warning",
    "refuted": "danger",
    "not testable": "secondary",
}
OBSERVED = "our own observation"
COLUMNS = {"item": "Where", "claim": "Claim", "verdict": "Verdict", "evidence": "Evidence"}
OBSERVED_COLUMNS = {"item": "About", "verdict": "What we saw", "evidence": "Evidence"}
ORDERS = {"outcome": "verdict", "chapter": "chapter", "item": "name"}


def read(book: Path) -> list[Row]:
    """Return all rows, each with its anchor: the name of its test, or paper and item where there is none."""
    rows: list[Row] = json.loads((book / "claims.json").read_text("utf-8"))
    rows += [row | {"outcome": "not testable"} for row in json.loads((book / "not_testable.json").read_text("utf-8"))]
    anchors: list[str] = []
    for told in rows:
        words = told["test"].split("::test_")[-1] if "test" in told else f"{told['paper']} {told['item']}"
        name = "claim-" + re.sub(r"[^a-z0-9]+", "-", words.lower()).strip("-")
        anchors.append(f"{name}-{anchors.count(name) + 1}" if name in anchors else name)
        told["anchor"] = anchors[-1]
        if told["outcome"] == "observation":
            told["outcome"] = OBSERVED
    return rows


def number(value: float) -> str:
    """Print a measured number for people."""
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def verdict(told: Row) -> str:
    badge = f"{{bdg-{BADGES[told['outcome']]}}}`{told['outcome']}`" if told["outcome"] in BADGES else ""
    reason = f"Why not: {told['reason']}" if told.get("reason") else ""
    return "\n\n".join((badge, told.get("computed", ""), reason))


def argument(told: Row) -> str:
    """Give the readings of a claim and the proof against it, in MyST."""
    readings = "\n".join(f"{place}. {reading}" for place, reading in enumerate(told.get("readings", []), 1))
    proof = f"Why: {told['proof']}" if told.get("proof") else ""
    return f"{readings}\n\n{proof}".strip()


class Ledger(Browse):
    """The form and the tables."""

    def run(self) -> list[nodes.Node]:
        rows = read(self.root / "book")
        authors = self.authors(dict.fromkeys(told["paper"] for told in rows))
        chapters = {name: chapter_title(self.root, name) for name in sorted({told["chapter"] for told in rows})}
        outcomes = {name: name for name in (*BADGES, OBSERVED) if any(told["outcome"] == name for told in rows)}
        made: list[nodes.Node] = [form("rows", {"paper": authors, "outcome": outcomes, "chapter": chapters}, ORDERS)]
        for paper in authors:
            lines = [self.line(told, COLUMNS) for told in rows if told["paper"] == paper and told["outcome"] != OBSERVED]
            caption = self.text(f"What {{cite:t}}`{paper}` claim, and what became of it")[0].children
            made.append(self.section(authors[paper], f"ledger-{paper}", table(caption, COLUMNS, lines)))
        lines = [self.line(told, OBSERVED_COLUMNS) for told in rows if told["outcome"] == OBSERVED]
        alone = self.text("No paper claims these, and they are no verdicts on any; they are what we met while computing.")
        observed = table([nodes.Text("What we saw")], OBSERVED_COLUMNS, lines)
        return [*made, self.section("Our own observations", "ledger-observations", *alone, observed)]

    def line(self, told: Row, columns: dict[str, str]) -> Element:
        about = f"{told['item']}\n\n{{cite:t}}`{told['paper']}`" if told["outcome"] == OBSERVED else told["item"]
        judged = self.text(verdict(told))
        if words := argument(told):
            judged.append(fold("Readings and reasons", *self.text(words)))
        test = f"\n\n{{checked-by}}`{told['test']}`" if "test" in told else ""
        shown = self.text(self.chapter(told["chapter"]) + test)
        if measured := told.get("measured"):
            what = f"{len(measured)} numbers measured" if len(measured) > 1 else "1 number measured"
            shown.append(fold(what, *self.text("\n".join(f"- {name}: {number(value)}" for name, value in measured.items()))))
        words = f"“{told['quotation']}”\n\n{told.get('claim', '')}"  # the paper's, and ours where there are some
        cells = {"item": self.text(about), "claim": self.text(words), "verdict": judged, "evidence": shown}
        return row(columns, cells, told["anchor"], {key: told[key] for key in ("paper", "outcome", "chapter")})


def squares(rows: list[Row], papers: dict[str, str]) -> nodes.raw:
    """Draw a square for every row, a band for each paper; the table of counts says the same to whom it does not reach."""
    kinds, bands = [*BADGES, OBSERVED], []
    for paper, authors in papers.items():
        held = sorted((kinds.index(told["outcome"]), told["anchor"], told["item"]) for told in rows if told["paper"] == paper)
        drawn = "".join(f'<a href="#{anchor}" tabindex="-1" class="outcome-{kind}" title="{escape(f"{item}: {kinds[kind]}")}"></a>'
                        for kind, anchor, item in held)
        bands.append(f"<div><span>{escape(authors)}</span><span>{drawn}</span></div>")
    legend = "".join(f'<span><i class="outcome-{place}"></i> {kind}</span>' for place, kind in enumerate(kinds))
    return nodes.raw("", f'<div class="ledger-squares" aria-hidden="true">{"".join(bands)}<p>{legend}</p></div>', format="html")


class Summary(Ledger):
    """The counts, each of which leads to its rows."""

    def run(self) -> list[nodes.Node]:
        """Make the picture, and the table of counts: a line for each outcome, a column for each paper."""
        rows = read(self.root / "book")
        papers = self.authors(dict.fromkeys(told["paper"] for told in rows))
        columns = {"item": "Outcome", "all": "All", **papers}
        lines = []
        for outcome in (*BADGES, OBSERVED):
            cells: dict[str, list[nodes.Node]] = {"item": [nodes.Text(outcome)]}
            for paper in columns.keys() - {"item"}:
                asked = {"outcome": outcome, **({"paper": paper} if paper in papers else {})}
                count = sum(told["outcome"] == outcome and paper in ("all", told["paper"]) for told in rows)
                cells[paper] = [element("a", str(count), href=f"?{urlencode(asked)}#ledger") if count else nodes.Text("0")]
            lines.append(row(columns, cells, f"count-{outcome.replace(',', '').replace(' ', '-')}"))
        claims = sum(told["outcome"] != OBSERVED for told in rows)
        told = nodes.Text(f"{claims} claims, and {len(rows) - claims} observations of our own")
        return [squares(rows, papers), table([told], columns, lines, "browse-narrow browse-counts")]


def setup(app: Sphinx) -> None:
    app.setup_extension("browse")
    app.add_directive("ledger", Ledger)
    app.add_directive("ledger-summary", Summary)
