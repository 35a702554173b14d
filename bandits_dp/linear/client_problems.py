r"""Clients with their own parameters; the goal is the best action for the whole population.

Every client u of the population has :math:`\theta_u = \theta + \xi_u` with
:math:`\xi_u \sim N(0, \sigma^2 I)`, independently. If the action x is played, client u sees a
reward with mean :math:`\langle \theta_u, x\rangle`, and regret is measured against the global
:math:`\theta` (Li, Zhou, Ji 2022, section 2). The clients of a phase are new, so their parameters
are independent draws although the population is finite.

**Rewards.** ``"gaussian"`` rewards have standard deviation 1 around the client's mean, and no
bound. ``"signs"`` are +1 or -1, which are bounded and 1-sub-Gaussian. Their mean must lie in [-1,
1], so it is the projection of :math:`\langle \theta_u, x\rangle`, and the mean over all clients
differs from :math:`\mu = \langle \theta, x\rangle` by

.. math:: b(x) = s\, \psi\Big(\frac{1 + \mu}{s}\Big) - s\, \psi\Big(\frac{1 - \mu}{s}\Big), \qquad
          \psi(z) = \varphi(z) - z\, \Phi(-z), \quad s = \sigma \lVert x\rVert,

since :math:`E (Z - 1)_+ = s\, \psi((1 - \mu)/s)` for :math:`Z \sim N(\mu, s^2)`. That is
``projection_bias``. At worst, where :math:`|\mu| = 1`, it is 0.4 s; at :math:`|\mu| = 1 - 4 s` it
is below 1e-5 s. Projection keeps the order of the means of actions of one length and shrinks their
differences, so the best action stays the best among these. In general the action with the largest
projected mean loses at most :math:`2 \max_x |b(x)|` per round against :math:`\theta`.

**Averages.** A phase needs the average reward of every client over :math:`T(x)` plays of each
action x of a support, or only the sum of these averages over its clients. Both are drawn from their
exact distribution without a loop over rounds: Gaussian averages and their sums are Gaussian, and
the sum of T signs of a client follows from a binomial draw.
"""

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bandits_dp import _checks
from bandits_dp._types import Floats
from bandits_dp.linear.problems import REWARDS, KnownActions, excess, on_sphere
from bandits_dp.privatizers.domain import Box, Domain, Reals

BLOCK = 2_000_000  # averages drawn at a time
FAR = 40.0  # standard deviations beyond which a normal tail is 0 in floating point


