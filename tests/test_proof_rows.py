"""Rows of the ledger on smaller sentences of the papers and the slides: facts they cite, steps of proofs, reasons they give."""

import itertools
import math
from collections.abc import Callable
from functools import partial

import numpy as np
import pytest
from scipy.linalg import eigvalsh
from scipy.stats import binom, norm

import bandits_dp as bdp
from bandits_dp.accounting import gaussian_noise_std
from bandits_dp.accounting.dynamic import parameter_shifts
from bandits_dp.arms.widths import PaperWidth
from bandits_dp.learners import PhasedElimination
from bandits_dp.linear.designs import g_optimal_design, support_bound
from bandits_dp.privatizers import BinarySum, Box, Identity, VectorSum
from tests.chapters import leverages, power
from tests.small_problems import elimination, sphere
from tests.test_07_arm_elimination import DOUBLING, T, one_good_arm, parameter, prices, regret, two_arms

tenenbaum = partial(pytest.mark.claim, "tenenbaum2021", chapter="07_arm_elimination")
linear = partial(pytest.mark.claim, "li2022", chapter="08_phased_elimination")
clients = partial(pytest.mark.claim, "li2022", chapter="09_distributed_feedback")
contextual = partial(pytest.mark.claim, "chowdhury2022", chapter="11_returning_users")
wang = partial(pytest.mark.claim, "wang2022", chapter="12_dynamic_sensitivity")

# ---- Tenenbaum, Kaplan, Mansour, Stemmer 2021
@tenenbaum("Definition 1, sums and bounded variables", r"It is well known that if $X_i \sim SG(\sigma_i^2)$ are independent random "
           r"variables for $i = 1, \ldots, n$, then $\sum_{i=1}^n X_n \sim SG(\sum_{i=1}^n \sigma_i^2)$ and for any $a, b > 0, a "
           r"\cdot X_1 + b \sim SG(a^2 \cdot \sigma_1^2)$. A bounded random variable $X \in [a, b]$ is $SG((b-a)^2/4)$.",
           computed="The parameter of Definition 1, over what is stated, for laws on the two ends of an interval, which are the "
           "worst for their mean, as exponentials are convex: one such variable, three times one and a shift, and a sum of ten "
           "with lengths 1 to 10. None is above 1, and a fair coin has 1.", outcome="confirmed")
def test_bounded_rewards_are_sub_gaussian(measured: dict[str, float]) -> None:
    s = np.geomspace(1e-2, 50, 2000)

    def coin(p: float, length: float) -> np.ndarray:
        return np.logaddexp(np.log1p(-p) - s * p * length, math.log(p) + s * (1 - p) * length)

    chances = (0.5, 0.3, 0.1, 0.01, 1e-4)
    found = {"one": [parameter(coin(p, 1.0), s) * 4 for p in chances],
             "three times one, and a shift": [parameter(coin(p, 3.0), s) * 4 / 9 for p in chances],
             "sum of ten": [parameter(sum(coin(p, float(a)) for a in range(1, 11)), s) * 4 / 385 for p in chances]}
    for name, ratios in found.items():
        measured[f"largest parameter over the stated one, {name}"] = max(ratios)
        assert 0.99 < max(ratios) <= 1 + 1e-9 and ratios[-1] < 0.5


@tenenbaum("Definition 1, tails",
           r"An equivalent definition shows that if $\forall t > 0, \max\left(P(X - \mu \ge t), P(X - \mu \le -t)\right) \le "
           r"\exp\left(\frac{-t^2}{2\sigma^2}\right)$, then X is sub-Gaussian with variance $\sigma^2$ (up to constant factor).",
           computed="The constant: the parameter of the symmetric law whose two tails are as heavy as allowed, and an upper bound "
           r"for every law, from $\mathbb E\,e^{sX}\le1+\int_0^\infty2s\sinh(st)e^{-t^2/2}dt$ for mean zero.", outcome="confirmed")
def test_tails_as_a_definition(measured: dict[str, float]) -> None:
    s, t = np.geomspace(0.05, 8, 60), np.linspace(0, 40, 40_001)
    heavy = np.minimum(1.0, 2 * np.exp(-(t**2) / 2))
    needed = parameter(np.array([np.log1p(np.trapezoid(a * np.sinh(a * t) * heavy, t)) for a in s]), s)
    enough = parameter(np.array([np.log1p(np.trapezoid(2 * a * np.sinh(a * t) * np.exp(-(t**2) / 2), t)) for a in s]), s)
    measured["constant factor that is needed"], measured["and enough"] = needed, enough
    assert needed == pytest.approx(2 * (1 + math.log(2)), rel=0.01) and enough == pytest.approx(4, rel=0.01)


