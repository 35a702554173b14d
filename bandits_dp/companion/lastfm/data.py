"""Who listened to what, and which tags artists have: read from the Last.fm files, or made up where there are none."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bandits_dp import _checks
from bandits_dp.companion.lastfm import files
from bandits_dp.companion.lastfm.standin import made_up

SOURCES = ("auto", "files", "download", "synthetic")


@dataclass(frozen=True)
class Listening:
    """Users, artists and tags, each numbered from 0 in the order of their original numbers.

    Parameters
    ----------
    source : {"files", "download", "synthetic"}
        Where it comes from.
    starts, heard : ndarray of int, shapes (users + 1,) and (listens,)
        User i listened to the artists ``heard[starts[i]:starts[i + 1]]``, ascending.
    taggings : ndarray of int, shape (distinct pairs, 3)
        Artist, tag, and how many users gave the tag to the artist.
    tags : tuple of str
        Names of the tags.
    artists : int
        Number of artists.
    """

    source: str
    starts: NDArray[np.int64]
    heard: NDArray[np.int64]
    taggings: NDArray[np.int64]
    tags: tuple[str, ...]
    artists: int

    @property
    def users(self) -> int:
        """Number of users."""
        return len(self.starts) - 1


def load_listening(source: str = "auto") -> Listening:
    """Load the Last.fm data of HetRec 2011.

    Parameters
    ----------
    source : {"auto", "files", "download", "synthetic"}
        ``"files"``: the folder that the environment variable BANDITS_DP_DATA names. ``"download"``: the user's cache, filled from
        the address of GroupLens once. ``"synthetic"``: a small made-up stand-in. ``"auto"``: the files if the variable is set, else
        a download, else, where no server answers, the stand-in with a warning.

    Returns
    -------
    Listening
        It says in ``source`` which of the three it is.

    Raises
    ------
    ValueError
        If the variable names a folder without the files, or files differ from version 1.0: there is no falling back then.
    OSError
        If a download is asked for and fails, or breaks off, or cannot be kept.
    ImportError
        If a download needs pooch and it is not installed.

    Notes
    -----
    Cantador, Brusilovsky & Kuflik 2011, second workshop HetRec; 1,892 users, 17,632 artists, 11,946 tags. Some tag assignments are
    about artists who are not in the list; they are left out.

    Examples
    --------
    >>> from bandits_dp.companion.lastfm.data import load_listening
    >>> listening = load_listening("synthetic")
    >>> listening.users, listening.artists
    (200, 1200)
    """
    _checks.choice("source", source, SOURCES)
    if source in ("auto", "files"):
        folder = files.named_folder()
        if folder is not None:
            return parsed(files.read_files(folder), "files")
        if source == "files":
            raise ValueError(f"source 'files' needs the environment variable {files.VARIABLE}, which is not set: {files.ADVICE}")
    if source == "synthetic":
        return _stand_in()
    try:
        return parsed(files.download(), "download")
    except files.Unreachable as error:
        if source == "download":
            raise
        warnings.warn(f"these are NOT the Last.fm data, but a small made-up stand-in: {error}", stacklevel=3)
        return _stand_in()


def _stand_in() -> Listening:
    starts, heard, taggings, artists = made_up()
    tags = tuple(f"tag {number}" for number in range(taggings[:, 1].max() + 1))
    return Listening("synthetic", starts, heard, taggings, tags, artists)


def parsed(contents: dict[str, bytes], source: str) -> Listening:
    """Turn the contents of the files, which were checked, into arrays."""
    artists = np.sort(np.array([row[0] for row in _rows(contents["artists.dat"], "utf-8")], dtype=np.int64))
    named = sorted((int(row[0]), row[1]) for row in _rows(contents["tags.dat"], "latin-1"))
    tags = np.array([number for number, _ in named])
    listens = _numbers(contents["user_artists.dat"])
    users, user = np.unique(listens[:, 0], return_inverse=True)
    order = np.lexsort((listens[:, 1], user))
    heard = np.searchsorted(artists, listens[order, 1])
    starts = np.searchsorted(user[order], np.arange(len(users) + 1))
    given = _numbers(contents["user_taggedartists.dat"])[:, 1:3]
    given = given[np.isin(given[:, 0], artists)]
    pairs, counts = np.unique(given, axis=0, return_counts=True)
    taggings = np.column_stack([np.searchsorted(artists, pairs[:, 0]), np.searchsorted(tags, pairs[:, 1]), counts])
    return Listening(source, starts, heard, taggings, tuple(name for _, name in named), len(artists))


def _rows(content: bytes, encoding: str) -> list[Any]:
    """Return the fields of all lines but the first."""
    return [line.split("\t") for line in content.decode(encoding).split("\n")[1:] if line]


def _numbers(content: bytes) -> NDArray[np.int64]:
    """Return a table of integers under one line of names."""
    head, _, rest = content.partition(b"\n")
    return np.array(rest.split(), dtype=np.int64).reshape(-1, head.count(b"\t") + 1)
