"""This checkout: where it is, who is at work in it, and what its files contain.

Kept to the syntax of old Pythons, because `environment.py` uses it before it knows which Python it runs on.
"""

import contextlib
import hashlib
import os
import sys
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows, where a folder cannot be locked
    fcntl = None  # type: ignore[assignment]

ROOT = Path(__file__).resolve().parents[2]
VENV = ROOT / ".venv"
PYTHON = VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
BUILD = ROOT / "_build"
SITE = BUILD / "html"
NOTEBOOKS = ROOT / "notebooks"
TOOLS = ROOT / "book" / "_tools"


@contextlib.contextmanager
def exclusive():  # type: ignore[no-untyped-def]
    """Let one `make` at a time change the environment or the build; the others wait here.

    The lock is on the checkout's own folder, so it leaves no file behind, and the system drops it when its
    holder ends in any way. Yields the descriptor that holds it: a child process that inherits it
    (`subprocess.run(..., pass_fds=inherited(descriptor))`) keeps the lock if its parent is killed. On Windows there is
    no lock, and None is yielded.
    """
    if fcntl is None:
        yield None
        return
    descriptor = os.open(str(ROOT), os.O_RDONLY)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            print("Another make is at work in this checkout; waiting for it to finish.", flush=True)
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield descriptor
    finally:
        os.close(descriptor)


def inherited(lock):  # type: ignore[no-untyped-def]
    """Return what `pass_fds` takes, so that a child keeps the lock that `exclusive` yielded."""
    return () if lock is None else (lock,)


def fingerprint(*patterns: str) -> str:
    """Hash the names and contents of the files that match `patterns`, and the version of Python.

    Contents, not dates: a fresh clone or a changed branch gives the same answer for the same files, and a
    deleted or renamed file changes it.
    """
    digest = hashlib.sha256(repr(sys.version_info[:2]).encode())
    paths = {path for pattern in patterns for path in ROOT.glob(pattern) if path.is_file()}
    for path in sorted(paths):
        if "__pycache__" not in path.parts:
            digest.update(path.relative_to(ROOT).as_posix().encode() + b"\0")
            digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()
