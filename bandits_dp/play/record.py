"""What simulated runs leave: regret at checkpoints, bits, and whatever else is counted or changes over time."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Checkpoints = NDArray[np.int64]  # rounds, ascending
Rngs = list[np.random.Generator]  # one for each run
Tick = Callable[[int], object]  # is told how many rounds were played


@dataclass(frozen=True)
class Played:
    """Runs that were played.

    Parameters
    ----------
    regret : ndarray, shape (runs, checkpoints)
        Cumulative pseudo-regret.
    bits : ndarray, shape (runs,)
        Bits that all users sent together.
    counts, curves : dict of ndarray, each of shape (runs,), or (runs, checkpoints)
        What else was counted, and recorded over time, by name.
    """

    regret: Floats
    bits: Floats
    counts: dict[str, Floats] = field(default_factory=dict)
    curves: dict[str, Floats] = field(default_factory=dict)

    def arrays(self) -> dict[str, Floats]:
        """Return all arrays by name: regret, bits, and "counts." or "curves." before the names of the others."""
        named = {f"{kind}.{name}": array for kind in ("counts", "curves") for name, array in getattr(self, kind).items()}
        return {"regret": self.regret, "bits": self.bits, **named}

    @classmethod
    def of(cls, arrays: Mapping[str, Floats]) -> Self:
        """Take back what :meth:`arrays` returned."""
        kinds: dict[str, dict[str, Floats]] = {"regret": {}, "bits": {}, "counts": {}, "curves": {}}
        for name, array in arrays.items():
            kind, _, rest = name.partition(".")
            kinds[kind][rest] = array
        return cls(kinds["regret"][""], kinds["bits"][""], kinds["counts"], kinds["curves"])

    @classmethod
    def join(cls, parts: Sequence[Self]) -> Self:
        """Put the runs of several parts after one another."""
        arrays = [part.arrays() for part in parts]
        return cls.of({name: np.concatenate([one[name] for one in arrays]) for name in arrays[0]})

    def runs(self) -> Iterator[Self]:
        """Take apart runs that were played together."""
        arrays = self.arrays()
        return (self.of({name: array[i : i + 1] for name, array in arrays.items()}) for i in range(len(self.bits)))


class Record:
    """Fills in regret and curves at ascending checkpoints while some runs advance together."""

    def __init__(self, runs: int, rounds: NDArray[np.int64]) -> None:
        self.rounds, self.played = rounds, 0
        self.regret, self.curves = np.zeros((runs, len(rounds))), dict[str, Floats]()
        self._so_far, self._filled, self._noted = np.zeros(runs), 0, 0

    def add(self, lost: Floats) -> None:
        """Advance by some rounds, of which each loses so much; shape (runs, rounds)."""
        lost = lost.copy()
        lost[:, 0] += self._so_far  # added up one by one, so that stretches leave no trace in the last digits
        np.cumsum(lost, axis=1, out=lost)
        start, here = self.played, self._passed(lost.shape[1])
        self.regret[:, here] = lost[:, self.rounds[here] - start - 1]
        self._so_far = lost[:, -1]

    def add_cycles(self, ends: NDArray[np.int64], losses: Floats, length: int) -> None:
        """Advance a single run by some rounds, however many, of a cycle that loses ``losses`` in its first ``ends`` rounds.

        Both have shape (steps,) and begin with 0; in between, every round loses the same.
        """
        cycle, so_far, start = int(ends[-1]), self._so_far, self.played

        def after(rounds: NDArray[np.int64] | int) -> Floats:
            cycles, rest = np.divmod(rounds, cycle)
            return so_far + cycles * losses[-1] + np.interp(rest, ends, losses)

        here = self._passed(length)
        self.regret[0, here] = after(self.rounds[here] - start)
        self._so_far = after(length) if length % cycle else so_far + length // cycle * losses[-1]

    def add_plays(self, losses: Floats, plays: NDArray[np.int64], length: int) -> None:
        """Advance a single run by some rounds in which each arm in turn is played so often, round and round."""
        self.add_cycles(np.append(0, plays.cumsum()), np.append(0.0, (plays * losses).cumsum()), length)

    def _passed(self, length: int) -> slice:
        """Go on by some rounds, and return which checkpoints that passes."""
        self.played += length
        first, self._filled = self._filled, int(np.searchsorted(self.rounds, self.played, side="right"))
        return slice(first, self._filled)

    def note(self, app: Any, worlds: Sequence[Any], before: float = np.inf) -> None:
        """Write down how far a learner's parameter is from the true ones, at the checkpoints up to now and before that round.

        Checkpoints at which nothing is released get what the last release before them gave.
        """
        last = int(np.searchsorted(self.rounds, before))
        theta = getattr(app.learner, "theta", None)
        if last == self._noted or theta is None or any(getattr(world, "theta", None) is None for world in worlds):
            return
        known = theta if app.centre is None else theta + app.centre
        error = np.linalg.norm(known - np.array([world.theta for world in worlds]), axis=-1)
        curve = self.curves.setdefault("parameter error", np.empty_like(self.regret))
        curve[:, self._noted : last], self._noted = error[:, None], last

    def result(self, bits: float, counts: Mapping[str, Any]) -> Played:
        """Return the runs, with the bits that each of them sent, and what each of them counted."""
        none = np.zeros(len(self.regret))
        return Played(self.regret, none + bits, {name: none + value for name, value in counts.items()}, self.curves)
