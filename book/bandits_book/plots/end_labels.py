"""Labels at the right ends of lines that make room for each other. Imported only when something is drawn."""

import numpy as np
from matplotlib.backend_bases import RendererBase
from matplotlib.text import Annotation
from matplotlib.transforms import Bbox
from scipy.optimize import isotonic_regression

from bandits_book.plots.style import letter_shade

_LINE_HEIGHT = 1.25  # of the letter size


class EndLabel(Annotation):
    """Text to the right of a point of the axes, moved up or down so that such labels on the same axes do not overlap.

    It has a shade of the line's colour that can be read on white and on black.
    """

    def __init__(self, text: str, end: tuple[float, float], color: str) -> None:
        # Not clipped, so that the layout makes room for it beside the axes.
        super().__init__(text, end, xytext=(7, 0), textcoords="offset points", va="center", color=letter_shade(color),
                         annotation_clip=False, clip_on=False)

    def get_tightbbox(self, renderer: RendererBase | None = None) -> Bbox | None:
        """Measure the text for the layout, in its place.

        Before it is placed, matplotlib takes the offset in points for data; on a logarithmic axis, where 0 does not exist,
        it would leave the label out of the layout.
        """
        if renderer is not None:
            self.update_positions(renderer)
        return super().get_tightbbox(renderer)

    def update_positions(self, renderer: RendererBase) -> None:
        """Place the text; matplotlib calls this before it measures or draws, when the scales are final."""
        assert self.axes is not None
        labels = [artist for artist in self.axes.get_children() if isinstance(artist, EndLabel)]
        heights = [float(self.axes.transData.transform(label.xy)[1]) for label in labels]
        pixels_per_point = float(self.axes.figure.dpi) / 72
        gap = float(self.get_fontsize()) * _LINE_HEIGHT * pixels_per_point
        _, bottom, _, top = (float(edge) for edge in self.axes.bbox.extents)
        own = labels.index(self)
        shift = spread(heights, gap, bottom, top)[own] - heights[own]
        self.set_position((7.0, shift / pixels_per_point))
        super().update_positions(renderer)


def spread(wanted: list[float], gap: float, low: float, high: float) -> list[float]:
    """Return positions, in any order, moved apart to the gap by as little as possible (least squares), within the limits.

    Where there are too many of them for that, they start at `low`.
    """
    order = np.argsort(wanted, kind="stable")
    steps = gap * np.arange(len(wanted))
    level = isotonic_regression(np.array(wanted)[order] - steps).x  # with the gaps taken out, "apart" means "in increasing order"
    moved = np.empty(len(wanted))
    moved[order] = np.clip(level, low, max(low, high - steps[-1])) + steps
    return moved.tolist()
