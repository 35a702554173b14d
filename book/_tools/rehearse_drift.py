"""Does the alarm work? Plant a drift of 1% in a mechanism's noise, in a copy of this checkout, and see whether a chapter notices.

    python book/_tools/rehearse_drift.py               # every mechanism, each with the chapter that is quickest to notice
    python book/_tools/rehearse_drift.py LocalLaplace  # one of them
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from checkout import NOTEBOOKS, ROOT

UNIT = "self.unit_std *= 1.01"
SCALE = "self.scale *= 1.01"
PAIRS = "{0} = {0}._replace(p=0.5 - (0.25 - 0.98 * {0}.p * (1 - {0}.p)) ** 0.5)"  # with 1% less std
# Mechanism: the chapter that is quickest to notice, the file, and the line of it before which the noise is changed.
PLANTS = {
    "CentralLaplace": ("02", "privatizers/laplace.py", "self.draws = ", f"if self.model == 'central': {SCALE}"),
    "LocalLaplace": ("13", "privatizers/laplace.py", "self.draws = ", f"if self.model == 'local': {SCALE}"),
    "CentralGaussian": ("03", "privatizers/gaussian.py", "self._promise(", f"if self.model == 'central': {UNIT}"),
    "LocalGaussian": ("05", "privatizers/gaussian.py", "self._promise(", f"if self.model == 'local': {UNIT}"),
    "RandomizedResponse": ("02", "privatizers/randomized_response.py", "if self.truth", "self.truth -= 0.01 * (1 - self.truth)"),
    "BinarySum": ("03", "privatizers/binary_sum.py", "self._set_up(1, bits)", PAIRS.format("bits")),
    "BitSum": ("06", "privatizers/bit_sum.py", "self.noise_bits = noise_bits", PAIRS.format("noise_bits")),
    "AmplifiedGaussian": ("05", "privatizers/amplified.py", "self.noise_std = ", UNIT),
    "SkellamSum": ("13", "privatizers/skellam.py", "self._set_up(levels)", "self.variance *= 1.02"),
    "DiscreteLaplaceSum": ("07", "privatizers/discrete_laplace.py", "self._set_up(levels)", SCALE),
    "PublishedLocalGaussian": ("10", "privatizers/linear_gaussian.py", "self.noise_std = ", UNIT),
    "ReturningLocalGaussian": ("11", "privatizers/gaussian.py", "self._promise(", f"if self.batches > 1: {UNIT}"),
    "Counter": ("04", "continual/base.py", "self.reset()", "self.noise_std *= 1.01"),
    "OutputPerturbation": ("12", "continual/dynamic.py", "self.dimension, self.horizon = dimension, horizon", "change *= 1.01"),
}


def planted(source: str, line: str, drift: str) -> str:
    """Return the source with the drift before the first line that begins so."""
    above, below = source.split(line, 1)
    indent = above[above.rindex("\n") + 1:]
    return f"{above}{drift}\n{indent}{line}{below}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Print for each mechanism what the chapter took, and what it said moved; return how many drifts nobody saw."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("mechanisms", nargs="*", help=f"of {', '.join(PLANTS)}")
    parser.add_argument("--chapter", help="another chapter, such as 05")
    options = parser.parse_args(arguments)
    if unknown := set(options.mechanisms) - set(PLANTS):
        parser.error(f"no such mechanism: {', '.join(sorted(unknown))}")
    unseen = 0
    for name in options.mechanisms or PLANTS:
        usual, file, line, drift = PLANTS[name]
        (path,) = NOTEBOOKS.glob(f"{options.chapter or usual}_*.ipynb")
        with tempfile.TemporaryDirectory() as folder:
            copy = Path(folder, ROOT.name)
            shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(".*", "_build", "__pycache__"))
            module = copy / "bandits_dp" / file
            module.write_text(planted(module.read_text("utf-8"), line, drift), "utf-8")
            environment = {**os.environ, "PYTHONPATH": str(copy)}
            command = [sys.executable, "book/_tools/run_tests.py", str(path.relative_to(ROOT))]
            before = os.times().children_user
            run = subprocess.run(
                command, cwd=copy, env=environment, stdout=subprocess.PIPE, encoding="utf-8", check=False, timeout=3600
            )
            seconds = os.times().children_user - before
        moved = [text for text in run.stdout.splitlines() if text.startswith("DRIFT ")]
        unseen += not moved
        print(f"{name}: {path.stem}, {seconds:.0f} s of a processor, {len(moved)} cells moved", *moved[:3], sep="\n  ", flush=True)
    return unseen


if __name__ == "__main__":
    sys.exit(main())
