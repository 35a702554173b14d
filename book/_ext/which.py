"""Sphinx extension: the page "Which one should I use?", made of the catalogue, `catalogue.toml` and the stored contest.

    ```{which} How the answer is found
    Text.
    ```

is a form, the text folded below it, one section per answer, and a table of all systems. Without a script every answer stands
there to be read, judged by all instances of the contest; `which.js` shows the form, judges by the instances that are nearest to the
reader's own numbers, and writes these into the code.
"""

import json
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
from docutils import nodes
from scipy.stats import t
from sphinx.application import Sphinx

import bandits_dp as bdp
import catalogue
from bandits_book import contest
from browse import Browse, Element, element, field, fold, rounded, row, select, table

PAGE = "book/which"
EPSILONS = (0.1, 0.3, 1.0, 3.0, 10.0)
USUAL = 1.0
NEAR = 10  # instances by which a reader's own size is judged
Kind = Answer = SimpleNamespace  # as catalogue.toml has them
Row = dict[str, Any]
Size = tuple[int, int, int]  # K, d, T
Told = tuple[Answer, dict[float | None, str], dict[tuple[str, float | None], Row]]  # what `answers` yields
TOLD = tomllib.loads(Path(__file__).parents[1].joinpath("catalogue.toml").read_text("utf-8"))
KINDS = {name: Kind(**told) for name, told in TOLD["kinds"].items()}
TRUST = TOLD["trust"]
ANSWERS = [Answer(**{"kinds": (), "note": "", **told}) for told in TOLD["answers"]]
SYSTEMS = {one.name: one for one in bdp.systems()}


@cache
def contest_rows() -> dict[tuple[str, str, float | None], Row]:
    """Read who played with proved widths, by setting, system and epsilon, each with its ``shares`` of random play's regret.

    A system that may do without delta is there as it is where a delta is allowed, too.
    """
    stored = contest.results()
    lost = {setting: np.array(list(of.values())) for setting, of in stored["instances"].items()}
    rows = {}
    for one in stored["rows"]:
        if not (one["tuned"] or one["note"] or one["trust"].startswith("pure")):
            n = len(sizes(one["setting"]))
            key = one["setting"], one["system"], one["epsilon"]
            rows[key] = one | {"shares": np.array(one["regret"][:n]) / lost[one["setting"]][:n]}
    return rows


@cache
def sizes(setting: str) -> list[Size]:
    """Return the sizes of a setting's instances, as far as all have played them."""
    played = min(len(one["regret"]) for one in contest.results()["rows"] if one["setting"] == setting and not one["note"])
    return [(one.problem.arms, getattr(one.problem, "dimension", 0), one.horizon) for one in contest.instances(setting)[:played]]


def nearest(setting: str, size: Sequence[int | None]) -> list[int]:
    """Number the instances nearest to a reader's K, d and T, by ratios; None is what she leaves open."""
    if not any(size):
        return list(range(len(sizes(setting))))
    away = [sum(abs(np.log(its / mine)) for its, mine in zip(one, size, strict=True) if mine and its) for one in sizes(setting)]
    return sorted(sorted(range(len(away)), key=lambda i: (round(away[i], 9), i))[:NEAR])


def told(shares: np.ndarray) -> str:
    """Write the mean of shares with its 95% interval."""
    mean, half = (100 * number for number in contest.interval(shares))
    return f"{mean:.2g} ± {half:.2g}%" if mean < 99.5 else f"{mean:.0f} ± {half:.2g}%"


def best(systems: Sequence[str], shares: Mapping[str, np.ndarray]) -> str:
    """Name the system with the least mean share, or the first whose paired difference from it has 0 in its 95% interval."""
    least = min((name for name in systems if name in shares), key=lambda name: shares[name].mean())

    def near(name: str) -> bool:
        mean, half = contest.interval(shares[name] - shares[least])
        return mean <= half + 1e-12  # equal ones are equal on every processor

    return next(name for name in systems if name in shares and near(name))


@cache
def wants_delta(name: str) -> bool:
    """Say whether a system makes use of a delta in the contest, at any epsilon: there is one, and it plays otherwise without."""
    if SYSTEMS[name].model == "none":
        return False
    one = next(one for one in contest.contestants() if one.name == name and not one.trust.startswith("pure"))
    if not any(one.make(contest.instances(one.setting)[0], epsilon).guarantee.delta > 0 for epsilon in EPSILONS):
        return False
    lost = {(row["trust"], row["epsilon"]): row["regret"] for row in contest.results()["rows"]
            if row["system"] == name and not row["tuned"]}
    return not all(("pure", epsilon) in lost and np.allclose(lost[one.trust, epsilon], lost["pure", epsilon], rtol=1e-3)
                   for epsilon in EPSILONS)


