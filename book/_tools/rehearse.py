"""Prove the sets of the course under many seeds: `make rehearsal`.

    python book/_tools/rehearse.py                      # all sets, 100 seeds, and book/teaching/power.json is written
    python book/_tools/rehearse.py 3 --seeds 5 --look   # one set, a quick look; nothing is written
"""

import os
import sys

from kernels import THREADS

if __name__ == "__main__":  # the processes that rehearse import this file, and need nothing of it
    os.environ |= dict.fromkeys(THREADS, "1")  # before numpy is there
    from course.rehearsal import main

    sys.exit(main())
