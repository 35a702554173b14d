"""Oracles for delta that share no code with the package: arithmetic in 60 digits, or sums over the law of the noise.

Each says its own error, well below the 1e-9 by which a true delta may exceed the claimed one.
"""

import math
from collections import Counter
from decimal import Decimal, localcontext

import mpmath as mp
import numpy as np
from scipy import fft, optimize

DIGITS = 60


def randomized_response(truth: float, epsilon: float) -> Decimal:
    """Delta of one answer of randomized response: q - e^epsilon (1 - q), to 60 digits less the cancelled ones (17 at most)."""
    with localcontext() as context:
        context.prec = DIGITS
        return 1 - (1 - Decimal(truth)) * (1 + Decimal(epsilon).exp())


def _law(up: np.ndarray, down: np.ndarray) -> np.ndarray:
    """Law on the counts around its mode that are likelier than 1e-60 times the mode, from the ratios of neighbours, outwards.

    The error is 1e-15 for each ratio, of which there are 1e4 at most. What is cut off falls at least geometrically, so it is below
    1e-50 for all that is tested here.
    """
    above, below = np.cumprod(up), np.cumprod(down)
    law = np.concatenate([below[below > 1e-60][::-1], [1.0], above[above > 1e-60]])
    return law / math.fsum(law)


