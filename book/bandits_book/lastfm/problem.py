r"""Artists for the users of Last.fm: a recommender on real listening, set up as in Wang, Zhao, Wang (2022, section 4).

In every round a user comes. The learner is shown K artists by their features (:mod:`bandits_book.lastfm.features`): one
whom the user has listened to, and K - 1 whom she has not. The reward is 1 for the first and 0 for the others, without noise. So a
policy that plays at random is rewarded in 1 of K rounds, and regret counts the rounds without reward.

The paper does not say who comes when. Here it is a user at random, or, with ``returning``, every user once in each of so many
seasons, in a fresh random order in each; then no user is there more often than that, which is what a promise to users needs.
"""

import copy
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from bandits_book.lastfm.data import Listening, load_listening
from bandits_book.lastfm.features import tag_features
from bandits_dp import _checks
from bandits_dp.contextual.pool import different


class LastFM:
    """Recommend one of K artists to users of Last.fm.

    Parameters
    ----------
    dimension : int
        Numbers per artist d, >= 1.
    arms : int
        Candidates per round K, >= 2.
    returning : int, optional
        How often every user comes, >= 1: in the m-th season all come once, in random order. None: whoever comes is drawn anew in
        every round, so that nobody is sure to be there, and nobody's visits are bounded.
    fewest : int, optional
        If the number of candidates varies: it is uniform between this number, >= 2, and ``arms``. Such rounds are played one by
        one.
    source : {"auto", "files", "download", "synthetic"}
        Where the data come from, see :func:`bandits_book.lastfm.data.load_listening`.
    listening : Listening, optional
        Data that are loaded already, or your own; then ``source`` is not looked at.

    Attributes
    ----------
    source : str
        Where the data did come from: ``"files"``, ``"download"``, or ``"synthetic"``, a made-up stand-in.
    pool : ndarray, shape (artists, dimension)
        Features, of norm at most 1.
    explained : float
        Share of the variance of the artists' tags that is left in them.
    reward_range, feature_norm, theta_norm
        (0, 1), 1 and 1.

    Raises
    ------
    ValueError, OSError, ImportError
        If a number is out of range; as :func:`bandits_book.lastfm.data.load_listening`; or scikit-learn is not installed.

    Examples
    --------
    >>> import bandits_dp as bdp
    >>> from bandits_book import lastfm
    >>> problem = lastfm.LastFM(source="synthetic")
    >>> learner = bdp.make("LinUCB-RewardTree", problem, horizon=100, epsilon=2.0, delta=0.1)
    >>> result = bdp.simulate(learner, problem, horizon=100, runs=2, progress=False)
    >>> problem.click_rate(result).shape == result.regret.shape
    True
    """

    setting = "contextual"
    fixed, features = False, None
    reward_range = (0.0, 1.0)
    feature_norm = theta_norm = 1.0

    def __init__(self, dimension: int = 25, arms: int = 25, returning: int | None = None, fewest: int | None = None,
                 source: str = "auto", listening: Listening | None = None) -> None:
        self.dimension = _checks.integer("dimension", dimension)
        self.arms = _checks.integer("arms", arms, low=2)
        self.returning = None if returning is None else _checks.integer("returning", returning)
        self.fewest = self.arms if fewest is None else _checks.integer("fewest", fewest, low=2)
        if self.fewest > self.arms:
            raise ValueError(f"fewest must be at most the {self.arms} arms, got {fewest}")
        self.varying = fewest is not None
        listening = load_listening(source) if listening is None else listening
        self.listening = _checks.one_of("listening", listening, Listening, "what load_listening() returned")
        self.source = self.listening.source
        self.pool, _, self.explained = tag_features(self.listening, self.dimension)
        self._often = np.diff(self.listening.starts)
        if self._often.min() < 1 or self.listening.artists - self._often.max() < self.arms - 1:
            raise ValueError(f"arms must leave every user one artist heard and {self.arms - 1} not heard, of "
                             f"{self.listening.artists} artists, got users with {self._often.min()} to {self._often.max()} heard")
        self._before = np.full((len(self._often), self._often.max()), self.listening.artists)
        for own, first, last in zip(self._before, self.listening.starts, self.listening.starts[1:], strict=False):
            own[: last - first] = self.listening.heard[first:last] - np.arange(last - first)  # how many not heard are before it
        self._coming: NDArray[np.intp] | None = None  # who still comes, if users return

    @property
    def least_eigenvalue(self) -> float:
        r"""Least eigenvalue of :math:`E[x x^\top]` for an artist x drawn at random."""
        return float(np.linalg.eigvalsh(self.pool.T @ self.pool / len(self.pool))[0])

    def draw(self, rng: np.random.Generator) -> Self:
        """Return the problem itself; if users return, a copy in which their order is drawn."""
        if self.returning is None:
            return self
        drawn = copy.copy(self)
        drawn._coming = np.concatenate([rng.permutation(self.listening.users) for _ in range(self.returning)])
        return drawn

    def numbers(self, rng: np.random.Generator, rounds: int) -> NDArray[np.float64]:
        """Draw a row of uniform numbers for each of the next rounds.

        Who comes, how many candidates there are, where and which the one is that she has heard, and the others.
        """
        rows = rng.random((rounds, self.arms + 3))
        if self.returning is not None:
            if self._coming is None:
                raise ValueError("problem must be drawn if users return, got one without their order: call draw(rng) first")
            users = self.listening.users
            if (lacking := rounds - len(self._coming)) > 0:
                raise ValueError(f"horizon must be at most {self.returning * users}, as {users} users come {self.returning} times "
                                 f"each, got {self.returning * users + lacking}")
            rows[:, 0] = (self._coming[:rounds] + 0.5) / users
            self._coming = self._coming[rounds:]
        return rows

    def users(self, numbers: NDArray[np.float64]) -> NDArray[np.intp]:
        """Return who comes in the rounds with these numbers, shape (rounds,): their ids."""
        return (numbers[:, 0] * self.listening.users).astype(np.intp)

    def _shown(self, numbers: NDArray[np.float64]) -> NDArray[np.intp]:
        """Return how many candidates the rounds show."""
        return self.fewest + (numbers[:, 1] * (self.arms - self.fewest + 1)).astype(np.intp)

    def liked(self, numbers: NDArray[np.float64]) -> NDArray[np.intp]:
        """Return which candidate the user has listened to, shape (rounds,)."""
        return (numbers[:, 2] * self._shown(numbers)).astype(np.intp)

    def candidates(self, numbers: NDArray[np.float64]) -> NDArray[np.intp]:
        """Return which artists the rounds show, all different, shape (rounds, arms); if their number varies, the first of them."""
        user = self.users(numbers)
        heard = self.listening.heard[self.listening.starts[user] + (numbers[:, 3] * self._often[user]).astype(np.intp)]
        others = different(numbers[:, 4:], self.listening.artists - self._often[user])  # counted among those she has not heard
        others += (self._before[user][:, None, :] <= others[:, :, None]).sum(axis=2)
        chosen = np.column_stack([heard, others])
        row, place = np.arange(len(numbers)), self.liked(numbers)
        chosen[row, place], chosen[:, 0] = heard, np.where(place == 0, heard, chosen[row, place])
        return chosen

    def contexts(self, numbers: NDArray[np.float64]) -> Any:
        """Return the features of the candidates, shape (rounds, arms, dimension), or a list of arrays if their number varies."""
        return self._cut(self.pool[self.candidates(numbers)], numbers)

    def round_means(self, numbers: NDArray[np.float64]) -> Any:
        """Return the rewards of the candidates: 1 for the one that the user has listened to, and 0; shaped as ``contexts``."""
        return self._cut((np.arange(self.arms) == self.liked(numbers)[:, None]).astype(float), numbers)

    def _cut(self, rows: NDArray[np.float64], numbers: NDArray[np.float64]) -> Any:
        """Return what rows say about the candidates that are shown."""
        return [own[:count] for own, count in zip(rows, self._shown(numbers), strict=True)] if self.varying else rows

    def chances(self, numbers: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return zeros, as no chance is behind a reward, shape (rounds,)."""
        return np.zeros(len(numbers))

    def reward_quantiles(self, means: NDArray[np.float64], chances: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the means, which are the rewards."""
        return np.asarray(means + 0 * chances)

    @property
    def random_click_rate(self) -> float:
        """Share of rounds in which a policy that plays at random is rewarded."""
        return float(np.mean(1 / np.arange(self.fewest, self.arms + 1)))

    def click_rate(self, result: Any) -> NDArray[np.float64]:
        """Return the share of rounds with a reward until each checkpoint of a result, shape (runs, checkpoints).

        Divided by ``random_click_rate`` it is the ratio that Wang, Zhao, Wang (2022) report: the reward over that of random play.
        """
        return np.asarray(1 - result.regret / result.rounds)

    def __repr__(self) -> str:
        """Return the class, the sizes and where the data come from."""
        count = f"{self.fewest} to {self.arms}" if self.varying else f"{self.arms}"
        return f"LastFM(dimension={self.dimension}, arms={count}, returning={self.returning}, source={self.source!r})"
