r"""A museum of broken mechanisms: each claims a privacy that it does not have, and each could pass a code review.

Every piece comes with its claim, two neighbouring inputs that give it away, the number of runs after which
:func:`bandits_dp.audit.audit` catches it without a hint, and a mended twin that differs as little as possible and passes::

    piece = museum.exhibits()[0]
    print(piece.story)
    print(bdp.audit(piece.broken, piece.a, piece.b, piece.epsilon, piece.delta, piece.runs, rng=np.random.default_rng(0)))

Inputs are one user's number (or vector) per row, if a story does not say otherwise, and neighbours differ in one row. The code is
self-contained on purpose: what is wrong with it is the exhibit.
"""

import inspect
import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial

import numpy as np
from numpy.typing import NDArray

from bandits_dp.accounting import classical_gaussian_noise_std, gaussian_noise_std
from bandits_dp.audit.audit import Vectorized

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Exhibit:
    """A broken mechanism, its claim, and its mended twin.

    Parameters
    ----------
    name, story, fix : str
        What to call it; what the author believed, and what is wrong; what the mended twin does instead.
    epsilon, delta : float
        The claim.
    broken, mended : Vectorized
        Mechanisms for :func:`bandits_dp.audit.audit`; both make the claim, and only ``mended`` keeps it.
    a, b : ndarray
        Neighbouring inputs that tell them apart.
    runs : int
        Trials that suffice to catch the broken one at confidence 0.99.

    Examples
    --------
    >>> from bandits_book import museum
    >>> piece = museum.exhibits()[0]
    >>> piece.name, piece.fix
    ('half the noise', 'Sensitivity 2, the distance from -1 to 1.')
    """

    name: str
    story: str
    fix: str
    epsilon: float
    delta: float
    broken: Vectorized
    mended: Vectorized
    a: Array
    b: Array
    runs: int


def half_the_noise(data: Array, rng: np.random.Generator, runs: int, sensitivity: float) -> Array:
    """Sum ratings from -1 to 1, with Gaussian noise.

    The author reasoned that no rating exceeds 1 in size, so that one user moves the sum by at most 1. That is true when a user
    joins. The promise was made for replacing a user, whose rating may go from -1 to 1 and moves the sum by 2: the noise is half of
    what it should be.
    """
    return data.sum() + rng.normal(0, gaussian_noise_std(1, 1e-3, sensitivity), runs)


def reused_noise(data: Array, rng: np.random.Generator, runs: int, draws: int) -> Array:
    """Publish clicks on the old and on the new page, two disjoint groups of users, one column each.

    Who sees which page is public, whether they click is not. The author knew that disjoint groups compose in parallel, and drew the
    noise once, before the loop over the groups. Each sum alone is private. Their difference carries no noise at all.
    """
    return data.sum(axis=0) + rng.normal(0, gaussian_noise_std(1, 1e-3, 1.0), (runs, draws))


def one_coordinate_at_a_time(data: Array, rng: np.random.Generator, runs: int, sensitivity: float) -> Array:
    """Release the sum of vectors in [0, 1]^16, with noise on every coordinate.

    The author checked that no coordinate moves by more than 1 and set the sensitivity to 1. But one user moves all coordinates at
    once, by sqrt(16) = 4 in Euclidean norm, which is what Gaussian noise has to cover.
    """
    return data.sum(axis=0) + rng.normal(0, gaussian_noise_std(1, 1e-3, sensitivity), (runs, data.shape[1]))


def unclipped(data: Array, rng: np.random.Generator, runs: int, high: float) -> Array:
    """Sum watching times, in hours, that "are at most 1 by design".

    The author trusted the player, which stops after an hour, and left the clipping out. One user's clock ran for five hours. The
    noise hides one hour, so it does not hide this user.
    """
    return np.clip(data, 0, high).sum() + rng.laplace(0, 1.0, runs)


def _tree(data: Array, rng: np.random.Generator, runs: int, noise: Callable[[int, int], Array]) -> Array:
    """All prefix sums of T = 2^h numbers by dyadic nodes, shape (runs, T); ``noise(level, t)`` is that of the node ending at t."""
    released = np.zeros((runs, len(data)))
    for t in range(1, len(data) + 1):
        end = t
        while end:  # the nodes of t: one per binary digit
            level = (end & -end).bit_length() - 1
            released[:, t - 1] += data[end - 2**level : end].sum() + noise(level, end)
            end -= 2**level
    return released


def _tree_std(rounds: int) -> float:
    """Noise per node: a user is in one node per level, log2(T) + 1 in all (Dwork et al. 2010; Gaussian composition is exact)."""
    return gaussian_noise_std(1, 1e-3, math.sqrt(math.log2(rounds) + 1))


