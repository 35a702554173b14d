"""The status of a served learner for a monitoring page: counts and guarantees, no answers."""

from __future__ import annotations

from dataclasses import dataclass

from bandits_dp.guarantee import Guarantee, upper


@dataclass(frozen=True, repr=False)
class Status:
    """What ``learner.status()`` returns.

    Parameters
    ----------
    name : str
        The learner.
    answers, horizon : int
        Rounds that were answered so far, and how many there are at most; None if unknown.
    users : int
        Different users who gave their ids and were shown something that counts.
    waiting : int
        Users with open tickets.
    missed : int
        Users whose tickets expired before an answer came.
    guarantee : Guarantee
        What is promised to each user.

    Examples
    --------
    >>> import bandits_dp as bdp
    >>> from bandits_dp.serve import Served
    >>> problem = bdp.problems.BernoulliArms([0.9, 0.8])
    >>> app = bdp.make("SDP-AE", problem, horizon=1000, epsilon=1.0, delta=1e-3, batch_size=50)
    >>> learner = Served(app)
    >>> learner.update(learner.act(user="Ada"), 1)
    >>> ticket = learner.act(user="Grace")
    >>> learner.status()
    SDP-AE: 1 of 1,000 answers, 1 waiting, 0 missed, 2 users known by id
    epsilon 1 and delta 0.001 for each user: one reward in {0, 1}, shuffle model
    >>> learner.status().epsilon
    1.0
    """

    name: str
    answers: int
    horizon: int | None
    users: int
    waiting: int
    missed: int
    guarantee: Guarantee

    @property
    def epsilon(self) -> float:
        """What each user loses at most; infinite if nothing is promised."""
        return self.guarantee.epsilon

    @property
    def delta(self) -> float:
        """The probability that a user loses more; 1 if nothing is promised."""
        return self.guarantee.delta

    def __repr__(self) -> str:
        """Return two lines."""
        answers = (f"{self.answers:,}" if self.horizon is None
                   else f"{self.answers:,} of {self.horizon:,}")
        promise = (f"epsilon {upper(self.epsilon)} and delta {upper(self.delta)} for each user: "
                   f"{self.guarantee.unit}, {self.guarantee.model} model" if self.guarantee.proved
                   else "no guarantee")
        people = (f"{self.waiting:,} waiting, {self.missed:,} missed, {self.users:,} users known "
                  "by id")
        return f"{self.name}: {answers} answers, {people}\n{promise}"
