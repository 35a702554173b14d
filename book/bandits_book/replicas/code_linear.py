"""The instances of the published LinUCB simulation as its code draws them, which is not quite what the paper says."""

import math
from typing import Self

import numpy as np

from bandits_dp.contextual.problems import ContextualLinear


class CodeLinear(ContextualLinear):
    r"""Fixed features of norm :math:`\sqrt 2`, as in the code of Chowdhury & Zhou 2022.

    The paper scales every vector to norm 1. Its code appends 1 to a uniformly random unit vector in d - 1 dimensions, so
    features have norm :math:`\sqrt 2`; the parameter is half such a unit vector with 1/2 appended. The mean reward is so
    :math:`1/2 + \cos / 2` with the angle between the two, as in the paper. Besides, the first d features are not random: d - 1 of
    them are the axes, with 1 appended, and feature number d is the appended 1 alone, whose mean is 1/2.

    Parameters
    ----------
    arms, dimension : int
        Number of arms K, at least the dimension, and numbers per feature vector d, >= 2.

    Examples
    --------
    >>> import numpy as np
    >>> from bandits_book.replicas import CodeLinear
    >>> instance = CodeLinear(arms=5, dimension=3).draw(np.random.default_rng(1))
    >>> np.linalg.norm(instance.features, axis=1).round(2).tolist()  # the third is the appended 1 alone
    [1.41, 1.41, 1.0, 1.41, 1.41]
    """

    feature_norm = math.sqrt(2)
    theta_norm = math.sqrt(0.5)

    def __init__(self, arms: int = 100, dimension: int = 5) -> None:
        super().__init__(arms, dimension)
        if self.arms < self.dimension:
            raise ValueError(f"arms must be at least as many as the dimension, {self.dimension}, got {self.arms}")

    def draw(self, rng: np.random.Generator) -> Self:
        """Return an instance, theta drawn first; an instance returns itself."""
        if self.theta is not None:
            return self
        d = self.dimension
        directions = rng.normal(size=(1 + self.arms, d - 1))
        unit = directions / np.linalg.norm(directions, axis=1, keepdims=True)
        unit[1 : d + 1] = np.eye(d)[:, :-1]
        instance = type(self)(self.arms, d)
        instance.theta = np.append(unit[0], 1.0) / 2
        instance.features = np.column_stack([unit[1:], np.ones(self.arms)])
        return instance

    def __repr__(self) -> str:
        """Return the class and what is known."""
        known = "" if self.theta is None else ", one instance"
        return f"CodeLinear(arms={self.arms}, dimension={self.dimension}{known})"
