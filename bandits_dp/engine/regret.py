"""Regret at checkpoints, exactly, for learners that play whole batches at a time."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


class RegretTrack:
    """Pseudo-regret of one run, filled in while the run goes on.

    Parameters
    ----------
    gaps : ndarray, shape (arms,)
        Regret per pull of each arm.
    rounds : ndarray of int, shape (checkpoints,)
        Rounds after which regret is wanted, ascending.

    Attributes
    ----------
    regret : ndarray, shape (checkpoints,)
        Cumulative regret after each of ``rounds``, as far as the run has come.
    """

    def __init__(self, gaps: NDArray[np.float64], rounds: NDArray[np.int64]) -> None:
        self.gaps = gaps
        self.rounds = rounds
        self.regret = np.zeros(len(rounds))
        self._filled = 0
        self._played = 0
        self._so_far = 0.0

    def play(self, arms: NDArray[np.intp], users: int, length: int) -> None:
        """Advance by ``length`` rounds in which each arm in turn is pulled by ``users`` users, round and round."""
        losses = users * np.concatenate([[0.0], np.cumsum(self.gaps[arms])])  # after each arm's turn in a cycle
        cycle = users * len(arms)
        self._go_on(np.arange(0, cycle + 1, users), losses, length)

    def play_each(self, arms: NDArray[np.intp], pulls: NDArray[np.int64], length: int) -> None:
        """Advance by ``length`` rounds in which each arm in turn is pulled by its own number of users, round and round."""
        ends = np.concatenate([[0], np.cumsum(pulls)])
        self._go_on(ends, np.concatenate([[0.0], np.cumsum(pulls * self.gaps[arms])]), length)

    def _go_on(self, ends: NDArray[np.int64], losses: NDArray[np.float64], length: int) -> None:
        """Advance by ``length`` rounds of a cycle with regret ``losses`` after ``ends`` rounds, and linear in between."""
        cycle = int(ends[-1])

        def after(steps: NDArray[np.int64] | int) -> NDArray[np.float64]:
            cycles, rest = np.divmod(steps, cycle)
            return self._so_far + cycles * losses[-1] + np.interp(rest, ends, losses)

        done = self._filled
        while done < len(self.rounds) and self.rounds[done] <= self._played + length:
            done += 1
        if done > self._filled:
            self.regret[self._filled : done] = after(self.rounds[self._filled : done] - self._played)
        self._so_far = float(after(length)) if length % cycle else self._so_far + length // cycle * losses[-1]
        self._filled, self._played = done, self._played + length
