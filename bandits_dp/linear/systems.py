"""Systems of phased elimination that ask a new user in every round (Li, Zhou, Ji 2022, app. C)."""

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from bandits_dp import privatizers
from bandits_dp.app.sums import SumsApp
from bandits_dp.guarantee import Guarantee
from bandits_dp.linear import fast  # noqa: F401 - registers its steps
from bandits_dp.linear.designs import support_bound
from bandits_dp.linear.elimination import PhasedElimination
from bandits_dp.linear.widths import ExactWidth, Phase, PrintedWidth
from bandits_dp.options import CLIP, FIDELITY, HONEST, NOISE, STRICT, Given, System
from bandits_dp.privatizers import Box, Identity, Privatizer, Reals, ScalarSum
from bandits_dp.privatizers.scalar_sum import default_levels

# Users of the sums whose noises are compared: so many that only the variance of local noise counts.
MANY = 10**6
# Part of the guarantee with clip=True.
CLIPPED = "; where values are clipped, their means are others, and confidence widths are void"


def no_noise(dimension: int, phase: Phase) -> float:
    """Return the printed sigma_n without privacy (for DPE, Theorem 5.1)."""
    return 0.0


def _sum_std(dimension: int, phase: Phase) -> float:
    """Return the printed sigma_n, 2 d sigma sqrt(s) / h, with sigma the std of a released sum.

    See Theorems C.2 and C.7; for bits the paper prints an order only.
    """
    sigma = max(noise.noise_std for noise in phase.noise)
    return 2 * dimension * sigma * math.sqrt(len(phase.plays)) / phase.length


def _user_std(dimension: int, phase: Phase) -> float:
    """Return the printed sigma_n, 2 d sigma sqrt(2 s / h), sigma one user's std (Theorem C.4)."""
    sigma = max(noise.noise_std / math.sqrt(noise.users) for noise in phase.noise)
    return 2 * dimension * sigma * math.sqrt(2 * len(phase.plays) / phase.length)


def learner_of(given: Given, printed_std: Callable[[int, Phase], float], first_length: float,
               client_std: float = 0.0, **clients: Any) -> PhasedElimination:
    """Return phased elimination with its calibration's width; show it the actions if known."""
    problem, T = given.problem, given.horizon
    k, d = problem.arms, problem.dimension
    width = (ExactWidth(k, T, problem.reward_std, client_std) if given.calibration == "certified"
             else PrintedWidth(k, d, T, partial(printed_std, d), client_std))
    learner = PhasedElimination(k, d, first_length, width, **clients)
    if problem.actions is not None:
        learner.show(problem.actions)
    return learner


def _elimination(given: Given, options: Any, privatizer: Callable[[int], Privatizer],
                 printed_std: Callable[[int, Phase], float]) -> SumsApp:
    """Return the app that asks a new user in every round."""
    learner = learner_of(given, printed_std, support_bound(given.problem.dimension))
    promise = run_of(privatizer(1),
                     "; each sum is calibrated to its own users, who are in no other")
    return SumsApp(learner, privatizer, given.problem.arms, given.horizon, promise,
                   options.fidelity, "linear")


def run_of(single: Privatizer, why: str) -> Guarantee:
    """Return the guarantee of the run: one release's, as every user is in one; ``why`` is added."""
    promise = single.guarantee
    return replace(promise, reason=promise.reason + (why if promise.proved else "")
                   + (CLIPPED if single.clip else ""))


def with_noise(given: Given, options: Any, gaussian: Callable[..., Privatizer],
               laplace: Callable[..., Privatizer], domain: Box) -> Callable[..., Privatizer]:
    """Return the privatizer with Gaussian noise, or with Laplace noise, which has delta = 0.

    Unless ``noise`` names one, certified systems compare both on two sums of ``MANY`` users with
    values in ``domain``, at the confidence of the proved widths, and take the noise by which the
    sums differ less.
    """
    pure = partial(laplace, epsilon=given.epsilon, clip=options.clip)
    approximate = partial(gaussian, **given.privacy(options, "clip", "strict"))
    log = math.log(given.problem.arms * given.horizon)
    if options.noise is None and given.calibration == "certified":
        kinds = [pure, approximate] if given.delta else [pure]
        return min(kinds, key=lambda kind: _difference(kind(MANY, domain=domain), log))
    if options.noise != "laplace":
        if given.delta is None:
            raise ValueError("delta must be in (0, 1) for noise='gaussian', got None; "
                             "noise='laplace' needs none")
        return approximate
    if given.calibration == "theorem":
        raise ValueError("calibration must be 'certified' for noise='laplace', got 'theorem': the "
                         "paper prints no width for it")
    return pure


def _difference(noise: Privatizer, log: float) -> float:
    """Return a Chernoff bound on the difference of two noises, with failure exp(-log)."""
    s = np.geomspace(1e-3, 1e3, 3000) / noise.noise_std
    return float(((2 * noise.log_mgf(s) + log) / s).min())


def _bounded(given: Given) -> Box:
    """Return the interval of the rewards, or raise a ValueError if they are unbounded."""
    domain = given.problem.domain
    if isinstance(domain, Reals):
        raise ValueError("problem must have bounded rewards for a private learner, got Gaussian "
                         "ones; its bound= clips them")
    return domain


def _pe(given: Given, options: Any) -> SumsApp:
    return _elimination(given, options, partial(Identity, domain=given.problem.domain), no_noise)


def _noisy_pe(gaussian: type[Privatizer], laplace: type[Privatizer],
              std: Callable[[int, Phase], float], given: Given, options: Any) -> SumsApp:
    """Return the app with Gaussian or Laplace noise."""
    domain = _bounded(given)
    privatizer = partial(with_noise(given, options, gaussian, laplace, domain), domain=domain)
    return _elimination(given, options, privatizer, std)


def _shared_sum(users: int, epsilon: float, delta: float, honest_fraction: float,
                **options: Any) -> ScalarSum:
    """Return a sum; similar ``users`` share the search for its noise, for at most 6% variance."""
    digits = max(0, users.bit_length() - 4)
    alike = users >> digits << digits  # ``users``, rounded down to four binary digits
    share = 1.0 if alike == users else (alike + 0.5) / users  # half a user against rounding errors
    levels = default_levels(alike, epsilon, delta)
    return ScalarSum(users, epsilon, delta, levels=levels, honest_fraction=honest_fraction * share,
                     **options)


def _sdp_pe(given: Given, options: Any) -> SumsApp:
    privacy = given.privacy(options, "honest_fraction", "clip") | {"domain": _bounded(given)}
    privatizer = partial(ScalarSum, strict=options.strict, **privacy)
    if given.calibration == "certified":
        privatizer = partial(_shared_sum, **privacy)
    return _elimination(given, options, privatizer, _sum_std)


SYSTEMS = (
    System("PE", "lattimore2020", "linear", "none", "no privacy", _pe, (FIDELITY,)),
    System("CDP-PE", "li2022", "linear", "central", "one reward",
           partial(_noisy_pe, privatizers.CentralGaussian, privatizers.CentralLaplace, _sum_std),
           (FIDELITY, CLIP, STRICT, NOISE), pure=True),
    System("LDP-PE", "li2022", "linear", "local", "one reward",
           partial(_noisy_pe, privatizers.LocalGaussian, privatizers.LocalLaplace, _user_std),
           (FIDELITY, CLIP, STRICT, NOISE)),
    System("SDP-PE", "li2022", "linear", "shuffle", "one reward", _sdp_pe,
           (FIDELITY, CLIP, STRICT, HONEST)),
)
