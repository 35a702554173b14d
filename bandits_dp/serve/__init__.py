"""Serve people with an app: threads, crashes, tokens, late answers, unknown horizons.

:class:`bandits_dp.serve.served.Served` wraps one app, :class:`bandits_dp.serve.restarts.Restarts`
one app after the other, :class:`bandits_dp.serve.counters.ServedCounter` a counter.
Learners and privatizers are not here, and do not depend on it.
"""

from bandits_dp.app.refusals import BudgetSpent as BudgetSpent
from bandits_dp.app.refusals import HorizonReached as HorizonReached
from bandits_dp.app.refusals import InBatch as InBatch
from bandits_dp.app.refusals import TicketExpired as TicketExpired
from bandits_dp.serve import fast as fast
from bandits_dp.serve.counters import ServedCounter as ServedCounter
from bandits_dp.serve.restarts import Restarts as Restarts
from bandits_dp.serve.served import Served as Served
from bandits_dp.serve.status import Status as Status
