"""The most memory that a process has had."""

import sys
from pathlib import Path


def peak_megabytes() -> float:
    """Return the peak of this process so far, as the system counts it.

    Linux reports as `ru_maxrss` of a process that was started by a larger one the size of that one; its status file does not.
    """
    status = Path("/proc/self/status")
    if status.exists():
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM:"))
        return int(line.split()[1]) / 2**10
    if sys.platform == "win32":
        import psutil

        return psutil.Process().memory_info().peak_wset / 2**20
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (2**20 if sys.platform == "darwin" else 2**10)
