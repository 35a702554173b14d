"""Refuse work that cannot fit into memory, before it starts."""

import os
from collections.abc import Iterator
from pathlib import Path

# Memory limits of a Linux container, in bytes: control groups of version 2, then of version 1.
LIMITS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")


def available() -> int | None:
    """Return the bytes that this process can still allocate; None if the system does not say."""
    return min(_bounds(), default=None)


def _bounds() -> Iterator[int]:
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
        yield from (1024 * int(line.split()[1])
                    for line in lines if line.startswith("MemAvailable:"))
    except OSError:  # not Linux: the machine's memory is a bound
        if "SC_PHYS_PAGES" in getattr(os, "sysconf_names", {}):
            yield os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    yield from _address_space()
    for limit in LIMITS:
        try:
            yield int(Path(limit).read_text())
        except (OSError, ValueError):  # no such file, or "max": no limit
            continue


def _address_space() -> Iterator[int]:
    """Yield the bytes that `ulimit -v` leaves to this process, if it is set."""
    try:
        import resource

        most = resource.getrlimit(resource.RLIMIT_AS)[0]
        if most != resource.RLIM_INFINITY:
            pages = int(Path("/proc/self/statm").read_text().split()[0])
            yield max(0, most - pages * os.sysconf("SC_PAGE_SIZE"))
    except (ImportError, OSError):  # not Unix or not Linux: the limit is unknown
        return


def check_runs(runs: int, bytes_per_run: int, name: str = "runs") -> None:
    """Raise a ValueError if ``runs`` runs of at least ``bytes_per_run`` bytes cannot fit."""
    free = available()
    if free is not None and runs * bytes_per_run > free:
        raise ValueError(f"{name} must be at most {max(1, free // bytes_per_run)}, got {runs}: "
                         f"their results alone need {runs * bytes_per_run / 1e9:.3g} GB of memory, "
                         f"and {free / 1e9:.3g} GB is available")
