"""Stop and go on later: whatever changes during a run, as a plain dictionary of arrays, and back without trusting it."""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray


class Saved(ABC):
    """What can be saved and restored.

    Attributes
    ----------
    kind : str
        What it is, in one word; the key under which a state names its owner.
    description : str
        Name, size and options: a state can be restored only into an object with the same description.
    """

    kind: ClassVar[str]
    description: str

    def save(self) -> dict[str, NDArray[Any]]:
        """Return everything that changes during a run, as a plain dictionary of arrays, ready for ``numpy.savez``.

        The caller's generator is the caller's to save.

        Warnings
        --------
        Restore a state once only, and keep it as secret as the data. It may hold noise that is yet to be released (learners of the
        LinUCB family, the factorization counter): two copies that go on from it release different data under the same noise, and
        the difference of their releases is bare. No guarantee covers that.
        """
        return {self.kind: np.array(self.description)} | {key: np.array(value) for key, value in self._pack().items()}

    def restore(self, state: Mapping[str, ArrayLike]) -> None:
        """Go on from what :meth:`save` returned.

        Parameters
        ----------
        state : mapping of str to array_like
            From an object made with the same arguments; what ``numpy.load`` gives back will do.

        Raises
        ------
        ValueError
            If the state is another one's, or something is missing, additional or of another shape. Nothing has changed then.
        """
        owner = str(np.asarray(state[self.kind])) if self.kind in state else None
        if owner != self.description:
            raise ValueError(f"state must come from {self.description}, got that of {owner}")
        other = copy.deepcopy(self)
        given = {key: np.array(state[key]) for key in state if key != self.kind}
        try:
            other._unpack(given)
            back = other.save()
        except (KeyError, ValueError, TypeError, IndexError) as error:
            raise ValueError(f"state must be what save() returned, got one that cannot be read: {error!r}") from error
        back.pop(self.kind)
        for key in sorted(back.keys() | given.keys()):
            if key not in back or key not in given or not np.array_equal(back[key], given[key], equal_nan=True):
                raise ValueError(f"state must be what save() returned, got one with a wrong entry {key!r}")
        self.__dict__ = other.__dict__

    @abstractmethod
    def _pack(self) -> dict[str, ArrayLike]:
        """Return everything that changes during a run, by name."""

    @abstractmethod
    def _unpack(self, state: dict[str, NDArray[Any]]) -> None:
        """Take back what ``_pack`` returned, as arrays; ``restore`` calls this on a copy and compares."""
