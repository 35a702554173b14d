"""The few pieces of matplotlib's mathematics that a figure's texts need, as runs of plain letters."""

import re
from typing import NamedTuple


class Span(NamedTuple):
    """A run of letters in a line."""

    text: str
    italic: bool = False
    raised: float = 0.0
    """How far above the line, in letter sizes; an index is below, so less than 0."""


_LETTERS = {
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "varepsilon": "ε", "epsilon": "ϵ", "theta": "θ", "kappa": "κ",
    "lambda": "λ", "mu": "μ", "pi": "π", "rho": "ρ", "sigma": "σ", "tau": "τ", "phi": "ϕ", "varphi": "φ",
    "Delta": "Δ", "Gamma": "Γ", "Phi": "Φ", "Sigma": "Σ", "Theta": "Θ",
}  # fmt: skip
_SIGNS = {
    "times": "×", "cdot": "·", "le": "≤", "leq": "≤", "ge": "≥", "geq": "≥", "approx": "≈", "infty": "∞", "pm": "±", "to": "→",
    "log": "log", "ln": "ln", "max": "max", "min": "min", "ast": "*", "ell": "ℓ", "quad": " ", ",": "\u2009", ";": " ", " ": " ",
    "%": "%", "$": "$",
}  # fmt: skip
_INNER = r"\{((?:[^{}]|\{[^{}]*\})*)\}"
_PIECE = re.compile(rf"\\sqrt\{{([^{{}}]*)\}}|\\(?:mathdefault|mathrm|mathit|text){_INNER}|\\([A-Za-z]+|.)|([_^])|(.)")


def spans(line: str) -> list[Span] | None:
    """Split a line into runs of letters.

    Parameters
    ----------
    line : str
        A text of a figure, with mathematics between dollar signs as matplotlib understands it.

    Returns
    -------
    list of Span or None
        None if there is mathematics that does not fit on a line, or a command that is not known here.
    """
    if line.count("$") - line.count(r"\$") < 2:
        return [Span(line.replace(r"\$", "$"))]
    found: list[Span] = []
    for place, part in enumerate(re.split(r"(?<!\\)\$", line)):
        if place % 2 == 0:
            found += [Span(part.replace(r"\$", "$"))] if part else []
            continue
        inner = _mathematics(part, 0.0)
        if inner is None:
            return None
        found += inner
    return _joined(found)


def _mathematics(tex: str, raised: float, upright: bool = False) -> list[Span] | None:
    """Return the runs of a formula, None if it cannot be one line."""
    found: list[Span] = []
    rest = tex
    while rest:
        piece = _PIECE.match(rest)
        if piece is None:
            return None
        root, word, command, shift, letter = piece.groups()
        rest = rest[piece.end() :]
        inner: list[Span] | None
        if root is not None:
            inner = _mathematics(root if len(root) == 1 or root.startswith("\\") else f"({root})", raised)
            found.append(Span("√", raised=raised))
        elif word is not None:
            inner = _mathematics(word, raised, upright=True)
        elif command is not None:
            sign = _SIGNS.get(command)
            inner = [Span(sign, raised=raised)] if sign else _letter(_LETTERS.get(command), raised)
        elif shift is not None:
            argument = re.match(rf"{_INNER}|\\[A-Za-z]+|.", rest)
            if raised or argument is None:
                return None
            rest = rest[argument.end() :]
            content = argument[1] if argument[1] is not None else argument[0]
            inner = _mathematics(content, 0.38 if shift == "^" else -0.2, upright)
        elif letter in "{}":
            inner = []
        else:
            inner = [Span({"-": "−", "~": " "}.get(letter, letter), letter.isalpha() and not upright, raised)]
        if inner is None:
            return None
        found += inner
    return found


def _letter(letter: str | None, raised: float) -> list[Span] | None:
    """Return a Greek letter, small ones italic."""
    return None if letter is None else [Span(letter, letter.islower(), raised)]


def _joined(found: list[Span]) -> list[Span]:
    """Join neighbours that look the same."""
    joined: list[Span] = []
    for span in found:
        if joined and joined[-1][1:] == span[1:]:
            joined[-1] = joined[-1]._replace(text=joined[-1].text + span.text)
        else:
            joined.append(span)
    return joined
