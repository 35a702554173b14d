"""Who listened to what, and which tags artists have: read from the Last.fm files, or made up where there are none."""

import io
import warnings
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bandits_book.lastfm import files
from bandits_dp import _checks

Ints = NDArray[np.int64]
USERS, ARTISTS, TAGS, STYLES, LISTENS = 200, 1200, 300, 12, 30  # of the stand-in
SEED = 20110523  # fixed: everybody without the files gets the same stand-in


@dataclass(frozen=True)
class Listening:
    """Users, artists and tags, each numbered from 0 in the order of their original numbers; and where they come from.

    Parameters
    ----------
    starts, heard : ndarray of int, shapes (users + 1,) and (listens,)
        User i listened to the artists ``heard[starts[i]:starts[i + 1]]``, ascending.
    taggings : ndarray of int, shape (distinct pairs, 3)
        Artist, tag, and how many users gave the tag to the artist.
    """

    source: str
    starts: Ints
    heard: Ints
    taggings: Ints
    tags: tuple[str, ...]
    artists: int

    @property
    def users(self) -> int:
        """Number of users."""
        return len(self.starts) - 1

    def of(self, users: Ints) -> "Listening":
        """Return what some users listened to, numbered from 0 in the order given; artists and tags stay.

        Examples
        --------
        >>> from bandits_book.lastfm.data import load_listening
        >>> load_listening("synthetic").of([7, 3]).users
        2
        """
        own = [self.heard[self.starts[user] : self.starts[user + 1]] for user in users]
        return replace(self, starts=np.cumsum([0, *map(len, own)]), heard=np.concatenate(own))


def load_listening(source: str = "auto") -> Listening:
    """Load the Last.fm data of HetRec 2011.

    Parameters
    ----------
    source : {"auto", "files", "download", "synthetic"}
        ``"files"``: the folder that the environment variable BANDITS_DP_DATA names. ``"download"``: the user's cache, filled from
        the address of GroupLens once. ``"synthetic"``: a small made-up stand-in. ``"auto"``: the files if the variable is set, else
        a download, else, where no server answers, the stand-in with a warning.

    Raises
    ------
    ValueError
        If the variable names a folder without the files, or files differ from version 1.0: there is no falling back then.
    OSError, ImportError
        If a download is asked for and fails, or breaks off, or cannot be kept; or needs pooch, which is not installed.

    Notes
    -----
    Cantador, Brusilovsky & Kuflik 2011, second workshop HetRec; 1,892 users, 17,632 artists, 11,946 tags. Some tag assignments are
    about artists who are not in the list; they are left out.

    Examples
    --------
    >>> from bandits_book.lastfm.data import load_listening
    >>> listening = load_listening("synthetic")
    >>> listening.users, listening.artists
    (200, 1200)
    """
    _checks.choice("source", source, ("auto", "files", "download", "synthetic"))
    if source in ("auto", "files"):
        folder = files.named_folder()
        if folder is not None:
            return parsed(files.read_files(folder), "files")
        if source == "files":
            raise ValueError(f"source 'files' needs the environment variable {files.VARIABLE}, which is not set: {files.ADVICE}")
    if source == "synthetic":
        return stand_in()
    try:
        return parsed(files.download(), "download")
    except files.Unreachable as error:
        if source == "download":
            raise
        warnings.warn(f"these are NOT the Last.fm data, but a small made-up stand-in: {error}", stacklevel=3)
        return stand_in()


def stand_in() -> Listening:
    """Make up a small world of listeners, for where the Last.fm files are not: of their shape, and of nobody's data.

    Artists and users lean towards a few of twelve styles. Popular artists are heard more and tagged more, and the least known have
    no tags at all, as in the real data. Numbers in it mean nothing beyond that.
    """
    rng = np.random.default_rng(SEED)
    artist_style, tag_style = rng.dirichlet(np.full(STYLES, 0.2), ARTISTS), rng.dirichlet(np.full(STYLES, 0.1), TAGS)
    user_style = rng.dirichlet(np.full(STYLES, 0.3), USERS)
    known = rng.permutation(1.0 / (10 + np.arange(ARTISTS)))  # a long tail
    common = rng.permutation(1.0 / (3 + np.arange(TAGS)))
    found = []
    for artist, amount in enumerate(rng.poisson(3000 * known)):
        law = common * (tag_style @ artist_style[artist])
        counts = rng.multinomial(amount, law / law.sum())
        found += [(artist, tag, counts[tag]) for tag in np.flatnonzero(counts)]
    law = known * (user_style @ artist_style.T)
    keys = np.log(rng.random((USERS, ARTISTS))) / law  # the largest are a sample without replacement, likelier by law
    heard = np.sort(np.argsort(-keys, axis=1)[:, :LISTENS], axis=1)
    taggings = np.array(found, dtype=np.int64)
    tags = tuple(f"tag {number}" for number in range(taggings[:, 1].max() + 1))
    return Listening("synthetic", np.arange(USERS + 1) * LISTENS, heard.ravel(), taggings, tags, ARTISTS)


def parsed(contents: dict[str, bytes], source: str) -> Listening:
    """Turn the contents of the files, which were checked, into arrays."""
    artists = np.sort(np.array([row[0] for row in _rows(contents["artists.dat"], "utf-8")], dtype=np.int64))
    named = sorted((int(row[0]), row[1]) for row in _rows(contents["tags.dat"], "latin-1"))
    tags = np.array([number for number, _ in named])
    listens, given = (np.loadtxt(io.BytesIO(contents[name]), np.int64, skiprows=1) for name in ("user_artists.dat",
                                                                                                "user_taggedartists.dat"))
    users, user = np.unique(listens[:, 0], return_inverse=True)
    order = np.lexsort((listens[:, 1], user))
    heard = np.searchsorted(artists, listens[order, 1])
    starts = np.searchsorted(user[order], np.arange(len(users) + 1))
    given = given[np.isin(given[:, 1], artists), 1:3]
    pairs, counts = np.unique(given, axis=0, return_counts=True)
    taggings = np.column_stack([np.searchsorted(artists, pairs[:, 0]), np.searchsorted(tags, pairs[:, 1]), counts])
    return Listening(source, starts, heard, taggings, tuple(name for _, name in named), len(artists))


def _rows(content: bytes, encoding: str) -> list[Any]:
    """Return the fields of all lines but the first."""
    return [line.split("\t") for line in content.decode(encoding).split("\n")[1:] if line]
