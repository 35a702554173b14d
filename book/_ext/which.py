"""Sphinx extension: the page "Which one should I use?", made of the catalogue, `which.toml` and the sweep in `price.json`.

    ```{which}
    ```

is a form, one section per answer, and a table of all systems. Without a script every answer stands there to be read; `which.js`
shows the form, leaves the answer to what was asked, and writes the reader's own numbers into its code.
"""

import json
import math
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

from browse import Browse, Element, element, field, fold, row, select, table

PAGE = "book/which"
EPSILONS = (0.1, 0.3, 1.0, 3.0, 10.0)
USUAL = 1.0
Row = dict[str, Any]


@dataclass(frozen=True)
class Kind:
    """What is chosen among: a problem of the sweep, and code for one's own."""

    title: str
    problem: str
    horizon: int
    arms: int
    dimension: int
    made: str
    use: list[str]
    note: str


@dataclass(frozen=True)
class Answer:
    """One leaf: who may be trusted for one kind of problem, and the systems for that, its own trust model first."""

    kind: str
    trust: str
    title: str
    systems: list[str]
    kinds: tuple[str, ...] = ()
    note: str = ""


TOLD = tomllib.loads(Path(__file__).parents[1].joinpath("which.toml").read_text("utf-8"))
KINDS = {name: Kind(**told) for name, told in TOLD["kinds"].items()}
TRUST = TOLD["trust"]
ANSWERS = [Answer(**told) for told in TOLD["answers"]]


def sweep(root: Path) -> tuple[dict[tuple[str, str, float | None], Row], Row]:
    """Read the squares of the map by problem, system and epsilon, and what random play loses."""
    stored = json.loads((root / "book" / "price.json").read_text("utf-8"))
    return {(one["problem"], one["system"], one["epsilon"]): one for one in stored["map"]}, stored["random"]


def options(name: str) -> dict[str, Any]:
    """Return the options that the sweep gave to a system, as the cell `measure` of chapter 15 chooses them."""
    import bandits_dp as bdp

    system = next(one for one in bdp.systems() if one.name == name)
    takes = {one.name for one in system.options}
    if name in ("AE", "LDP-AE"):
        return {"batch_size": "doubling"}
    if system.chapter.startswith("12"):
        return {"width": None}
    if "centred" in takes:
        return {"centred": True}
    return {}


def best(systems: Sequence[str], squares: Mapping[str, Row]) -> str:
    """Name the system with the least regret, or the first of those within two standard errors of it."""
    least = min((squares[name] for name in systems), key=lambda one: one["regret"])

    def near(one: Row) -> bool:
        return bool(one["regret"] - least["regret"] <= 2 * math.hypot(one["error"], least["error"]))

    return next(name for name in systems if near(squares[name]))


def call(name: str) -> str:
    """Return the code that makes a system, with places for the reader's numbers."""
    import bandits_dp as bdp

    system = next(one for one in bdp.systems() if one.name == name)
    pure = system.pure and name != "CDP-DPE"
    private = [] if system.model == "none" else ["epsilon={epsilon}"] + ([] if pure else ["delta={delta}"])
    more = [f"{key}={value!r}" for key, value in options(name).items()]
    if "returning_users" in {one.name for one in system.options}:
        more.append("{returning}")
    return f'app = bdp.make({", ".join([repr(name), "problem", "horizon={T}", *private, *more])})'.replace("'", '"')


def filled(code: str, kind: Kind, epsilon: float = USUAL) -> str:
    """Write the sweep's own numbers into code, as the script writes a reader's."""
    T = kind.horizon
    delta = f"{0.1 / T:g}".replace("e-0", "e-")
    numbers = {"K": kind.arms, "d": kind.dimension, "T": f"{T:_}", "epsilon": f"{epsilon:g}", "delta": delta}
    for key, value in numbers.items():
        code = code.replace(f"{{{key}}}", str(value))
    return code.replace(", {returning}", "")


