"""Gone: what stood between learners and users is in ``bandits_dp.app`` and ``bandits_dp.serve``."""

raise ImportError("bandits_dp.live is gone: act and update are of bandits_dp.app, and from bandits_dp.serve come Served, Restarts "
                  "and the errors that a server tells apart, such as BudgetSpent", name=__name__)
