"""Worker processes end when the process that wants their results is gone."""

import multiprocessing
import os
import threading
import time
from functools import cache
from typing import Any

PAUSE = 1.0  # seconds between two looks


@cache  # once in a process: its parent does not change
def end_with_parent(caller: int) -> None:
    """End this process when the one that sent it work has died, even if killed, so that nobody computes for nobody.

    Does nothing in the caller itself, whose process id this is, and in processes that it did not start, such as those of a cluster.
    """
    parent = multiprocessing.parent_process()
    if parent is not None and parent.pid == caller:
        threading.Thread(target=_watch, args=(parent,), name="ends with its parent", daemon=True).start()


def _watch(parent: Any) -> None:
    if os.name == "posix":
        while os.getppid() == parent.pid:  # an orphan gets another parent
            time.sleep(PAUSE)
    else:
        parent.join()  # a handle of the process, which Windows has and joblib's workers elsewhere have not
    os._exit(1)
