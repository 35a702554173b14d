"""Live use: whoever stands between a learner and real users."""

from bandits_dp.app.refusals import BudgetSpent as BudgetSpent
from bandits_dp.app.refusals import HorizonReached as HorizonReached
from bandits_dp.app.refusals import InBatch as InBatch
from bandits_dp.app.refusals import TicketExpired as TicketExpired
from bandits_dp.live.status import Status as Status
