"""A served counter: it can be saved, and threads take turns."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from bandits_dp._types import Floats
from bandits_dp.continual.base import Counter
from bandits_dp.serve import state
from bandits_dp.serve.saved import Saved, locked


class ServedCounter(Saved):
    """A continual counter with ``save`` and ``restore``.

    Parameters
    ----------
    counter : Counter
        From now on only this object may use it.

    Examples
    --------
    >>> import numpy as np
    >>> import bandits_dp as bdp
    >>> from bandits_dp.serve import ServedCounter
    >>> one, other = (ServedCounter(bdp.continual.TreeCounter(99, 1.0, 1e-6)) for _ in range(2))
    >>> released = one.add(1.0, np.random.default_rng(1))
    >>> other.restore(one.save())
    >>> other.counter.steps
    1
    """

    kind = "counter"

    def __init__(self, counter: Counter) -> None:
        super().__init__()
        self.counter, self.description = counter, counter.description

    @locked
    def add(self, value: ArrayLike, rng: np.random.Generator) -> Floats:
        """Take the next value and release the private running sum, as the counter's ``add``."""
        return self.counter.add(value, rng)

    def _pack(self) -> dict[str, Any]:
        return state.count_packed(self.counter)

    def _unpack(self, given: state.State) -> None:
        state.count_unpacked(self.counter, given)
