"""Keyed hashes: they stand for users' ids, and they seal tickets.

Of an id only a hash is kept, so a saved state holds no id, and is as large for long ids as for
short ones. That hides nobody from someone with a list of members: the key is in the same state, and
every id can be tried.
"""

from __future__ import annotations

from hashlib import blake2b
from numbers import Integral
from typing import Any

from bandits_dp import _checks

LONGEST = 256  # bytes of an id
DIGEST = 16  # bytes that are kept of it


def keyed(text: bytes, kind: bytes, key: bytes) -> bytes:
    """Return a keyed hash of 16 bytes; another kind gives another one."""
    return blake2b(text, digest_size=DIGEST, key=key, person=kind).digest()


def hashed(user: Any, key: bytes) -> bytes:
    """Return the hash of a user's id; 5 and "5" are two users.

    Parameters
    ----------
    user : int or str
        The id, of at most 256 bytes.
    key : bytes
        The secret.

    Raises
    ------
    ValueError
        If the id is neither an integer nor a string, or too long.

    Examples
    --------
    >>> from bandits_dp.serve.ids import hashed
    >>> len(hashed("Ada", b"secret")), hashed(5, b"secret") == hashed("5", b"secret")
    (16, False)
    """
    allowed = f"user must be an integer or a string of at most {LONGEST} bytes"
    if isinstance(user, str):
        text, kind = user.encode("utf-8", "surrogatepass"), b"text"
    elif _checks.is_number(user, Integral) and abs(int(user)) < 10**LONGEST:
        text, kind = b"%d" % int(user), b"number"
    else:
        raise ValueError(f"{allowed}, got {_checks.told(user)}")
    if len(text) > LONGEST:
        raise ValueError(f"{allowed}, got one of {len(text):,}")
    return keyed(text, kind, key)