def bare_leaves(data: Array, rng: np.random.Generator, runs: int, first_level: int) -> Array:
    """Count clicks continually with a binary tree; row t is the t-th user's click.

    The author drew a node's noise where two children are merged into their parent, the only place where nodes are made. Leaves are
    not made by merging. So the first count is exact, and every odd count adds the newest click as it is.
    """
    std = _tree_std(len(data))
    nodes: dict[tuple[int, int], Array] = {}

    def noise(level: int, end: int) -> Array:
        if (level, end) not in nodes:
            nodes[level, end] = rng.normal(0, std, runs) if level >= first_level else np.zeros(runs)
        return nodes[level, end]

    return _tree(data, rng, runs, noise)


def fresh_tree_noise(data: Array, rng: np.random.Generator, runs: int, keep: bool) -> Array:
    """Count clicks continually with a binary tree, without storing it.

    The author noticed that each count adds up a few nodes only, and drew their noise afresh at every round instead of keeping it
    (Algorithm 1 of Wang, Zhao, Wang 2022 can be read in both ways: see chapter 12). Every single count is as noisy as it should be.
    But an early click is in all later counts, each with its own noise, and their average removes it: the privacy loss grows with
    the rounds, not with their logarithm.
    """
    std = _tree_std(len(data))
    nodes: dict[tuple[int, int], Array] = {}

    def noise(level: int, end: int) -> Array:
        if not keep or (level, end) not in nodes:
            nodes[level, end] = rng.normal(0, std, runs)
        return nodes[level, end]

    return _tree(data, rng, runs, noise)


def unshuffled(data: Array, rng: np.random.Generator, runs: int, shuffle: bool) -> Array:
    """Collect bits by randomized response with a local epsilon of 2, to be shuffled; the output is the list of reports.

    The author relied on a message queue, which "delivers in no particular order". It delivers in the order of sending nearly
    always. Shuffled, the reports of 60 users keep (1, 0.002); unshuffled they keep the local epsilon of 2 and no more.
    """
    lie = 1 / (1 + math.exp(2))
    reports = np.where(rng.random((runs, len(data))) < lie, 1 - data, data)
    return np.asarray(rng.permuted(reports, axis=1)) if shuffle else reports


def fixed_seed(data: Array, rng: np.random.Generator, runs: int, fixed: bool) -> Array:
    """Add Laplace noise to a count, reproducibly.

    The author seeded the generator inside the function, for a test that compares with a stored answer. The noise has the right
    distribution over all seeds. Everyone who reads the code knows this one, and subtracts it.
    """
    if not fixed:
        return data.sum() + rng.laplace(0, 1.0, runs)
    return np.array([data.sum() + np.random.default_rng(2022).laplace(0, 1.0) for _ in range(runs)])


def impossible_counts(data: Array, rng: np.random.Generator, runs: int, clamp: bool) -> Array:
    """Add Laplace noise to a count that cannot be negative or exceed the number of users.

    The author found noisy counts outside this range, which broke a dashboard, and returned the count itself in such cases, "as
    it happens rarely". For small counts it happens half of the time, and an output without a fraction gives the exact count away.
    """
    noisy = data.sum() + rng.laplace(0, 1.0, runs)
    return np.clip(noisy, 0, len(data)) if clamp else np.where((noisy >= 0) & (noisy <= len(data)), noisy, data.sum())


def warm_cache(data: Array, rng: np.random.Generator, runs: int, served: float) -> Array:
    """Add Gaussian noise to a sum, behind a cache.

    The author put the cache before the noise instead of behind it. One request in a thousand hits it and gets the exact sum. That
    is too rare to move a mean, a quantile or a histogram, and far above a delta of a millionth.
    """
    noise = rng.normal(0, gaussian_noise_std(1, 1e-6, 1.0), runs)
    return data.sum() + np.where(rng.random(runs) < served, 0.0, noise)


def textbook_gaussian(data: Array, rng: np.random.Generator, runs: int, std: float) -> Array:
    """Sum with the textbook's Gaussian noise, sqrt(2 ln(1.25 / delta)) / epsilon, at (8, 0.25).

    The formula is in every lecture. Its proof needs epsilon < 1. Here the noise is 0.224 where 0.278 are needed, and the true delta
    is 0.58.
    """
    return data.sum() + rng.normal(0, std, runs)


