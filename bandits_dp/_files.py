"""Arrays in one file, which is written in one step and shows damage by its checksum.

The file is an ordinary ``.npz``: ``numpy.load`` and any zip program open it. Its zip comment says
what it is and ends with a SHA-256 digest of every byte before. The digest protects against damage,
truncation and mix-ups. It does not protect against attackers: anyone who may write your files can
write false ones, so keep them where only you may write.
"""

import contextlib
import hashlib
import io
import os
import re
import tempfile
import time
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bandits_dp import _checks

DIGEST = 64  # hexadecimal digits
ENDING = 1000  # largest size of our zip comments, in bytes
PAUSES = (0.01, 0.1)  # seconds between attempts: Windows refuses to replace a file while it is read


def path_of(name: str, value: object, kind: str) -> Path:
    """Return ``value`` as a path, with a leading ``~`` expanded, or raise a ValueError.

    ``kind`` is "file" or "folder".
    """
    path = os.fspath(value) if isinstance(value, (str, os.PathLike)) else None
    if not isinstance(path, str) or not path or "\0" in path:
        raise ValueError(f"{name} must be the path of a {kind}, got {_checks.told(value)}")
    try:
        return Path(path).expanduser()
    except RuntimeError as error:
        raise ValueError(f"{name} must be the path of a {kind}, got {_checks.told(value)}: "
                         f"{error}") from error


def packed(label: str, arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """Return arrays as the contents of a file with a one-line label."""
    buffer = io.BytesIO()
    # not by `with`, whose end would replace Ctrl-C by an error of its own
    archive = zipfile.ZipFile(buffer, "w")
    for name, array in arrays.items():
        with archive.open(zipfile.ZipInfo(f"{name}.npy"), "w", force_zip64=True) as member:
            np.lib.format.write_array(member, array, allow_pickle=False)
    archive.comment = f"{label} sha256 {'0' * DIGEST}".encode()
    archive.close()
    contents = buffer.getvalue()[:-DIGEST]
    return contents + hashlib.sha256(contents).hexdigest().encode()


def read(path: Path, label: str) -> dict[str, NDArray[Any]]:
    """Return the arrays of a file with this label; raise a ValueError if it is damaged or another.

    Arrays are read only after the digest was checked.
    """
    if path.exists() and not path.is_file():
        raise ValueError("it is not a file")
    with path.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - ENDING))
        ending = re.search(rb"(bandits_dp [ -~]*) sha256 [0-9a-f]{%d}$" % DIGEST, file.read())
        if not ending:  # it may be a video: do not read all of it
            raise ValueError("it is empty" if not size
                             else "it is damaged, cut short, or of another program")
        file.seek(0)
        contents = file.read()
    if hashlib.sha256(contents[:-DIGEST]).hexdigest().encode() != contents[-DIGEST:]:
        raise ValueError("it is damaged: its checksum is wrong")
    if (found := ending[1].decode()) != label:
        raise ValueError(f"it is {found!r} instead of {label!r}")
    try:
        return _arrays(contents)
    except Exception as error:  # the checksum fits, but the arrays are wrong
        raise ValueError(f"its arrays cannot be read: {error!r}") from error


def _arrays(contents: bytes) -> dict[str, NDArray[Any]]:
    arrays = {}
    with zipfile.ZipFile(io.BytesIO(contents)) as archive:
        for info in archive.infolist():
            if info.compress_type != zipfile.ZIP_STORED:  # so that no array is larger than the file
                raise ValueError(f"{info.filename!r} is compressed")
            with archive.open(info) as member:
                arrays[info.filename.removesuffix(".npy")] = (
                    np.lib.format.read_array(member, allow_pickle=False))
    return arrays


def replace(path: Path, contents: bytes, *, durable: bool = False) -> None:
    """Write a file that only its owner can read, in one step: it is always the old or the new one.

    If ``durable``, the file is on the disk when this returns, not only on its way there.
    """
    descriptor, draft = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:50]}-",
                                         suffix=".tmp")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(contents)
            if durable:
                file.flush()
                os.fsync(file.fileno())
        _rename(draft, path)
        if durable and os.name == "posix":  # the new name must reach the disk, too
            with contextlib.suppress(OSError):  # some network file systems cannot, and need not
                folder = os.open(path.parent, os.O_RDONLY)
                try:
                    os.fsync(folder)
                finally:
                    os.close(folder)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(draft)
        raise


def _rename(draft: str, path: Path) -> None:
    for pause in PAUSES:
        try:
            return os.replace(draft, path)
        except PermissionError:
            time.sleep(pause)
    os.replace(draft, path)
