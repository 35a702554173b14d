"""What a simulation returns: regret over time for every run, ready to read, to plot and to tabulate."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bandits_dp.guarantee import Guarantee

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True)
class Result:
    """Regret of several independent runs of one learner on one problem.

    Parameters
    ----------
    name : str
        The learner's name.
    rounds : ndarray of int, shape (checkpoints,)
        Rounds after which regret was recorded.
    regret : ndarray, shape (runs, checkpoints)
        Cumulative pseudo-regret, in rewards.
    bits : ndarray, shape (runs,)
        Bits that all users sent together.
    guarantee : Guarantee
        What each run promised.
    seed : int
        The seed that gives the same result again.
    counts : dict of ndarray, each of shape (runs,)
        What else the learner counted, by name.
    curves : dict of ndarray, each of shape (runs, checkpoints)
        What else it recorded over time, by name.
    """

    name: str
    rounds: NDArray[np.int64]
    regret: NDArray[np.float64]
    bits: NDArray[np.float64]
    guarantee: Guarantee
    seed: int
    counts: dict[str, NDArray[np.float64]] = field(default_factory=dict)
    curves: dict[str, NDArray[np.float64]] = field(default_factory=dict)

    @property
    def runs(self) -> int:
        """Number of independent runs."""
        return len(self.regret)

    @property
    def mean(self) -> NDArray[np.float64]:
        """Mean regret over the runs, shape (checkpoints,)."""
        return np.asarray(self.regret.mean(axis=0))

    @property
    def std_error(self) -> NDArray[np.float64]:
        """Standard error of the mean, shape (checkpoints,); NaN for a single run."""
        if self.runs == 1:
            return np.full(len(self.rounds), np.nan)
        return np.asarray(self.regret.std(axis=0, ddof=1) / np.sqrt(self.runs))

    def summary(self) -> str:
        """Return a short table: regret and its standard error at a few rounds, and the guarantee."""
        rows = np.unique(np.searchsorted(self.rounds, self.rounds[-1] / np.array([100, 10, 2, 1])))
        lines = [f"{self.name}: {self.runs} runs, seed {self.seed}", f"{'round':>13} {'regret':>12} {'std error':>10}"]
        lines += [f"{self.rounds[i]:>13,} {self.mean[i]:>12,.1f} {self.std_error[i]:>10,.1f}" for i in rows]
        lines += [f"{name}: {counted.mean():.4g} a run" for name, counted in self.counts.items()]
        return "\n".join([*lines, f"bits per round: {self.bits.mean() / self.rounds[-1]:.3g}", str(self.guarantee)])

    def __str__(self) -> str:
        """Return the summary."""
        return self.summary()

    def plot(self, ax: Axes | None = None, label: str | None = None) -> Axes:
        """Draw mean regret against rounds, with a band of two standard errors, in the colour of the trust model.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw; a new figure if None.
        label : str, optional
            What to call the curve; the learner's name if None.

        Returns
        -------
        matplotlib.axes.Axes
            The axes drawn on.
        """
        import matplotlib.pyplot as plt  # importing the package must not import matplotlib

        from bandits_dp.plots import band

        if ax is None:
            _, ax = plt.subplots()
        spread = 2 * np.nan_to_num(self.std_error)  # one run has no band
        band(ax, self.rounds, self.mean, self.mean - spread, self.mean + spread, label or self.name, color=self.guarantee.model)
        ax.set_xlabel("round")
        ax.set_ylabel("regret (lost rewards)")
        return ax

    def to_dataframe(self) -> Any:
        """Return a pandas DataFrame with one row per run and checkpoint: name, run, round, regret.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        try:
            import pandas as pd
        except ImportError as error:
            raise ImportError("to_dataframe needs pandas: pip install pandas") from error
        runs, checkpoints = self.regret.shape
        return pd.DataFrame({
            "name": self.name,
            "run": np.repeat(np.arange(runs), checkpoints),
            "round": np.tile(self.rounds, runs),
            "regret": self.regret.ravel(),
        })
