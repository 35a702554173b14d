"""A log: who was shown what, what was chosen with which probability, and what it paid, in the order in which it happened."""

from collections.abc import Hashable, Sequence
from numbers import Number
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bandits_book.logs import columns
from bandits_dp import _checks
from bandits_dp._extras import needed

Floats = NDArray[np.float64]


class Log:
    """Rounds that were played already, one per row, in the order in which they were played.

    Columns may be lists, arrays, or columns of a pandas table, where ``table["shown"].map({"A": 0, "B": 1})`` turns labels into
    numbers. Everything is copied and protected, so that nothing that the caller does later changes a log.

    Parameters
    ----------
    actions : array_like of int, shape (rows,)
        The arm that was shown, from 0 to one less than the number of arms of its row.
    rewards : array_like, shape (rows,)
        What it paid, in ``reward_range``, and at most 1e100 in size; nothing is clipped.
    propensities : array_like, shape (rows,), or float, optional
        Probability with which the logging policy chose this action, in (0, 1]; one number if it was the same in all rows, as 1 / K
        for actions drawn uniformly. Without them a log can start a learner, but not judge a policy.
    features : array_like, shape (arms, dimension) or (rows, arms, dimension), or a list of arrays of the first kind, optional
        Feature vectors of all arms, of numbers up to 1e100 in size: the same in all rows, or of every row, where the number of arms
        may vary. Plain arms have none.
    arms : int, optional
        Number of arms K of a log without features, >= 1.
    reward_range : tuple of float
        Least and largest reward that there can be, known before the log; it need not be reached.
    users : sequence of int or str, shape (rows,), optional
        Who was shown it. Private learners need to know which rows are one person's.

    Attributes
    ----------
    sizes : ndarray of int, shape (rows,)
        Number of arms of each row.

    Raises
    ------
    ValueError
        If a column is missing, of another length, or has an entry out of range: it names the column, the row (from 0) and what is
        allowed.

    Examples
    --------
    >>> from bandits_book import logs
    >>> log = logs.Log([0, 1, 1], [1, 0, 1], propensities=0.5, arms=2)
    >>> len(log), log.uniform
    (3, True)
    >>> logs.Log([0, 1, 2], [1, 0, 1], propensities=0.5, arms=2)
    Traceback (most recent call last):
    ValueError: actions must be one of 2 arms, an integer from 0 to 1, got 2 in row 2
    """

    def __init__(
        self, actions: ArrayLike, rewards: ArrayLike, propensities: ArrayLike | None = None, *, features: Any = None,
        arms: int | None = None, reward_range: tuple[float, float] = (0.0, 1.0), users: Sequence[Hashable] | None = None,
    ) -> None:
        rows = len(columns.column("actions", actions))
        if not rows:
            raise ValueError("actions must have a row at least, got none")
        self.reward_range = _checks.interval("reward_range", reward_range)
        self.features: Any = None if features is None else columns.features(features, rows)
        self._same = self.features is None or (isinstance(self.features, np.ndarray) and self.features.ndim == 2)  # in all rows
        self.sizes = self._sizes(arms, rows)
        self.actions = columns.actions(actions, self.sizes)
        self.rewards = columns.numbers("rewards", rewards, rows, *self.reward_range)
        self.propensities: Floats | None = None
        if propensities is not None:
            single = isinstance(propensities, Number) or getattr(propensities, "ndim", None) == 0
            each = np.full(rows, propensities) if single else propensities
            self.propensities = columns.numbers("propensities", each, rows, 0.0, 1.0, above=True)
        self.users = None if users is None else columns.users(users, rows)
        shown = self.features if isinstance(self.features, tuple) else (self.features,)
        for array in (self.actions, self.rewards, self.propensities, self.sizes, *shown):
            if array is not None:
                array.flags.writeable = False

    def _sizes(self, arms: int | None, rows: int) -> NDArray[np.int64]:
        """Return the number of arms of every row."""
        if self.features is None:
            if arms is None:
                raise ValueError("arms must be the number of arms of a log without features, got None")
            return np.full(rows, _checks.integer("arms", arms))
        sizes = np.array([len(self.shown(row)) for row in range(rows)])
        if arms is not None and (sizes != _checks.integer("arms", arms)).any():
            raise ValueError(f"arms must be left out of a log with features, or be their number, got {arms}")
        return sizes

    @property
    def uniform(self) -> bool:
        """Whether every action had the same probability, 1 over one number of arms."""
        same = (self.sizes == self.sizes[0]).all()
        return bool(same and self.propensities is not None and np.allclose(self.propensities * self.sizes, 1.0, rtol=1e-6, atol=0))

    @property
    def dimension(self) -> int | None:
        """Numbers per feature vector; None without features."""
        return None if self.features is None else self.shown(0).shape[-1]

    @property
    def chosen(self) -> Floats:
        """Feature vectors of the actions that were shown, shape (rows, dimension)."""
        if self.features is None:
            raise ValueError("features must be known, got None: this log is one of plain arms")
        return columns.picked(map(self.shown, range(len(self))), self.actions)

    def shown(self, row: int) -> Any:
        """Return the feature vectors of a row, shape (arms, dimension); None without features."""
        return self.features if self._same else self.features[row]

    def to_dataframe(self) -> Any:
        """Return a pandas DataFrame with a row per round.

        Returns
        -------
        pandas.DataFrame
            Columns ``action`` and ``reward``; ``propensity`` and ``user`` if they are known; ``arms``, how many were shown; and
            with features those of the action, ``feature_0``, ``feature_1``, ...

        An ImportError says that pandas is not installed.

        Examples
        --------
        >>> from bandits_book import logs
        >>> log = logs.Log([0, 1, 1], [1, 0, 1], propensities=0.5, arms=2)
        >>> log.to_dataframe().groupby("action")["reward"].mean().tolist()
        [1.0, 0.5]
        """
        with needed("tables", "to_dataframe"):
            import pandas as pd
        columns = {"action": self.actions, "reward": self.rewards, "propensity": self.propensities, "user": self.users,
                   "arms": self.sizes}
        columns |= {f"feature_{i}": one for i, one in enumerate([] if self.features is None else self.chosen.T)}
        return pd.DataFrame({name: column for name, column in columns.items() if column is not None})

    def known_propensities(self) -> Floats:
        """Return the propensities, or say that they are needed."""
        if self.propensities is None:
            raise ValueError("propensities must be known to judge a policy by a log, got None; if actions were drawn uniformly, "
                             "say propensities=1/K")
        return self.propensities

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.actions)

    def __getitem__(self, rows: Any) -> Self:
        """Return the rows of a slice, or of a mask or increasing indices, as a log."""
        try:
            which = np.arange(len(self))[rows]
        except IndexError as error:
            raise ValueError(f"rows must be some of the {len(self)} of this log, got {_checks.told(rows)}") from error
        if which.ndim != 1 or (np.diff(which) <= 0).any():
            raise ValueError(f"rows must be a slice, a mask or increasing indices, got {_checks.told(rows)}: a log keeps its order")
        features = self.features if self._same else [self.features[row] for row in which]
        return type(self)(
            self.actions[which], self.rewards[which], None if self.propensities is None else self.propensities[which],
            features=features, arms=int(self.sizes[0]) if features is None else None, reward_range=self.reward_range,
            users=None if self.users is None else [self.users[row] for row in which],
        )

    def __repr__(self) -> str:
        """Return the sizes, and what is known."""
        arms = str(self.sizes[0]) if (self.sizes == self.sizes[0]).all() else f"{self.sizes.min()} to {self.sizes.max()}"
        known = [f"dimension={self.dimension}"] if self.features is not None else []
        if self.propensities is not None:
            known.append(f"propensities {self.propensities.min():.3g} to {self.propensities.max():.3g}")
        if self.users is not None:
            known.append(f"{len(set(self.users))} users")
        return f"Log({', '.join([f'{len(self)} rows', f'arms={arms}', *known])})"
