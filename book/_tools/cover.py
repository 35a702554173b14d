"""Draw the cover of the book and the icon of its site: five stacks of answers, a bell of noise over each, one answer in amber.

The same code gives the same pictures; a test draws them again and compares.
"""

import math
from pathlib import Path

import numpy as np

from checkout import ROOT

COVER = ROOT / "book" / "_static" / "cover.svg"
ICON = ROOT / "book" / "_static" / "favicon.svg"
COUNTS = (9, 14, 20, 12, 7)  # one stack per exercise of Lull
NIGHT, DOT, FAINT, AMBER, GREEN = "#11131e", "#ece7db", "#565b6c", "#ffd479", "#3fd0a4"


def dots(count: int, left: float, floor: float, wide: int, gap: float, color: str) -> list[str]:
    """Stack `count` dots, `wide` in a row, from the floor up."""
    places = [(left + gap * (k % wide), floor - gap * (k // wide)) for k in range(count)]
    return [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{0.3 * gap:.1f}" fill="{color}"/>' for x, y in places]


def bell(centre: float, height: float, floor: float, half: float) -> str:
    """Draw the density of a noisy count as a thin line that stands on its side, at the height of the true count."""
    up = np.linspace(-3, 3, 49)
    points = [f"{centre + half * math.exp(-0.5 * u * u):.1f},{floor - height + 16 * u:.1f}" for u in up]
    return f'<polyline points="{" ".join(points)}" fill="none" stroke="{GREEN}" stroke-width="1.6"/>'


def cover() -> str:
    """Return the cover, 420 by 594 (the shape of A4)."""
    gap, floor, parts = 18.0, 520.0, []
    for place, count in enumerate(COUNTS):
        left = 52 + 68 * place
        stack = dots(3 * count // 2, left, floor, 2, gap, DOT)
        if place == 2:
            stack[17] = stack[17].replace(DOT, AMBER)  # Noor
        parts += [*stack, bell(left + 27, gap * (3 * count // 4), floor, 30)]
    stars = np.random.default_rng(3).uniform((20, 20), (400, 200), (40, 2))
    parts += [f'<circle cx="{x:.0f}" cy="{y:.0f}" r="1" fill="{FAINT}"/>' for x, y in stars]
    words = (
        f'<text x="40" y="92" font-size="46" fill="{DOT}">Private Bandits</text>'
        f'<text x="40" y="124" font-size="17" fill="{AMBER}">Learning from people</text>'
        f'<text x="40" y="146" font-size="17" fill="{AMBER}">without learning about them</text>'
    )
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 420 594" role="img" font-family="Newsreader, Georgia, serif" '
        'aria-label="Private Bandits: learning from people without learning about them">'
        f'<rect width="420" height="594" fill="{NIGHT}"/>{"".join(parts)}{words}</svg>\n'
    )


def icon() -> str:
    """Return the icon, 32 by 32: three stacks, one dot in amber."""
    parts = [*dots(2, 7.5, 25, 1, 8.5, DOT), *dots(3, 16, 25, 1, 8.5, DOT), *dots(1, 24.5, 25, 1, 8.5, DOT)]
    parts[3] = parts[3].replace(DOT, AMBER)
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">'
        f'<rect width="32" height="32" rx="7" fill="{NIGHT}"/>{"".join(parts)}</svg>\n'
    )


def draw(folder: Path) -> None:
    """Write both pictures."""
    (folder / COVER.name).write_text(cover(), "utf-8")
    (folder / ICON.name).write_text(icon(), "utf-8")


if __name__ == "__main__":
    draw(COVER.parent)
