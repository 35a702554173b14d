"""Build the package's wheel and source archive, and run its tests on the wheel, outside of this folder.

    python book/_tools/try_package.py             # both files are in _build/package
    python book/_tools/try_package.py --lowest    # with the lowest versions that pyproject.toml allows; needs uv

The tests are those in the source archive (MANIFEST.in says which), in an environment with the wheel and its extra `test`.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from checkout import BUILD, PYTHON, ROOT, TOOLS, VENV

PACKAGES = BUILD / "package"
CODE = ("bandits_dp", "book/bandits_book")
SOURCES = ("pyproject.toml", "MANIFEST.in", "README.md", "CHANGELOG.md", "LICENSE", *CODE, "tests")
SDIST = "import sys; from setuptools.build_meta import build_sdist; build_sdist(sys.argv[1])"


def call(*command: str | Path, folder: Path, **more: Any) -> None:
    """Run a command in a folder; it knows nothing of this one."""
    clean = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
    subprocess.run([str(part) for part in command], cwd=folder, env=clean, check=True, timeout=14400, **more)


def unpacked(archive: Path, folder: Path) -> Path:
    shutil.unpack_archive(archive, folder)
    return folder / archive.name.removesuffix(".tar.gz")


def build(folder: Path) -> tuple[Path, Path]:
    """Build the source archive, and the wheel from what is in it, into `folder`; no network is asked."""
    with tempfile.TemporaryDirectory() as scratch:
        copy = Path(scratch, "copy")  # setuptools leaves files where it works, and reads those of an earlier time
        copy.mkdir()
        for name in SOURCES:
            if (ROOT / name).is_dir():
                shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy(ROOT / name, copy)
        call(sys.executable, "-c", SDIST, folder, folder=copy, stdout=subprocess.DEVNULL)
    (archive,) = folder.glob("*.tar.gz")
    call(sys.executable, "-m", "pip", "--quiet", "wheel", "--no-deps", "--no-build-isolation", "-w", ".", archive, folder=folder)
    (wheel,) = folder.glob("*.whl")
    return archive, wheel


def install(wheel: Path, source: Path, env: Path, lowest: bool) -> Path:
    """Make an environment with the wheel and its extra `test`; return its Python."""
    python = env / PYTHON.relative_to(VENV)
    if lowest:
        uv = os.environ.get("UV") or shutil.which("uv")
        if not uv:
            raise SystemExit("The lowest versions need uv: pip install uv, or name it: UV=/path/to/uv")
        call(uv, "venv", "--quiet", "--python", sys.executable, env, folder=source)
        pip = (uv, "pip", "install", "--quiet", "--python", python)
        call(*pip, "--resolution", "lowest-direct", "-r", "pyproject.toml", "--extra", "test", folder=source)
        call(*pip, "--no-deps", wheel, folder=source)
        return python
    call(sys.executable, "-m", "venv", env, folder=source)
    pip = (python, "-m", "pip", "--quiet", "--disable-pip-version-check", "install")
    call(*pip, wheel, folder=source)
    call(python, "-m", "tests.without_extras", folder=source)
    call(*pip, f"{wheel}[test]", folder=source)
    return python


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--lowest", action="store_true", help="take the lowest versions that are allowed")
    lowest = parser.parse_args().lowest
    shutil.rmtree(PACKAGES, ignore_errors=True)
    PACKAGES.mkdir(parents=True)
    archive, wheel = build(PACKAGES)
    with tempfile.TemporaryDirectory() as work:
        source = unpacked(archive, Path(work))
        for name in CODE:  # what is tested is the wheel
            shutil.rmtree(source / name)
        shutil.copy(TOOLS / "nothing_skipped.py", source)
        python = install(wheel, source, Path(work) / "env", lowest)
        for name in ("bandits_dp", "bandits_book"):
            call(python, "-c", f"import {name}; print('testing', {name}.__file__)", folder=source)
        options = ("-q", "-p", "nothing_skipped", f"--numprocesses={os.cpu_count()}", "--dist=loadfile")
        call(python, "-m", "pytest", *options, folder=source)
    print(f"Tested: {archive.relative_to(ROOT)} and {wheel.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