def call(name: str) -> str:
    """Return the code that makes a system, with places for the reader's numbers."""
    private = [] if SYSTEMS[name].model == "none" else ["epsilon={epsilon}"] + ["delta={delta}"] * wants_delta(name)
    more = [f"{key}={value!r}" for key, value in contest.usual(SYSTEMS[name]).items()]
    if "returning_users" in {one.name for one in SYSTEMS[name].options}:
        more.append("{returning}")
    return f'app = bdp.make({", ".join([repr(name), "problem", "horizon={T}", *private, *more])})'.replace("'", '"')


def filled(code: str, kind: Kind, epsilon: float = USUAL) -> str:
    """Write a kind's usual numbers into code, as the script writes a reader's."""
    T = kind.horizon
    delta = f"{0.1 / T:g}".replace("e-0", "e-")
    numbers = {"K": kind.arms, "d": kind.dimension, "T": f"{T:_}", "epsilon": f"{epsilon:g}", "delta": delta}
    for key, value in numbers.items():
        code = code.replace(f"{{{key}}}", str(value))
    return code.replace(", {returning}", "")


def lines(answer: Answer, name: str) -> str:
    kind = KINDS[answer.kind]
    return "\n".join(["import bandits_dp as bdp", kind.made, call(name), *kind.use])


def answers(size: Sequence[int | None] = (None, None, None)) -> Iterator[Told]:
    """Yield each answer, the system that it recommends at each epsilon to a size, and all rows that it is chosen from."""
    rows = contest_rows()
    for answer in ANSWERS:
        setting = KINDS[answer.kind].setting
        every: tuple[float | None, ...] = (None,) if answer.trust == "none" else EPSILONS
        seen = {(name, epsilon): rows[setting, name, epsilon] for epsilon in every for name in answer.systems
                if (setting, name, epsilon) in rows}
        here = nearest(setting, size)
        chosen = {epsilon: best(answer.systems, {name: one["shares"][here] for (name, at), one in seen.items() if at == epsilon})
                  for epsilon in every}
        yield answer, chosen, seen


def guarantee(name: str, kind: Kind) -> str:
    """Return what a learner of the contest promises at the usual size and epsilon."""
    names: dict[str, Any] = {"bdp": bdp, "actions": np.eye(kind.arms, max(kind.dimension, 1))}
    if kind.dimension:
        names["actions"][kind.dimension:, 0] = 1.0
    exec("\n".join(filled(part, kind) for part in (kind.made, call(name))), names)  # our own code, as it is printed
    return str(names["app"].guarantee)


def anchor(answer: Answer) -> str:
    return f"{answer.kind}-{answer.trust.split()[0]}"


