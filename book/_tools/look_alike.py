"""Run the committed chapters as Binder or Colab would, and say which printed lines are other than the stored ones.

An environment in a temporary folder is filled as the service fills its own, and every code cell runs in it, also after one
that failed. Pictures are not compared: other versions of matplotlib draw them a little differently.
"""

import argparse
import copy
import difflib
import os
import subprocess
import tempfile
import time
from pathlib import Path

import nbformat
from nbclient import NotebookClient

from checkout import ROOT
from kernels import PERSONAL
from run_notebooks import CELL_TIMEOUT
from set_repository import SETUP_CELL, with_setup

# What is there before this book: main packages of repo2docker's environment (October 2025) and of Colab's list (August 2026).
BASE = {
    "binder": "jupyterlab==4.4.9 notebook==7.4.7 jupyterhub==5.4.0 ipywidgets==8.1.7 ipykernel==7.0.1 ipython==9.6.0",
    "colab": "pip==24.1.2 setuptools==75.2.0 numpy==2.0.2 scipy==1.16.3 matplotlib==3.10.0 pillow==11.3.0 joblib==1.5.3 "
    "tqdm==4.67.3 ipywidgets==7.7.1 ipykernel==6.17.1 ipython==7.34.0 traitlets==5.7.1 jupyter_client==7.4.9",
}


def call(*command: str | Path, folder: Path | None = None) -> str:
    return subprocess.run(command, cwd=folder, check=True, stdout=subprocess.PIPE, text=True, timeout=3600).stdout


def texts(cell: nbformat.NotebookNode) -> list[str]:
    """List the lines of text that a cell shows, without those that stand in for pictures and widgets."""
    shown = ""
    for output in cell.get("outputs", []):
        data = output.get("data", {})
        if not any(kind.startswith("image/") or "widget" in kind for kind in data):
            parts = output.get("text"), data.get("text/plain"), output.get("ename"), output.get("evalue")
            shown += " ".join(part for part in parts if part) + "\n"
    return shown.splitlines()


def differing(stored: nbformat.NotebookNode, fresh: nbformat.NotebookNode) -> list[str]:
    """Say which lines of which cells differ; what pip says in the set-up cell does not matter."""
    found = []
    for old, new in zip(stored.cells, fresh.cells, strict=True):
        lines = difflib.unified_diff(texts(old), texts(new), lineterm="", n=0) if old.id != SETUP_CELL else ()
        found += [f"  {old.id}: {line}" for line in lines if not line.startswith(("---", "+++", "@@"))]
    return found


def environment(at: str, interpreter: str, folder: Path) -> tuple[str | Path, ...]:
    """Put a copy of the committed book and the service's environment in `folder`; return its pip."""
    python = folder / "env" / "bin" / "python"
    pip = (python, "-m", "pip", "--quiet", "--disable-pip-version-check")
    call("git", "clone", "--quiet", ROOT, folder / "book")
    call(interpreter, "-m", "venv", python.parents[1])
    call(*pip, "install", *BASE[at].split())
    if at == "binder":
        call(*pip, "install", "-r", "binder/requirements.txt", folder=folder / "book")
    else:  # google.colab is loaded in a kernel there; so the set-up cell knows that it has to install the package
        (site,) = folder.glob("env/lib/python3*/site-packages")
        (site / "colab.pth").write_text("import sys, types; sys.modules['google.colab'] = types.ModuleType('google.colab')\n")
    call(python, "-m", "ipykernel", "install", "--prefix", folder / "kernel", "--name", "look-alike")
    os.environ["JUPYTER_PATH"] = str(folder / "kernel" / "share" / "jupyter")
    os.environ["PATH"] = f"{python.parent}{os.pathsep}{os.environ['PATH']}"
    for name in PERSONAL:
        os.environ.pop(name, None)
    return pip


def main() -> int:
    """Make the look-alike, run every chapter in it, and report."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("service", choices=sorted(BASE))
    parser.add_argument("python", help="the Python that it has, such as python3.11")
    options, failed = parser.parse_args(), False
    with tempfile.TemporaryDirectory() as folder:
        pip, setup = environment(options.service, options.python, Path(folder)), f"file://{folder}/book"
        before = call(*pip, "freeze").splitlines()
        for path in sorted(Path(folder).glob("book/notebooks/*.ipynb")):
            started = time.monotonic()
            stored = nbformat.reads(with_setup(path.read_text("utf-8"), setup if options.service == "colab" else ""), as_version=4)
            fresh = copy.deepcopy(stored)
            run = NotebookClient(fresh, kernel_name="look-alike", timeout=CELL_TIMEOUT, allow_errors=True, coalesce_streams=True)
            run.execute(cwd=str(path.parent))
            found = differing(stored, fresh)
            print(f"{path.name}  {time.monotonic() - started:5.1f} s", *found or ["  as stored"], sep="\n", flush=True)
            failed = failed or bool(found)
        print("packages changed by the chapters:", *set(before) ^ set(call(*pip, "freeze").splitlines()))
        print("size of the environment:", call("du", "-sm", f"{folder}/env").split()[0], "MB")
    return int(failed)


if __name__ == "__main__":
    raise SystemExit(main())