def _ratios(trials: int, p: float, reach: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the ratios of neighbouring probabilities above and below the mode."""
    mode = min(math.floor((trials + 1) * p), trials)
    odds = p / (1 - p)
    up = np.arange(mode, min(trials, mode + reach), dtype=float)
    down = np.arange(mode, max(0, mode - reach), -1, dtype=float)
    return (trials - up) / (up + 1) * odds, down / (trials - down + 1) / odds


def binomial(trials: int, p: float) -> np.ndarray:
    return _law(*_ratios(trials, p, math.ceil(17 * math.sqrt(trials * p * (1 - p)) + 150)))


def binomial_logs(trials: int, p: float) -> np.ndarray:
    """Logarithms of the law, down to exp(-1000): for deltas that are too small for floats."""
    up, down = (np.cumsum(np.log(ratios)) for ratios in _ratios(trials, p, math.ceil(46 * math.sqrt(trials * p * (1 - p)) + 1100)))
    logs = np.concatenate([down[::-1], [0.0], up])
    return logs[logs > -1000] - math.log(math.fsum(np.exp(logs)))


def pairs_logs(number: int, p: float) -> np.ndarray:
    one = binomial_logs(number, p)
    laid = np.full((len(one), 2 * len(one) - 1), -np.inf)
    for i, (row, log_mass) in enumerate(zip(laid, one[::-1], strict=True)):
        row[i : i + len(one)] = one + log_mass
    return np.logaddexp.reduce(laid, axis=0)


def log_divergence(logs: np.ndarray, epsilon: float, shift: int) -> float:
    """Delta of an integer with a noise of such a law that moves up by ``shift``, in the one direction."""
    edge = np.full(shift, -np.inf)
    still, moved = np.concatenate([logs, edge]), np.concatenate([edge, logs])
    more = still > moved + epsilon
    return math.fsum(np.exp(still[more]) * -np.expm1(epsilon + moved[more] - still[more]))


def counted(trials: int, p: float, epsilon: float, shift: int) -> mp.mpf:
    """Delta of a count with so few bits that are one with probability p, in 60 digits."""
    with mp.workdps(DIGITS):
        p, ratio = mp.mpf(p), mp.exp(mp.mpf(epsilon))
        law = [mp.binomial(trials, x) * p**x * (1 - p) ** (trials - x) for x in range(trials + 1)]
        still, moved = law + [mp.mpf(0)] * shift, [mp.mpf(0)] * shift + law
        return max(mp.fsum(max(a - ratio * b, 0) for a, b in zip(*pair, strict=True))
                   for pair in ((still, moved), (moved, still)))


def pairs(number: int, p: float) -> np.ndarray:
    """Law of the noise of so many pairs of bits, one with probability p and one with 1 - p: a binomial number minus another."""
    one = binomial(number, p)
    return np.convolve(one, one[::-1])


def divergence(law: np.ndarray, epsilon: float, shift: int) -> float:
    """Delta of an integer with a symmetric noise of this law that moves by ``shift``: the sum over all outcomes.

    Nothing is negative, so the relative error is that of the law, times the mass of the event over delta: below 1e-11 in the scans.
    """
    still, moved = np.concatenate([law, np.zeros(shift)]), np.concatenate([np.zeros(shift), law])
    still, moved = still[still > 0], moved[still > 0]
    with np.errstate(divide="ignore", over="ignore"):
        loss = np.log(still / moved)
    return math.fsum(still[loss > epsilon] * -np.expm1(epsilon - loss[loss > epsilon]))


def skellam(variance: float) -> np.ndarray:
    """Law of a Poisson number minus another one."""
    mean = variance / 2
    mode, reach = math.floor(mean), math.ceil(17 * math.sqrt(mean) + 150)
    down = np.arange(mode, max(0, mode - reach), -1, dtype=float)
    one = _law(mean / np.arange(mode + 1, mode + reach, dtype=float), down / mean)
    return np.convolve(one, one[::-1])


def skellam_tails(variance: float, epsilon: float, shift: int) -> float:
    """Delta of a count with Skellam noise, from the ratios I_(x+1) / I_x, by their recurrence from far out inwards."""
    reach, ratios = math.ceil(46 * math.sqrt(variance) + 1100) + shift, [0.0]
    for x in range(reach, 0, -1):
        ratios.append(variance / (2 * x + variance * ratios[-1]))
    half = np.cumsum(np.log(ratios[:0:-1]))
    log_law = np.concatenate([half[::-1], [0.0], half])
    log_law -= math.log(math.fsum(np.exp(log_law)))
    return log_divergence(log_law, epsilon, shift)


def answers(releases: int, epsilon: float, total: float) -> mp.mpf:
    """Delta at ``total`` of so many answers of randomized response, each with this epsilon."""
    with mp.workdps(DIGITS + 300):
        q, lie = (1 / (1 + mp.exp(e)) for e in (-mp.mpf(epsilon), mp.mpf(epsilon)))
        p = [mp.binomial(releases, i) * q**i * lie ** (releases - i) for i in range(releases + 1)]
        return mp.fsum(max(a - mp.exp(mp.mpf(total)) * b, 0) for a, b in zip(p, reversed(p), strict=True))


def discrete_laplace(scale: float, epsilon: float, shift: int) -> Decimal:
    """Delta of discrete Laplace noise on an integer that moves by ``shift``: the sum over all integers, in 360 digits.

    Below 0 and above the shift the loss is constant, so two of the terms are geometric series in closed form.
    """
    with localcontext() as context:
        context.prec = DIGITS + 300  # as many as the smallest delta may cancel
        q, ratio = (-1 / Decimal(scale)).exp(), Decimal(epsilon).exp()
        inside = [q**x - ratio * q ** (shift - x) for x in range(1, shift)]
        ends = [(1 - ratio * q**shift) / (1 - q), (q**shift - ratio) / (1 - q)]
        return (1 - q) / (1 + q) * sum((term for term in inside + ends if term > 0), Decimal(0))


def laplace(scale: float, epsilon: float, sensitivity: float) -> Decimal:
    """Delta of Laplace noise on a number, 1 - e^((epsilon - D / b) / 2) (Balle, Barthe, Gaboardi 2018), in 360 digits."""
    with localcontext() as context:
        context.prec = DIGITS + 300
        return 1 - min(Decimal(0), (Decimal(epsilon) - Decimal(sensitivity) / Decimal(scale)) / 2).exp()


def gaussian(noise_std: float, epsilon: float, sensitivity: float = 1.0) -> mp.mpf:
    """Delta of Gaussian noise (Balle & Wang 2018, Theorem 8), to 60 digits, in so many more as may cancel."""
    sizes = math.log10(noise_std) - math.log10(sensitivity), math.log10(epsilon)
    with mp.workdps(DIGITS + 3 * math.ceil(sum(map(abs, sizes)))):
        s, e = mp.mpf(noise_std) / mp.mpf(sensitivity), mp.mpf(epsilon)
        near, far = 1 / (2 * s) - e * s, -1 / (2 * s) - e * s
        return mp.ncdf(near) - mp.exp(e) * mp.ncdf(far) if abs(near) < 1000 else mp.mpf(near > 0)  # but for 1e-200000


def shuffled(users: int, local_epsilon: float, epsilon: float) -> mp.mpf:
    """Delta of so many shuffled messages without a local delta, in 120 digits: the clones of Feldman, McMillan, Talwar 2021.

    Of each number of clones, the best event is that at least so many of them and the user say one thing; the other direction is
    the mirror image.
    """
    with mp.workdps(2 * DIGITS):
        local, ratio, total = mp.mpf(local_epsilon), mp.exp(mp.mpf(epsilon)), mp.mpf(0)
        q, p = 1 / (1 + mp.exp(-local)), mp.exp(-local)
        share = (q - (1 - q) / ratio) / ((2 * q - 1) * (1 + 1 / ratio))
        for clones in range(users):
            x = int(mp.floor((clones + 1) * share)) + 1
            without = sum(math.comb(clones, y) for y in range(x, clones + 1))  # the user, and with her
            gain = (q - ratio * (1 - q)) * (without + math.comb(clones, x - 1)) + (1 - q - ratio * q) * without
            chance = mp.binomial(users - 1, clones) * p**clones * (1 - p) ** (users - 1 - clones)
            total += chance * max(gain, 0) / mp.mpf(2) ** clones
        return total


def shuffled_gaussian(ratio: float, users: int, epsilon: float) -> float:
    """Least delta that clones and Theorem 3.8 prove for so many shuffled Gaussian messages; ``ratio`` is std over distance.

    By Theorem 3.8 a local delta_0 costs (e^epsilon + 1) (1 + e^-epsilon_0 / 2) n delta_0 beside the delta without it.
    """
    def proved(log_local: float) -> float:
        local = math.exp(log_local)
        price = (math.exp(epsilon) + 1) * (1 + math.exp(-local) / 2) * users
        return float(shuffled(users, local, epsilon)) + price * float(gaussian(ratio, local))

    tried = np.linspace(math.log(max(epsilon, 1e-15)), math.log(2 * math.log(users)), 60)
    best = int(np.argmin([proved(log_local) for log_local in tried]))
    around = tried[max(0, best - 1)], tried[min(59, best + 1)]
    return float(optimize.minimize_scalar(proved, bounds=around, method="bounded", options={"xatol": 1e-7}).fun)


def product(law: np.ndarray, epsilon: float, shifts: list[int], grid: float = 1e-3) -> float:
    """Upper bound on delta of a vector of integers, each with a noise of this law, that moves by ``shifts``.

    Every outcome is split into two whose privacy losses are the next points of a grid (Doroshenko et al. 2022): putting the two
    together again gives the coordinate, so the split ones are no more private. Then losses add up by convolution.

    The spectra are at most 1 and wrong by 3e-16 log N each, so by Parseval all cells together are wrong by sqrt(N) times the sum.
    """
    moves, kept, cells, lost = Counter(filter(None, shifts)), law > 1e-16 * law.max(), [], 0.0
    for shift, count in moves.items():
        twins = kept[shift:] & kept[: len(law) - shift]  # outcomes without a twin, or with a rare one, are lost
        mass = law[shift:][twins]
        loss = np.log(mass / law[: len(law) - shift][twins])
        cells.append((count, np.floor(loss / grid).astype(int), loss, mass))
        lost += count * max(0.0, 1 - float(mass.sum()))
    low = sum(count * int(cell.min()) for count, cell, _, _ in cells)
    length = sum(count * (int(np.ptp(cell)) + 1) for count, cell, _, _ in cells) + 1
    size = fft.next_fast_len(length, real=True)
    spectrum = np.ones(size // 2 + 1, dtype=complex)
    for count, cell, loss, mass in cells:
        lower = mass * np.expm1((cell + 1) * grid - loss) / math.expm1(grid)  # keeps both masses, p and p e^-loss
        both = np.concatenate([cell, cell + 1]) - cell.min()
        spectrum *= fft.rfft(np.bincount(both, np.concatenate([lower, mass - lower])), size) ** count
    total = fft.irfft(spectrum, size)[:length]
    rounding = math.sqrt(size) * moves.total() * math.log2(size) * 3e-16
    return lost + rounding + float(total @ -np.expm1(np.minimum(epsilon - (low + np.arange(length)) * grid, 0.0)))
