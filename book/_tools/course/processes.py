"""Run the cells of a submission with limits; what kills its process or does not end is left out, and the rest runs again."""

import contextlib
import json
import os
import secrets
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from multiprocessing.connection import Connection

from course import sandbox
from course.runner import Cell

LONGEST = 1 << 16  # bytes of a message
ENDS = 60  # seconds; what was cancelled or killed is gone at once
STARTS = 60  # seconds; a new Python with the libraries takes one
PROCESSES = 64  # and threads, in a sandbox


@dataclass(frozen=True)
class Limits:
    """What a submission may use: seconds for one cell and in all, megabytes, and megabytes of its file, and if in a sandbox."""

    cell: float = 30
    total: float = 180
    memory: int = 2048
    file: float = 20
    sandbox: bool = True


@dataclass
class Report:
    """How the cells ended: what each raised ("" for nothing), what was noticed on the way, and the seconds that they took."""

    errors: dict[int, str] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)
    stopped: bool = False
    seconds: float = 0


def run(cells: Sequence[Cell], limits: Limits) -> Report:
    report, left_out = Report(), {}
    while True:
        report.errors = {}
        guilty, reason = attempt([pair for pair in enumerate(cells) if pair[0] not in left_out], limits, report)
        if guilty is None or report.seconds >= limits.total:
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


def attempt(cells: Sequence[tuple[int, Cell]], limits: Limits, report: Report) -> tuple[int | None, str]:
    """Run cells in a new process; return the cell that ended it early, if one did, and how."""
    with tempfile.TemporaryDirectory(prefix="grading-", ignore_cleanup_errors=True) as folder:
        process, line = sandbox.started(limits.sandbox, folder)
        with process, line:
            try:
                ready(process, line, limits)
                begun = time.monotonic()
                end = begun + limits.total - report.seconds
                hang_up = threading.Timer(end - begun + 1, kill, [process])  # half a message would keep us waiting
                hang_up.start()
                try:
                    for index, cell in cells:
                        if reason := asked(line, cell, index, limits.cell, end, report):
                            return index, reason
                    return None, ""
                finally:
                    report.seconds += time.monotonic() - begun
                    hang_up.cancel()
                    hang_up.join(ENDS)
            finally:
                kill(process)


def ready(process: subprocess.Popen[bytes], line: Connection, limits: Limits) -> None:
    """Tell a new process its limits and wait until it has its libraries; raise RuntimeError if it does not start."""
    bounds = {"megabytes": limits.memory, "seconds": int(limits.total) + 10, "processes": PROCESSES if limits.sandbox else None}
    with contextlib.suppress(EOFError, OSError):
        line.send_bytes(json.dumps(bounds).encode())
        if line.poll(STARTS) and line.recv_bytes(LONGEST):
            return
    kill(process)
    said = process.stderr.read().decode(errors="replace").strip() if process.stderr else ""
    raise RuntimeError(f"the process for a submission does not start: {said[-300:]}")


def asked(line: Connection, cell: Cell, index: int, patience: float, end: float, report: Report) -> str:
    """Have one cell run, and note how it ended; if the process cannot go on, return why."""
    token = secrets.token_hex(16)
    try:
        if line.poll(0):
            return "sent what it was not asked for"
        line.send_bytes(json.dumps({"token": token, "cell": asdict(cell)}).encode())
        if not line.poll(max(0.0, min(patience, end - time.monotonic()))):
            return f"did not end within {patience:g} s"
        told = json.loads(line.recv_bytes(LONGEST))
        if told["token"] != token:
            return "sent what it was not asked for"
        report.errors[index] = str(told["error"])
    except (EOFError, OSError, ValueError, TypeError, LookupError, RecursionError):
        return "ended its process"
    report.remarks += [f"{what} had been replaced; the test {cell.name!r} used the original" for what in told.get("replaced", ())]
    return ""


def kill(process: subprocess.Popen[bytes]) -> None:
    """End a process with its sandbox, which takes all in it along, or with its group."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait(ENDS)
