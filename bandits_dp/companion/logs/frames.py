"""Tables as logs: which column is what."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from bandits_dp.companion.logs.columns import refuse


def read(
    frame: Any, action: str, reward: str, propensity: Any, features: Any, arms: Any, user: str | None, moment: str | None
) -> dict[str, Any]:
    """Return the arguments of a log from the columns of a DataFrame; see ``Log.from_dataframe``."""
    if not (hasattr(frame, "columns") and hasattr(frame, "to_numpy")):
        raise TypeError(f"frame must be a pandas.DataFrame, got {type(frame).__name__}")
    found: dict[str, Any] = {"actions": _column(frame, "action", action), "rewards": _column(frame, "reward", reward)}
    names = {"actions": f"column {action!r}", "rewards": f"column {reward!r}"}
    for name, said, label in (("propensities", "propensity", propensity), ("users", "user", user), ("rounds", "round", moment)):
        found[name] = _column(frame, said, label) if isinstance(label, str) else label
        names[name] = f"column {label!r}"
    if isinstance(arms, (list, tuple)):
        found["actions"], arms = _labelled(names["actions"], found["actions"], arms), len(arms)
    if isinstance(features, str):
        names["features"] = f"column {features!r}"
        features = list(_column(frame, "features", features))
    elif isinstance(features, (list, tuple)) and features and isinstance(features[0], (list, tuple)) and _words(features):
        features = np.stack([np.stack([_column(frame, "features", label) for label in one], axis=-1) for one in features], axis=1)
    return found | {"features": features, "arms": arms, "_names": names}


def _words(features: Sequence[Sequence[Any]]) -> bool:
    """Whether these are names of columns, as many for every arm."""
    labels = [label for one in features for label in one]
    if not any(isinstance(label, str) for label in labels):
        return False
    if not all(isinstance(label, str) for label in labels) or len({len(one) for one in features}) > 1:
        raise ValueError(f"features must name as many columns for every arm, got {features!r}")
    return True


def _column(frame: Any, argument: str, label: str) -> Any:
    """Return a column, by its name."""
    if label not in frame.columns:
        raise ValueError(f"{argument} must name a column of the table, one of {', '.join(map(repr, frame.columns))}, got {label!r}")
    found = frame[label]
    if getattr(found, "ndim", 1) != 1:
        raise ValueError(f"{argument} must name one column, got {label!r}, which {found.shape[1]} columns are called")
    return found.to_numpy()


def _labelled(name: str, given: Any, labels: Sequence[Hashable]) -> Any:
    """Return actions as numbers, from their labels."""
    if not all(isinstance(label, Hashable) for label in labels):
        raise ValueError(f"arms must be labels, words or numbers, got {list(labels)!r}")
    numbers = {label: number for number, label in enumerate(labels)}
    if len(numbers) != len(labels):
        raise ValueError(f"arms must be different labels, got {list(labels)!r}")
    refuse(name, np.array([label not in numbers for label in given.tolist()], dtype=bool), given,
           f"one of the arms {', '.join(map(repr, labels))}")
    return np.array([numbers[label] for label in given.tolist()], dtype=np.int64)
