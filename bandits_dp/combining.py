"""Combine any learner with any privatizer of its values, for a problem."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from bandits_dp import _checks
from bandits_dp.app.app import App
from bandits_dp.app.sums import SumsApp
from bandits_dp.contextual.app import combined
from bandits_dp.continual import Counter
from bandits_dp.guarantee import Guarantee
from bandits_dp.linear.app import ClientsApp
from bandits_dp.privatizers import Privatizer
from bandits_dp.privatizers.base import complete
from bandits_dp.problem import check_problem


def combine(learner: Any, privatizer: Any, problem: Any, *, horizon: int,
            guarantee: Guarantee | None = None, fidelity: str = "aggregate") -> App:
    """Return the app of your own learner and privatizer, ready for users and simulation.

    Parameters
    ----------
    learner : object
        ``ask()`` and ``tell(released, noise)``; or, with features, ``choose(features)`` and
        ``tell(released)``. See :mod:`bandits_dp.ask_tell`.
    privatizer : callable or Privatizer or Counter
        ``privatizer(users)`` returns the privatizer of a batch of ``users``; with clients,
        ``privatizer(clients, numbers)`` returns the privatizer of their vectors. With features: the
        privatizer of one batch, or a continual counter, whose domain is a
        :class:`bandits_dp.privatizers.linear_statistics.LinearStatistics`.
    problem : Problem
        Only what is public of it is used: setting, size, bounds on rewards and features.
    horizon : int
        Number of rounds T, >= 1.
    guarantee : Guarantee, optional
        What the whole run promises; by default what one release promises, as every user is in one
        batch only. In the central model with features this is joint privacy: the arm that a user is
        shown follows from the user's own features.
    fidelity : {"aggregate", "messages"}
        Whether the simulator may draw sums from their distribution, or plays every message.

    Returns
    -------
    App
        With ``act``, ``update`` and ``guarantee``; to serve people with it, see
        :class:`bandits_dp.serve.served.Served`.

    Raises
    ------
    TypeError
        If an argument is of another kind: a class instead of an instance, a privatizer instead of a
        function that returns one, or the reverse; or if a method or an attribute is missing.
    ValueError
        If an argument is out of range, or the parts do not fit one another or the problem.

    Examples
    --------
    >>> from functools import partial
    >>> import bandits_dp as bdp
    >>> class Leader:
    ...     best = 0
    ...     def ask(self):
    ...         return bdp.Asked(arms=[0, 1, 2], plays=[100, 100, 100])
    ...     def tell(self, released, noise):
    ...         self.best = int(released.argmax())
    >>> problem = bdp.problems.BernoulliArms([0.8, 0.5, 0.3])
    >>> privatizer = partial(bdp.privatizers.BinarySum, epsilon=1.0, delta=1e-6)
    >>> mine = bdp.combine(Leader(), privatizer, problem, horizon=1000)
    >>> mine.act().arm
    0
    """
    if isinstance(learner, type):
        raise TypeError(f"learner must be an instance, got the class {learner.__name__}; call it "
                        "first")
    chooses = hasattr(learner, "choose")
    for method in ("choose" if chooses else "ask", "tell"):
        if not callable(getattr(learner, method, None)):
            raise TypeError("learner must have ask() and tell(released, noise), or "
                            f"choose(features) and tell(released); {type(learner).__name__} has no "
                            f"{method}")
    check_problem(problem)
    if chooses != (problem.setting == "contextual"):
        raise ValueError(f"problem must {'' if chooses else 'not '}be of the setting 'contextual' "
                         f"for a learner with {'choose' if chooses else 'ask'}, got "
                         f"{_checks.told(problem)}")
    if guarantee is not None and not isinstance(guarantee, Guarantee):
        raise TypeError(f"guarantee must be a bandits_dp.Guarantee, got {_checks.told(guarantee)}")
    horizon = _checks.integer("horizon", horizon)
    if chooses:
        app: App = combined(learner, privatizer, problem, horizon, fidelity)
    else:
        if isinstance(privatizer, (Privatizer, Counter)) or not callable(privatizer):
            raise TypeError("privatizer must be callable as privatizer(users), as "
                            "partial(BinarySum, epsilon=1.0, delta=1e-6) is, got "
                            f"{_checks.told(privatizer)}")
        made, size = partial(_made, privatizer), (problem.arms, horizon)
        if problem.setting == "clients":
            app = ClientsApp(learner, made, *size, guarantee, fidelity)
        else:
            app = SumsApp(learner, made, *size, guarantee, fidelity, problem.setting)
    if guarantee is not None:
        app.guarantee = guarantee
    app.check_problem(problem)
    return app


def _made(make: Callable[..., Any], users: int, *dimension: int) -> Privatizer:
    """Make a privatizer; refuse one for other numbers of users or dimensions."""
    try:
        privatizer = complete(make(users, *dimension))
    except (TypeError, ValueError) as error:
        kind = TypeError if isinstance(error, TypeError) else ValueError
        asked = "privatizer(clients, numbers)" if dimension else "privatizer(users)"
        raise kind(f"privatizer must be callable as {asked} and give a Privatizer, but: "
                   f"{error}") from error
    got, wanted = (privatizer.users, privatizer.dimension), (users, *(dimension or (1,)))
    if got != wanted:
        raise ValueError(f"privatizer must be one for (users, dimension) = {wanted} if asked for "
                         f"it, got {got}: {_checks.told(privatizer)}")
    return privatizer