class Which(Browse):
    """The form, the answers and the table of all systems."""

    has_content = True
    required_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        self.env.note_dependency(str(self.root / "book" / "bandits_book" / "contest.json"))
        made = list(answers())
        parts: list[nodes.Node] = [questions(), element("div", element("p", ""), class_="which-told", role="status")]
        found = nodes.admonition("", nodes.title("", self.arguments[0]), *self.parse_content_to_nodes(), classes=["dropdown"])
        parts.append(found)
        for kind, about in KINDS.items():
            leaves = [self.leaf(*one) for one in made if one[0].kind == kind]
            parts.append(self.section(about.title, f"which-{kind}", *leaves))
        parts.append(self.section("Every system of the catalogue", "which-all", self.everybody(made)))
        return parts

    def leaf(self, answer: Answer, chosen: dict[float | None, str], seen: dict[tuple[str, float | None], Row]) -> nodes.section:
        kind, instances = KINDS[answer.kind], sizes(KINDS[answer.kind].setting)
        usual = chosen.get(USUAL) or chosen[None]
        columns = {"item": "ε", "system": "take", "share": "regret, of random play’s", "bits": "bits per user"}

        def line(epsilon: float | None, name: str) -> Element:
            one = seen[name, epsilon]
            words = {"item": f"{epsilon:g}" if epsilon else "none", "system": name, "share": told(one["shares"]),
                     "bits": rounded(one["bits"])}
            shares = json.dumps([float(f"{share:.4g}") for share in one["shares"]])
            extra = {"system": name, "bits": words["bits"], "epsilon": f"{epsilon or 0:g}", "shares": shares,
                     "place": str(answer.systems.index(name)), "code": lines(answer, name)}
            label = f"{anchor(answer)}-{name.lower()}-{epsilon or 0:g}".replace(".", "")
            return row(columns, {key: [nodes.Text(value)] for key, value in words.items()}, label, extra)

        rows = [line(epsilon, name) for epsilon, name in chosen.items()]
        least = f"On all {len(instances)} instances of the contest"
        parts: list[nodes.Node] = [table([nodes.Text(least)], columns, rows, "browse-narrow")]
        others = [line(epsilon, name) for (name, epsilon) in seen if chosen[epsilon] != name]
        if others:
            measured = table([nodes.Text("Not recommended there")], columns, others, "browse-narrow")
            parts.append(fold("The others that played", measured))
        shown = element("code", filled(lines(answer, usual), kind))
        code = element("pre", shown, class_="which-code", tabindex="0", role="region", aria_label=f"Code, {answer.title}")
        notes = [filled(kind.note, kind), answer.note, f"Where it is built: {self.chapter(catalogue.TOLD[usual]['chapter'])}"]
        parts += [code, *self.text(" ".join(filter(None, notes)))]
        parts.append(fold(f"Guarantee of {usual}", element("p", guarantee(usual, kind))))
        # Student's 0.975 quantiles for as many instances as are nearest, and for all
        quantiles = [round(float(t.ppf(0.975, n - 1)), 6) for n in (NEAR, len(instances))]
        hold = element(
            "div", *parts, class_="which-answer", data_kinds=" ".join((answer.kind, *answer.kinds)), data_trust=answer.trust,
            data_title=answer.title, data_horizon=str(kind.horizon), data_arms=str(kind.arms), data_dimension=str(kind.dimension),
            data_sizes=json.dumps(instances), data_near=str(NEAR), data_quantiles=json.dumps(quantiles),
        )
        return self.section(answer.title, f"which-{anchor(answer)}", hold)

    def everybody(self, made: list[Told]) -> Element:
        """Make the table of all systems: where each is the answer, or why nowhere."""
        columns = {"item": "System", "where": "Recommended for, or why not"}
        rows = []
        for name in SYSTEMS:
            words: list[nodes.Node] = []
            for answer in (answer for answer, chosen, _ in made if name in chosen.values()):
                place = element("a", answer.title, href=f"#which-{anchor(answer)}")
                words += [nodes.Text("; " if words else ""), place]
            words = words or [nodes.Text(reason(name, made))]
            rows.append(row(columns, {"item": [nodes.Text(name)], "where": words}, f"which-system-{name.lower()}"))
        return table([nodes.Text(f"{len(rows)} systems")], columns, rows)


def reason(name: str, made: list[Told]) -> str:
    """Say by how much others were ahead wherever a system could be the answer."""
    reasons = []
    for answer, chosen, seen in made:
        ratios = {e: seen[name, e]["shares"].mean() / seen[take, e]["shares"].mean() for e, take in chosen.items()
                  if (name, e) in seen}
        if ratios:
            low, high = min(ratios.values()), max(ratios.values())
            ahead = " or ".join(dict.fromkeys(chosen[e] for e in ratios))
            many = f"{low:.2g} to {high:.2g}" if len(ratios) > 1 else f"{low:.2g}"
            reasons.append(f"{answer.title}: {ahead} comes first; its regret was {many} times as large.")
    return " ".join(reasons)


def questions() -> Element:
    """Make the form; a script shows it."""

    def number(name: str, words: str, **own: str) -> Element:
        return field("ask", name, words, element("input", type_="number", inputmode="decimal", **own))

    return element(
        "form",
        field("ask", "kind", "What do you choose among?", select({key: kind.title for key, kind in KINDS.items()})),
        field("ask", "trust", "Whom may people trust?", select(TRUST)),
        number("visits", "How often may one person answer?", min="1", max="1000000", step="1", value="1"),
        number("epsilon", "ε per person", min="0.01", max="100", step="any", value="1"),
        number("horizon", "Answers in all, T", min="100", max="1000000000000", step="1"),
        number("arms", "Arms or actions, K", min="2", max="1000000", step="1"),
        number("dimension", "Numbers per feature vector, d", min="1", max="1000000", step="1"),
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
