r"""Batch sizes by name, which balance the regret bounds of Chowdhury & Zhou 2022.

A batch of B users costs regret :math:`d B`, because the learner learns only at its end, while
larger batches need less noise in total. The paper's bounds are :math:`O(\cdot)` without constants.
Here the constant is 1, logarithms are natural, and the result is rounded up:

* ``utility``, shuffled Gaussian (P_Amp):
  :math:`T^{3/5} d^{-1/5} \varepsilon^{-2/5} (\ln(T/\delta)\ln(2/\delta))^{1/5}` (Corollary B.2)
* ``utility``, shuffled bits (P_Vec):
  :math:`T^{3/5} d^{-1/5} \varepsilon^{-2/5} \ln(d^2/\delta)^{2/5}` (Corollary C.2)
* ``utility``, local: :math:`T^{3/4}` (appendix F); central: :math:`T^{1/2}` (appendix F)
* ``privacy``, shuffled Gaussian:
  :math:`T^{3/4} d^{-1/4} \varepsilon_0^{-1/2} \ln(1/\delta_0)^{1/4}` (Corollary B.3)
* ``privacy``, shuffled bits:
  :math:`T^{3/4} d^{-1/4} \varepsilon_0^{-1/2} \ln(d^2/\delta_0)^{1/2}` (Corollary C.3)
* ``returning``, shuffled Gaussian:
  :math:`T^{2/3} d^{-1/6} \varepsilon^{-1/3} \ln(T/\delta)^{1/2}` (Corollary E.4)
* ``returning``, shuffled bits:
  :math:`T^{2/3} d^{-1/6} \varepsilon^{-1/3} \ln(T d^2/\delta)^{1/2}` (Corollary E.6)

Without a name, :func:`balanced_batch_size` balances the regret of certified learners.

``privacy`` also changes the noise: each user's message is
:math:`(\varepsilon_0, \delta_0)`-private, and the given epsilon and delta are these. In the local
and central model ``utility`` is the largest batch that does not change the order of the regret.
"""

import math
from collections.abc import Callable

from bandits_dp import _checks

PROTOCOLS = ("amplified", "vector", "local", "central")
SIZES: dict[tuple[str, str], tuple[float, float, float, Callable[[int, int, float], float]]] = {
    # exponents of T, 1/d and 1/epsilon, and the logarithmic factor of T, d and delta
    ("utility", "amplified"): (
        3 / 5, 1 / 5, 2 / 5,
        lambda T, d, delta: (math.log(T / delta) * math.log(2 / delta)) ** (1 / 5)),
    ("utility", "vector"): (
        3 / 5, 1 / 5, 2 / 5, lambda T, d, delta: (2 * math.log(d) - math.log(delta)) ** (2 / 5)),
    ("utility", "local"): (3 / 4, 0.0, 0.0, lambda T, d, delta: 1.0),
    ("utility", "central"): (1 / 2, 0.0, 0.0, lambda T, d, delta: 1.0),
    ("privacy", "amplified"): (
        3 / 4, 1 / 4, 1 / 2, lambda T, d, delta: math.log(1 / delta) ** (1 / 4)),
    ("privacy", "vector"): (
        3 / 4, 1 / 4, 1 / 2, lambda T, d, delta: (2 * math.log(d) - math.log(delta)) ** (1 / 2)),
    ("returning", "amplified"): (
        2 / 3, 1 / 6, 1 / 3, lambda T, d, delta: math.sqrt(math.log(T / delta))),
    ("returning", "vector"): (
        2 / 3, 1 / 6, 1 / 3,
        lambda T, d, delta: math.sqrt(2 * math.log(d) - math.log(delta) + math.log(T))),
}


@_checks.checked(horizon=_checks.integer, features=_checks.integer, additive=_checks.flag)
def balanced_batch_size(noise_std: float, horizon: int, features: int,
                        additive: bool = True) -> int:
    r"""Return the batch size, at most half the horizon, with the least rough forecast of regret.

    The B users of the first batch lose at most 1 each. After m batches, if features point in all
    directions, V is about (m B / d) I, and n - N theta has a std of about :math:`\sigma \sqrt{2 m}`
    per coordinate, which moves a prediction by about :math:`d^{3/2} \sigma \sqrt 2 / (B \sqrt m)`.
    The forecast for all T rounds is :math:`B + 2 d^{3/2} \sigma \sqrt{2 T / B}`, least at
    :math:`B = d (2 \sigma^2 T)^{1/3}`. If noises do not add up, it is
    :math:`B + d^{3/2} \sigma \sqrt 2 \ln (T / B)`, least at :math:`B = d^{3/2} \sigma \sqrt 2`;
    twice this size is used, because it lost less in runs. The forecast is no bound: it ignores
    constants of the radius, and the gaps.

    Parameters
    ----------
    noise_std : float
        Standard deviation of the noise on each number of a batch, or of a running sum if noises do
        not add up; > 0.
    horizon, features : int
        T and d, >= 1.
    additive : bool
        Whether noises of batches add up, as for shuffled batches, but not for a counter.

    Examples
    --------
    >>> from bandits_dp.contextual.batches import balanced_batch_size
    >>> balanced_batch_size(noise_std=2.0, horizon=10_000, features=5)
    216
    """
    size = (features * (2 * noise_std**2 * horizon) ** (1 / 3) if additive
            else features**1.5 * noise_std * math.sqrt(8))
    return max(1, min(horizon // 2, math.ceil(size * (1 - 1e-12))))


@_checks.checked(name=_checks.unchecked, protocol=_checks.unchecked, features=_checks.integer)
def named_batch_size(name: str, protocol: str, horizon: int, features: int, epsilon: float,
                     delta: float) -> int:
    """Return the number B of users in a batch, from 1 to the horizon.

    Parameters
    ----------
    name : {"utility", "privacy", "returning"}
        Aim of the batch size, see the module's text.
    protocol : {"amplified", "vector", "local", "central"}
        P_Amp, P_Vec, or a model without a shuffler.
    horizon, features : int
        T and d, >= 1.
    epsilon, delta : float
        The privacy parameters; of one message if the name is ``"privacy"``.

    Raises
    ------
    ValueError
        If an argument is out of range, the protocol has no batch size of that name, or the horizon
        is shorter than one batch.

    Examples
    --------
    >>> from bandits_dp.contextual.batches import named_batch_size
    >>> named_batch_size("utility", "local", 10_000, features=5, epsilon=1.0, delta=0.1)  # T^(3/4)
    1000
    """
    _checks.choice("protocol", protocol, PROTOCOLS)
    if not isinstance(name, str) or (name, protocol) not in SIZES:
        known = ", ".join(repr(one) for one, other in SIZES if other == protocol)
        raise ValueError(f"name must be {known} for {protocol!r}, got {_checks.told(name)}")
    T, d = horizon, features
    power, per_feature, per_epsilon, logarithms = SIZES[name, protocol]
    size = T**power * d**-per_feature * epsilon**-per_epsilon * logarithms(T, d, delta)
    users = math.ceil(size * (1 - 1e-12))  # 10000 ** 0.75 is 1000 and not 1001
    if users > T:
        raise ValueError(f"batch_size {name!r} is {users:,} users here, but the horizon is {T:,}: "
                         "not even one batch would end; choose a longer horizon, a larger epsilon, "
                         "or a number of users")
    return users
