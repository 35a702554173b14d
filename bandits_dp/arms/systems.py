"""The systems of arms without structure: elimination, KL-UCB and UCB with their privatizers."""

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from bandits_dp import _checks, privatizers
from bandits_dp.app.streams import CountedBatches, FreshBatches
from bandits_dp.app.sums import SumsApp
from bandits_dp.arms.app import RunningApp
from bandits_dp.arms.batches import (
    Batches,
    GapBatches,
    PublishedDoubling,
    PublishedEpochs,
    batches,
    first_batch,
    most_decisions,
)
from bandits_dp.arms.elimination import ArmElimination
from bandits_dp.arms.fast import play_arms  # noqa: F401 - registers a fast path
from bandits_dp.arms.fast_ucb import play_ucb  # noqa: F401
from bandits_dp.arms.kl_ucb import KLUCB, most_batches
from bandits_dp.arms.kl_widths import ChernoffBound
from bandits_dp.arms.running_widths import (
    ExactWidth,
    GaussianWidth,
    PublishedWidth,
    RunningWidth,
    TreeWidth,
)
from bandits_dp.arms.ucb import UCB
from bandits_dp.arms.widths import ArmWidth, ChernoffWidth, PaperWidth
from bandits_dp.continual import Counter, TreeCounter
from bandits_dp.options import COUNTERS, FIDELITY, HONEST, STRICT, Given, Option, System
from bandits_dp.privatizers import Privatizer

SIZES = (int, "doubling", Batches)
Noise = Callable[[Given, Any], Callable[[int], Privatizer]]


def _app(given: Given, options: Any, privatizer: Callable[[int], Privatizer], schedule: Batches,
         width: ArmWidth) -> SumsApp:
    """Return the app of arm elimination with a privatizer, a schedule and a width."""
    arms = given.problem.arms
    first_batch(given.horizon, schedule, arms)
    fidelity = getattr(options, "fidelity", "aggregate")
    return SumsApp(ArmElimination(arms, schedule, width), privatizer, arms, given.horizon,
                   fidelity=fidelity)


def _ae(noise: Noise, usual: Any, given: Given, options: Any) -> SumsApp:
    """Return the app of arm elimination; ``usual`` is the default batch size, or returns it."""
    T, privatizer, size = given.horizon, noise(given, options), getattr(options, "batch_size", None)
    if size is None:
        size = usual(privatizer) if callable(usual) else usual
    width = (ChernoffWidth(T, most_decisions(T, size)) if given.calibration == "certified"
             else PaperWidth(T))
    return _app(given, options, privatizer, batches(size), width)


def _variance(privatizer: Callable[[int], Privatizer]) -> int:
    """Return the noise's variance, rounded up, as batch size; one user's noise bits are fair."""
    return math.ceil(privatizer(1).noise_std ** 2)


def _few(privatizer: Any) -> int | str:
    """Return "doubling" for Laplace noise, which needs a look after every phase, else 1."""
    return "doubling" if privatizer.func is privatizers.LocalLaplace else 1


