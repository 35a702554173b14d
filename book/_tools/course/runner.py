"""Run the cells of one submission, in a process of its own that is killed afterwards; the other end is `course.processes`.

The process is what a notebook's kernel is without its messages: IPython runs the cells in order in one namespace, and what they
print goes nowhere. A cell comes when its turn does, with a token. A line of JSON carries the token back and tells how the cell
ended; nothing that a submission could make is ever unpickled.
"""

import contextlib
import importlib
import json
import os
import resource
import sys
import threading
import time
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from tqdm import tqdm

from course.names import Names

LIBRARIES = ("numpy", "scipy.stats", "bandits_dp")
LONGEST = 600  # characters of an error's message
MEGABYTE = 1 << 20


@dataclass(frozen=True)
class Cell:
    """A code cell to be run; it is "setup", "given", an "answer", a "test", or "", one of the student's own."""

    name: str
    source: str
    kind: str = ""


def run(connection: Connection) -> None:
    """Run cells as they come, within limits that come first, and tell after each how it ended."""
    threading.Thread(target=end_with, args=[os.getppid()], daemon=True).start()
    tqdm.set_lock(threading.RLock())  # its own is shared among processes, and would be left behind
    for library in LIBRARIES:  # whole, before an answer can change them
        importlib.import_module(library)
    shell = new_shell()
    space = shell.user_ns
    limit(**json.loads(connection.recv_bytes()))
    connection.send_bytes(b"{}")
    os.dup2(1, 2)  # until now it told why a start failed
    for name in [name for name in sys.modules if name.split(".")[0] == "course"]:
        del sys.modules[name]  # a submission that imports the grader has a copy which decides nothing
    names: Names | None = None
    while True:
        try:
            job = json.loads(connection.recv_bytes())
        except EOFError:
            os._exit(0)  # whatever a submission wants to do at the end
        cell, told = Cell(**job["cell"]), {"token": job["token"]}
        if cell.kind == "test" and names:
            told |= tested(cell, space, names)
        else:
            before = dict(space)
            result = shell.run_cell(cell.source, store_history=False)
            told["error"] = outcome(result.error_before_exec or result.error_in_exec)
            if cell.kind in ("setup", "given"):
                names = names or Names()
                defined = {name: value for name, value in space.items() if name[0] != "_" and before.get(name) is not value}
                names.names.update(defined)
        connection.send_bytes(json.dumps(told).encode())


def limit(megabytes: int, seconds: int, processes: int | None) -> None:
    """Bound memory, processor time, the size of a file and the number of processes, where the system can."""
    used = 0
    with contextlib.suppress(OSError):  # what the package and its libraries have reserved already
        used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    wanted = {"RLIMIT_AS": used + megabytes * MEGABYTE, "RLIMIT_CPU": seconds, "RLIMIT_FSIZE": 64 * MEGABYTE, "RLIMIT_CORE": 0}
    for name, value in (wanted | ({"RLIMIT_NPROC": processes} if processes else {})).items():
        with contextlib.suppress(ValueError, OSError, AttributeError):  # macOS has no such limit of memory
            resource.setrlimit(getattr(resource, name), (value, value))


def tested(cell: Cell, space: dict[str, Any], names: Names) -> dict[str, Any]:
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


def end_with(parent: int) -> None:
    """End this process and its group when the grader is gone."""
    while os.getppid() == parent:
        time.sleep(1)
    os.killpg(0, 9)


if __name__ == "__main__":
    run(Connection(int(sys.argv[1])))
