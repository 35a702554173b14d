"""Suggest the arm that looks best, from releases alone."""

from __future__ import annotations

from functools import singledispatch
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from bandits_dp.app.app import App
from bandits_dp.app.phases import PhasedApp
from bandits_dp.arms.app import RunningApp
from bandits_dp.contextual.app import ContextsApp


@singledispatch
def suggested(app: App) -> Any:
    """Return the arm that looks best; nothing is counted or changed."""
    raise NotImplementedError(f"no suggestion is known for a {type(app).__name__}")


def _leading(app: Any) -> int:
    """Return the learner's leading arm; for a custom learner, its first asked arm."""
    leading = getattr(app.learner, "leading", None)
    return leading() if callable(leading) else int(app.asked.arms[0])


@suggested.register
def _(app: RunningApp) -> int:
    return _leading(app)


@suggested.register
def _(app: PhasedApp) -> int:
    app.must_know_actions()
    return _leading(app)


@suggested.register
def _(app: ContextsApp, features: ArrayLike) -> Any:
    shown = app.checked(features, 3 if np.ndim(features) == 3 else 2)
    leading = getattr(app.learner, "leading", None)
    arms = leading(shown) if callable(leading) else app.choose(shown)
    return arms if shown.ndim == 3 else int(arms)
