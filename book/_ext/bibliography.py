"""Sphinx extension: entries of the bibliography carry the label by which the text cites them, "Auer et al. 2002".

`bibtex_default_style: book` is pybtex's plain style with these labels; it links an entry's `doi` or `eprint` (arXiv) by itself.
"""

from collections.abc import Iterator
from typing import Any

from pybtex.plugin import register_plugin
from pybtex.style.formatting import plain as plain_style
from pybtex.style.labels import BaseLabelStyle
from sphinx.application import Sphinx

from plain import cited


class AsCited(BaseLabelStyle):
    """Labels made of names and year."""

    def format_labels(self, entries: Any) -> Iterator[str]:
        """Yield the entries' labels."""
        return map(cited, entries)


class Style(plain_style.Style):
    """The plain style with such labels."""

    default_label_style = "as_cited"


def setup(app: Sphinx) -> dict[str, bool]:
    """Make the style known to pybtex."""
    register_plugin("pybtex.style.labels", "as_cited", AsCited)
    register_plugin("pybtex.style.formatting", "book", Style)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