def lines(answer: Answer, name: str) -> str:
    kind = KINDS[answer.kind]
    return "\n".join(["import bandits_dp as bdp", kind.made, call(name), *kind.use])


def answers(root: Path) -> Iterator[tuple[Answer, dict[float | None, str], dict[tuple[str, float | None], Row]]]:
    """Yield each answer, the system that it recommends at each epsilon, and all squares that it is chosen from."""
    squares, _ = sweep(root)
    for answer in ANSWERS:
        problem = KINDS[answer.kind].problem
        every: tuple[float | None, ...] = (None,) if answer.trust == "none" else EPSILONS
        chosen, seen = {}, {}
        for epsilon in every:
            here = {name: squares[problem, name, epsilon] for name in answer.systems}
            chosen[epsilon] = best(answer.systems, here)
            seen |= {(name, epsilon): one for name, one in here.items()}
        yield answer, chosen, seen


def anchor(answer: Answer) -> str:
    return f"{answer.kind}-{answer.trust.split()[0]}"


def told(one: Row, random: float) -> list[str]:
    """Say what a square of the map holds: regret, its share of random play, bits."""
    return [f"{one['regret']:,.0f} ± {one['error']:,.0f}", f"{100 * one['regret'] / random:.2g}%".replace("1e+02%", "100%"),
            f"{one['bits']:,.3g}"]