def _kl_ucb(noise: Noise, given: Given, options: Any) -> SumsApp:
    """Return the app of KL-UCB; first batches have ceil(noise_std) users, at most T / arms."""
    arms, T, privatizer = given.problem.arms, given.horizon, noise(given, options)
    first = max(1, min(T // arms, math.ceil(privatizer(1).noise_std)))
    learner = KLUCB(arms, ChernoffBound(T, most_batches(T, first)), first)
    return SumsApp(learner, privatizer, arms, T, fidelity=getattr(options, "fidelity", "aggregate"))


def _exact(given: Given, options: Any) -> Callable[[int], Privatizer]:
    return privatizers.Identity


def _local(given: Given, options: Any) -> partial[Any]:
    """Return the noise of each user; by default randomized response for bits, else Laplace."""
    domain, privacy = given.problem.domain, given.privacy(options) | {"delta": given.delta or 0.0}
    noise = getattr(options, "noise", None) or ("randomized-response" if domain.whole
                                                else "laplace")
    if noise == "laplace":
        return partial(privatizers.LocalLaplace, domain=domain, **privacy)
    if not domain.whole:
        raise ValueError(f"noise must be 'laplace' for rewards in {domain}, got "
                         "'randomized-response', which takes bits")
    return partial(privatizers.RandomizedResponse, **privacy)


def _central(given: Given, options: Any) -> Callable[[int], Privatizer]:
    """Return the sum with Laplace noise at a trusted server."""
    privacy = given.privacy(options) | {"delta": given.delta or 0.0, "domain": given.problem.domain}
    return partial(privatizers.CentralLaplace, **privacy)


def _shuffled(given: Given, options: Any) -> Callable[[int], Privatizer]:
    """Return the shuffled private sum of bits or of numbers."""
    privacy, domain = given.privacy(options, "honest_fraction", "strict"), given.problem.domain
    return (partial(privatizers.BinarySum, **privacy) if domain.whole
            else partial(privatizers.ScalarSum, domain=domain, **privacy))


def _aggregated(given: Given, options: Any) -> Callable[[int], Privatizer]:
    """Return the noisy sum that leaves secure aggregation."""
    skellam = options.noise == "skellam"
    privacy = (given.privacy(options, "honest_fraction")
               | {"delta": _checks.delta(given.delta) if skellam else given.delta or 0.0})
    return partial(privatizers.SkellamSum if skellam else privatizers.DiscreteLaplaceSum,
                   domain=given.problem.domain, **privacy)


def _dist_dp_ae(given: Given, options: Any) -> SumsApp:
    if given.calibration != "theorem":
        return _ae(_aggregated, "doubling", given, options)
    privatizer, noise, size = _aggregated(given, options), options.noise, options.batch_size
    if (noise, size) != ("discrete-laplace", "doubling"):
        raise ValueError(f"calibration must be 'certified' for noise={noise!r} and "
                         f"batch_size={size!r}, got 'theorem': a width is published for discrete "
                         "Laplace noise and doubling batches")
    plan = PublishedDoubling(given.horizon, given.epsilon)
    return _app(given, options, privatizer, plan, plan)


def _dp_se(given: Given, options: Any) -> SumsApp:
    privatizer = _central(given, options)
    if given.calibration == "theorem":
        plan = PublishedEpochs(given.horizon, given.epsilon)
        return _app(given, options, privatizer, plan, plan)
    width = ChernoffWidth(given.horizon, GapBatches.most_phases(given.horizon))
    return _app(given, options, privatizer, GapBatches(width, privatizer(1)), width)


def _ucb1(given: Given, options: Any) -> RunningApp:
    arms, exact = given.problem.arms, privatizers.Identity(1)
    return RunningApp(UCB(arms, ExactWidth()), FreshBatches(exact), arms, given.horizon,
                      exact.guarantee)


def _dp_ucb(given: Given, options: Any) -> RunningApp:
    _checks.delta(given.delta or 0.0, zero=True)  # trees of Laplace noise need none
    arms, T, epsilon = given.problem.arms, given.horizon, _checks.epsilon(given.epsilon)
    kind, noise = COUNTERS[options.counter], options.noise
    if given.calibration == "theorem":
        if (options.counter, noise) != ("tree", "laplace"):
            raise ValueError(f"calibration must be 'certified' for counter={options.counter!r} and "
                             f"noise={noise!r}, got 'theorem': a width is published for trees of "
                             "Laplace noise")
        counter: Counter = TreeCounter(T, epsilon / arms, 0.0, given.problem.domain, "theorem",
                                       noise="laplace")
        reason = (f"{arms} trees of epsilon / {arms} each, basic composition as we remember Mishra "
                  "& Thakurta 2015, although a reward enters one tree only")
        guarantee = replace(counter.guarantee, epsilon=epsilon, reason=reason)
        return RunningApp(UCB(arms, PublishedWidth(arms, T, epsilon)), CountedBatches(counter),
                          arms, T, guarantee)
    if noise == "gaussian":
        given.full_batches(1)  # one width per number of rewards is kept
        counter = kind(T, epsilon, _checks.delta(given.delta), given.problem.domain)
        width: RunningWidth = GaussianWidth(counter)
    elif options.counter == "tree":
        counter = tree = TreeCounter(T, epsilon, 0.0, given.problem.domain, noise="laplace")
        width = TreeWidth(tree)
    else:
        raise ValueError(f"noise must be 'gaussian' for counter={options.counter!r}, got 'laplace'")
    guarantee = replace(counter.guarantee, reason=f"{counter.guarantee.reason}; a reward enters "
                                                  "the counter of one arm only")
    return RunningApp(UCB(arms, width), CountedBatches(counter), arms, T, guarantee)


SYSTEMS = (
    System("UCB1", "auer2002", "arms", "none", "no privacy", _ucb1),
    System("KL-UCB", "garivier2011", "arms", "none", "no privacy", partial(_kl_ucb, _exact)),
    System("AE", "evendar2006", "arms", "none", "no privacy", partial(_ae, _exact, 1),
           (Option("batch_size", 1, SIZES,
                   "users per arm and phase; doubling is 2^t in phase t"),)),
    System("LDP-KLUCB", "ren2020", "arms", "local", "one reward", partial(_kl_ucb, _local),
           (FIDELITY,), ours=True),
    System("LDP-AE", "ren2020", "arms", "local", "one reward", partial(_ae, _local, _few),
           (FIDELITY,
            Option("batch_size", None, (None, *SIZES),
                   "None is 1 for bits, doubling under Laplace noise"),
            Option("noise", None, (None, "randomized-response", "laplace"),
                   "None: randomized response for bits, else Laplace noise")), ours=True),
    System("SDP-KLUCB", "tenenbaum2021", "arms", "shuffle", "one reward",
           partial(_kl_ucb, _shuffled), (FIDELITY, HONEST, STRICT), ours=True),
    System("SDP-AE", "tenenbaum2021", "arms", "shuffle", "one reward",
           partial(_ae, _shuffled, _variance),
           (FIDELITY, HONEST, STRICT,
            Option("batch_size", None, (None, *SIZES),
                   "None is the variance of the noise (Corollary 3.2)"))),
    System("VB-SDP-AE", "tenenbaum2021", "arms", "shuffle", "one reward",
           partial(_ae, _shuffled, "doubling"), (FIDELITY, HONEST, STRICT)),
    System("DP-KLUCB", "azize2025", "arms", "central", "one reward", partial(_kl_ucb, _central),
           (FIDELITY,), pure=True),
    System("DP-SE", "sajed2019", "arms", "central", "one reward", _dp_se, (FIDELITY,), pure=True),
    System("DP-UCB", "mishra2015", "arms", "central", "one reward", _dp_ucb,
           (Option("counter", "tree", ("tree", "factorization"), "the latter with Gaussian noise"),
            Option("noise", "laplace", ("laplace", "gaussian"),
                   "Laplace noise is pure, Gaussian noise needs delta")), pure=True),
    System("Dist-DP-AE", "chowdhury2023", "arms", "central",
           "one reward, of which only a noisy sum leaves secure aggregation", _dist_dp_ae,
           (FIDELITY, Option("batch_size", "doubling", SIZES),
            Option("noise", "discrete-laplace", ("discrete-laplace", "skellam")), HONEST),
           pure=True),
)
