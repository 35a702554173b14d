"""Audit every private learner of the catalogue as it is, again and again: how often is one accused that keeps its promise?

    make audits                    # 2,000 audits, about 15 minutes
    make audits ONLY=LinUCB-Tree   # as many of one learner

An audit at the usual confidence of 0.99 may be wrong once in a hundred. The command fails if more audits are, by a test that is
itself wrong once in a million.
"""

import argparse
import sys

from scipy import stats

from tests.planted_learners import FEW, PLANTED

USUAL, FALSE_ALARM = 0.99, 1e-6


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", choices=PLANTED, help="one learner")
    parser.add_argument("--audits", type=int, default=2000, help="how many, of all learners together")
    parser.add_argument("--seed", type=int, default=0, help="seed of the first audit of each learner")
    given = parser.parse_args()
    names = [given.only] if given.only else list(PLANTED)
    each = -(-given.audits // len(names))
    alarms = 0
    for name in names:
        wrong = sum(not PLANTED[name].audit(False, FEW, USUAL, given.seed + one).passed for one in range(each))
        alarms += wrong
        print(f"{name:<20} {wrong} of {each:,} audits accuse it through its {PLANTED[name].view}", flush=True)
    done = each * len(names)
    pvalue = stats.binomtest(alarms, done, 1 - USUAL, "greater").pvalue
    print(f"{alarms} false alarms in {done:,} audits of {FEW} runs; {done * (1 - USUAL):.0f} are declared (p-value {pvalue:.2g})")
    return int(pvalue < FALSE_ALARM)


if __name__ == "__main__":
    sys.exit(main())