@tenenbaum("Lemma 2.1", r"Let $\{X_i\}_{i=1}^n$ be independent $SG(\sigma^2)$ random variables, then $P\left(\left|\sum_{i=1}^n "
           r"X_i - \mathbb{E}\left[\sum_{i=1}^n X_i\right]\right| \ge t\right) \le 2\exp\left(\frac{-t^2}{2n\sigma^2}\right)$.",
           computed="The exact probability over the bound, fair bits with n from 1 to 10,000, and Gaussian variables, at "
           "deviations where the bound is below 1; and how much larger than the bound's its exponent is, far out.",
           outcome="confirmed")
def test_hoeffding(measured: dict[str, float]) -> None:
    ratios = []
    for n in (1, 10, 100, 10_000):
        t = np.arange(math.floor(math.sqrt(math.log(2) * n / 2)) + 1, n // 2 + 1) - n / 2 % 1
        bound = math.log(2) - 2 * t**2 / n
        ratios += list(np.exp(math.log(2) + binom.logsf(n / 2 + t - 1, n, 0.5) - bound)[bound < 0])
    x = np.linspace(1.2, 40, 400)
    ratios += list(np.exp(norm.logsf(x) + x**2 / 2))
    measured["largest probability over the bound"] = max(ratios)
    measured["the exponent at 40 standard deviations, Gaussian, over the bound's"] = far = float(
        (math.log(2) + norm.logsf(40)) / (math.log(2) - 800))
    assert max(ratios) <= 1 and 1 <= far < 1.01


@tenenbaum("Footnote 8", "We remark that a given user does not know in advance the size of the batch in which it participates, "
           "since this size depends on the algorithm's run.",
           computed="VB-SDP-AE with ten arms, two runs of a million users in which others answer differently (one arm is liked, "
           "or all are): the share of users whose batch has another size; and the same with SDP-AE's equal batches, whose size "
           "is its input.", outcome="confirmed")
def test_sizes_depend_on_the_run(measured: dict[str, float]) -> None:
    def sizes(batch_size: int | str, liked: int) -> np.ndarray:
        live = elimination(10, 10**6, Identity, batch_size, PaperWidth(10**6))
        found: list[int] = []
        while len(found) < 10**6:
            asked = live.learner.ask()
            found += [int(m) for m in asked.plays for _ in range(m)]
            if not asked.decides:
                break
            live.learner.tell(np.where(asked.arms < liked, 1.0, 0.0) * asked.plays, [Identity(int(m)) for m in asked.plays])
        return np.resize(np.array(found), 10**6) if len(found) < 10**6 else np.array(found[: 10**6])

    for word, batch_size in (("doubling", "doubling"), ("equal", 1000)):
        share = float((sizes(batch_size, 1) != sizes(batch_size, 10)).mean())
        measured[f"share of users whose batch has another size, {word} batches"] = share
    doubling, equal = measured.values()
    assert doubling > 0.9 and equal == 0


@tenenbaum("Footnote 15", "However, in our setting, the noise per shuffle batch has to remain constant for privacy, and we do not "
           "have access to the raw data of the users.",
           computed=r"Certified batches of $2^t$ users, t from 1 to 16, at $(0.5,10^{-6})$: most over least noise (standard "
           r"deviation), as few users can only make whole bits; and the exact $\delta$ over the promised one, if the noise of a "
           "batch of 4,096 to 65,536 users is a tenth smaller. No later batch may have less.", outcome="confirmed")
def test_noise_of_a_batch_stays(measured: dict[str, float]) -> None:
    stds = [BinarySum(2**t, 0.5, 1e-6).noise_std for t in range(1, 17)]
    measured["most noise over least"] = max(stds) / min(stds)
    broken = []
    for t in range(12, 17):
        bits = BinarySum(2**t, 0.5, 1e-6).noise_bits
        p = (1 - math.sqrt(1 - 4 * 0.81 * bits.p * (1 - bits.p))) / 2  # the variance of a bit times 0.81
        less = bits._replace(p=p)
        assert less.std(2**t) == pytest.approx(0.9 * bits.std(2**t))
        broken.append(less.delta(2**t, 0.5) / 1e-6)
    measured["least exact delta over the promised one, with a tenth less noise"] = min(broken)
    assert max(stds) < 1.1 * min(stds) and min(broken) > 1.5


def pulls(gap: float, sigma: float, horizon: float, batch: int | None) -> tuple[int, int]:
    """Pulls after the first phase whose width (line 14) is at most gap / 4, and after the phase before it; sigma per batch."""
    def users(t: int) -> int:
        return t * batch if batch else 2 ** (t + 1) - 2

    def wide(t: int) -> bool:
        return (2 * math.sqrt(t) * sigma / users(t) + 1 / math.sqrt(users(t))) * math.sqrt(2 * math.log(horizon)) > gap / 4

    low, high = 0, 1  # the width falls with t
    while wide(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if wide(middle) else (low, middle)
    return users(high), users(low) if low else 0


@tenenbaum("Theorem 3.1, proof sketch: pulls", r"We show that this occurs after at most $O\left(\frac{\log T}{\Delta_a^2} + "
           r"\frac{\sigma_{\varepsilon,\delta}^2 \cdot \log T}{m\Delta_a^2}\right)$ pulls of the arm a …",
           computed=r"'This' is that the width of line 14 is $\Delta/4$: the pulls before the last batch over the printed sum, "
           r"$\Delta$ from 0.02 to 0.8, $\sigma^2/m$ from 0 to 100, T from $10^4$ to $10^{12}$. The largest is near 160, which is "
           r"$32(1+2x)^2/(1+x^2)$ at $x=\sigma/\sqrt m=2$, whatever T is.", outcome="confirmed")
def test_pulls_with_equal_batches(measured: dict[str, float]) -> None:
    largest = {}
    for horizon in (1e4, 1e8, 1e12):
        found = []
        for gap, share in itertools.product((0.02, 0.1, 0.4, 0.8), (0.0, 0.1, 1.0, 4.0, 20.0, 100.0)):
            m = 10
            found.append(pulls(gap, math.sqrt(share * m), horizon, m)[1] * gap**2 / ((1 + share) * math.log(horizon)))
        largest[horizon] = max(found)
    measured["largest over the printed sum"], measured["the same at T = 10,000"] = max(largest.values()), largest[1e4]
    assert 150 < min(largest.values()) <= max(largest.values()) <= 160


@tenenbaum("Theorem 3.3, proof sketch: pulls",
           r"Unlike the proof of Theorem 3.1, since the batch sizes grow as $2^t$ , the additional pulls of the arm a required to "
           r"complete the last batch before elimination, adds only a factor of 2 to the total number of pulls to the arm.",
           computed=r"Pulls after the first phase whose width (line 14) is at most $\Delta/4$, over one more than those after the "
           r"phase before, so over what was needed at least; and over $\log T/\Delta^2+\sigma\log T/\Delta$, of which the sentence "
           r"before says that it is the order. $\Delta$ from 0.02 to 0.8, $\sigma$ from 0 to 1,000, T from $10^6$ to $10^{12}$ and "
           "no smaller than the pulls.", outcome="confirmed")
def test_pulls_with_doubling_batches(measured: dict[str, float]) -> None:
    factors, orders = [], []
    for horizon, gap, sigma in itertools.product((1e6, 1e9, 1e12), np.geomspace(0.02, 0.8, 40), (0.0, 3.0, 30.0, 1000.0)):
        n, before = pulls(gap, sigma, horizon, None)
        if n <= horizon:
            factors.append(n / (before + 1))
            orders.append(n / (math.log(horizon) * (1 / gap**2 + sigma / gap)))
    measured["largest factor"], measured["largest pulls over the order"] = max(factors), max(orders)
    assert max(factors) == 2 and max(orders) < 64


@pytest.mark.claim("chowdhury2022", "Slides, Tenenbaum et al.",
                   r"Guarantee $(\epsilon, \delta)$-SDP with **additive** privacy cost $\frac{K \log T "
                   r"\sqrt{\log(1/\delta)}}{\epsilon}$ … Central $(\epsilon,0)$-DP additive cost $\frac{K \log T}{\epsilon}$; "
                   r"Local $(\epsilon,0)$-DP multiplicative factor $1/\epsilon^2$", chapter="07_arm_elimination",
                   computed=r"What the slides report of Tenenbaum et al. is their Table 1, with the root before $\log T$. Regret "
                   r"of VB-SDP-AE and DP-SE beyond elimination without privacy, ten arms, $T=10^9$, and of LDP-AE over it: "
                   r"exponents of $1/\varepsilon$; and the largest price over the printed ones, for 8 and 32 arms.",
                   outcome="confirmed")
def test_costs_on_the_slides(measured: dict[str, float]) -> None:
    epsilons = np.array([0.02, 0.05, 0.1])
    power(measured, "shuffle: exponent of 1/epsilon", 1 / epsilons, prices("VB-SDP-AE", epsilons), 0.93, 1.07)
    power(measured, "central: exponent of 1/epsilon", 1 / epsilons, prices("DP-SE", epsilons, delta=None), 0.93, 1.07)
    free = regret("AE", one_good_arm(0.2), None, T, **DOUBLING)
    factors = [regret("LDP-AE", one_good_arm(0.2), e, T, **DOUBLING) / free for e in (0.4, 0.2, 0.1)]
    power(measured, "local: exponent of 1/epsilon in the factor", (2.5, 5, 10), factors, 1.9, 2.1)
    arms = np.array([8, 32])
    unit = arms * math.log(T) / 0.05
    measured["shuffle: largest price over the printed one"] = shuffle = max(
        prices("VB-SDP-AE", arms=arms) / (unit * math.sqrt(math.log(1e6))))
    measured["central: largest price over the printed one"] = central = max(prices("DP-SE", arms=arms, delta=None) / unit)
    assert max(shuffle, central) < 10


# ---- Li, Zhou, Ji 2022
@clients("Section 3.2, error of an action", "estimation error associated with the action-related uncertainty for action $x$ is at "
         r"most $\sqrt{2g(\pi)\log(1/\beta)/h}$ with probability $1-\beta$ for any $\beta\in(0,1)$",
         computed=r"Each action of the design played $\lceil h\pi(x)\rceil$ times, h from 30 to 100,000, actions on spheres, d "
         r"from 2 to 20: the variance of an estimate, for rewards of variance 1, over $g(\pi)/h$. With it Chernoff's bound gives "
         "the sentence for one side; for Gaussian rewards, exactly, also for both sides together.", outcome="confirmed")
def test_error_of_an_action(measured: dict[str, float]) -> None:
    ratios = []
    for d, h in itertools.product((2, 5, 20), (30, 1000, 10**5)):
        actions = sphere(200, d)
        design = g_optimal_design(actions)
        plays = np.ceil(h * design.weights)
        ratios.append(leverages(actions, plays).max() * h / design.g)
    beta = np.geomspace(1e-12, 0.999, 200)
    both = 2 * norm.sf(np.sqrt(2 * np.log(1 / beta))) / beta
    measured["largest variance over g / h"], measured["Gaussian, both sides: chance over beta"] = max(ratios), both.max()
    assert 0.95 < max(ratios) <= 1 + 1e-9 and 0.95 < both.max() <= 1


@linear("Section 3.2, Kiefer and Wolfowitz", r"By the Kiefer-Wolfowitz Theorem [KW60], one can find a distribution $\pi^*$ "
        r"minimizing $g(\cdot)$ with $g(\pi^*)=d$, and the support set … has a size no greater than …",
        computed="Designs for 300 actions of a sphere, d from 2 to 6, with g within 0.1% of d, from which actions are taken away "
        "as long as the moment matrix can be kept (Carathéodory): g over d, the largest support over $d(d+1)/2$, and the least g "
        "over d of 2,000 distributions at random.", outcome="confirmed")
def test_kiefer_and_wolfowitz(measured: dict[str, float]) -> None:
    largest, share, least = 0.0, 0.0, math.inf
    for d in range(2, 7):
        actions = sphere(300, d)
        row, column = np.triu_indices(d)
        weights = g_optimal_design(actions, 1.001).weights.copy()
        while (support := np.flatnonzero(weights > 0)).size > len(row):
            moments = actions[support][:, row] * actions[support][:, column]
            move = np.linalg.svd(moments.T)[2][-1]  # keeps every moment
            move = move if move.max() > 0 else -move
            step = (weights[support][move > 0] / move[move > 0]).min()
            weights[support] -= step * move
            weights[weights < 1e-12] = 0.0
        weights /= weights.sum()
        largest = max(largest, leverages(actions, weights).max() / d)
        share = max(share, np.count_nonzero(weights) / len(row))
        rng = np.random.default_rng(d)
        least = min(least, *(leverages(actions, rng.dirichlet(np.full(300, 0.1))).max() / d for _ in range(400)))
    measured["largest g over d"], measured["largest support over d(d+1)/2"] = largest, share
    measured["least g over d of distributions at random"] = least
    assert largest < 1.005 and 0.9 < share <= 1 and least > 1


@clients("Section 4.3, less noise", "… by adding much less random noise, each client can now hide her information in the crowd, "
         "i.e., privacy amplification by shuffling …",
         computed="Variance of the noise of one client's message, certified bits for 25 numbers at $(1,10^{-6})$, over that of "
         "Gaussian noise in the local model with the same promise, for 100 to a million clients.", outcome="confirmed")
def test_less_noise_for_each_client(measured: dict[str, float]) -> None:
    crowds = np.array([10**2, 10**4, 10**6])
    local = gaussian_noise_std(1.0, 1e-6, 2 * 5.0) ** 2
    shares = [VectorSum(int(n), 1.0, 1e-6, Box(25, -1.0, 1.0)).noise_std ** 2 / n / local for n in crowds]
    for n, one in zip(crowds, shares, strict=True):
        measured[f"shuffled over local variance, {n:,} clients"] = one
    power(measured, "exponent of the number of clients", crowds, shares, -1.05, -0.95)
    assert shares[0] < 0.02


@clients("Remark 5.6, the reason", "Essentially, this is because the uncertainty introduced by privacy noise is dominated by the "
         "client-related uncertainty …",
         computed="The private part of an estimate's error over that of the clients, in our set-up of section 7's simulation "
         r"($\sigma=0.1$, d = 20, $(10,0.25)$), certified: its power of the number of clients, in the central, shuffle and local "
         r"model, and the number from which it is below 1. As a statement on orders it is true; with the printed $\sigma_n$ (as we "
         r"read it, $2\sigma_{nc}\sqrt{Sd}$) it needs many more clients.", outcome="confirmed")
def test_privacy_noise_is_dominated(measured: dict[str, float]) -> None:
    actions, crowds = sphere(1000, 20), np.array([10**3, 10**5, 10**7])
    weights = g_optimal_design(actions).weights
    chosen = np.flatnonzero(weights)
    C = actions @ np.linalg.solve((actions[chosen].T * weights[chosen]) @ actions[chosen], actions[chosen].T * weights[chosen])
    reach, s = np.linalg.norm(C, axis=1).max(), len(chosen)
    gaussian = gaussian_noise_std(10.0, 0.25, 2 * math.sqrt(s))
    noise = {"central": [gaussian / n for n in crowds],
             "shuffle": [VectorSum(int(n), 10.0, 0.25, Box(s, -1.0, 1.0)).noise_std / n for n in crowds],
             "local": [gaussian / math.sqrt(n) for n in crowds]}
    for name, bound in (("central", -0.5), ("shuffle", -0.5), ("local", 0.0)):
        over = reach * np.array(noise[name]) / (0.1 / np.sqrt(crowds))
        power(measured, f"{name}: exponent of the number of clients", crowds, over, bound - 0.04, bound + 0.04)
        if bound:
            measured[f"{name}: clients from which it is below 1"] = crowds[-1] * over[-1] ** 2
    printed = 2 * math.sqrt(support_bound(20) * 20) * 2 * math.sqrt(2 * s * math.log(5)) / 10 / 0.1
    measured["central, as printed: clients from which it is below 1"] = printed**2
    assert measured["central: clients from which it is below 1"] < 0.1 * printed**2


@clients("Appendix B.1, what a good event gives", r"If the optimal action $x^*\in D_l$, then $x^*\in D_{l+1}$. … For any $x\in "
         r"D_{l+1}$, we have $\langle\theta^*,x^*-x\rangle\le4W_l$.",
         computed="The package's elimination, with the rule of line 18, told estimates of two actions that are off by W at most: "
         "the largest gap that an action may have and stay, in W, and the largest error of each, in W, up to which the optimal "
         "action stays, whatever its gap is.", outcome="confirmed")
def test_good_events(measured: dict[str, float]) -> None:
    class Constant:
        def margins(self, phase, differences, coefficients):
            return np.full(len(differences), 2 * 0.05)  # 2 W

    def left(best: float, other: float) -> list[int]:
        learner = PhasedElimination(2, 2, 100.0, Constant())
        learner.show(np.eye(2))
        learner.ask()
        learner.tell(np.array([best, other]) * 50, [Identity(50)] * 2)
        return learner.active.tolist()

    def largest(stays: Callable[[float], bool]) -> float:
        low, high = 0.0, 8.0
        for _ in range(12):
            middle = (low + high) / 2
            low, high = (middle, high) if stays(middle) else (low, middle)
        return low

    measured["largest gap that stays, in W"] = stays = largest(lambda g: 1 in left(0.5 - 0.05, 0.5 - 0.05 * g + 0.05))
    measured["largest error with which the best stays, in W"] = error = largest(lambda e: 0 in left(0.5 - 0.05 * e, 0.5 + 0.05 * e))
    assert stays == pytest.approx(4, abs=0.006) and error == pytest.approx(1, abs=0.006)


@clients("Section 8, size of messages", "… they require that both the Gram matrix of actions (of size $O(d^2)$) and reward vectors "
         "(of size $O(d)$) be periodically communicated … Instead, in our algorithm, only private average local reward for the "
         r"chosen actions (of size $O(d\log\log d)$) would be communicated in each phase.",
         computed=r"Length of a client's vector, a thousand actions of spheres, d from 5 to 40: its exponent of d, over $d\log\log "
         "d$, and over $d^2+d$ numbers. (Of Dubey and Pentland we know what this paper says.)", outcome="confirmed")
def test_size_of_messages(measured: dict[str, float]) -> None:
    sizes = np.array([5, 10, 20, 40])
    lengths = np.array([np.count_nonzero(g_optimal_design(sphere(1000, int(d))).weights) for d in sizes])
    power(measured, "exponent of d", sizes, lengths, 0.8, 1.2)
    measured["largest length over d log log d"] = largest = (lengths / (sizes * np.log(np.log(sizes)))).max()
    measured["length over d^2 + d, d = 40"] = lengths[-1] / (40**2 + 40)
    assert largest < 4 and lengths[-1] < 0.1 * (40**2 + 40)


# ---- Chowdhury and Zhou 2022
@contextual("Section 6, determinant trick under its condition",
            r"… if one uses the determinant trick, one can obtain that … if the condition … holds.",
            computed=r"The formula, as Lemma 12 of Abbasi-Yadkori et al. in the proof of Claim A.6 has it: "
            r"$\lVert\phi\rVert_{V_\tau^{-1}}\le\sqrt{\det V_t/\det V_\tau}\,\lVert\phi\rVert_{V_t^{-1}}$ if $V_t\succeq V_\tau$. "
            r"Left side over right side for the worst $\phi$, matrices at random to which 1 to 5 directions are added, d from 2 to "
            "10; one direction reaches 1. (That the condition can fail under noise is another row.)", outcome="confirmed")
def test_determinant_trick_holds(measured: dict[str, float]) -> None:
    rng = np.random.default_rng(0)
    for rank in (1, 5):
        ratios = []
        for d in (2, 5, 10):
            for _ in range(200):
                root = rng.normal(size=(d, d))
                before = root @ root.T + 0.1 * np.eye(d)
                added = rng.normal(size=(d, rank)) * 10 ** rng.uniform(-2, 2)
                values = eigvalsh(before + added @ added.T, before)
                ratios.append(math.sqrt(values[-1] / values.prod()))
        measured[f"largest ratio, {rank} added"] = max(ratios)
        assert max(ratios) <= 1 + 1e-6 and (rank > 1 or max(ratios) > 0.999)


@contextual("Section 6, tails of the noise", "the random noise introduced by these advanced shuffle protocols is (discrete) "
            "Laplace, which at best exhibits sub-exponential tail behavior … In contrast, our current adopted shuffle protocol "
            "from Cheu et al results in random vectors and matrices with Binomial entries, which have sub-Gaussian tails.",
            computed=r"$-\ln P(X\ge t)$ of discrete Laplace noise, $\varepsilon=0.1$, between 20 and 80 standard deviations, and "
            "of the number of ones among $10^9$ bits with $p=1/4$, between 9 and 36: exponents of t, 1 for sub-exponential and 2 "
            "for sub-Gaussian tails.", outcome="confirmed")
def test_tails_of_the_noise(measured: dict[str, float]) -> None:
    q, std = math.exp(-0.1), math.sqrt(2 * math.exp(-0.1)) / (1 - math.exp(-0.1))
    t = np.round(np.array([20, 40, 80]) * std)
    power(measured, "exponent of t, discrete Laplace", t, 0.1 * t + math.log(1 + q), 0.95, 1.05)
    n = 10**9
    t = np.array([9, 18, 36])
    log_tail = [-binom.logsf(math.ceil(n / 4 + x * math.sqrt(n * 3 / 16)) - 1, n, 0.25) for x in t]
    power(measured, "exponent of t, binomial", t, log_tail, 1.9, 2.05)


@pytest.mark.claim("chowdhury2022", "Footnote 1", "In contrast, for MAB, the problem-independent upper bounds in the local and "
                   r"central model are both $\tilde O(\sqrt T)$ (Ren et al., 2020a).", chapter="07_arm_elimination",
                   computed=r"Largest regret over gaps around $\sqrt{k\log T/T}$ (local: over $\varepsilon$), ten arms, "
                   r"$\varepsilon=0.5$, of elimination on randomized response and of DP-SE: exponent of T, from $10^6$ to "
                   "$10^{12}$, after the root of the logarithm. (Our copy has lost the root sign.)", outcome="confirmed")
def test_worst_cases_of_arms(measured: dict[str, float]) -> None:
    horizons = 10 ** np.array([6, 9, 12])
    for word, name, scale, options in (("local", "LDP-AE", 0.5, DOUBLING), ("central", "DP-SE", 1.0, {"delta": None})):
        found = []
        for horizon in map(int, horizons):
            root = math.sqrt(10 * math.log(horizon) / horizon) / scale
            gaps = [min(factor * root, 0.9) for factor in (1, 2, 3, 4, 6)]
            found.append(max(regret(name, two_arms(gap, 9), 0.5, horizon, runs=3, **options) for gap in gaps))
        power(measured, f"{word}: exponent of T", horizons, found / np.sqrt(np.log(horizons)), 0.45, 0.55)


# ---- Wang, Zhao, Wang 2022
@wang("Proof of Theorem 2, last steps", r"The last inequality holds because there are at most $\log t$ terms in the summation, and "
      r"$(\frac{1}{1})^2 + (\frac{1}{3})^2 + \dots$ is upper bounded by 2.",
      computed=r"The series of $1/(2^i-1)^2$; and $\sum_{i\le n}(1+1/(2^i-1))^2$ over $2n+2$, $n=\log_2t$ from 1 to 60 (the "
      "logarithm has base 2, as in Algorithm 1): at most 1, which one term reaches.", outcome="confirmed")
def test_last_steps_of_theorem_2(measured: dict[str, float]) -> None:
    i = np.arange(1, 61)
    terms = 1 / (2.0**i - 1)
    measured["the series"] = series = (terms**2).sum()
    measured["the sum over its bound, at most"] = share = (np.cumsum((1 + terms) ** 2) / (2 * i + 2)).max()
    assert series <= 2 and share == pytest.approx(1)


@wang("Proof of Theorem 3, a maximum", r"by taking the derivative of $\frac{\log^{1.5} t}{\sqrt{t}}$ and find its maximum value at "
      r"$t=e^3$, since it is a concave function. Substitute it back and we get its bound of $\frac{3^{1.5}}{e^{1.5}}$.",
      computed="Natural logarithm: the largest value over the stated one and where it is over $e^3$, on a fine grid from 1 to "
      r"$10^{12}$. (Its logarithm is concave in $\ln t$, which is what makes the only stationary point the maximum.)",
      outcome="confirmed")
def test_the_maximum_of_theorem_3(measured: dict[str, float]) -> None:
    u = np.linspace(1e-3, 12 * math.log(10), 1_000_001)
    value = u**1.5 * np.exp(-u / 2)
    measured["largest value over the stated one"] = top = value.max() / (3 / math.e) ** 1.5
    measured["where it is, over e^3"] = where = math.exp(u[value.argmax()] - 3)
    assert top == pytest.approx(1, rel=1e-6) and where == pytest.approx(1, rel=1e-3)
    assert (np.diff(np.log(value), 2) < 0).all()


@wang("Proof of Theorem 1, sensitivity of a partial sum", r"For partial sum $\sum_{i=i}^j \Delta(\hat{\boldsymbol{\theta}}_i)$ , "
      r"i.e., $\hat{\boldsymbol{\theta}}_j - \hat{\boldsymbol{\theta}}_i$ , its sensitivity is bounded by "
      r"$\hat{\boldsymbol{\theta}}_j - \hat{\boldsymbol{\theta}}'_j$ and further bounded by $\Delta_j$ as discussed in Lemma 1.",
      computed=r"How far one reward moves $\hat\theta_j-\hat\theta_i$, over $\Delta_j$, for the intervals $(i,j]$ of the tree: in "
      r"one dimension, songs $\pm1$, ridge 1, $\Delta_j=2/(j+1)$, up to $j=2^{10}$; and in two, for songs with the least "
      r"eigenvalue $\lambda_0t/16$ at $t=i$, $\lambda_0=1/2$, which then turn to the weak direction, with Lemma 1's "
      r"$\Delta_j=32L/(\lambda_0j)$. (If the reward came before the interval, $\Delta_i\le\frac32\Delta_j$ is a bound in every "
      r"dimension, since the intervals that add up to a round have $i\ge2(j-i)$.)", outcome="open",
      readings=[r"the reward is in the interval, so that $\hat\theta_i$ is the same: then it is as said; this reading survives",
                r"the reward is in the interval or before it, one dimension, songs of one length: never above $\Delta_j$; this "
                "reading survives",
                r"the same for all songs: up to $\frac32\Delta_j$ by that bound, and 1.4 times in the example; with a constant "
                "factor in the noise it is as said, too"])
def test_sensitivity_of_partial_sums(measured: dict[str, float]) -> None:
    T = 2**10
    j = np.arange(1, T + 1)
    i = j & (j - 1)
    inside = before = 0.0
    for record in (0, 1, 5, 100, 511):
        h = np.append(0.0, parameter_shifts(np.ones((T, 1)), 1.0, record, 2.0)[:, 0])
        over = np.abs(h[j] - h[i]) / (2 / (j + 1))
        inside = max(inside, over[(i <= record) & (record < j)].max())
        before = max(before, over[i > record].max())
    measured["one dimension, reward in the interval"], measured["one dimension, reward before it"] = inside, before
    start, length = 2**13, 2**12
    weak = start // 32
    songs = np.repeat(np.eye(2)[[0, 1, 0]], [weak, start - weak, length], axis=0)
    h = parameter_shifts(songs, 1.0, 0, 2.0)
    measured["two dimensions, reward before it"] = two = np.linalg.norm(h[-1] - h[start - 1]) / (32 / (0.5 * len(songs)))
    assert inside == pytest.approx(1) and 0.45 < before <= 0.5 and 1.35 < two <= 1.5


@wang("Proof of Theorem 1, Sherman and Morrison",
      r"We can rewrite the estimated model parameter $\hat{\boldsymbol{\theta}}_t$ as sum statistics using the Sherman–Morrison "
      r"formula …", computed=r"$\hat\theta_t$ plus the three printed increments against $\hat\theta_{t+1}$, 100 rounds of songs at "
      r"random, d = 5: with the minus sign that the formula has, and which $\Delta_{A_t}$ lacks in our copy.", outcome="confirmed")
def test_sherman_and_morrison(measured: dict[str, float]) -> None:
    rng = np.random.default_rng(0)
    A, b, off, plus = np.eye(5), np.zeros(5), 0.0, 0.0
    for _ in range(100):
        x, r = rng.normal(size=5), rng.uniform(-1, 1)
        x /= np.linalg.norm(x)
        inverse = np.linalg.inv(A)
        change = -inverse @ np.outer(x, x) @ inverse / (1 + x @ inverse @ x)
        now, then = inverse @ b, np.linalg.solve(A + np.outer(x, x), b + r * x)
        off = max(off, np.abs(now + change @ b + inverse @ x * r + change @ x * r - then).max())
        plus = max(plus, np.abs(now - change @ b + inverse @ x * r - change @ x * r - then).max())
        A, b = A + np.outer(x, x), b + r * x
    measured["largest error with a plus sign"] = plus
    assert off < 1e-12 and plus > 0.1


@wang("Section 3.3, dependence on δ", r"The dependency of additional regret on δ is $O(\log(1/\delta))$.",
      computed=r"Lemma 1's noise in the simulation, $\varepsilon=2$, $T=20{,}000$, at $\delta$ = 0.1 and less: it has $\delta$ "
      r"only in the round from which the simplified bound is used. That round's exponent of $\ln(1/\delta)$, and the noise of one "
      "interval after it at $10^{-2}$ over that at 0.1. (Both are about the bound and the noise; nothing was played.)",
      outcome="confirmed")
def test_dependence_on_delta(measured: dict[str, float]) -> None:
    problem = bdp.problems.PoolContextual(clip=True)
    deltas, starts, scales = (0.1, 1e-2, 1e-4, 1e-8), [], []
    for delta in deltas:
        learner = bdp.make("LinUCB-DGS", problem, horizon=20_000, epsilon=2.0, delta=delta, calibration="theorem",
                           least_eigenvalue=0.1)
        bound = learner.stream.eta.sensitivity
        starts.append(bound.start)
        scales.append(float(bound(np.array([19_999]))[0]))
    power(measured, "exponent of ln(1/delta) in that round", np.log(1 / np.array(deltas)), starts, 0.95, 1.05)
    measured["noise after it at 1e-2 over 0.1"] = scales[1] / scales[0]
    assert scales[1] == scales[0]
