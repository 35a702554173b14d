"""DP-DPE: learners of the action that is best for a population of clients (Li, Zhou, Ji 2022)."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any

import numpy as np

from bandits_dp import _checks
from bandits_dp.catalog.system import System
from bandits_dp.designs import support_bound
from bandits_dp.learners.distributed import ClientElimination
from bandits_dp.learners.distributed_schedules import constant, equal_communication, growing
from bandits_dp.learners.phased_parts import Phase
from bandits_dp.learners.phased_width import ExactWidth, PrintedWidth
from bandits_dp.privatizers import (
    Box,
    CentralGaussian,
    CentralLaplace,
    Identity,
    LocalGaussian,
    LocalLaplace,
    Privatizer,
    Reals,
    VectorSum,
)
from bandits_dp.problems import ClientPopulation, SphericalClients
from bandits_dp.problems.linear import on_sphere

Problem = ClientPopulation | SphericalClients

NOISES = ("gaussian", "laplace")


def _exact(clients: int, numbers: int) -> Privatizer:
    """Return the sum of vectors as it is."""
    return Identity(clients, Reals(numbers))


def _noisy(clients: int, numbers: int, kind: Callable[..., Privatizer], bound: float, **options: Any) -> Privatizer:
    """Return the private sum of vectors in [-B, B]^s."""
    return kind(clients, domain=Box(numbers, -bound, bound), **options)


def no_noise(phase: Phase) -> float:
    """Return the printed sigma_n of DPE (Theorem 5.1)."""
    return 0.0


def gaussian_noise(phase: Phase, dimension: int) -> float:
    """Return the printed sigma_n with Gaussian noise, 2 sqrt(S d) times sigma_nc or sigma_nl / sqrt(|U|) (Theorems 5.3, 5.4)."""
    return 2 * phase.privatizers[0].noise_std / phase.people * math.sqrt(support_bound(dimension) * dimension)


def bit_noise(phase: Phase, dimension: int) -> float:
    r"""Return the printed sigma_n with shuffled bits, 2 sigma_ns sqrt(S d) (Theorem 5.5).

    The theorem prints an order. The :math:`\sigma_{ns}^2 = 360 \Delta_2^2 \ln(4 s / \delta) / (|U|^2 \hat\varepsilon^2)` that we
    take stands in the proof of Theorem A.2; it is the mean number of ones among the noise bits, which bounds their variance, in
    the units of an average.
    """
    vector = phase.privatizers[0]
    assert isinstance(vector, VectorSum)
    std = vector.step * math.sqrt(vector.noise_bits.mean(phase.people)) / phase.people
    return 2 * std * math.sqrt(support_bound(dimension) * dimension)


def _elimination(
    problem: Problem,
    horizon: int,
    calibration: str,
    privatizer: Callable[[int, int], Privatizer],
    printed_noise: Callable[[Phase], float],
    schedule: Callable[[int], int],
    fidelity: str,
) -> ClientElimination:
    """Put phased elimination together with the width of its calibration."""
    k, d = problem.arms, problem.dimension
    width: ExactWidth | PrintedWidth
    if calibration == "certified":
        width = ExactWidth(k, horizon, problem.reward_std, problem.client_std)
    else:
        width = PrintedWidth(k, d, horizon, printed_noise, problem.client_std)
    learner = ClientElimination(k, d, horizon, problem.clients, privatizer, schedule, width, fidelity)
    learner.check_problem(problem)
    if problem.actions is not None:
        learner.show(problem.actions)
    return learner


def _schedule(alpha: float) -> Callable[[int], int]:
    return partial(growing, alpha=_checks.real("alpha", alpha, 0.0, 1.0))


def _dpe(
    problem: Problem,
    epsilon: float | None,
    delta: float | None,
    horizon: int,
    calibration: str,
    alpha: float = 0.8,
    fidelity: str = "aggregate",
) -> ClientElimination:
    return _elimination(problem, horizon, calibration, _exact, no_noise, _schedule(alpha), fidelity)


def _dpe_fixed_u(
    problem: Problem,
    epsilon: float | None,
    delta: float | None,
    horizon: int,
    calibration: str,
    alpha: float = 0.8,
    clients_per_phase: int | None = None,
    fidelity: str = "aggregate",
) -> ClientElimination:
    if clients_per_phase is None:
        actions = None if problem.actions is None else tuple(map(tuple, problem.actions.tolist()))
        size = (problem.arms, problem.dimension, problem.client_std, problem.clients)
        clients_per_phase = _constant_clients(*size, actions, horizon, calibration, alpha)
    schedule = partial(constant, clients=_checks.integer("clients_per_phase", clients_per_phase))
    return _elimination(problem, horizon, calibration, _exact, no_noise, schedule, fidelity)


@lru_cache(maxsize=64)
def _constant_clients(
    arms: int,
    dimension: int,
    client_std: float,
    clients: int,
    actions: tuple[tuple[float, ...], ...] | None,
    horizon: int,
    calibration: str,
    alpha: float,
) -> int:
    """Find U for DPE-FixedU from what is public; pilot runs have Gaussian rewards and parameters drawn from the unit sphere."""
    problem = SphericalClients(arms, dimension, client_std, "gaussian", clients)

    def draw(rng: np.random.Generator) -> ClientPopulation:
        if actions is None:
            return problem.draw(rng)
        return ClientPopulation(actions, on_sphere(1, dimension, rng)[0], client_std, "gaussian", clients)

    def learner(schedule: Callable[[int], int]) -> ClientElimination:
        return _elimination(problem, horizon, calibration, _exact, no_noise, schedule, "aggregate")

    return equal_communication(learner, _schedule(alpha), draw)


def _continuous(
    problem: Problem,
    horizon: int,
    kinds: tuple[Callable[..., Privatizer], Callable[..., Privatizer]],
    alpha: float,
    noise: str,
    bound: float,
    strict: bool,
    fidelity: str,
    **options: Any,
) -> ClientElimination:
    """Put a learner with Gaussian or Laplace noise together."""
    calibration: str = options["calibration"]
    if _checks.choice("noise", noise, NOISES) == "gaussian":
        options["strict"] = strict
    elif calibration == "theorem":
        raise ValueError("noise must be 'gaussian' for the theorem calibration, got 'laplace': no width is printed for it")
    else:
        options["delta"] = 0.0  # pure privacy, whatever delta is allowed
    if options["delta"] is None:
        raise ValueError("delta must be in (0, 1) for noise='gaussian', got None; noise='laplace' can do without")
    kind = kinds[NOISES.index(noise)]
    privatizer = partial(_noisy, kind=kind, bound=_checks.positive("bound", bound), **options)
    printed = partial(gaussian_noise, dimension=problem.dimension)
    return _elimination(problem, horizon, calibration, privatizer, printed, _schedule(alpha), fidelity)


def _cdp_dpe(
    problem: Problem,
    epsilon: float,
    delta: float | None,
    horizon: int,
    calibration: str,
    alpha: float = 0.8,
    noise: str = "gaussian",
    bound: float = 1.0,
    clip: bool = False,
    strict: bool = True,
    fidelity: str = "aggregate",
) -> ClientElimination:
    return _continuous(problem, horizon, (CentralGaussian, CentralLaplace), alpha, noise, bound, strict, fidelity,
                       epsilon=epsilon, delta=delta, calibration=calibration, clip=clip)


def _ldp_dpe(
    problem: Problem,
    epsilon: float,
    delta: float | None,
    horizon: int,
    calibration: str,
    alpha: float = 0.8,
    noise: str = "gaussian",
    bound: float = 1.0,
    clip: bool = False,
    strict: bool = True,
    fidelity: str = "aggregate",
) -> ClientElimination:
    return _continuous(problem, horizon, (LocalGaussian, LocalLaplace), alpha, noise, bound, strict, fidelity,
                       epsilon=epsilon, delta=delta, calibration=calibration, clip=clip)


def _sdp_dpe(
    problem: Problem,
    epsilon: float,
    delta: float,
    horizon: int,
    calibration: str,
    alpha: float = 0.8,
    bound: float = 1.0,
    clip: bool = False,
    honest_fraction: float = 1.0,
    strict: bool = True,
    fidelity: str = "aggregate",
) -> ClientElimination:
    privatizer = partial(_noisy, kind=VectorSum, bound=_checks.positive("bound", bound), epsilon=epsilon, delta=delta,
                         calibration=calibration, clip=clip, honest_fraction=honest_fraction, strict=strict)
    printed = partial(bit_noise, dimension=problem.dimension)
    return _elimination(problem, horizon, calibration, privatizer, printed, _schedule(alpha), fidelity)


_UNIT = "one client's vector of average rewards"
_FREE = r"O\Big(\sqrt{d T \log (k T)} + \sigma T^{1 - \alpha / 2} \sqrt{\log (k T)}"
_CENTRAL = r" + \frac{B d^{3/2} T^{1 - \alpha} \sqrt{\log (1/\delta) \log (k T)}}{\varepsilon}\Big)"
_LOCAL = r" + \frac{B d^{3/2} T^{1 - \alpha / 2} \sqrt{\log (1/\delta) \log (k T)}}{\varepsilon}\Big)"
_SHUFFLE = r" + \frac{B d^{3/2} T^{1 - \alpha} \log (d/\delta) \sqrt{\log (k T)}}{\varepsilon}\Big)"
_CHAPTER = "09_distributed_feedback"
_TEST = "tests/test_distributed.py::"
SYSTEMS = (
    System("DPE", "li2022", "clients", "none", "no privacy", _FREE + r"\Big)",
           _CHAPTER, _TEST + "test_the_simulator_plays_the_plain_loop", _dpe),
    System("DPE-FixedU", "li2022", "clients", "none", "no privacy", r"\text{no bound is stated}",
           _CHAPTER, _TEST + "test_growing_numbers_of_clients_beat_a_constant_one", _dpe_fixed_u),
    System("CDP-DPE", "li2022", "clients", "central", _UNIT, _FREE + _CENTRAL,
           _CHAPTER, _TEST + "test_the_simulator_plays_the_plain_loop", _cdp_dpe, pure=True),
    System("LDP-DPE", "li2022", "clients", "local", _UNIT, _FREE + _LOCAL,
           _CHAPTER, _TEST + "test_the_simulator_plays_the_plain_loop", _ldp_dpe),
    System("SDP-DPE", "li2022", "clients", "shuffle", _UNIT, _FREE + _SHUFFLE,
           _CHAPTER, _TEST + "test_the_simulator_plays_the_plain_loop", _sdp_dpe),
)
