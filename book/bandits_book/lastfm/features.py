"""From tags to a few numbers per artist: TF-IDF, then principal components, by scikit-learn."""

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from threadpoolctl import threadpool_limits

from bandits_book.lastfm.data import Listening
from bandits_dp import _checks
from bandits_dp._extras import needed


def tag_features(listening: Listening, dimension: int = 25) -> tuple[NDArray[np.float64], NDArray[np.float64], float]:
    """Return the features of all artists, what they are made of, and how much of the tags is left in them.

    A tag counts more the more users gave it to the artist and the fewer artists have it (TF-IDF); rows have norm 1. Of these, the
    first principal components are kept (Wang, Zhao, Wang 2022, section 4), and all are divided by the largest norm. An artist
    without tags has the components of a row of zeros, which are not zero, because components are counted from the mean. What
    comes out is cut to six decimals: the digits that each processor adds in its own way must not choose between artists.

    Returns
    -------
    features : ndarray, shape (artists, dimension)
        Norms at most 1.
    components : ndarray, shape (dimension, tags)
        Orthonormal rows: the direction of each component. The largest entry by absolute value is positive, so that signs are the
        same everywhere.
    explained : float
        Share of the variance of the TF-IDF rows that is left, in [0, 1].
    """
    with needed("lastfm", "making features of artists"):
        from sklearn.decomposition import PCA
        from sklearn.feature_extraction.text import TfidfTransformer
    artist, tag, count = listening.taggings.T
    used = np.unique(tag)
    most = min(listening.artists, len(used)) - 1
    if _checks.integer("dimension", dimension) > most:
        raise ValueError(f"dimension must be at most {most}, one less than artists and tags in use, got {dimension}")
    table = csr_array((count.astype(float), (artist, np.searchsorted(used, tag))), shape=(listening.artists, len(used)))
    with threadpool_limits(1, user_api="blas"):  # the products are small; more threads are ten times slower
        pca = PCA(dimension, svd_solver="arpack", random_state=0)
        scores = pca.fit_transform(TfidfTransformer().fit_transform(table))
    row = np.arange(dimension)
    signs = np.sign(pca.components_[row, np.abs(pca.components_).argmax(axis=1)])
    components = np.zeros((dimension, len(listening.tags)))
    components[:, used] = pca.components_ * signs[:, None]
    features = scores * signs
    features /= np.linalg.norm(features, axis=1).max()
    return np.trunc(features * 1e6) / 1e6, components, float(pca.explained_variance_ratio_.sum())
