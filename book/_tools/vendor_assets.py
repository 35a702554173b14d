"""Fetch the browser libraries that the site serves itself, into book/_static/vendor.

A maintainer runs this by hand, rarely, and commits the result: the built book then asks no other host for
anything. Needs npm. Each archive is checked against the sum below before anything of it is used.
"""

import argparse
import hashlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
from importlib import metadata
from pathlib import Path

from checkout import ROOT

VENDOR = ROOT / "book" / "_static" / "vendor"

# npm package -> (sha512 of its archive, {file or folder in the package: where it goes in vendor/})
PACKAGES = {
    "mathjax@3.2.2": (
        "06df9249553c7811b6ef30a155ec0e89c62ced7b1db78d2a9b8f94a47c97ee4d"
        "3f3bd36588f73ec7bee4d7f144b0fb2328f64626fb5164cd6f3be81e5b43a11b",
        {
            "LICENSE": "mathjax/LICENSE",
            "es5/tex-chtml-full.js": "mathjax/tex-chtml-full.js",
            "es5/output/chtml/fonts/woff-v2": "mathjax/output/chtml/fonts/woff-v2",
        },
    ),
    "@jupyter-widgets/html-manager@1.0.15": (
        "e6d841215eb298d8263d5387bf3c7e806cbc6522a649ace1b46c38fdce312435"
        "734611bd3d3790b118c5dc5513a29bc58bffd200178dcf5ca9e3b6c2ac9dc240",
        {
            "dist/embed.js": "html-manager/embed.js",
            "dist/embed.js.LICENSE.txt": "html-manager/embed.js.LICENSE.txt",
            "dist/*.woff2": "html-manager/",
        },
    ),
}


def fetch(package: str, digest: str, folder: Path) -> Path:
    """Download `package` with npm into `folder`, check its sum, unpack it and return where."""
    printed = subprocess.run(
        ["npm", "pack", "--silent", package], cwd=folder, check=True, capture_output=True, text=True
    )
    archive = folder / printed.stdout.split()[-1]
    found = hashlib.sha512(archive.read_bytes()).hexdigest()
    if found != digest:
        raise ValueError(f"{package}: the archive's sha512 is {found}, expected {digest}")
    unpacked = folder / archive.stem
    with tarfile.open(archive) as tar:
        tar.extractall(unpacked, filter="data")
    return unpacked / "package"


def install(source: Path, pattern: str, target: str) -> None:
    """Copy what matches `pattern` in `source` to `target` in the vendor folder."""
    found = sorted(source.glob(pattern))
    if not found:
        raise FileNotFoundError(f"{source.name} holds no {pattern}")
    for path in found:
        goal = VENDOR / target / path.name if target.endswith("/") else VENDOR / target
        goal.parent.mkdir(parents=True, exist_ok=True)
        if path.is_dir():
            shutil.copytree(path, goal)
        else:
            shutil.copyfile(path, goal)


def main() -> int:
    """Replace the vendored folders by fresh copies."""
    argparse.ArgumentParser(description=__doc__.splitlines()[0]).parse_args()
    with tempfile.TemporaryDirectory() as folder:
        fetched = [(fetch(name, digest, Path(folder)), wanted) for name, (digest, wanted) in PACKAGES.items()]
        for target in {target.split("/")[0] for _, wanted in fetched for target in wanted.values()}:
            shutil.rmtree(VENDOR / target, ignore_errors=True)
        for source, wanted in fetched:
            for pattern, target in wanted.items():
                install(source, pattern, target)
    # The html-manager's archive names its licence (BSD-3-Clause) without the text, which ipywidgets, made
    # by the same people in the same repository, carries.
    licence = next(path for path in metadata.files("ipywidgets") or [] if path.name == "LICENSE")
    shutil.copyfile(str(licence.locate()), VENDOR / "html-manager" / "LICENSE")
    size = sum(path.stat().st_size for path in VENDOR.rglob("*") if path.is_file())
    print(f"{VENDOR.relative_to(ROOT)}: {size / 1e6:.1f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
