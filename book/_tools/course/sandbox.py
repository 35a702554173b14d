"""A sandbox for one attempt: bubblewrap shows a process a system that is made of what is named here, and nothing else.

All of it is read-only but for folders in memory. There is no network, no other process, no capability and no end later than
the grader's.
"""

import functools
import os
import shutil
import socket
import subprocess
import sys
from multiprocessing.connection import Connection

from checkout import ROOT, TOOLS
from kernels import THREADS

HOME = "/tmp"
SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/etc/ld.so.cache", "/etc/localtime", "/etc/fonts", "/nix/store")
OURS = (ROOT / "bandits_dp", ROOT / "book" / "bandits_book", TOOLS / "course")  # never masters, .git or what was built
KEPT = ("LD_LIBRARY_PATH", "OPENBLAS_CORETYPE", "NPY_DISABLE_CPU_FEATURES", "TZ")  # what calculates, and how
LARGEST = 256 << 20  # bytes of a folder in memory
ALONE = (
    "--unshare-user", "--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try", "--new-session",
    "--cap-drop", "ALL", "--die-with-parent", "--proc", "/proc", "--dev", "/dev",
)  # fmt: skip
NONE = """\
Submissions are graded in a sandbox, and there is none here: {}
On Debian and Ubuntu: sudo apt install bubblewrap. For other systems and containers, book/teaching/grading.md has a section.
To run them as you, with nothing between them and your files (if you trust who wrote them): ARGS="--sandbox none\""""


@functools.cache
def command() -> tuple[str, ...]:
    """Return the words that run the command after them in a sandbox."""
    program = shutil.which("bwrap") or "bwrap"
    knows = subprocess.run([program, "--help"], capture_output=True, text=True, timeout=60, check=False).stdout
    made = [program, *ALONE, *(["--disable-userns"] if "--disable-userns" in knows else [])]
    empty = ["--size", str(LARGEST), "--tmpfs"] if "--size" in knows else ["--tmpfs"]
    folders = (HOME, "/dev/shm", str(ROOT))
    for path in sorted({*SYSTEM, *folders, sys.base_prefix, sys.prefix, *map(str, OURS)}):  # parents first
        made += [*empty, path] if path in folders else ["--ro-bind-try", path, path]
    return (*made, "--remount-ro", "/dev", "--remount-ro", "/", "--chdir", HOME)


def missing() -> str:
    """Say why there is no sandbox here, in bubblewrap's own words; "" if there is one."""
    try:
        done = subprocess.run([*command(), sys.executable, "-c", ""], capture_output=True, text=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    return done.stderr.strip() or "bwrap fails" if done.returncode else ""


def started(sandboxed: bool, folder: str) -> tuple[subprocess.Popen[bytes], Connection]:
    """Start a process that runs cells, in a sandbox or in a folder, with an environment of ours; return the line to it, too."""
    home = HOME if sandboxed else folder
    environment = {name: os.environ[name] for name in KEPT if name in os.environ}
    environment |= {"HOME": home, "TMPDIR": home, "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "MPLBACKEND": "agg"}
    environment |= {"PYTHONPATH": os.pathsep.join(map(str, (ROOT, ROOT / "book", TOOLS))), "PYTHONDONTWRITEBYTECODE": "1"}
    ours, theirs = socket.socketpair()
    words = [*(command() if sandboxed else ()), sys.executable, "-s", "-m", "course.runner", str(theirs.fileno())]
    with theirs:
        process = subprocess.Popen(
            words, env=environment | dict.fromkeys(THREADS, "1"), cwd=folder, pass_fds=[theirs.fileno()], start_new_session=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        )  # fmt: skip
    return process, Connection(ours.detach())
