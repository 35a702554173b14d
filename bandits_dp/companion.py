"""Gone: what was here is the package ``bandits_book``, of the same wheel."""

raise ModuleNotFoundError("bandits_dp.companion is the package bandits_book now: bandits_dp.companion.plots, for instance, is "
                          "bandits_book.plots", name=__name__)
