"""The book's figures: one style for still figures, and figures that a reader can move.

Importing this module does not import matplotlib; the functions that draw do.

==================  =========================================================================
`use_style`         matplotlib settings of every chapter: readable on a phone, same bytes each run
`band`              a line with a band and a label at its right end
`regret`            mean regret of a result of `bandits_dp.simulate`, with a band
`TRUST_COLORS`      one colour for each trust model; `TRUST_LINES`, `TRUST_MARKERS` likewise
`COLORS`            the palette for everything else, in order of use
`moving_figure`     a figure with sliders that work in a page without a kernel
`Series`            one line, or set of points, of such a figure
`moving_scene`      things that move as a mechanism does, with sliders and a button that plays
`Dot`, `Path`       marks of a scene; `Bar`, `Ground`, `Icon` and `Text` too
`lab`               a figure that a reader with a running kernel moves to any value
`Gallery`, `Room`   mechanisms to bet on, and what audits of them found
==================  =========================================================================
"""

from bandits_book.plots.figure import MovingFigure
from bandits_book.plots.gallery import Gallery, Room
from bandits_book.plots.labs import lab
from bandits_book.plots.lines import band, regret
from bandits_book.plots.marks import Bar, Dot, Ground, Icon, Path, Text
from bandits_book.plots.scene import MovingScene
from bandits_book.plots.series import Series
from bandits_book.plots.style import COLORS, TRUST_COLORS, TRUST_LINES, TRUST_MARKERS, use_style

moving_figure, moving_scene = MovingFigure, MovingScene  # made by a verb in the chapters
__all__ = [
    "COLORS", "TRUST_COLORS", "TRUST_LINES", "TRUST_MARKERS", "Bar", "Dot", "Gallery", "Ground", "Icon", "MovingFigure",
    "MovingScene", "Path", "Room", "Series", "Text", "band", "lab", "moving_figure", "moving_scene", "regret", "use_style",
]
