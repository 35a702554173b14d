"""Run the cells of one submission, in a process of its own that is killed afterwards; the other end is `course.processes`.

The process is what a notebook's kernel is without its messages: IPython runs the cells in order in one namespace, and what they
print goes nowhere. After each cell a line of JSON tells how it ended; nothing that a submission could make is ever unpickled.
"""

import json
import multiprocessing
import os
import sys
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from tqdm import tqdm

from course import guard

KEPT = ("PATH", "LANG", "LC_ALL", "TZ", "SYSTEMROOT", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
LONGEST = 600  # characters of an error's message


@dataclass(frozen=True)
class Cell:
    """A code cell to be run; it is "setup", "given", an "answer", a "test", or "", one of the student's own."""

    name: str
    source: str
    kind: str = ""


def run(
    connection: Connection, cells: Sequence[Cell], home: Path, private: Sequence[str], megabytes: int, seconds: int
) -> None:
    """Run cells within these limits, and tell after each how it ended."""
    os.setsid()  # a group of its own, so that whatever it starts is killed with it
    threading.Thread(target=end_with_parent, daemon=True).start()
    settle(home)
    tqdm.set_lock(threading.RLock())  # its own is shared among processes, and would be left behind
    for name in [name for name in sys.modules if name.split(".")[0] == "course"]:
        del sys.modules[name]  # a submission that imports the grader has a copy which decides nothing
    shell = new_shell()
    space = shell.user_ns
    guard.limit(megabytes, seconds)
    refused: list[str] = []
    guard.refuse(home, private, refused.append)
    names: guard.Names | None = None
    for cell in cells:
        told: dict[str, Any] = {}
        if cell.kind == "test" and names:
            told |= tested(cell, space, names)
        else:
            before = dict(space)
            result = shell.run_cell(cell.source, store_history=False)
            told["error"] = outcome(result.error_before_exec or result.error_in_exec)
            if cell.kind in ("setup", "given"):
                names = names or guard.Names()
                defined = {name: value for name, value in space.items() if name[0] != "_" and before.get(name) is not value}
                names.names.update(defined)
        told["refused"] = refused[:3]
        refused.clear()
        connection.send_bytes(json.dumps(told).encode())
    connection.close()
    os._exit(0)  # whatever a submission wants to do at the end


def tested(cell: Cell, space: dict[str, Any], names: guard.Names) -> dict[str, Any]:
    """Run a test as plain Python, whatever became of the shell, with names of its own that no answer can reach."""
    replaced, error = names.put_back(space)[:3], None
    mine = dict(space)
    try:
        exec(compile(cell.source, f"<{cell.name}>", "exec"), mine)
    except BaseException as raised:  # an answer may raise anything
        error = raised
    meanwhile = names.put_back(space)[:3]  # before anything is done with the error
    space.update(mine)
    said = outcome(error)
    if meanwhile and not said:
        said = f"while the test ran, what it relies on was replaced: {', '.join(meanwhile)}"
    return {"error": said, "replaced": replaced}


def settle(home: Path) -> None:
    """Give this process its own home and working folder, a clean environment, and no terminal."""
    kept = {name: os.environ[name] for name in KEPT if name in os.environ}
    os.environ.clear()
    os.environ.update(kept, MPLBACKEND="agg", PYTHONDONTWRITEBYTECODE="1")
    for name in ("HOME", "IPYTHONDIR", "TMPDIR", "MPLCONFIGDIR", "XDG_CACHE_HOME"):
        folder = home / name.lower()
        folder.mkdir()
        os.environ[name] = str(folder)
    work = home / "work"
    work.mkdir()
    os.chdir(work)
    sys.dont_write_bytecode = True
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(nowhere, stream)
    sys.stdin, sys.stdout, sys.stderr = (open(os.devnull, mode) for mode in "rww")  # noqa: SIM115


def new_shell() -> Any:
    """Make the shell that runs cells as a notebook does."""
    from IPython.core.interactiveshell import InteractiveShell
    from traitlets.config import Config

    shell = InteractiveShell.instance(config=Config({"HistoryManager": {"enabled": False}}))
    shell.showtraceback = shell.showsyntaxerror = lambda *_, **__: None  # nobody reads it, and drawing it takes time
    shell.enable_gui = shell.ask_exit = lambda *_, **__: None  # `%matplotlib inline` and `exit()` do no harm in a notebook
    return shell


def outcome(error: BaseException | None) -> str:
    """Say what a cell raised; empty if nothing."""
    if error is None:
        return ""
    try:
        said = str(error)
    except BaseException:  # the exception is the student's, too
        said = ""
    said = said if len(said) <= LONGEST else said[:LONGEST] + " ..."
    return f"{type(error).__name__}: {said}" if said else type(error).__name__ or "an error without a name"


def end_with_parent() -> None:
    """End this process and all it started when the grader is gone."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        while parent.is_alive():
            parent.join(60)
        os.killpg(0, 9)
