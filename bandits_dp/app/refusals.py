"""Errors of refused users and answers, each a ValueError, that a server treats differently."""


class BudgetSpent(ValueError):
    """The user was in all allowed batches: show her something, but learn nothing from it."""


class InBatch(ValueError):
    """The user is in this batch already: ask her again when it is over."""


class HorizonReached(ValueError):
    """All rounds are played: make another learner."""


class TicketExpired(ValueError):
    """The ticket was used already, or its batch was released without it: drop the answer."""
