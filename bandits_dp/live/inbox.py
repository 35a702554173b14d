"""What waits for a batch to fill: rows that are added one by one, and never change."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


class Inbox:
    """Rows of one shape; :meth:`put` returns another inbox, so that whoever is interrupted still has this one.

    Both share a buffer, of which each sees its own rows only; so go on from one of them.

    Parameters
    ----------
    rows : ndarray, shape (count, ...)
        What is in it at first.
    """

    def __init__(self, rows: NDArray[Any]) -> None:
        self._buffer = rows
        self._count = len(rows)

    @classmethod
    def restored(cls, sent: NDArray[Any], count: int, one: NDArray[Any]) -> Inbox:
        """Return the saved inbox of so many users, each of whom sends a row like that of ``one``."""
        if sent.shape != (count, *one.shape[1:]):
            raise ValueError(f"{count} users send {one.shape[1:]} each, got shape {sent.shape}")
        with np.errstate(invalid="ignore"):  # what is too large for an integer does not come back, and is refused
            return cls(sent.astype(one.dtype))

    def __len__(self) -> int:
        """Return the number of rows."""
        return self._count

    @property
    def rows(self) -> NDArray[Any]:
        """All rows."""
        return self._buffer[: self._count]

    def put(self, rows: NDArray[Any]) -> Inbox:
        """Return an inbox with more rows."""
        if rows.shape[1:] != self._buffer.shape[1:]:
            raise ValueError(f"messages must be of one shape for all users, got {rows.shape[1:]} after {self._buffer.shape[1:]}")
        count = self._count + len(rows)
        buffer = self._buffer
        if count > len(buffer):
            buffer = np.empty((max(count, 2 * len(buffer)), *rows.shape[1:]), rows.dtype)
            buffer[: self._count] = self.rows
        buffer[self._count : count] = rows
        other = Inbox(buffer)
        other._count = count
        return other