class Which(Browse):
    """The form, the answers and the table of all systems."""

    def run(self) -> list[nodes.Node]:
        import bandits_dp as bdp

        self.systems = {one.name: one for one in bdp.systems()}
        _, self.random = sweep(self.root)
        self.env.note_dependency(str(self.root / "book" / "price.json"))
        made = list(answers(self.root))
        first: dict[str, list[Answer]] = {}
        for answer, chosen, _ in made:
            for name in chosen.values():
                if answer not in first.setdefault(name, []):
                    first[name].append(answer)
        parts: list[nodes.Node] = [questions(), element("div", element("p", ""), class_="which-told", role="status")]
        for kind, about in KINDS.items():
            leaves = [self.leaf(*one) for one in made if one[0].kind == kind]
            parts.append(self.section(about.title, f"which-{kind}", *leaves))
        parts.append(self.section("Every system of the catalogue", "which-all", self.everybody(first, made)))
        return parts

    def leaf(self, answer: Answer, chosen: dict[float | None, str], seen: dict[tuple[str, float | None], Row]) -> nodes.section:
        kind = KINDS[answer.kind]
        random, usual = self.random[kind.problem], chosen.get(USUAL) or chosen[None]
        columns = {"item": "ε", "system": "take", "regret": "regret", "share": "of random play", "bits": "bits per user"}

        def line(epsilon: float | None, name: str, own: bool) -> Element:
            regret, share, bits = told(seen[name, epsilon], random)
            words = {"item": f"{epsilon:g}" if epsilon else "none", "system": name, "regret": regret, "share": share, "bits": bits}
            extra = words | {"epsilon": f"{epsilon or 0:g}", "code": lines(answer, name)} if own else {}
            label = f"{anchor(answer)}-{name.lower()}-{epsilon or 0:g}".replace(".", "")
            return row(columns, {key: [nodes.Text(value)] for key, value in words.items()}, label, extra)

        rows = [line(epsilon, name, True) for epsilon, name in chosen.items()]
        size = f"T = {kind.horizon:,}, K = {kind.arms}" + f", d = {kind.dimension}" * bool(kind.dimension)
        parts: list[nodes.Node] = [table([nodes.Text(f"Least regret in the sweep: {size}")], columns, rows, "browse-narrow")]
        others = [line(epsilon, name, False) for (name, epsilon) in seen if chosen[epsilon] != name]
        if others:
            measured = table([nodes.Text("Not recommended")], columns, others, "browse-narrow")
            parts.append(fold("The others that were measured", measured))
        shown = element("code", filled(lines(answer, usual), kind))
        code = element("pre", shown, class_="which-code", tabindex="0", role="region", aria_label=f"Code, {answer.title}")
        chapter = self.chapter(self.systems[usual].chapter)
        notes = [filled(kind.note, kind), answer.note, f"Built in {chapter}."]
        parts += [code, *self.text(" ".join(filter(None, notes)))]
        parts.append(fold(f"Guarantee of {usual}", element("p", self.guarantee(usual, kind))))
        hold = element(
            "div", *parts, class_="which-answer", data_kinds=" ".join((answer.kind, *answer.kinds)), data_trust=answer.trust,
            data_title=answer.title, data_horizon=str(kind.horizon), data_arms=str(kind.arms), data_dimension=str(kind.dimension),
        )
        return self.section(answer.title, f"which-{anchor(answer)}", hold)

    def guarantee(self, name: str, kind: Kind) -> str:
        """Return what a learner of the sweep promises at the usual epsilon."""
        import numpy as np

        import bandits_dp as bdp

        names: dict[str, Any] = {"bdp": bdp, "actions": np.eye(kind.arms, max(kind.dimension, 1))}
        if kind.dimension:
            names["actions"][kind.dimension:, 0] = 1.0
        exec("\n".join(filled(part, kind) for part in (kind.made, call(name))), names)  # our own code, as it is printed
        return str(names["app"].guarantee)

    def everybody(self, first: dict[str, list[Answer]], made: list[Any]) -> Element:
        """Make the table of all systems: where each is the answer, or why nowhere."""
        columns = {"item": "System", "where": "Recommended for, or why not"}
        rows = []
        for name in self.systems:
            words: list[nodes.Node] = []
            for answer in first.get(name, []):
                place = element("a", answer.title, href=f"#which-{anchor(answer)}")
                words += [nodes.Text("; " if words else ""), place]
            if not words:
                words = [nodes.Text(self.reason(name, made))]
            rows.append(row(columns, {"item": [nodes.Text(name)], "where": words}, f"which-system-{name.lower()}"))
        return table([nodes.Text(f"{len(rows)} systems")], columns, rows)

    def reason(self, name: str, made: list[Any]) -> str:
        """Say by how much others were ahead wherever a system could be the answer."""
        reasons = []
        for answer, chosen, seen in made:
            ratios = {e: seen[name, e]["regret"] / seen[take, e]["regret"] for e, take in chosen.items() if (name, e) in seen}
            if ratios:
                low, high = min(ratios.values()), max(ratios.values())
                ahead = " or ".join(dict.fromkeys(chosen[e] for e in ratios))
                many = f"{low:.2g} to {high:.2g}" if len(ratios) > 1 else f"{low:.2g}"
                reasons.append(f"{answer.title}: {ahead} comes first; its regret was {many} times as large.")
        return " ".join(reasons)


def questions() -> Element:
    """Make the form; a script shows it."""

    def number(name: str, words: str, **own: str) -> Element:
        return field("which", name, words, element("input", type_="number", inputmode="decimal", **own))

    return element(
        "form",
        field("which", "kind", "What do you choose among?", select({key: kind.title for key, kind in KINDS.items()})),
        field("which", "trust", "Whom may people trust?", select(TRUST)),
        number("visits", "How often may one person answer?", min="1", step="1", value="1"),
        number("epsilon", "ε per person", min="0.01", step="any", value="1"),
        number("horizon", "Answers in all, T", min="100", step="1"),
        number("arms", "Arms or actions, K", min="2", step="1"),
        number("dimension", "Numbers per feature vector, d", min="1", step="1"),
        element("p", element("button", "Show all answers", type_="button", aria_pressed="false")),
        class_="which-form", aria_label="Questions", hidden="hidden",
    )  # fmt: skip


def load(app: Sphinx, pagename: str, *_: object) -> None:
    if pagename == PAGE:
        app.add_js_file("which.js")
        app.add_css_file("which.css")


def setup(app: Sphinx) -> None:
    app.setup_extension("browse")
    app.add_directive("which", Which)
    app.connect("html-page-context", load)
