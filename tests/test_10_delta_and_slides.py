"""Rows of the ledger on Chowdhury & Zhou 2022 beside chapter 10: how their bounds depend on delta, and what their slides add.

The slides are the authors' own, "Shuffle Private Linear Contextual Bandits", of a seminar at UCLA.
"""

import math
from collections.abc import Callable
from functools import partial

import numpy as np
import pytest

import bandits_dp as bdp
from bandits_dp.accounting import gaussian_noise_std
from bandits_dp.accounting.binomial import binomial_delta
from bandits_dp.contextual.app import ContextsApp
from bandits_dp.contextual.linucb import LinUCB
from bandits_dp.contextual.private_radius import LemmaRadius
from bandits_dp.continual import FactorizationCounter, TreeCounter
from bandits_dp.privatizers import LinearStatistics, LocalGaussian, VectorSum
from bandits_dp.problems import ContextualLinear
from tests.chapters import slope
from tests.fixed_features import play

claim = partial(pytest.mark.claim, "chowdhury2022", chapter="10_private_linucb")
returning = partial(pytest.mark.claim, "chowdhury2022", chapter="11_returning_users")
DELTAS = (0.1, 1e-4, 1e-12)
DOMAIN = LinearStatistics(5)
PROBLEM = ContextualLinear(100, 5, fixed=True)
SMALL = (1e-60, 1e-120, 1e-240)
T = 10**8