def sliding_window(data: Array, rng: np.random.Generator, runs: int, memberships: int) -> Array:
    """Publish the mean click rate of the last 16 users after every second user.

    The author calibrated each release to (1, 0.001), and releases of different users compose in parallel. But windows overlap: each
    user is in eight of them. (Bandits with sliding windows or shared batches make this mistake.)
    """
    std = gaussian_noise_std(1, 1e-3, math.sqrt(memberships)) / 16
    means = np.array([data[end - 16 : end].mean() for end in range(16, len(data) + 1, 2)])
    return means + rng.normal(0, std, (runs, len(means)))


def _exhibit(draw: Callable[..., Array], broken: dict[str, float], mended: dict[str, float], fix: str, claim: tuple[float, float],
             a: Array, b: Array, runs: int) -> Exhibit:
    """Put a piece on show: the function's name and text, and what its last parameter is when broken and when mended."""
    name, story = draw.__name__.replace("_", " "), inspect.getdoc(draw) or ""
    return Exhibit(name, story, fix, *claim, Vectorized(partial(draw, **broken)), Vectorized(partial(draw, **mended)), a, b, runs)


def _clicks(users: int) -> tuple[Array, Array]:
    """Nobody clicks, and only the first user does."""
    return np.zeros(users), np.eye(1, users)[0]


@cache
def exhibits() -> tuple[Exhibit, ...]:
    """Return all pieces of the museum.

    Examples
    --------
    >>> import numpy as np
    >>> import bandits_dp as bdp
    >>> from bandits_book import museum
    >>> piece = next(piece for piece in museum.exhibits() if piece.name == "impossible counts")
    >>> for mechanism in (piece.broken, piece.mended):
    ...     result = bdp.audit(mechanism, piece.a, piece.b, piece.epsilon, piece.delta, piece.runs, rng=np.random.default_rng(1))
    ...     print(result.passed)
    False
    True
    """
    return (
        _exhibit(half_the_noise, {"sensitivity": 1.0}, {"sensitivity": 2.0}, "Sensitivity 2, the distance from -1 to 1.",
                 (1, 1e-3), -np.ones(5), np.r_[1.0, -np.ones(4)], 20_000),
        _exhibit(reused_noise, {"draws": 1}, {"draws": 2}, "Draw the noise once per released number.",
                 (1, 1e-3), np.array([[0, 0], [1, 0], [0, 1], [0, 1]]), np.array([[1, 0], [1, 0], [0, 1], [0, 1]]), 1000),
        _exhibit(one_coordinate_at_a_time, {"sensitivity": 1.0}, {"sensitivity": 4.0}, "Sensitivity sqrt(16): the Euclidean norm.",
                 (1, 1e-3), np.zeros((5, 16)), np.vstack([np.ones((1, 16)), np.zeros((4, 16))]), 10_000),
        _exhibit(unclipped, {"high": np.inf}, {"high": 1.0}, "Clip at the server, whatever the client promises.",
                 (1, 0.0), np.array([5.0, 0.5, 0.5]), np.array([0.0, 0.5, 0.5]), 5000),
        _exhibit(bare_leaves, {"first_level": 1}, {"first_level": 0}, "Draw noise for every node, leaves included.",
                 (1, 1e-3), *_clicks(8), 1000),
        _exhibit(fresh_tree_noise, {"keep": False}, {"keep": True}, "Draw the noise of a node once, and keep it.",
                 (1, 1e-3), *_clicks(128), 50_000),
        _exhibit(unshuffled, {"shuffle": False}, {"shuffle": True}, "Permute the reports explicitly, before anybody sees them.",
                 (1, 2e-3), *_clicks(60), 5000),
        _exhibit(fixed_seed, {"fixed": True}, {"fixed": False}, "Pass a generator in; seed it in the test only.",
                 (1, 0.0), *_clicks(5), 1000),
        _exhibit(impossible_counts, {"clamp": False}, {"clamp": True}, "Clamp the noisy count, which is post-processing.",
                 (1, 0.0), *_clicks(5), 1000),
        _exhibit(warm_cache, {"served": 1e-3}, {"served": 0.0}, "Cache what was released, not what is secret.",
                 (1, 1e-6), *_clicks(5), 200_000),
        _exhibit(textbook_gaussian, {"std": classical_gaussian_noise_std(8, 0.25, 1.0, strict=False)},
                 {"std": gaussian_noise_std(8, 0.25, 1.0)}, "Use the exact formula, gaussian_noise_std.",
                 (8, 0.25), *_clicks(5), 10**6),
        _exhibit(sliding_window, {"memberships": 1}, {"memberships": 8}, "Calibrate to all windows that one user is in.",
                 (1, 1e-3), np.zeros(64), np.eye(1, 64, 31)[0], 10_000),
    )
