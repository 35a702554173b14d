"""Fetch the browser libraries and the faces that the site serves itself, into book/_static/vendor
(those that only the build runs, into book/_ext; those of the lecture slides, into book/_tools/slides).

A maintainer runs this by hand, rarely, and commits the result: the built book then asks no other host for
anything. Needs npm. Each archive is checked against the sum below before anything of it is used.
"""

import argparse
import hashlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

from checkout import ROOT

BOOK = ROOT / "book"

# npm package -> (sha512 of its archive, {file in the package, or pattern: file or folder/ in book/ that it becomes})
PACKAGES = {
    "katex@0.19.1": (
        "8c6f2e2a7b63484726d84a503a1d17b6eae93eeb82f6bdd2ab91cb1ddb057566"
        "53dbb13aef6485d7d4048bea1fd3f61e3b2d7994381184abebe7ad78b91ac47c",
        {
            "dist/katex.min.js": "_ext/katex.min.js",  # runs while the book is built; pages do not load it
            "dist/katex.min.css": "_static/vendor/katex/katex.min.css",
            "dist/fonts/*.woff2": "_static/vendor/katex/fonts/",
            "LICENSE": "_static/vendor/katex/LICENSE",
        },
    ),
    "reveal.js@6.0.2": (
        "258220e43f5aa31a1a2de6fce0ef8ebc0c2c2967486af56010349cc6d6045c50"
        "93eade9342b84db5282881c8dd0a974bb168258499f7cf21377d43b0887e4a12",
        {
            "dist/reveal.js": "_tools/slides/reveal/",
            "dist/reveal.css": "_tools/slides/reveal/",
            "dist/plugin/notes.js": "_tools/slides/reveal/",  # the speaker's view
            "LICENSE": "_tools/slides/reveal/",
        },
    ),
    "marked@17.0.5": (  # is within reveal.js's notes.js, which does not bring its licence
        "ea12ef734fc911b463460cc8eb09d3d8fd57b8cd7f46bac3117d243edd0dee31"
        "a6d75df783a5fb0e5c456ac508c7eef668a02bf74e064f18522c3adde4322566",
        {"LICENSE.md": "_tools/slides/reveal/LICENSE-marked"},
    ),
    "fitty@2.4.2": (  # is within reveal.js
        "18d85680898ae3ec049201198c1910332bb934b4a69abca0fc26913fbcd86f2f"
        "935b30ab528bba0472fe8aa6e32b32515cccb3b89907f8b041d7e961e283bbee",
        {"LICENSE": "_tools/slides/reveal/LICENSE-fitty"},
    ),
    "@fontsource-variable/newsreader@5.3.0": (
        "aebcd88b8dea3296f3c2e16d7fd3a4587f2cc403d53dc410404c17a4fb7068a6"
        "1e27cc9583968bb3991ac26a357f6435b75337f132e610a0a41950ec63081d17",
        {
            "files/newsreader-latin-wght-*.woff2": "_static/vendor/newsreader/",  # upright and italic
            "LICENSE": "_static/vendor/newsreader/LICENSE",
        },
    ),
    "@fontsource-variable/instrument-sans@5.3.0": (
        "bb880a6c30533451a483df7bb5f427dde1ce847baab965054d14ffaf0cee2ada"
        "f15f93f67a47ecdb1f8b8013cfe0fdf6f9c0bebd4c05d42afe21d4683d06eb1b",
        {
            "files/instrument-sans-latin-wght-normal.woff2": "_static/vendor/instrument-sans/",
            "LICENSE": "_static/vendor/instrument-sans/LICENSE",
        },
    ),
    "@fontsource-variable/source-code-pro@5.3.0": (
        "0b1cc06eab4dad0e844174dbf68bd16484623a114f70142134a95ae7c2b9515e"
        "883282ff44e916c570d204e6bf7eb2032ee5780793cb1c8e11d5ef525958a762",
        {
            "files/source-code-pro-latin-wght-normal.woff2": "_static/vendor/source-code-pro/",
            "LICENSE": "_static/vendor/source-code-pro/LICENSE",
        },
    ),
}


def fetch(package: str, digest: str, folder: Path) -> Path:
    """Download `package` with npm into `folder`, check its sum, unpack it and return where."""
    printed = subprocess.run(
        ["npm", "pack", "--silent", package], cwd=folder, check=True, capture_output=True, text=True, timeout=600
    )
    archive = folder / printed.stdout.split()[-1]
    found = hashlib.sha512(archive.read_bytes()).hexdigest()
    if found != digest:
        raise ValueError(f"{package}: the archive's sha512 is {found}, expected {digest}")
    unpacked = folder / archive.stem
    with tarfile.open(archive) as tar:
        tar.extraction_filter = getattr(tarfile, "data_filter", None)  # Python 3.11.2 has none yet
        tar.extractall(unpacked)
    return unpacked / "package"


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


def name_woff2_only(styles: Path) -> None:
    """Drop from a style sheet the older font formats, whose files are not vendored; every browser of today reads WOFF2."""
    text = styles.read_text("utf-8")
    styles.write_text(re.sub(r',url\([^)]+\.(woff|ttf)\) format\("\w+"\)', "", text), "utf-8")


def main() -> int:
    """Replace the vendored files by fresh copies."""
    argparse.ArgumentParser(description=__doc__.splitlines()[0]).parse_args()
    with tempfile.TemporaryDirectory() as folder:
        fetched = [
            (fetch(name, digest, Path(tempfile.mkdtemp(dir=folder))), wanted) for name, (digest, wanted) in PACKAGES.items()
        ]
        for old in {BOOK / target for _, wanted in fetched for target in wanted.values() if target.endswith("/")}:
            shutil.rmtree(old, ignore_errors=True)
        copies = [copy for source, wanted in fetched for item in wanted.items() for copy in install(source, *item)]
    for styles in (copy for copy in copies if copy.suffix == ".css"):
        name_woff2_only(styles)
    print(f"{len(copies)} files, {sum(copy.stat().st_size for copy in copies) / 1e6:.1f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
