"""A lab: a figure that a reader with a running kernel moves to any value, computed afresh each time; no page holds one."""

import io
import time
from collections.abc import Callable, Sequence
from html import escape
from typing import Any

import numpy as np

from bandits_dp import _checks
from bandits_dp._extras import needed

SLOW = 0.2  # seconds; a slider that takes longer to draw waits until it is let go


def lab(draw: Callable[..., str], question: str, **controls: Sequence[Any]) -> Any:
    """Return controls, and the figure that a function draws at the values they stand at.

    Whatever is moved, the noise stays the same, so that what changes is due to the move; a button draws new noise. What the
    package refuses is told in its own words, and the reader goes on. Where a library is missing, a sentence says what to install.

    Parameters
    ----------
    draw : callable
        ``draw(ax, rng, **values)`` draws on new axes of matplotlib and returns a sentence with the values and the key numbers,
        which a screen reader reads in place of the figure.
    question : str
        What only moving answers.
    **controls : (label, low, start, high) or (label, texts)
        For each of the values, a slider or a row of buttons. A slider goes over whole numbers if it is given whole numbers;
        over others, of three significant digits, by equal ratios if ``low`` is positive. The first of the texts is the start.

    Returns
    -------
    ipywidgets.VBox or None
        What a notebook shows when it is a cell's last line; None, so that a chapter's next cells run, where a library is missing.

    Raises
    ------
    ValueError
        If a control is not as above, or there is none.

    Examples
    --------
    >>> from bandits_book import plots
    >>> def noise(ax, rng, epsilon):
    ...     ax.hist(rng.laplace(0, 1 / epsilon, 1000))
    ...     return f"At ε = {epsilon:.3g} the noise has standard deviation {2 ** 0.5 / epsilon:.3g}."
    >>> panel = plots.lab(noise, "Which ε halves the noise?", epsilon=("ε", 0.1, 1.0, 10.0))
    >>> panel.children[1].value
    1.0
    """
    _checks.called("draw", draw)
    _checks.words("question", question)
    try:
        with needed("labs", "lab"):
            import ipywidgets as w
            from matplotlib.figure import Figure
    except ModuleNotFoundError as error:
        print(error)
        return None

    moved = {name: _control(w, name, control) for name, control in controls.items()}
    if not moved:
        raise ValueError("controls is empty; allowed are one or more, as in epsilon=('ε', 0.1, 1.0, 10.0)")
    sliders = [one for one in moved.values() if one.has_trait("continuous_update")]
    again, picture, note = w.Button(description="New noise", icon="random"), w.HTML(), w.HTML()
    seed = 1

    def show(change: Any = None) -> None:
        note.value, began = '<p role="status">computing …</p>', time.monotonic()
        axes = Figure().subplots()
        try:
            answer = draw(axes, np.random.default_rng(seed), **{name: _value(one.value) for name, one in moved.items()})
            told = escape(_checks.one_of("what draw returned", answer, str, "a sentence"))
            picture.value = f'<div role="img" aria-label="{told}">{_svg(axes.figure)}</div>'
        except Exception as error:  # of any kind: the values are the reader's, who may move on
            first = ". Run all cells above first, then this one." * isinstance(error, NameError)
            note.value = f'<p role="alert">{escape(f"{type(error).__name__}: {error}{first}")}</p>'
            return
        note.value = f'<p role="status">{told}</p>'
        for one in sliders:
            one.continuous_update = time.monotonic() - began < SLOW

    def renew(button: Any) -> None:
        nonlocal seed
        seed += 1
        show()

    show()
    for one in moved.values():
        one.observe(show, "value")
    again.on_click(renew)
    return w.VBox([w.HTML(f"<p><b>{escape(question)}</b></p>"), *moved.values(), again, picture, note])


def _control(w: Any, name: str, given: Sequence[Any]) -> Any:
    """Return a slider from low to high, or a row of buttons."""
    look = {"style": {"description_width": "12em"}, "layout": {"width": "36em", "max_width": "98%"}}
    match given:
        case (str(label), list(texts)) if texts and all(isinstance(text, str) for text in texts):
            return w.ToggleButtons(options=texts, description=label, style=look["style"])
        case (str(label), int(low), int(start), int(high)) if low <= start <= high and low < high:
            return w.IntSlider(start, low, high, description=label, **look)
        case (str(label), int() | float() as low, int() | float() as start, int() | float() as high) if low <= start <= high > low:
            made, ends = (w.FloatLogSlider, np.log10([low, high])) if low > 0 else (w.FloatSlider, np.array([low, high]))
            length = ends[1] - ends[0]
            place = ((np.log10(start) if low > 0 else start) - ends[0]) / length
            step = length / min(range(100, 300), key=lambda steps: abs(steps * place - round(steps * place)))  # to stand at start
            digits = ".3r" if high >= 1000 else ".2e" if high < 0.01 else ".3"  # 9760 users, a δ of 1.00e-6, an ε of 0.5
            return made(start, min=ends[0], max=ends[1], step=step, readout_format=digits, description=label, **look)
    raise ValueError(f"{name} is {given!r}; allowed are (label, low, start, high) with low <= start <= high, and (label, [texts])")


def _value(value: Any) -> Any:
    """Return what a control stands at, a number as the reader sees it."""
    return float(f"{value:.3g}") if isinstance(value, float) else value


def _svg(figure: Any) -> str:
    """Return a figure as a part of a page."""
    with io.StringIO() as stream:
        figure.savefig(stream, format="svg")
        drawn = stream.getvalue()
    return drawn[drawn.index("<svg") :]