def grows(numbers: dict[str, float], word: str, name: str, epsilon: float, size: Callable[[float], float],
          factor: Callable[[float], float], T: int = T, central: bool = False, **options: object) -> float:
    """Compare the root of the printed noise, and regret with it, with a printed factor; return by how much regret grows."""
    def made(delta: float) -> ContextsApp:
        B = math.ceil(size(delta))
        stream = bdp.make(name, PROBLEM, horizon=T, epsilon=epsilon, delta=delta, calibration="certified" if central else "theorem",
                          batch_size=B, **options).stream
        return ContextsApp(LinUCB(5, LemmaRadius(5, B, stream.law(T // B), 0.5, 0.1)), stream, PROBLEM, T)

    def root(delta: float) -> float:
        return math.sqrt(made(delta).stream.law(T // made(delta).batch_size).matrix_std.max())

    power = slope([factor(delta) for delta in SMALL], [root(delta) for delta in SMALL])[0]
    numbers[f"{word}: exponent of the factor in the root of the noise"] = power

    def lost(delta: float) -> float:
        if central:
            return float(bdp.simulate(made(delta), PROBLEM, T, 10, progress=False).mean[-1])
        return float(play(made(delta), PROBLEM, 5)[0].mean())

    growth = {}
    for what, kind in {"the factor": factor, "the root of the noise": root, "regret": lost}.items():
        numbers[f"{word}: {what} at delta = 1e-12 over 0.1"] = growth[what] = kind(1e-12) / kind(0.1)
    assert power == pytest.approx(1, abs=0.05) and 1.1 < growth["regret"] < growth["the root of the noise"]
    return growth["regret"]


def log(ratio: float, power: float) -> float:
    return math.log(ratio) ** power


TOLD = (r" Noise enters regret by its root (Lemma A.4): for $\delta$ from $10^{-60}$ to $10^{-240}$ the root of the printed noise "
        "is proportional to the printed factor. Regret with this noise and with the radius of Lemma A.2, $T=10^8$, fixed arms, "
        r"grows from $\delta=0.1$ to $10^{-12}$, and by less than the root of the noise.")


@claim("Theorems 3.2 and B.1, dependence on δ",
       r"… $\log^{1/4}(B/\delta)\log^{1/4}(2/\delta)$ … $\varepsilon^{1/2}B^{1/4}$ … $d^{3/4}T^{3/4}$ …",
       computed=r"P_Amp, $B=T^{3/5}$, $\varepsilon$ at the end of the range for $\delta=0.1$." + TOLD + " (Theorem 3.2 has "
       r"$\log^{1/2}(B/\delta)$, which is no less.)", outcome="confirmed")
def test_delta_in_theorem_3_2(measured: dict[str, float]) -> None:
    B = T**0.6
    epsilon = 0.99 * math.sqrt(math.log(20) / B)
    grows(measured, "P_Amp", "LinUCB-SDP-Amp", epsilon, lambda delta: B, lambda delta: log(B / delta, 0.25) * log(2 / delta, 0.25))


@claim("Theorems 3.5 and C.1, Remark 3.6, dependence on δ",
       r"the dependence on $\delta$ is now: $\log^{1/2}(d^2/\delta)$ as compared to $\log^{1/2}(T/\delta)$",
       computed=r"P_Vec, $B=T^{3/5}$, $\varepsilon=1$." + TOLD, outcome="confirmed")
def test_delta_in_theorem_3_5(measured: dict[str, float]) -> None:
    grows(measured, "P_Vec", "LinUCB-SDP-Vec", 1.0, lambda delta: T**0.6, lambda delta: log(25 / delta, 0.5))


@claim("Footnote 4, Corollaries B.2 and C.2, dependence on δ",
       r"with a careful choice of B (depending on privacy parameters ε, δ), we can have a better regret dependence on ε, δ",
       computed=r"P_Vec, $\varepsilon=1$, batches of Corollary C.2, $B=d^{-1/5}T^{3/5}\log^{2/5}(d^2/\delta)$ (minus signs "
       "restored)." + TOLD + r" Regret at $\delta=10^{-12}$ over that at 0.1 is smaller than with $B=T^{3/5}$. For P_Amp the "
       r"printed batches of B.2, with $\log^{1/5}(T/\delta)\log^{1/5}(2/\delta)$, are those that make $dB$ and the last term of "
       r"B.1 equal, up to $\log(B/\delta)$ for $\log(T/\delta)$.", outcome="confirmed")
def test_delta_in_utility_targeted(measured: dict[str, float]) -> None:
    def size(delta: float) -> float:
        return 5**-0.2 * T**0.6 * log(25 / delta, 0.4)

    careful = grows(measured, "P_Vec", "LinUCB-SDP-Vec", 1.0, size, lambda delta: log(25 / delta, 0.4))
    fixed = grows({}, "P_Vec", "LinUCB-SDP-Vec", 1.0, lambda delta: T**0.6, lambda delta: log(25 / delta, 0.5))
    measured["P_Vec, B = T^(3/5): regret at delta = 1e-12 over 0.1"] = fixed
    assert careful < 0.97 * fixed
    for delta in DELTAS:  # with B.2's batches: dB, and the last term of B.1
        B, epsilon = 5**-0.2 * T**0.6 * 0.01**-0.4 * log(T / delta, 0.2) * log(2 / delta, 0.2), 0.01
        last = (5 * T) ** 0.75 * epsilon**-0.5 * B**-0.25 * log(T / delta, 0.25) * log(2 / delta, 0.25)
        assert pytest.approx(last) == 5 * B


@claim("Corollaries B.3 and C.3, Proposition F.1, dependence on δ",
       r"achieves regret $Reg(T)=O(d^{3/4}T^{3/4}\varepsilon_0^{-1/2}\log^{1/4}(1/\delta_0))$",
       computed=r"Gaussian noise on each phone, $\varepsilon_0=1$, $B=d^{-1/4}T^{3/4}\log^{1/4}(1/\delta_0)$ (minus signs "
       r"restored); and bits as in Corollary C.3, whose factor is $\log^{1/2}(d^2/\delta_0)$, also in "
       "B." + TOLD + r" (At $\delta_0=1$ the factor is 0 and the printed noise is not; there nothing is promised, and none is "
       "needed.)", outcome="confirmed")
def test_delta_in_privacy_targeted(measured: dict[str, float]) -> None:
    grows(measured, "Gaussian", "LinUCB-Batched-LDP", 1.0, lambda delta: 5**-0.25 * T**0.75 * log(1 / delta, 0.25),
          lambda delta: log(1 / delta, 0.25))
    stds = [VectorSum(1, 1.0, delta, DOMAIN, "theorem").noise_std for delta in SMALL]  # one user's noise is enough
    power = slope([log(25 / delta, 0.5) for delta in SMALL], np.sqrt(stds))[0]
    measured["bits: exponent of the factor in the root of the noise"] = power
    assert power == pytest.approx(1, abs=0.05)


@returning("Theorems 4.2, E.3 and E.5, dependence on δ",
           r"$\ldots d^{3/4}\log^{1/4}(T/\delta)\log^{1/2}(2/\delta)\ldots$",
           computed=r"Returning users, $B=T^{2/3}$: P_Amp at the end of the range for $\delta=0.1$, and P_Vec at $\varepsilon=1$ "
           "with its factor "
           r"$\log^{3/4}(d^2M/\delta)$." + TOLD.replace("10^8", "10^{10}") + r" (Theorem 4.2 (i) has $\log^{3/4}(T/\delta)$, "
           r"which is no less than E.3's.) Corollaries E.4 and E.6 put $\log^{1/2}(T/\delta)$ and $\log^{1/2}(d^2T/\delta)$ into "
           "B and into the bound, which is $dB$.",
           outcome="confirmed")
def test_delta_for_returning_users(measured: dict[str, float]) -> None:
    T = 10**10
    B = T ** (2 / 3)
    epsilon = 0.99 * 2 / B * math.log(20) * math.sqrt(2 * T)
    grows(measured, "P_Amp", "LinUCB-SDP-Amp",
                             epsilon, lambda delta: B, lambda delta: log(T / delta, 0.25) * log(2 / delta, 0.5), T=T,
          returning_users=True)
    grows(measured, "P_Vec", "LinUCB-SDP-Vec", 1.0, lambda delta: B, lambda delta: log(25 * T / B / delta, 0.75), T=T,
          returning_users=True)


@claim("Section 1, Propositions 4.3, E.7 and F.3, dependence on δ",
       r"Shariff & Sheffet (2018) has shown that the cumulative regret is $\tilde O(\sqrt "
       r"T\frac{(\log(1/\delta))^{1/4}}{\sqrt\varepsilon})$",
       computed=r"Central model, the paper's tree, $B=\sqrt T$, $\varepsilon=1$ (root signs restored, as on the slides), with "
       "certified noise, as none is printed, and $T=20{,}000$. "
       "Otherwise:" + TOLD + " (Of Shariff and Sheffet we know what this paper says.)", outcome="confirmed")
def test_delta_in_the_central_model(measured: dict[str, float]) -> None:
    grows(measured, "tree", "LinUCB-Batched-JDP", 1.0, lambda delta: 20_000**0.5, lambda delta: log(1 / delta, 0.25), T=20_000,
          central=True, counter="tree")


@claim("Slides, central and local model", r"Gaussian noise with variance $\sigma^2=O(\log(1/\delta)/\epsilon^2)$",
       computed=r"Least variance of the exact Gaussian mechanism, sensitivity 1, over $\ln(1/\delta)/\varepsilon^2$, "
       r"$\varepsilon$ from 0.01 to 1 and $\delta$ from $10^{-100}$ to 0.1: never more than 2. (For large $\varepsilon$ the "
       r"paper's section 6 says itself that $\sigma$ falls like $1/\sqrt\varepsilon$ only.)", outcome="confirmed")
def test_gaussian_variance(measured: dict[str, float]) -> None:
    ratios = {(epsilon, delta): gaussian_noise_std(epsilon, delta, 1.0) ** 2 * epsilon**2 / math.log(1 / delta)
              for epsilon in (0.01, 0.1, 1.0) for delta in (*DELTAS, 1e-100)}
    measured["largest ratio"] = max(ratios.values())
    assert max(ratios.values()) < 2


@claim("Slides, scalar sum", r"Let $g\ge\sqrt n,b=\tilde O(g^2/(\epsilon^2n)),p=1/4$ $\ldots$ is $(\epsilon,\delta)$-SDP and z is "
       r"unbiased with variance $\tilde O(1/\epsilon^2)$",
       computed=r"Least b by the exact $\delta$ of the sum of all noise bits, $g=\lceil\sqrt n\rceil$, $\delta=10^{-6}$, n from "
       r"100 to 10,000, $\varepsilon$ = 0.5 and 1: $b\varepsilon^2n/g^2$, and exponents of n and $\varepsilon$ in the variance of "
       "z, rounding included. The example of the slides, $x=0.98$ with $g=10$, becomes 9 or 10.", outcome="confirmed")
def test_scalar_sum_of_the_slides(measured: dict[str, float]) -> None:
    def least_bits(n: int, epsilon: float) -> int:
        """Noise bits per user; all g ones of a user's value may be replaced."""
        g, low, high = math.ceil(math.sqrt(n)), 1, 2000
        while low < high:
            middle = (low + high) // 2
            private = binomial_delta(n * middle, epsilon, g, 0.25) <= 1e-6
            low, high = (low, middle) if private else (middle + 1, high)
        return low

    variance = {}
    for n in (100, 1000, 10_000):
        for epsilon in (0.5, 1.0):
            g, b = math.ceil(math.sqrt(n)), least_bits(n, epsilon)
            variance[n, epsilon] = n * (b * 3 / 16 + 1 / 4) / g**2  # a rounding has variance at most 1/4
            measured[f"b epsilon^2 n / g^2, n = {n}, epsilon = {epsilon}"] = b * epsilon**2 * n / g**2
    bits = list(measured.values())
    measured["exponent of n in the variance"] = slope((100, 1000, 10_000), [variance[n, 1.0] for n in (100, 1000, 10_000)])[0]
    measured["exponent of epsilon in the variance, n = 10,000"] = math.log2(variance[10_000, 1.0] / variance[10_000, 0.5])
    assert max(bits) < 1.5 * min(bits) and abs(measured["exponent of n in the variance"]) < 0.1
    assert -2.05 < measured["exponent of epsilon in the variance, n = 10,000"] < -1.7
    rounded = np.floor(9.8 + np.random.default_rng(0).random(100_000))
    assert set(rounded) == {9.0, 10.0} and abs(rounded.mean() - 9.8) < 5 * 0.4 / math.sqrt(100_000)


@claim("Slides, vector sum", r"is $(\epsilon,\delta)$-SDP and the output of analyzer is unbiased with variance $\tilde "
       r"O(d/\epsilon^2)$",
       computed=r"Variance of the printed noise, summed over the d entries of $\phi y$, B = 20: exponents of d from 2 to 8 and of "
       r"$\varepsilon$, and of d from 2 to 1,000 with the printed logarithm $\ln^2(4(d^2+1)/\delta)$ divided out. (The paper "
       r"speaks of one entry, $O(1/\varepsilon^2)$. That the analyzer is unbiased is in another row.)", outcome="confirmed")
def test_vector_sum_of_the_slides(measured: dict[str, float]) -> None:
    def total(d: int, epsilon: float = 1.0) -> float:
        return d * VectorSum(20, epsilon, 0.1, LinearStatistics(d), "theorem").noise_std ** 2

    sizes = (2, 4, 8)
    measured["exponent of d"] = slope(sizes, list(map(total, sizes)))[0]
    sizes = (2, 30, 1000)
    measured["exponent of d without the logarithm"] = slope(sizes, [total(d) / log(40 * (d**2 + 1), 2) for d in sizes])[0]
    measured["exponent of epsilon"] = slope((0.2, 1.0, 10.0), [total(5, epsilon) for epsilon in (0.2, 1.0, 10.0)])[0]
    assert 1 < measured["exponent of d"] < 2 and measured["exponent of d without the logarithm"] == pytest.approx(1, abs=0.01)
    assert measured["exponent of epsilon"] == pytest.approx(-2, abs=0.01)


@returning("Slides, adaptive batch schedule", r"It relies on the fact that $V_t\succeq V_{\tau_t}$ $\ldots$ However, this does not "
           "necessarily hold due to the added privacy noise! (This problem exists for all three DP models)",
           computed="Random features in batches of 20, T = 20,000, certified noise at $(1,0.1)$ on V: a model is kept until the "
           r"determinant of V has doubled. Share of the batches in between in which $V_t\succeq V_{\tau_t}$ fails, for LDP, P_Vec "
           "and the server's tree and square root; without noise it never does. (How often is our question, and that of these "
           "features.)", outcome="confirmed")
def test_order_of_matrices_fails_in_all_three_models(measured: dict[str, float]) -> None:
    rng, M, d = np.random.default_rng(0), 1000, 5
    row, column = np.triu_indices(d)
    phi = rng.normal(size=(M, 20, d))
    phi /= np.linalg.norm(phi, axis=2, keepdims=True)
    exact = (phi[..., row] * phi[..., column]).sum(axis=1).cumsum(axis=0)
    walk = rng.normal(size=(M, len(row))).cumsum(axis=0)
    noises = {"no noise": 0 * walk, "LDP": LocalGaussian(20, 1.0, 0.1, domain=DOMAIN).noise_std * walk,
              "P_Vec": VectorSum(20, 1.0, 0.1, DOMAIN).noise_std * walk}
    noises |= {word: kind(M, 1.0, 0.1, DOMAIN).noise_path(rng)[:, d:]
               for word, kind in (("tree", TreeCounter), ("square root", FactorizationCounter))}
    for word, noise in noises.items():
        V = np.zeros((M, d, d))
        V[:, row, column] = V[:, column, row] = exact + noise
        V += 2 * math.sqrt(d) * max(1.0, noise.std(axis=1).max()) * np.eye(d)
        kept, failed = V[0], []
        for now in V[1:]:
            failed.append(np.linalg.eigvalsh(now - kept)[0] < -1e-9)
            if np.linalg.slogdet(now)[1] > np.linalg.slogdet(kept)[1] + math.log(2):
                kept = now
        measured[f"share of batches in which the order fails, {word}"] = np.mean(failed)
    free, *private = measured.values()
    assert free == 0 and min(private) > 0.02


@returning("Slides, returning users",
           r"total noise changes from $\sigma^2\approx O(M/\epsilon^2)$ to $\sigma^2\approx O(M^2/\epsilon^2)$ $\ldots$ from "
           r"$\sigma^2\approx O(\log T/\epsilon^2)$ to $\sigma^2\approx O(M_0^2\log T/\epsilon^2)$",
           computed="Certified noise at $(1,0.1)$: exponents of M in the variance of all P_Vec noise together, for unique users "
           "and for users in all M batches; and of $M_0$ in the variance of the tree's sums, T = 20,000, $M_0$ from 1 to 64, "
           "which is no larger than 2.", outcome="confirmed")
def test_total_noise_for_returning_users(measured: dict[str, float]) -> None:
    counts = (10, 100, 1000)
    for word, options in (("unique", {}), ("returning", {"returning_users": True})):
        learners = [bdp.make("LinUCB-SDP-Vec", PROBLEM, horizon=20 * M, epsilon=1.0, delta=0.1, batch_size=20, **options)
                    for M in counts]
        stds = [learner.stream.law(M).matrix_std[-1] for learner, M in zip(learners, counts, strict=True)]
        measured[f"exponent of M, {word} users"] = slope(counts, np.square(stds))[0]
    rounds = (1, 8, 64)
    stds = [TreeCounter(20_000, 1.0, 0.1, DOMAIN, appearances=M0).error_std(20_000) for M0 in rounds]
    measured["exponent of M0, tree"] = slope(rounds, np.square(stds))[0]
    unique, back, central = measured.values()
    assert unique == pytest.approx(1, abs=0.01) and back == pytest.approx(2, abs=0.02) and 1 < central <= 2
