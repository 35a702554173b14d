"""DP-DPE: systems that find the best action for a population of clients (Li, Zhou, Ji 2022)."""

import math
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache, partial
from types import SimpleNamespace
from typing import Any

import numpy as np

from bandits_dp import privatizers
from bandits_dp.linear.app import ClientsApp
from bandits_dp.linear.client_problems import ClientPopulation, SphericalClients
from bandits_dp.linear.clients_needed import Schedule, constant, growing
from bandits_dp.linear.designs import support_bound
from bandits_dp.linear.pilots import equal_communication
from bandits_dp.linear.problems import on_sphere
from bandits_dp.linear.systems import learner_of, no_noise, run_of, with_noise
from bandits_dp.linear.widths import Phase
from bandits_dp.options import (
    CHANCE,
    CLIP,
    FIDELITY,
    HONEST,
    NOISE,
    POSITIVE,
    STRICT,
    Given,
    Option,
    System,
)
from bandits_dp.privatizers import Box, Identity, Privatizer, Reals, VectorSum

FIRST_LENGTH = 2.0  # h_1
GROWTH = Option("alpha", 0.8, (CHANCE,), "phase l has ceil(2^(alpha l)) clients")
VECTORS = (FIDELITY, GROWTH, CLIP, STRICT,
           Option("bound", 1.0, (POSITIVE,), "B: averages lie in [-B, B]"))


def _exact(clients: int, numbers: int) -> Privatizer:
    """Return the sum of vectors without noise."""
    return Identity(clients, Reals(numbers))


def _noisy(clients: int, numbers: int, kind: Callable[..., Privatizer], bound: float) -> Privatizer:
    """Return the private sum of vectors in [-B, B]^s."""
    return kind(clients, domain=Box(numbers, -bound, bound))


def gaussian_noise(dimension: int, phase: Phase) -> float:
    """Return the printed sigma_n with Gaussian noise (Theorems 5.3, 5.4).

    It is 2 sqrt(S d) sigma_nc, in the local model with sigma_nl / sqrt(clients) as sigma_nc.
    """
    return (2 * phase.noise[0].noise_std / phase.people
            * math.sqrt(support_bound(dimension) * dimension))


def bit_noise(dimension: int, phase: Phase) -> float:
    r"""Return the printed sigma_n with shuffled bits, 2 sigma_ns sqrt(S d) (Theorem 5.5).

    The theorem prints an order only. We take :math:`\sigma_{ns}^2 = 360 \Delta_2^2 \ln(4 s /
    \delta) / (|U|^2 \hat\varepsilon^2)` from the proof of Theorem A.2: the mean number of ones
    among the noise bits, which bounds their variance, in the units of an average.
    """
    vector = phase.noise[0]
    assert isinstance(vector, VectorSum)
    std = vector.step * math.sqrt(vector.noise_bits.mean(phase.people)) / phase.people
    return 2 * std * math.sqrt(support_bound(dimension) * dimension)


def _elimination(given: Given, options: Any, privatizer: Callable[[int, int], Privatizer],
                 printed_noise: Callable[[int, Phase], float],
                 schedule: Schedule | None = None) -> ClientsApp:
    """Return the app in which new clients watch all plays of each phase."""
    problem, schedule = given.problem, schedule or partial(growing, alpha=options.alpha)
    learner = learner_of(given, printed_noise, FIRST_LENGTH, problem.client_std, clients=schedule,
                         population=problem.clients)
    single = privatizer(1, 1)  # of one client with one average
    why = ("; that is for one average, and each phase calibrates it to all averages of its "
           "clients, who are in no other")
    unit = (f"one client's average rewards, each in {single.domain}"
            + (", after clipping to it" if single.clip else ""))
    promise = replace(run_of(single, why), unit=unit, neighbours="replace one client's data")
    app = ClientsApp(learner, privatizer, problem.arms, given.horizon, promise, options.fidelity)
    app.check_problem(problem)
    return app


def _dpe(given: Given, options: Any) -> ClientsApp:
    return _elimination(given, options, _exact, no_noise)


def _dpe_fixed_u(given: Given, options: Any) -> ClientsApp:
    clients, problem = options.clients_per_phase, given.problem
    if clients is None:
        actions = None if problem.actions is None else tuple(map(tuple, problem.actions.tolist()))
        size = (problem.arms, problem.dimension, problem.client_std, problem.clients)
        clients = _constant_clients(*size, actions, given.horizon, given.calibration, options.alpha)
    return _elimination(given, options, _exact, no_noise, partial(constant, clients=clients))


@lru_cache(maxsize=64)
def _constant_clients(arms: int, dimension: int, client_std: float, clients: int,
                      actions: tuple[tuple[float, ...], ...] | None, horizon: int, calibration: str,
                      alpha: float) -> int:
    """Find U for DPE-FixedU from public data.

    Pilot runs have Gaussian rewards and parameters from the unit sphere.
    """
    problem = SphericalClients(arms, dimension, client_std, "gaussian", clients)
    given = Given(problem, horizon, None, None, calibration)

    def draw(rng: np.random.Generator) -> ClientPopulation:
        if actions is None:
            return problem.draw(rng)
        return ClientPopulation(actions, on_sphere(1, dimension, rng)[0], client_std, "gaussian",
                                clients)

    def learner(schedule: Schedule) -> ClientsApp:
        return _elimination(given, SimpleNamespace(fidelity="aggregate"), _exact, no_noise,
                            schedule)

    return equal_communication(learner, partial(growing, alpha=alpha), draw)


def _continuous(gaussian: type[Privatizer], laplace: type[Privatizer], given: Given,
                options: Any) -> ClientsApp:
    """Return the app with Gaussian or Laplace noise."""
    # a phase plays at least d actions
    least = Box(given.problem.dimension, -options.bound, options.bound)
    kind = with_noise(given, options, gaussian, laplace, least)
    return _elimination(given, options, partial(_noisy, kind=kind, bound=options.bound),
                        gaussian_noise)


def _sdp_dpe(given: Given, options: Any) -> ClientsApp:
    kind = partial(VectorSum, **given.privacy(options, "clip", "honest_fraction", "strict"))
    return _elimination(given, options, partial(_noisy, kind=kind, bound=options.bound), bit_noise)


_UNIT = "one client's vector of average rewards"
SYSTEMS = (
    System("DPE", "li2022", "clients", "none", "no privacy", _dpe, (FIDELITY, GROWTH)),
    System("DPE-FixedU", "li2022", "clients", "none", "no privacy", _dpe_fixed_u,
           (FIDELITY, GROWTH,
            Option("clients_per_phase", None, (None, int),
                   "None: pilot runs find the number that communicates as much as alpha"))),
    System("CDP-DPE", "li2022", "clients", "central", _UNIT,
           partial(_continuous, privatizers.CentralGaussian, privatizers.CentralLaplace),
           (*VECTORS, NOISE), pure=True),
    System("LDP-DPE", "li2022", "clients", "local", _UNIT,
           partial(_continuous, privatizers.LocalGaussian, privatizers.LocalLaplace),
           (*VECTORS, NOISE)),
    System("SDP-DPE", "li2022", "clients", "shuffle", _UNIT, _sdp_dpe, (*VECTORS, HONEST)),
)
