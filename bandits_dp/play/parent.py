"""Worker processes exit when their parent process has died."""

import multiprocessing
import os
import threading
import time
from functools import cache
from typing import Any

PAUSE = 1.0  # seconds between two checks


@cache  # once in a process: its parent does not change
def end_with_parent(caller: int) -> None:
    """Exit this worker when its parent process has died, even if killed.

    ``caller`` is the process id of the caller. Does nothing in the caller itself, or in processes
    that it did not start, such as a cluster's.
    """
    parent = multiprocessing.parent_process()
    if parent is not None and parent.pid == caller:
        threading.Thread(target=_watch, args=(parent,), name="ends with its parent",
                         daemon=True).start()


def _watch(parent: Any) -> None:
    if os.name == "posix":
        while os.getppid() == parent.pid:  # an orphan gets another parent
            time.sleep(PAUSE)
    else:
        parent.join()  # a process handle, which joblib's workers have on Windows only
    os._exit(1)
