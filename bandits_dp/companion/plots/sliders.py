"""The settings a reader can choose: names, values and the words shown for them."""

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from bandits_dp import _checks

Setting = dict[str, Any]
MOST_SETTINGS = 400


def check_sliders(sliders: Mapping[str, Sequence[Any]]) -> dict[str, tuple[Any, ...]]:
    """Return the sliders as plain Python values in a fixed order.

    Parameters
    ----------
    sliders : mapping of str to sequence
        Values of each slider from left to right: at least two, all different, finite numbers or text.

    Raises
    ------
    ValueError
        If there is no slider, a slider's values are not as above, or there are more than 400 combinations.
    """
    if not isinstance(sliders, Mapping):
        raise TypeError(f"sliders is {_checks.told(sliders)}; allowed is a mapping of names to values")
    if not sliders:
        raise ValueError("sliders is empty; allowed is at least one name with its values")
    checked = {name: check_values(name, values) for name, values in sliders.items()}
    count = math.prod(len(values) for values in checked.values())
    if count > MOST_SETTINGS:
        sizes = " x ".join(f"{len(values)} {name}" for name, values in checked.items())
        raise ValueError(f"sliders has {sizes} = {count} combinations; allowed are at most {MOST_SETTINGS}")
    return checked


def check_values(name: str, values: Sequence[Any]) -> tuple[Any, ...]:
    """Return one slider's values as plain Python values, or raise a ValueError."""
    if not isinstance(values, Iterable):
        raise TypeError(f"sliders[{name!r}] is {_checks.told(values)}; allowed are at least two values, all different")
    plain = tuple(value.item() if hasattr(value, "item") else value for value in values)
    for value in plain:
        if (
            isinstance(value, bool)
            or not isinstance(value, (int, float, str))
            or (isinstance(value, float) and not math.isfinite(value))
        ):
            raise ValueError(f"sliders[{name!r}] contains {value!r}; allowed are finite numbers and text")
    if len(plain) < 2 or len(set(plain)) < len(plain):
        raise ValueError(
            f"sliders[{name!r}] is {list(plain)!r}; allowed are at least two values, all different"
        )
    return plain


def check_start(start: Mapping[str, Any], sliders: Mapping[str, tuple[Any, ...]]) -> Setting:
    """Return the first setting shown, in the order of the sliders, or raise a ValueError."""
    if not isinstance(start, Mapping):
        raise TypeError(f"start is {_checks.told(start)}; allowed is a mapping of names to values")
    if set(start) != set(sliders):
        raise ValueError(
            f"start has the names {sorted(start)}; allowed are exactly those of sliders, {sorted(sliders)}"
        )
    for name, values in sliders.items():
        if start[name] not in values:
            raise ValueError(
                f"start[{name!r}] is {start[name]!r}; allowed are its slider's values, {list(values)!r}"
            )
    return {name: values[values.index(start[name])] for name, values in sliders.items()}


def settings(sliders: Mapping[str, tuple[Any, ...]]) -> Iterator[Setting]:
    """Yield every combination; the last slider changes fastest, as the page's script expects."""
    for values in itertools.product(*sliders.values()):
        yield dict(zip(sliders, values, strict=True))


def value_text(value: Any) -> str:
    """Write a slider's value for a reader: 1e-06 as 10⁻⁶, 20000 as 20,000, 0.50 as 0.5.

    >>> from bandits_dp.companion.plots.sliders import value_text
    >>> [value_text(value) for value in (1e-6, 20000, 0.5, 2.5e7, "local")]
    ['10⁻⁶', '20,000', '0.5', '2.5 × 10⁷', 'local']
    """
    if isinstance(value, str):
        return value
    if value != 0 and not 1e-3 <= abs(value) < 1e6:
        mantissa, exponent = f"{value:.5e}".split("e")
        power = "10" + str(int(exponent)).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
        factor = f"{float(mantissa):g}"
        return power if factor == "1" else f"{factor} × {power}".replace("-", "−")
    return f"{value:,.6g}".replace("-", "−") if abs(value) < 1e4 else f"{value:,.0f}".replace("-", "−")
