"""Last.fm: which artists friends of music listened to, as a contextual problem (chapter 14)."""

from bandits_book.lastfm.problem import LastFM

__all__ = ["LastFM"]
