"""Where the Last.fm files of HetRec 2011 come from: a folder of yours, or one download into the user's cache.

The files may be used for non-commercial purposes and are not part of this package. What is read is compared, byte by byte up to
line ends, with version 1.0 of May 2011.
"""

import hashlib
import os
import zipfile
from pathlib import Path

from bandits_dp._extras import needed

URL = "https://files.grouplens.org/datasets/hetrec2011/hetrec2011-lastfm-2k.zip"
VARIABLE = "BANDITS_DP_DATA"
ADVICE = f"download and unpack {URL}, and set the environment variable {VARIABLE} to its folder"
# Bytes and SHA-256 with line ends of one byte. They were computed from files with the documented 17,632 artists, 11,946 tags,
# 92,834 listens of 1,892 users and 186,479 tag assignments. Of the zip itself no checksum is published, so these do its work.
CHECKS = {
    "artists.dat": (1925879, "c173881362c6b28551368fecb3c0be5a6a30a6cd859e1f5775413dfe46d48648"),
    "tags.dat": (222521, "c815d7216101fd0ba9b9c59fa2a011998d2fd076e0064d281ec4153d95ae8095"),
    "user_artists.dat": (1203620, "254272fa721c3935e8be286d28c051b206844307128698ab4eaa41d483379416"),
    "user_taggedartists.dat": (4180216, "c4a9ffae9ab47a9f9b2f0678ab1f7e5c1db4ca818837d8cddd1f5699c5bbf048"),
}


class Unreachable(OSError):
    """The files cannot be downloaded, because no server answers."""


def named_folder() -> Path | None:
    """Return the folder with ``user_artists.dat`` that the environment names, or its folder ``lastfm``; None if none is named."""
    named = os.environ.get(VARIABLE, "").strip()
    if not named:
        return None
    folder = Path(named).expanduser()
    for place in (folder, folder / "lastfm"):
        if (place / "user_artists.dat").is_file():
            return place
    raise ValueError(f"{VARIABLE} must name a folder with user_artists.dat, or with a folder lastfm that has it, got {named!r}")


def read_files(folder: Path) -> dict[str, bytes]:
    """Return the checked contents of a folder, by file name."""
    contents = {}
    for name in CHECKS:
        if not (folder / name).is_file():
            raise ValueError(f"{folder} must hold {', '.join(CHECKS)}, got no {name}")
        contents[name] = checked(name, (folder / name).read_bytes(), str(folder))
    return contents


def checked(name: str, content: bytes, place: str) -> bytes:
    """Return a file's content with line ends of one byte, or raise a ValueError that says how it differs from version 1.0."""
    content = content.replace(b"\r\n", b"\n")
    size, expected = CHECKS[name]
    digest = hashlib.sha256(content).hexdigest()
    if digest != expected:
        raise ValueError(f"{name} in {place} must be that of HetRec 2011, version 1.0, with {size} bytes and SHA-256 {expected}, "
                         f"got {len(content)} bytes and {digest}: it is damaged, cut off, or of another version")
    return content


def download() -> dict[str, bytes]:
    """Return the checked contents of the zip, downloaded unless it is in the user's cache.

    Unreachable says that no server answers, another OSError that the download broke off or the cache folder cannot be written to, a
    ValueError that what came is no zip, or a file in it is not that of version 1.0: then nothing is kept.
    """
    with needed("lastfm", "downloading the Last.fm files"):
        import pooch
        import requests  # pooch downloads by it
    pooch.get_logger().setLevel("WARNING")
    folder, downloader = Path(pooch.os_cache("bandits_dp")), pooch.HTTPDownloader(progressbar=True, timeout=10)
    try:
        path = Path(pooch.retrieve(URL, known_hash=None, fname="lastfm.zip", path=folder, downloader=downloader))
    except requests.exceptions.ChunkedEncodingError as error:
        raise OSError(f"{URL} must come whole, but the download broke off: {error}") from error
    except (requests.exceptions.ConnectionError, requests.exceptions.Timeout) as error:
        raise Unreachable(f"no server answers for {URL}: {error}; {ADVICE}") from error
    except requests.exceptions.RequestException as error:
        raise OSError(f"{URL} must be there, got {error}; {ADVICE}") from error
    except OSError as error:
        raise OSError(f"cache folder {folder} must be writable and have room for the download, got {error}; or {ADVICE}") from error
    try:
        return _unpacked(path)
    except ValueError:
        path.unlink()
        raise


def _unpacked(path: Path) -> dict[str, bytes]:
    """Return the checked contents of a zip, whose files may be in a folder."""
    try:
        with zipfile.ZipFile(path) as packed:
            entries = {Path(name).name: name for name in packed.namelist()}
            if missing := CHECKS.keys() - entries.keys():
                raise ValueError(f"{URL} must hold {', '.join(CHECKS)}, got no {', '.join(sorted(missing))}")
            return {name: checked(name, packed.read(entries[name]), URL) for name in CHECKS}
    except zipfile.BadZipFile as error:
        raise ValueError(f"{URL} must give a zip file, got {path.stat().st_size} damaged bytes: {error}") from error
