r"""Numbers of clients in the phases of DP-DPE: growing, or constant.

DPE takes :math:`\lceil 2^{\alpha l} \rceil` clients in phase l. DPE-FixedU takes the same number U
in every phase, chosen so that its communication equals DPE's (Li, Zhou, Ji 2022, section 7);
``linear/pilots.py`` finds it.
"""

import math
from collections.abc import Callable

from bandits_dp import _checks

Schedule = Callable[[int], int]


@_checks.checked(phase=_checks.natural, alpha=_checks.nonnegative)
def growing(phase: int, alpha: float) -> int:
    """Return the number of clients of a phase, ceil(2^(alpha * phase)) (Algorithm 1, line 7).

    Examples
    --------
    >>> from bandits_dp.linear.clients_needed import growing
    >>> [growing(phase, alpha=0.8) for phase in (1, 5, 10)]
    [2, 16, 256]
    """
    if alpha * phase > 100:
        raise ValueError(f"alpha and phase must have a product of at most 100, got {alpha:g} and "
                         f"{phase}: 2^100 clients")
    return math.ceil(2.0 ** (alpha * phase))


@_checks.checked(phase=_checks.natural)
def constant(phase: int, clients: int) -> int:
    """Return the number of clients of a phase, always ``clients``.

    Examples
    --------
    >>> from bandits_dp.linear.clients_needed import constant
    >>> [constant(phase, clients=40) for phase in (1, 5, 10)]
    [40, 40, 40]
    """
    return clients
