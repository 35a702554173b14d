"""The result of a simulation: regret over time for every run, as text and as a table."""

from dataclasses import dataclass, field
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from bandits_dp._extras import needed
from bandits_dp._sizes import std
from bandits_dp.guarantee import Guarantee


@dataclass(frozen=True, repr=False)
class Result:
    """Regret of several independent runs of one learner on one problem.

    Parameters
    ----------
    name, seed : str, int
        The learner's name, and the seed that reproduces the result.
    rounds : ndarray of int, shape (checkpoints,)
        Rounds after which regret was recorded.
    regret : ndarray, shape (runs, checkpoints)
        Cumulative pseudo-regret, in rewards.
    bits : ndarray, shape (runs,)
        Total number of bits that the users of each run sent.
    guarantee : Guarantee
        The guarantee of each run.
    counts, curves : dict of ndarray, each of shape (runs,), or (runs, checkpoints)
        Further quantities by name: counted per run, and recorded over time.
    parameters : dict
        Arguments of ``make``: epsilon, delta, calibration and all options of the system; empty if
        ``make`` was not used.

    Examples
    --------
    >>> import bandits_dp as bdp
    >>> problem = bdp.problems.BernoulliArms([0.9, 0.8])
    >>> learner = bdp.make("UCB1", problem, horizon=1000)
    >>> result = bdp.simulate(learner, problem, horizon=1000, runs=5, progress=False)
    >>> result.runs, int(result.rounds[-1]), bool(result.mean[-1] < 50)  # uniform play loses 50
    (5, 1000, True)
    """

    name: str
    rounds: NDArray[np.int64]
    regret: NDArray[np.float64]
    bits: NDArray[np.float64]
    guarantee: Guarantee
    seed: int
    counts: dict[str, NDArray[np.float64]] = field(default_factory=dict)
    curves: dict[str, NDArray[np.float64]] = field(default_factory=dict)
    parameters: dict[str, Any] = field(default_factory=dict)

    @property
    def runs(self) -> int:
        """Number of independent runs."""
        return len(self.regret)

    @property
    def mean(self) -> NDArray[np.float64]:
        """Mean regret over the runs, shape (checkpoints,)."""
        return self.regret.mean(axis=0)

    @property
    def std_error(self) -> NDArray[np.float64]:
        """Standard error of the mean, shape (checkpoints,); NaN for a single run."""
        if self.runs == 1:
            return np.full(len(self.rounds), np.nan)
        return std(self.regret, axis=0) / np.sqrt(self.runs)

    def summary(self) -> str:
        """Return a short table of regret and its standard error, and the guarantee."""
        rows = np.unique(np.searchsorted(self.rounds, self.rounds[-1] / np.array([100, 10, 2, 1])))
        lines = [f"{self.name}: {self.runs} runs, seed {self.seed}",
                 f"{'round':>13} {'regret':>12} {'std error':>10}"]
        lines += [f"{self.rounds[i]:>13,} {self.mean[i]:>12,.1f} {self.std_error[i]:>10,.1f}"
                  for i in rows]
        lines += [f"{name}: {counted.mean():.4g} a run" for name, counted in self.counts.items()]
        return "\n".join([*lines, f"bits per round: {self.bits.mean() / self.rounds[-1]:.3g}",
                          str(self.guarantee)])

    __str__ = summary

    def __repr__(self) -> str:
        """Return two lines: learner, runs and regret; and the guarantee."""
        lost = f"regret {self.mean[-1]:,.1f}, standard error {self.std_error[-1]:,.1f}"
        return (f"Result of {self.name}, {self.runs} runs of {self.rounds[-1]:,} rounds, seed "
                f"{self.seed}: {lost}\n{self.guarantee}")

    @property
    def plot(self) -> NoReturn:
        """Moved to the book's package: :func:`bandits_book.plots.regret` draws a result."""
        raise AttributeError("Result.plot is in the book's package: from bandits_book.plots import "
                             "regret, then regret(result)")

    def to_dataframe(self) -> Any:
        """Return a tidy pandas DataFrame with a row per run and checkpoint, for ``pandas.concat``.

        Returns
        -------
        pandas.DataFrame
            Columns ``name``, ``model``; ``calibration``, ``epsilon`` and ``delta``, the arguments
            of ``make`` (NaN if None), or without ``make`` the guarantee's; ``proved_epsilon``,
            ``proved_delta``, ``joint`` and ``unit`` of the guarantee; ``horizon``, ``seed``; one
            column per option of the system; ``run``, ``round``, ``regret``; ``bits`` that the users
            of the run sent, and ``bits_per_round`` (per user, where each round has one user); and
            one column for each entry of ``curves`` and ``counts``.

        Raises
        ------
        ImportError
            If pandas is not installed.

        Examples
        --------
        >>> import pandas as pd
        >>> import bandits_dp as bdp
        >>> problem = bdp.problems.BernoulliArms([0.9, 0.8])
        >>> tables = []
        >>> for epsilon in (0.5, 1.0):
        ...     learner = bdp.make("VB-SDP-AE", problem, horizon=1000, epsilon=epsilon, delta=1e-3)
        ...     tables.append(bdp.simulate(learner, problem, horizon=1000, runs=5).to_dataframe())
        >>> table = pd.concat(tables)
        >>> last = table[table["round"] == 1000]
        >>> last.groupby("epsilon")["regret"].count().tolist()
        [5, 5]
        """
        with needed("tables", "to_dataframe"):
            import pandas as pd
        runs, checkpoints = self.regret.shape
        promise, options = self.guarantee, dict(self.parameters)
        asked = {name: options.pop(name, getattr(promise, name))
                 for name in ("calibration", "epsilon", "delta")}
        columns = {
            "name": self.name, "model": promise.model, **asked, "proved_epsilon": promise.epsilon,
            "proved_delta": promise.delta, "joint": promise.joint, "unit": promise.unit,
            "horizon": int(self.rounds[-1]), "seed": self.seed, **options,
            "run": np.repeat(np.arange(runs), checkpoints), "round": np.tile(self.rounds, runs),
            "regret": self.regret.ravel(), "bits": np.repeat(self.bits, checkpoints),
            "bits_per_round": np.repeat(self.bits / self.rounds[-1], checkpoints),
        }
        columns |= {name: curve.ravel() for name, curve in self.curves.items()}
        columns |= {name: np.repeat(counted, checkpoints) for name, counted in self.counts.items()}
        return pd.DataFrame(columns).astype({"epsilon": float, "delta": float})  # None is NaN
