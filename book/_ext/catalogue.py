"""Sphinx extension: the catalogue of algorithms, made from `bandits_dp.systems()` and `book/catalogue.toml`.

    ```{catalogue}
    ```

is a form that filters, and a table with a row per algorithm. In its bound, the fractions that hold epsilon have the colour of whom
users trust: they are what privacy costs.
"""

import re
import tomllib
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx

from bandits_dp import System, systems
from browse import Browse, chapter_title, fold, form, row, table

COLUMNS = {"item": "Algorithm", "promise": "Users trust", "bound": "Regret bound", "evidence": "Chapter and test"}
TRUSTED = {"none": "everybody", "central": "the server", "shuffle": "a shuffler", "local": "nobody"}
TOLD = tomllib.loads(Path(__file__).parents[1].joinpath("catalogue.toml").read_text("utf-8"))["systems"]
PRICE = "#c0ffee"  # which tables.css replaces
ORDERS = {"trust-model": "trust model", "problem": "problem", "chapter": "chapter", "item": "name"}


def guarantee(system: System) -> str:
    """Say what is promised, in MyST."""
    if system.model == "none":
        return "no guarantee"
    alone = r", or $\varepsilon$ alone with Laplace or discrete noise" if system.pure else ""
    return rf"{system.model} model, $(\varepsilon, \delta)${alone}, {system.unit}"


def priced(bound: str) -> str:
    """Colour the fractions of a bound that hold epsilon."""
    found = re.search(r"\\frac(\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}){2}", bound)
    if not found:
        return bound
    whole = rf"\textcolor{{{PRICE}}}{{{found[0]}}}" if r"\varepsilon" in found[0] else found[0]
    return bound[: found.start()] + whole + priced(bound[found.end() :])


class Catalogue(Browse):
    def run(self) -> list[nodes.Node]:
        self.env.note_dependency(str(self.root / "book" / "catalogue.toml"))
        papers = self.authors(dict.fromkeys(system.paper for system in systems()))
        chapters = sorted({TOLD[system.name]["chapter"] for system in systems()})
        settings = dict.fromkeys(system.setting for system in systems())
        choices = {"trust-model": {name: name for name in TRUSTED}, "problem": {name: name for name in settings}, "paper": papers,
                   "chapter": {name: chapter_title(self.root, name) for name in chapters}}
        rows = [self.line(system) for system in systems()]
        return [form("algorithms", choices, ORDERS), table([nodes.Text(f"{len(rows)} algorithms")], COLUMNS, rows)]

    def line(self, system: System) -> nodes.Element:
        source = "ours; bound cited from " * system.ours + f"{{cite:t}}`{system.paper}`"
        item = [nodes.strong("", system.name), *self.text(source)]
        if system.options:
            listed = "\n".join(f"- `{one.name}` ({one.default!r}): {one.allowed}" for one in system.options)
            item.append(fold(f"{len(system.options)} option{'s' * (len(system.options) > 1)}", *self.text(listed)))
        told = TOLD[system.name]
        cells = {
            "item": item,
            "promise": [nodes.strong("", TRUSTED[system.model]), *self.text(guarantee(system))],
            "bound": self.text(rf"$\displaystyle {priced(told['regret'])}$".replace(r"\Big", r"\bigg")),
            "evidence": self.text(f"{self.chapter(told['chapter'])}\n\n{{checked-by}}`{told['test']}`"),
        }
        own = {"trust-model": system.model, "problem": system.setting, "paper": system.paper, "chapter": told["chapter"]}
        return row(COLUMNS, cells, system.name.lower(), own)


def setup(app: Sphinx) -> None:
    app.setup_extension("browse")
    app.add_directive("catalogue", Catalogue)
