"""Why a user is shown nothing, or an answer is not taken: errors that a server treats in different ways; each is a ValueError."""


class BudgetSpent(ValueError):
    """The user was in as many batches as are promised to her: show her something without learning from it."""


class InBatch(ValueError):
    """The user is in this batch already: ask her again when it is over."""


class HorizonReached(ValueError):
    """All rounds are played: make another learner."""


class TicketExpired(ValueError):
    """The ticket was used already, or its batch was released without it: the answer does not count once more."""
