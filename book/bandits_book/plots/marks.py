"""What a scene is made of: dots, paths, bars, words, grounds and icons, each with a key by which it is known from frame to frame.

Lengths are in the scene's own units, with (0, 0) in the lower left corner. A mark that has the same key in the next
frame glides to its new place.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any, ClassVar

from bandits_book.plots.style import TRUST_COLORS, check_color
from bandits_dp import _checks

#: Colours that follow the page's theme: text, quieter text, amber for what must not be seen, and the paper behind.
INKS = ("ink", "soft", "secret", "paper")

#: The same drawing for the same thing in every scene, as SVG between -1 and 1; C is the mark's colour, and P what lies behind.
ICONS = {
    "phone": '<rect x="-.62" y="-1" width="1.24" height="2" rx=".22" fill="P" stroke="C"/>',
    "eye": '<path d="M-1.5 0C-.9-1.1.9-1.1 1.5 0 .9 1.1-.9 1.1-1.5 0Z" fill="P" stroke="C"/><circle r=".5" fill="C"/>',
    "shuffler": '<circle r=".9" fill="P" stroke="C" stroke-opacity=".5"/><path d="M-.35-.94A1 1 0 0 1 .64-.77M.99.17A1 1 0 0 1 '
                '.34.94M-.64.77A1 1 0 0 1-.99-.17" fill="none" stroke="C" stroke-width="4" stroke-linecap="round"/>',
    "server": '<rect x="-1" y="-1" width="2" height="2" rx=".12" fill="P" stroke="C"/>',
}
CHOICES = {"name": tuple(ICONS), "anchor": ("start", "middle", "end")}  # of icons and words


@dataclass(frozen=True)
class Mark:
    """What every mark has: a `key`, the same in every frame that shows it; a place; a colour; and whether it stands back (`faint`).

    `x` and `y` are the middle of a dot, the lower left corner of a bar, where words stand. The colour is "ink", "soft", "secret",
    "paper", a trust model ("none", "central", "shuffle", "local") or "#rrggbb".
    """

    kind: ClassVar[str] = ""
    key: str
    x: float = 0.0
    y: float = 0.0
    color: str = "ink"
    faint: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.key, str) or not self.key:
            raise ValueError(f"key is {self.key!r}; allowed is text that is not empty")
        for field in fields(self):
            name, value = field.name, getattr(self, field.name)
            if field.type is bool:
                _checks.flag(name, value)
            elif field.type is str:
                _checks.words(name, value)
            elif field.type is float and not (_checks.is_number(value) and abs(_checks.as_float(value)) <= _checks.LARGEST):
                raise ValueError(f"{name} of {self.key!r} is {value!r}; allowed are finite numbers")
        for name, allowed in CHOICES.items():
            _checks.choice(name, getattr(self, name, allowed[0]), allowed)
        if self.color not in INKS:
            check_color(self.color)

    def packed(self) -> dict[str, Any]:
        """Return the mark as plain values, numbers rounded to a hundredth, without what is left at its default."""
        kept = {name: value for name, value in asdict(self).items() if value not in (0.0, False, "")}
        kept["color"] = TRUST_COLORS.get(self.color, self.color)
        return {"kind": self.kind} | {name: _short(value) for name, value in kept.items()}


@dataclass(frozen=True)
class Dot(Mark):
    """A disc of radius `size`, or a ring if `hollow`.

    Examples
    --------
    >>> from bandits_book.plots import Dot
    >>> Dot("Noor", x=10, y=5, color="secret")
    Dot(key='Noor', x=10, y=5, color='secret', faint=False, size=1.2, hollow=False)
    """

    kind: ClassVar[str] = "dot"
    size: float = 1.2
    hollow: bool = False


@dataclass(frozen=True)
class Path(Mark):
    """Straight lines through `points`, pairs (x, y): dashed with "6 4", filled with `filled`; `x` and `y` shift them all.

    Examples
    --------
    >>> from bandits_book.plots import Path
    >>> arrow = Path("to the server", points=[(0, 0), (10, 5)], dash="6 4")
    >>> arrow.points
    ((0.0, 0.0), (10.0, 5.0))
    """

    kind: ClassVar[str] = "path"
    points: Sequence[tuple[float, float]] = ()
    dash: str = ""
    filled: bool = False

    def __post_init__(self) -> None:
        pairs = _checks.numbers("points", self.points, "pairs (x, y) of numbers")
        if pairs.shape != (0,) and (pairs.ndim != 2 or pairs.shape[1] != 2):
            raise ValueError(f"points must be pairs (x, y) of numbers, got shape {pairs.shape}")
        object.__setattr__(self, "points", tuple((right, up) for right, up in pairs.tolist()))
        super().__post_init__()
        if not _checks.usable(pairs).all():
            raise ValueError(f"points of {self.key!r} is {float(pairs[~_checks.usable(pairs)][0])}; allowed are finite numbers")


@dataclass(frozen=True)
class Bar(Mark):
    """A rectangle, drawn as a frame if `hollow`.

    Examples
    --------
    >>> from bandits_book.plots import Bar
    >>> Bar("count", x=10, height=4.333).packed()["height"]  # what the page draws, to a hundredth
    4.33
    """

    kind: ClassVar[str] = "bar"
    width: float = 1.0
    height: float = 1.0
    hollow: bool = False


@dataclass(frozen=True)
class Ground(Bar):
    """A rectangle behind the others, lightly tinted: a place, such as the side on which a user's trust ends.

    Examples
    --------
    >>> from bandits_book.plots import Ground
    >>> Ground("trusted", width=48, height=60, color="shuffle").kind
    'ground'
    """

    kind: ClassVar[str] = "ground"


@dataclass(frozen=True)
class Icon(Mark):
    """A "phone", an "eye", a "shuffler" or a "server" around (x, y), which reaches `size` up and down.

    Examples
    --------
    >>> from bandits_book.plots import Icon
    >>> Icon("Eve", x=50, y=55, size=2, name="eye").name
    'eye'
    """

    kind: ClassVar[str] = "icon"
    size: float = 2.0
    name: str = "phone"


@dataclass(frozen=True)
class Text(Mark):
    """Words that keep their size on every screen; `anchor` is "start", "middle" or "end".

    Examples
    --------
    >>> from bandits_book.plots import Text
    >>> Text("sum", x=50, y=5, words="41 clicks").words
    '41 clicks'
    """

    kind: ClassVar[str] = "text"
    words: str = ""
    anchor: str = "middle"
    bold: bool = False


def _short(value: Any) -> Any:
    if isinstance(value, bool | str):
        return value
    if isinstance(value, Sequence):
        return [_short(item) for item in value]
    rounded = round(float(value), 2)
    return int(rounded) if rounded.is_integer() else rounded
