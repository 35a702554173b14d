"""Records of simulated runs: regret at checkpoints, bits, and further counts and curves."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from bandits_dp._types import Floats

Checkpoints = NDArray[np.int64]  # rounds, ascending
Rngs = list[np.random.Generator]  # one for each run
Tick = Callable[[int], object]  # takes the number of rounds played


@dataclass(frozen=True)
class Played:
    """Simulated runs.

    Parameters
    ----------
    regret : ndarray, shape (runs, checkpoints)
        Cumulative pseudo-regret.
    bits : ndarray, shape (runs,)
        Total number of bits that the users of each run sent.
    counts, curves : dict of ndarray, each of shape (runs,), or (runs, checkpoints)
        Further quantities by name: counted per run, and recorded over time.
    """

    regret: Floats
    bits: Floats
    counts: dict[str, Floats] = field(default_factory=dict)
    curves: dict[str, Floats] = field(default_factory=dict)

    def arrays(self) -> dict[str, Floats]:
        """Return all arrays by name, counts with the prefix "counts.", curves with "curves."."""
        named = {f"{kind}.{name}": array for kind in ("counts", "curves")
                 for name, array in getattr(self, kind).items()}
        return {"regret": self.regret, "bits": self.bits, **named}

    @classmethod
    def of(cls, arrays: Mapping[str, Floats]) -> Self:
        """Make runs from what :meth:`arrays` returned."""
        kinds: dict[str, dict[str, Floats]] = {"regret": {}, "bits": {}, "counts": {}, "curves": {}}
        for name, array in arrays.items():
            kind, _, rest = name.partition(".")
            kinds[kind][rest] = array
        return cls(kinds["regret"][""], kinds["bits"][""], kinds["counts"], kinds["curves"])

    @classmethod
    def join(cls, parts: Sequence[Self]) -> Self:
        """Concatenate the runs of several parts."""
        arrays = [part.arrays() for part in parts]
        return cls.of({name: np.concatenate([one[name] for one in arrays]) for name in arrays[0]})

    def runs(self) -> Iterator[Self]:
        """Yield each run alone."""
        arrays = self.arrays()
        return (self.of({name: array[i : i + 1] for name, array in arrays.items()})
                for i in range(len(self.bits)))


class Record:
    """Records regret and curves at ascending checkpoints while runs advance together."""

    def __init__(self, runs: int, rounds: NDArray[np.int64]) -> None:
        self.rounds, self.played = rounds, 0
        self.regret, self.curves = np.zeros((runs, len(rounds))), dict[str, Floats]()
        self._so_far, self._filled, self._noted = np.zeros(runs), 0, 0

    def add(self, lost: Floats) -> None:
        """Advance by the rounds whose regret is ``lost``, shape (runs, rounds)."""
        lost = lost.copy()
        # summed one by one: the last digits do not depend on where calls cut the rounds
        lost[:, 0] += self._so_far
        np.cumsum(lost, axis=1, out=lost)
        start, here = self.played, self._passed(lost.shape[1])
        self.regret[:, here] = lost[:, self.rounds[here] - start - 1]
        self._so_far = lost[:, -1]

    def add_cycles(self, ends: NDArray[np.int64], losses: Floats, length: int) -> None:
        """Advance a single run by ``length`` rounds of a cycle that repeats.

        The cycle loses ``losses`` in its first ``ends`` rounds. Both have shape (steps,) and begin
        with 0; between two ends, all rounds lose the same.
        """
        cycle, so_far, start = int(ends[-1]), self._so_far, self.played

        def after(rounds: NDArray[np.int64] | int) -> Floats:
            cycles, rest = np.divmod(rounds, cycle)
            return so_far + cycles * losses[-1] + np.interp(rest, ends, losses)

        here = self._passed(length)
        self.regret[0, here] = after(self.rounds[here] - start)
        self._so_far = after(length) if length % cycle else so_far + length // cycle * losses[-1]

    def add_plays(self, losses: Floats, plays: NDArray[np.int64], length: int) -> None:
        """Advance a single run by ``length`` rounds of a cycle with ``plays`` plays of each arm."""
        self.add_cycles(
            np.append(0, plays.cumsum()), np.append(0.0, (plays * losses).cumsum()), length)

    def _passed(self, length: int) -> slice:
        """Advance by ``length`` rounds, and return the slice of checkpoints in them."""
        self.played += length
        first, self._filled = (self._filled,
                               int(np.searchsorted(self.rounds, self.played, side="right")))
        return slice(first, self._filled)

    def note(self, app: Any, worlds: Sequence[Any], before: float = np.inf) -> None:
        """Record the distance of a learner's parameter from the true ones, until round ``before``.

        It fills all checkpoints before that round that have no distance yet; call it just before a
        release.
        """
        last = int(np.searchsorted(self.rounds, before))
        theta = getattr(app.learner, "theta", None)
        if (last == self._noted or theta is None
                or any(getattr(world, "theta", None) is None for world in worlds)):
            return
        known = theta if app.centre is None else theta + app.centre
        error = np.linalg.norm(known - np.array([world.theta for world in worlds]), axis=-1)
        curve = self.curves.setdefault("parameter error", np.empty_like(self.regret))
        curve[:, self._noted : last], self._noted = error[:, None], last

    def result(self, bits: float, counts: Mapping[str, Any]) -> Played:
        """Return the runs, with the bits and counts of each; a number stands for all runs."""
        none = np.zeros(len(self.regret))
        return Played(self.regret, none + bits,
                      {name: none + value for name, value in counts.items()}, self.curves)
