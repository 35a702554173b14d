"""Get bubblewrap, in which submissions are graded, as root from Debian's packages; where it does not run, its tests are skipped."""

import os
import shutil

from checkout import exclusive
from course import sandbox
from get_browser import attempt

MISSING = "BANDITS_DP_NO_SANDBOX"  # a variable of `settle`: why there is no sandbox, or empty
INSTALL = ("apt-get", "install", "-y", "-q", "--no-install-recommends", "bubblewrap")


def settle() -> str:
    """Find or get a sandbox for this process and all that it starts; return why there is none, or an empty string."""
    if MISSING not in os.environ:
        if not shutil.which("bwrap") and shutil.which("apt-get") and os.geteuid() == 0:
            with exclusive():  # two processes of one test run may need it at once
                if not shutil.which("bwrap") and not attempt(*INSTALL):
                    attempt("apt-get", "update", "-q")
                    attempt(*INSTALL)
        os.environ[MISSING] = sandbox.missing()
        if os.environ[MISSING]:
            print(f"There is no sandbox, and its tests are skipped: {os.environ[MISSING]}", flush=True)
    return os.environ[MISSING]
