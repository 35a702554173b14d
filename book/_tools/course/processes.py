"""Run the cells of a submission with limits; what kills its process or does not end is left out, and the rest runs again."""

import contextlib
import json
import multiprocessing
import multiprocessing.connection
import os
import signal
import socket
import tempfile
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from checkout import ROOT, TOOLS
from course import runner
from course.runner import Cell
from kernels import THREADS

PRELOADED = ["numpy", "scipy.stats", "bandits_dp", "IPython.core.interactiveshell", "course.runner"]
LONGEST = 1 << 16  # bytes of a message
ENDS = 60  # seconds; what was cancelled or killed is gone at once
_starting = threading.Lock()


@dataclass(frozen=True)
class Limits:
    """What a submission may use: seconds for one cell and in all, megabytes, and megabytes of its file."""

    cell: float = 30
    total: float = 180
    memory: int = 2048
    file: float = 20


@dataclass
class Report:
    """How the cells ended: what each raised ("" for nothing), and what was noticed on the way."""

    errors: dict[int, str] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)
    stopped: bool = False


def context() -> multiprocessing.context.BaseContext:
    """Return the way to start processes: forks of a server that has the libraries loaded."""
    made = multiprocessing.get_context("forkserver")
    made.set_forkserver_preload(PRELOADED)
    return made


@contextlib.contextmanager
def server_environment():  # type: ignore[no-untyped-def]
    """Lend the environment in which the server finds the package and the tools, and calculates with one thread."""
    wanted = {"PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "book"), str(TOOLS)])} | dict.fromkeys(THREADS, "1")
    with _starting:
        before = {name: os.environ[name] for name in wanted if name in os.environ}
        os.environ.update(wanted)
        try:
            yield
        finally:
            for name in wanted:
                os.environ.pop(name)
            os.environ.update(before)


def run(cells: Sequence[Cell], limits: Limits, private: Sequence[str] = ()) -> Report:
    report, left_out = Report(), {}
    end = time.monotonic() + limits.total
    while True:
        report.errors = {}
        guilty, reason = attempt([pair for pair in enumerate(cells) if pair[0] not in left_out], limits, private, end, report)
        if guilty is None or time.monotonic() >= end:
            break
        left_out[guilty] = reason
        report.remarks.append(f"the cell {cells[guilty].name!r} {reason}; it was left out and the others were run again")
    if guilty is not None:
        report.stopped = True
        report.remarks.append(f"stopped after {limits.total:g} s in all, at the cell {cells[guilty].name!r}")
    for index in range(len(cells)):
        report.errors.setdefault(index, left_out.get(index, "was not run"))
    report.remarks = list(dict.fromkeys(report.remarks))  # a cell that ran again said the same again
    return report


def attempt(
    cells: Sequence[tuple[int, Cell]], limits: Limits, private: Sequence[str], end: float, report: Report
) -> tuple[int | None, str]:
    """Run cells in a new process; return the cell that ended it early, if one did, and how."""
    with tempfile.TemporaryDirectory(prefix="grading-", ignore_cleanup_errors=True) as folder:
        ours, theirs = multiprocessing.Pipe()
        job = (theirs, [cell for _, cell in cells], Path(folder), private, limits.memory, int(limits.total) + 10)
        process = context().Process(target=runner.run, args=job, daemon=True)  # type: ignore[attr-defined]
        with server_environment():
            process.start()
        theirs.close()
        hang_up = threading.Timer(max(0.0, end - time.monotonic()) + 1, shut, [ours])  # half a message would keep us waiting
        hang_up.start()
        try:
            for index, cell in cells:
                patience = max(0.0, min(limits.cell, end - time.monotonic()))
                try:
                    if not ours.poll(patience):
                        return index, f"did not end within {limits.cell:g} s"
                    told = json.loads(ours.recv_bytes(LONGEST))
                    report.errors[index] = str(told["error"])
                except (EOFError, OSError, ValueError, TypeError, LookupError, RecursionError):
                    return index, "ended its process"
                report.remarks += [f"the cell {cell.name!r} tried what is refused: {what}" for what in told["refused"]]
                report.remarks += [f"{what} had been replaced; the test {cell.name!r} used the original"
                                   for what in told.get("replaced", ())]
            return None, ""
        finally:
            hang_up.cancel()
            hang_up.join(ENDS)
            kill(process)
            ours.close()


def shut(connection: multiprocessing.connection.Connection) -> None:
    """End a conversation, also for who waits for the rest of a message."""
    with contextlib.suppress(OSError), socket.socket(fileno=os.dup(connection.fileno())) as line:
        line.shutdown(socket.SHUT_RDWR)


def kill(process: multiprocessing.process.BaseProcess) -> None:
    if process.pid:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)  # its group, which outlives it if it started something
    process.kill()
    process.join(ENDS)
