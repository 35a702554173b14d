"""Choose the newest versions that requirements.txt allows; write them and their sums to requirements.lock.

One lock serves Python 3.11, 3.12 and 3.13 on every system, with one version of each package for all of them.
Needs uv (https://docs.astral.sh/uv/), which only this task uses.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys

from checkout import ROOT

LOCK = ROOT / "requirements.lock"


def main() -> int:
    """Resolve with uv, check that the lock names no download address, and replace the old lock."""
    argparse.ArgumentParser(description=__doc__.splitlines()[0]).parse_args()
    uv = os.environ.get("UV") or shutil.which("uv")
    if not uv:
        print("make lock needs uv: pip install uv, or name it: make lock UV=/path/to/uv", file=sys.stderr)
        return 1
    draft = LOCK.with_name(".requirements.lock.tmp")
    draft.unlink(missing_ok=True)
    command = [uv, "pip", "compile", "--quiet", "--universal", "--fork-strategy", "fewest"]
    command += ["--python-version", "3.11", "--generate-hashes", "--no-emit-package", "bandits-dp"]
    command += ["--no-emit-index-url", "--no-emit-find-links", "--custom-compile-command", "make lock"]
    subprocess.run([*command, "requirements.txt", "--output-file", draft.name], cwd=ROOT, check=True, timeout=1800)
    text = draft.read_text("utf-8")
    if re.search(r"^\s*-|://", re.sub(r"^\s+--hash=.*$", "", text, flags=re.MULTILINE), flags=re.MULTILINE):
        print(f"{draft.name} names an address or an option of this machine; not used.", file=sys.stderr)
        return 1
    os.replace(draft, LOCK)
    print(f"{LOCK.name}: {len(re.findall(r'^[a-z0-9].*==', text, flags=re.MULTILINE))} packages")
    return 0


if __name__ == "__main__":
    sys.exit(main())
