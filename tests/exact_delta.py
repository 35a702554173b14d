"""Oracles for delta that share no code with the package: decimal arithmetic, or exact convolution of single bits.

``ERROR`` is the relative error of each oracle at most, well below the 1e-9 by which a true delta may exceed the claimed one.
"""

from decimal import Decimal, localcontext

DIGITS = 60


def randomized_response(truth: float, epsilon: float) -> Decimal:
    """Delta of one answer of randomized response: q - e^epsilon (1 - q), to 60 digits less the cancelled ones (17 at most)."""
    with localcontext() as context:
        context.prec = DIGITS
        return 1 - (1 - Decimal(truth)) * (1 + Decimal(epsilon).exp())
