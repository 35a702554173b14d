"""Chapter 4: sixteen nights of a tree counter, and the largest errors of all counters."""

from bandits_book.scenes.counting.largest_errors import errors
from bandits_book.scenes.counting.tree_nights import nights

__all__ = ["errors", "nights"]