class ClientPopulation(KnownActions):
    r"""A population of clients, each with its own parameter around a global one.

    Parameters
    ----------
    actions : array_like, shape (k, d)
        The actions, of norm at most 1, not all zero; k >= 2.
    theta : array_like, shape (d,)
        The global parameter, of norm at most 1.
    client_std : float
        :math:`\sigma`, the standard deviation of a client's parameter in every direction, >= 0.
    rewards : {"signs", "gaussian"}
        +1 or -1, or normal with standard deviation 1 and no bound.
    clients : int
        Size of the population, >= 1.

    Attributes
    ----------
    arms, dimension : int
        k and d.
    gaps, projection_bias : ndarray, shape (k,)
        Regret per play of each action for the global parameter, and mean reward over clients minus
        <theta, x>, which is zero for Gaussian rewards.
    domain, reward_std : Domain, float
        Allowed averages of a client's rewards, [-1, 1], or R^1 for Gaussian rewards; and the
        sub-Gaussian parameter of a reward around the client's mean, 1.

    Examples
    --------
    >>> import numpy as np
    >>> import bandits_dp as bdp
    >>> problem = bdp.problems.ClientPopulation([[1, 0], [0, 1]], theta=[0.5, 0.25], client_std=0.3)
    >>> problem.gaps.tolist()
    [0.0, 0.25]
    >>> own = problem.parameters(1000, np.random.default_rng(1))
    >>> bool((own[:, 1] > own[:, 0]).mean() > 0.2)  # for these the second action is better
    True
    """

    setting = "clients"

    @_checks.checked()
    def __init__(self, actions: ArrayLike, theta: ArrayLike, client_std: float = 0.1,
                 rewards: str = "signs", clients: int = 100_000) -> None:
        means = self._take(actions, theta, rewards)
        self.client_std, self.clients = client_std, clients
        self.domain = _averages(self.kind)
        self.projection_bias: Floats = np.zeros(self.arms)  # b(x)
        spread = self.client_std * np.linalg.norm(self.actions, axis=1)
        some = (spread > 0) & (self.kind == "signs")  # without spread means stay in [-1, 1]
        s = spread[some]
        up, down = (np.minimum((1 + side * means[some]) / s, FAR) for side in (1, -1))
        self.projection_bias[some] = s * (excess(up) - excess(down))

    def parameters(self, clients: int, rng: np.random.Generator) -> Floats:
        """Draw the parameters theta_u of new clients, shape (clients, d)."""
        return self.theta + self.client_std * rng.normal(size=(clients, self.dimension))

    def rewards(self, action: int, parameters: Floats, rng: np.random.Generator,
                rounds: int = 1) -> Floats:
        """Draw rewards of clients for ``rounds`` plays of one action, shape (rounds, clients)."""
        shape = (rounds, len(parameters))
        means = parameters @ self.actions[action]
        if self.kind == "gaussian":
            return means + rng.normal(size=shape)
        return np.where(rng.random(shape) < (1 + np.clip(means, -1, 1)) / 2, 1.0, -1.0)

    def averages(self, actions: NDArray[np.intp], plays: NDArray[np.int64], clients: int,
                 rng: np.random.Generator) -> Floats:
        """Draw new clients' average rewards for ``plays`` of s actions, shape (clients, s)."""
        means = self.parameters(clients, rng) @ self.actions[actions].T
        if self.kind == "gaussian":
            means += rng.normal(size=means.shape) / np.sqrt(plays)
            return means
        chances = (np.clip(means, -1, 1, out=means) + 1) / 2
        return (2 * rng.binomial(plays, chances) - plays) / plays

    def average_sums(self, actions: NDArray[np.intp], plays: NDArray[np.int64], clients: int,
                     rng: np.random.Generator) -> Floats:
        """Draw the sum of :meth:`averages` over the clients, shape (s,), in little memory."""
        chosen = self.actions[actions]
        if self.kind == "gaussian":
            common = (clients * self.theta
                      + math.sqrt(clients) * self.client_std * rng.normal(size=self.dimension))
            return (chosen @ common
                    + np.sqrt(clients / plays) * rng.normal(size=len(chosen)))
        block = max(1, BLOCK // len(chosen))
        blocks = (min(block, clients - start) for start in range(0, clients, block))
        return np.asarray(sum(self.averages(actions, plays, some, rng).sum(axis=0)
                              for some in blocks))

    def __repr__(self) -> str:
        """Return the class and the sizes."""
        return (f"ClientPopulation({self.arms} actions in R^{self.dimension}, "
                f"client_std={self.client_std:g}, rewards={self.kind!r}, clients={self.clients})")


class SphericalClients:
    """Populations with actions and global parameter uniform on the unit sphere, new in every run.

    Li, Zhou, Ji (2022, section 7) publish the sizes and sigma of their simulation, but not the
    distributions of rewards, actions and parameter; these are our choice. At k = 1000, d = 20 and
    sigma = 0.1 the best action has a mean of about 0.65, the average one has 0, and the largest
    ``projection_bias`` of an instance is 2e-5 in the median and 4e-4 at the 95th percentile.

    Parameters
    ----------
    arms, dimension : int
        Numbers of actions k, >= 2, and of coordinates d, >= 1.
    client_std, rewards, clients
        As in :class:`ClientPopulation`, like the attributes ``domain`` and ``reward_std``; the
        attribute ``actions`` is None.
    theta_norm : float
        Norm of the global parameter, in (0, 1].

    Examples
    --------
    >>> import numpy as np
    >>> import bandits_dp as bdp
    >>> problem = bdp.problems.SphericalClients(arms=1000, dimension=20)
    >>> instance = problem.draw(np.random.default_rng(1))
    >>> bool(0.4 < (instance.actions @ instance.theta).max() < 0.9)  # the best action's mean
    True
    """

    setting = "clients"
    reward_std, actions = 1.0, None

    @_checks.checked(arms=_checks.at_least_two, theta_norm=_checks.share)
    def __init__(self, arms: int = 1000, dimension: int = 20, client_std: float = 0.1,
                 rewards: str = "signs", clients: int = 100_000, theta_norm: float = 1.0) -> None:
        _checks.room("arms and dimension", (arms + 1) * dimension)
        self.arms, self.dimension, self.client_std, self.clients, self.theta_norm = (
            arms, dimension, client_std, clients, theta_norm)
        self.kind = _checks.choice("rewards", rewards, REWARDS)
        self.domain = _averages(self.kind)

    def draw(self, rng: np.random.Generator) -> ClientPopulation:
        """Draw an instance."""
        points = on_sphere(self.arms + 1, self.dimension, rng)
        return ClientPopulation(points[1:], self.theta_norm * points[0], self.client_std, self.kind,
                                self.clients)

    def __repr__(self) -> str:
        """Return the class and the sizes."""
        return (f"SphericalClients({self.arms} actions in R^{self.dimension}, "
                f"client_std={self.client_std:g}, rewards={self.kind!r}, clients={self.clients})")


def _averages(kind: str) -> Domain:
    """Return the domain of averages of rewards of this kind."""
    return Box(1, -1.0, 1.0) if kind == "signs" else Reals(1)
