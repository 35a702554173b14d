"""Mechanisms of the package, each with the score that reads the last binary digits of what it shows."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

import bandits_dp as bdp
from bandits_dp import privatizers as P

Score = Callable[[NDArray[np.float64]], NDArray[Any]]
Shown = tuple[Any, Score, float]  # a mechanism, its score, and the δ that it claims


def sums(privatizer: Any) -> Any:
    """Return the sum of bits as simulations draw it, many at once."""
    return bdp.Vectorized(lambda data, rng, runs: privatizer.release_sum(np.full(runs, np.sum(data)), rng))


def finer(y: NDArray[np.float64]) -> NDArray[Any]:
    """Return whether an output has digits beyond 2^-53."""
    return (y.reshape(len(y), -1)[:, 0] * 2.0**53) % 1 != 0


def last(step: float) -> Score:
    """Return the score that reads the last eight digits of a multiple of the step."""
    return lambda y: np.rint(y.reshape(len(y), -1)[:, 0] / step) % 256


def released(server: Any, delta: float = 0.0) -> Shown:
    """Show what a server releases of everybody's bits."""
    mechanism = bdp.Vectorized(lambda x, rng, n: server.receive(np.full((n, 1), x.sum()), rng))
    return mechanism, last(server.grid.step), delta


def sent(user: Any, delta: float = 0.0) -> Shown:
    """Show what one user sends."""
    return bdp.Vectorized(lambda x, rng, n: user.send(np.full((n, 1), x[0]), rng)), last(user.grid.step), delta


def first_count(tree: bdp.continual.TreeCounter, delta: float) -> Shown:
    """Show the first count of a tree."""
    def counted(x: NDArray[np.float64], rng: np.random.Generator) -> Any:
        tree.reset()
        return tree.add(x[0], rng)

    return counted, last(tree.grid.step), delta


def mechanisms(users: int, epsilon: float, delta: float) -> dict[str, Shown]:
    """Return what is simulated, and what is really released and sent, by name."""
    laplace, gauss = P.CentralLaplace(users, epsilon), P.CentralGaussian(users, epsilon, delta)
    return {
        "CentralLaplace, simulated": (sums(laplace), finer, 0.0),
        "CentralGaussian, simulated": (sums(gauss), finer, delta),
        "CentralLaplace": released(laplace),
        "CentralGaussian": released(gauss, delta),
        "LocalLaplace, a message": sent(P.LocalLaplace(1, epsilon)),
        "LocalGaussian, a message": sent(P.LocalGaussian(1, epsilon, delta), delta),
        "AmplifiedGaussian, a message": sent(P.AmplifiedGaussian(10 * users, epsilon, delta), delta),
        "TreeCounter, first count": first_count(bdp.continual.TreeCounter(8, epsilon, delta), delta),
        "SkellamSum": (P.SkellamSum(users, epsilon, delta).release, last(1.0), delta),
        "BinarySum": (P.BinarySum(users, epsilon, delta).release, last(1.0), delta),
    }
