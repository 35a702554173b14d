r"""How many clients each phase of DP-DPE has: ever more, or always the same.

DPE takes :math:`\lceil 2^{\alpha l} \rceil` clients in phase l. DPE-FixedU takes the same number U in every phase, chosen so that
its communication is that of DPE (Li, Zhou, Ji 2022, section 7); ``engine/pilots.py`` finds it.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from bandits_dp import _checks

Schedule = Callable[[int], int]


def growing(phase: int, alpha: float) -> int:
    """Return the clients of a phase, ceil(2^(alpha * phase)) (Algorithm 1, line 7).

    Examples
    --------
    >>> from bandits_dp.schedules.clients import growing
    >>> [growing(phase, alpha=0.8) for phase in (1, 5, 10)]
    [2, 16, 256]
    """
    exponent = _checks.real("alpha", alpha, 0.0, math.inf, ends="[)") * _checks.integer("phase", phase, low=0)
    if exponent > 100:
        raise ValueError(f"alpha and phase must have a product of at most 100, got {_checks.told(alpha)} and {phase}: "
                         "2^100 clients")
    return math.ceil(2.0**exponent)


def constant(phase: int, clients: int) -> int:
    """Return the clients of a phase, always the same.

    Examples
    --------
    >>> from bandits_dp.schedules.clients import constant
    >>> [constant(phase, clients=40) for phase in (1, 5, 10)]
    [40, 40, 40]
    """
    _checks.integer("phase", phase, low=0)
    return _checks.integer("clients", clients)
