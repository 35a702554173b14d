"""A small made-up world of listeners, for where the Last.fm files are not: of their shape, and of nobody's data.

Artists and users lean towards a few of twelve styles. Popular artists are heard more and tagged more, and the least known have no
tags at all, as in the real data. Numbers in it mean nothing beyond that.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

USERS, ARTISTS, TAGS, STYLES, LISTENS = 200, 1200, 300, 12, 30
SEED = 20110523  # fixed: everybody without the files gets the same stand-in

Ints = NDArray[np.int64]


def made_up() -> tuple[Ints, Ints, Ints, int]:
    """Return ``starts``, ``heard``, ``taggings`` and the number of artists, as :class:`Listening` has them."""
    rng = np.random.default_rng(SEED)
    artist_style, tag_style = rng.dirichlet(np.full(STYLES, 0.2), ARTISTS), rng.dirichlet(np.full(STYLES, 0.1), TAGS)
    user_style = rng.dirichlet(np.full(STYLES, 0.3), USERS)
    known = rng.permutation(1.0 / (10 + np.arange(ARTISTS)))  # a long tail
    common = rng.permutation(1.0 / (3 + np.arange(TAGS)))
    taggings = []
    for artist, amount in enumerate(rng.poisson(3000 * known)):
        law = common * (tag_style @ artist_style[artist])
        counts = rng.multinomial(amount, law / law.sum())
        taggings += [(artist, tag, counts[tag]) for tag in np.flatnonzero(counts)]
    law = known * (user_style @ artist_style.T)
    keys = np.log(rng.random((USERS, ARTISTS))) / law  # the largest are a sample without replacement, likelier by law
    heard = np.sort(np.argsort(-keys, axis=1)[:, :LISTENS], axis=1)
    return np.arange(USERS + 1) * LISTENS, heard.ravel(), np.array(taggings, dtype=np.int64), ARTISTS
