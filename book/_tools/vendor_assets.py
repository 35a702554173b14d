"""Fetch the browser libraries and the faces that the site, the slides and the build use, as `vendor.toml` says.

A maintainer runs this by hand, rarely, and commits the result: the built book then asks no other host for anything. Needs npm and
`pip install brotli`. The sum of each archive is checked before anything of it is used.
"""

import hashlib
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

from checkout import ROOT

BOOK = ROOT / "book"

PACKAGES = tomllib.loads(Path(__file__).with_name("vendor.toml").read_text("utf-8"))


def fetch(package: str, digest: str, folder: Path) -> Path:
    """Download `package` with npm into `folder`, check its sum, unpack it and return where."""
    command = ["npm", "pack", "--silent", package]
    printed = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True, timeout=600)
    archive = folder / printed.stdout.split()[-1]
    found = hashlib.sha512(archive.read_bytes()).hexdigest()
    if found != digest:
        raise ValueError(f"{package}: the archive's sha512 is {found}, expected {digest}")
    shutil.unpack_archive(archive, folder, "gztar")  # which is known by its sum
    return folder / "package"


def install(source: Path, pattern: str, target: str) -> list[Path]:
    """Copy what matches `pattern` in `source` to `target` in book/; return the copies."""
    found = sorted(source.glob(pattern))
    if not found:
        raise FileNotFoundError(f"{source.name} holds no {pattern}")
    copies = [BOOK / target / path.name if target.endswith("/") else BOOK / target for path in found]
    for path, copy in zip(found, copies, strict=True):
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, copy)
    return copies


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        fetched = {name: fetch(name, wanted["sha512"], Path(tempfile.mkdtemp(dir=folder))) for name, wanted in PACKAGES.items()}
        for old in {BOOK / target for wanted in PACKAGES.values() for target in wanted["files"].values() if target.endswith("/")}:
            shutil.rmtree(old, ignore_errors=True)
        wanted = [(source, *item) for name, source in fetched.items() for item in PACKAGES[name]["files"].items()]
        copies = [copy for one in wanted for copy in install(*one)]
    for styles in (copy for copy in copies if copy.suffix == ".css"):  # the older formats of faces are not vendored
        text = re.sub(r',url\([^)]+\.(woff|ttf)\) format\("\w+"\)', "", styles.read_text("utf-8"))
        styles.write_text(text, "utf-8")
    for face in (copy for copy in copies if copy.name.startswith("newsreader-")):  # the book has none lighter or bolder
        narrow = ["fontTools", "varLib.instancer", "--no-recalc-timestamp", "-q", "-o", str(face), str(face), "wght=400:700"]
        subprocess.run([sys.executable, "-m", *narrow], check=True, timeout=600)
    print(f"{len(copies)} files, {sum(copy.stat().st_size for copy in copies) / 1e6:.1f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
