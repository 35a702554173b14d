"""The few pieces of matplotlib's mathematics that a figure's texts need, as runs of plain letters."""

import re
from itertools import groupby
from typing import NamedTuple


class Span(NamedTuple):
    """A run of letters in a line."""

    text: str
    italic: bool = False
    raised: float = 0.0  # above the line, in letter sizes; an index is below, so less than 0


_LETTERS = {"alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "varepsilon": "ε", "epsilon": "ϵ", "theta": "θ", "kappa": "κ",
            "lambda": "λ", "mu": "μ", "pi": "π", "rho": "ρ", "sigma": "σ", "tau": "τ", "phi": "ϕ", "varphi": "φ", "Delta": "Δ",
            "Gamma": "Γ", "Phi": "Φ", "Sigma": "Σ", "Theta": "Θ"}
_SIGNS = {"times": "×", "cdot": "·", "le": "≤", "leq": "≤", "ge": "≥", "geq": "≥", "approx": "≈", "infty": "∞", "pm": "±",
          "to": "→", "log": "log", "ln": "ln", "max": "max", "min": "min", "ast": "*", "ell": "ℓ", "quad": " ", ",": "\u2009",
          ";": " ", " ": " ", "%": "%", "$": "$"}
_INNER = r"\{((?:[^{}]|\{[^{}]*\})*)\}"
_PIECE = re.compile(rf"\\sqrt\{{([^{{}}]*)\}}|\\(?:mathdefault|mathrm|mathit|text){_INNER}|\\([A-Za-z]+|.)|([_^])|(.)")


def spans(line: str) -> list[Span] | None:
    """Split a line of a figure's text, with mathematics between dollar signs as matplotlib understands it, into runs of letters.

    None if there is mathematics that does not fit on a line, or a command that is not known here.
    """
    if line.count("$") - line.count(r"\$") < 2:
        return [Span(line.replace(r"\$", "$"))]
    found: list[Span] = []
    for place, part in enumerate(re.split(r"(?<!\\)\$", line)):
        try:
            found += _mathematics(part) if place % 2 else [Span(part.replace(r"\$", "$"))] * bool(part)
        except LookupError:
            return None
    return [Span("".join(span.text for span in run), *look) for look, run in groupby(found, key=lambda span: span[1:])]


def _mathematics(tex: str, raised: float = 0.0, upright: bool = False) -> list[Span]:
    """Return the runs of a formula; a LookupError says that it cannot be one line."""
    found: list[Span] = []
    while tex:
        piece = _PIECE.match(tex)
        if piece is None:
            raise LookupError(tex)
        root, word, command, shift, letter = piece.groups()
        tex = tex[piece.end() :]
        if root is not None:
            inner = root if len(root) == 1 or root.startswith("\\") else f"({root})"
            found += [Span("√", raised=raised), *_mathematics(inner, raised)]
        elif word is not None:
            found += _mathematics(word, raised, upright=True)
        elif command in _SIGNS:
            found.append(Span(_SIGNS[command], raised=raised))
        elif command is not None:
            found.append(Span(_LETTERS[command], _LETTERS[command].islower(), raised))  # small ones are italic
        elif shift is not None:
            argument = re.match(rf"{_INNER}|\\[A-Za-z]+|.", tex)
            if raised or argument is None:
                raise LookupError(tex)
            tex = tex[argument.end() :]
            content = argument[0] if argument[1] is None else argument[1]
            found += _mathematics(content, 0.38 if shift == "^" else -0.2, upright)
        elif letter not in "{}":
            found.append(Span({"-": "−", "~": " "}.get(letter, letter), letter.isalpha() and not upright, raised))
    return found
