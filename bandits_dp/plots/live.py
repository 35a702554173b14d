"""The same figure in a live notebook: widgets, and a picture computed afresh at every move."""

from collections.abc import Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from bandits_dp.plots.sliders import check_values, value_text
from bandits_dp.plots.still import still_picture

if TYPE_CHECKING:
    import ipywidgets

    from bandits_dp.plots.moving import MovingFigure


def live_figure(figure: "MovingFigure", values: Mapping[str, Sequence[Any]]) -> "ipywidgets.VBox":
    """Return sliders above a picture; see `MovingFigure.live`."""
    try:
        import ipywidgets
    except ImportError as error:
        raise ImportError(
            "live() needs ipywidgets: run `pip install ipywidgets` and restart the kernel"
        ) from error
    unknown = sorted(set(values) - set(figure.sliders))
    if unknown:
        raise ValueError(
            f"live() was given {', '.join(unknown)}; allowed are the sliders {', '.join(figure.sliders)}"
        )
    controls = {}
    for name, usual in figure.sliders.items():
        offered = check_values(name, values[name]) if name in values else usual
        controls[name] = ipywidgets.SelectionSlider(
            options=[(value_text(value), value) for value in offered],
            value=figure.start[name] if figure.start[name] in offered else offered[0],
            description=figure.words.sliders[name],
            continuous_update=False,  # a new setting is computed, which may take a moment
            style={"description_width": "initial"},
            layout={"width": "100%", "max_width": "36rem"},
        )
    picture = ipywidgets.HTML()
    # Other values than the precomputed ones may need other axes: fit those to each picture.
    limits = figure.asked_limits if values else figure.limits

    def redraw(_: object = None) -> None:
        frame = figure.frame({name: control.value for name, control in controls.items()})
        coded = still_picture(frame, figure.words, limits, dots_per_inch=144)
        picture.value = (
            f'<img alt="{escape(figure.words.alt)}" style="width:100%;max-width:40rem" src="data:image/png;base64,{coded}">'
            f'<p style="max-width:40rem">{escape(frame.note)}</p>'
        )

    for control in controls.values():
        control.observe(redraw, names="value")
    redraw()
    return ipywidgets.VBox([*controls.values(), picture])
