"""Keyed hashes: they stand for users' ids, and they seal tickets.

Ids are stored as keyed hashes of fixed length, so a saved state contains no ids. But someone with
the state and a list of members can try every id, because the key is in the state.
"""

from __future__ import annotations

from hashlib import blake2b
from numbers import Integral
from typing import Any

from bandits_dp import _checks

LONGEST = 256  # bytes of an id
DIGEST = 16  # bytes that are kept of it


def keyed(text: bytes, kind: bytes, key: bytes) -> bytes:
    """Return a keyed hash of 16 bytes, which also depends on ``kind``."""
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
