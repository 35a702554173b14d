"""This checkout: where it is, who is at work in it, and what its files contain.

Kept to the syntax of old Pythons, because `environment.py` uses it before it knows which Python it runs on.
"""

import contextlib
import hashlib
import os
import sys
import time
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
PATIENCE = 3600  # seconds to wait for another make


def taken(descriptor: int) -> bool:
    """Lock a folder for this process if no other one has, and tell whether that was so."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


@contextlib.contextmanager
def exclusive():  # type: ignore[no-untyped-def]
    """Let one `make` at a time change the environment or the build; the others wait here.

    The lock is on the checkout's own folder, so it leaves no file behind, and the system drops it when its
    holder ends in any way. Yields the descriptors that hold it: a child process that inherits them
    (`subprocess.run(..., pass_fds=lock)`) keeps the lock if its parent is killed. On Windows there is no lock, and none.
    """
    if fcntl is None:
        yield ()
        return
    descriptor = os.open(str(ROOT), os.O_RDONLY)
    try:
        if not taken(descriptor):
            print("Another make is at work in this checkout; waiting for it to finish.", flush=True)
            end = time.monotonic() + PATIENCE
            while not taken(descriptor):
                if time.monotonic() > end:
                    raise SystemExit(f"The other make is still at work, after {PATIENCE} seconds. End it and try again.")
                time.sleep(0.2)
        yield (descriptor,)
    finally:
        os.close(descriptor)


def store(path: Path, text: str) -> bool:
    """Write a file in one step if that changes it, and say whether it did: whoever is killed leaves the old file or the new one."""
    if path.exists() and path.read_text("utf-8") == text:
        return False
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.tmp")
    draft.write_text(text, "utf-8")
    os.replace(draft, path)
    return True


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
