"""Local Gaussian noise on linear statistics with the constants of the papers on LinUCB."""

import math

from bandits_dp import _checks
from bandits_dp.privatizers.domain import LinearStatistics
from bandits_dp.privatizers.gaussian import UserNoise


class PublishedLocalGaussian(UserNoise):
    r"""Noise of std :math:`4 \sqrt{2 \ln(2.5/\delta)} / \varepsilon` at every user.

    This is Proposition F.1 of Chowdhury & Zhou 2022, for the learner of Zheng et al. 2020. The two
    halves of a user's value, :math:`\phi y` and :math:`\phi \phi^\top`, are treated as two
    classical Gaussian mechanisms of l2-sensitivity 2 (the second one's is only :math:`\sqrt 2`),
    each with half of epsilon and of delta. The classical formula needs epsilon / 2 below 1; the
    paper states the proposition up to epsilon = 1.

    Parameters
    ----------
    users : int
        Batch size n, >= 1.
    epsilon : float
        Privacy parameter, > 0; at most 1 if ``strict``.
    delta : float
        Failure mass, in (0, 1).
    domain : LinearStatistics
        Allowed values of one user.
    strict : bool
        Whether to refuse epsilon > 1, which the proposition does not cover.
    """

    @_checks.checked()
    def __init__(self, users: int, epsilon: float, delta: float, domain: LinearStatistics,
                 strict: bool = True) -> None:
        super().__init__(users, domain)
        each, each_delta = self._each(epsilon, delta, strict)
        gap = ("Proposition F.1 of Chowdhury & Zhou 2022 covers epsilon up to 1 only, and epsilon "
               f"is {each:g}" if each > 1 else "")
        if strict and gap:
            raise ValueError("epsilon must be at most 1 for the theorem calibration of local "
                             f"LinUCB (Chowdhury & Zhou 2022, Proposition F.1), got {each:g}; use "
                             "calibration='certified', or strict=False for an unproved one")
        self.unit_std = 4 * math.sqrt(2 * math.log(2.5 / each_delta)) / each  # Proposition F.1
        self.noise_std = self.unit_std * math.sqrt(self.users)
        self._promise(epsilon, delta, "theorem",
                      "classical Gaussian mechanism on phi y and on phi phi', each with half of "
                      "epsilon and delta (Zheng et al. 2020; Dwork & Roth 2014, Theorem A.1)", gap)
