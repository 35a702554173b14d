"""Which arm looks best, by what was released and nothing else."""

from __future__ import annotations

from functools import singledispatch
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from bandits_dp._ties import first_largest
from bandits_dp.app.app import App
from bandits_dp.app.arms import RunningApp
from bandits_dp.app.contextual import ContextsApp
from bandits_dp.app.phases import PhasedApp
from bandits_dp.learners import LinUCB
from bandits_dp.live.leading import leading_arm


@singledispatch
def suggested(app: App) -> Any:
    """Return the arm that looks best; nothing is counted or changed."""
    raise NotImplementedError(f"no suggestion is known for a {type(app).__name__}")


@suggested.register
def _(app: RunningApp) -> int:
    return leading_arm(app.learner, app.asked)


@suggested.register
def _(app: PhasedApp) -> int:
    app.must_know_actions()
    return leading_arm(app.learner, app.asked)


@suggested.register
def _(app: ContextsApp, features: ArrayLike) -> Any:
    shown = app.checked(features, 3 if np.ndim(features) == 3 else 2)
    linear = isinstance(app.learner, LinUCB)  # which has nothing to explore for now
    arms = first_largest(shown @ app.learner.theta) if linear else app.choose(shown)
    return arms if shown.ndim == 3 else int(arms)
