"""What a notebook's kernel may take from the person or the machine that starts it: nothing that shows in an output."""

import importlib.util
import os
from collections.abc import MutableMapping
from pathlib import Path

from checkout import VENV

# Settings of a person or a desktop that would change figures, texts or warnings.
PERSONAL = ("MPLBACKEND", "PYTHONWARNINGS", "PYTHONSTARTUP", "FORCE_COLOR", "COLUMNS")
# Sums may come out otherwise when more threads share them; and where two tests run side by side, one each is faster.
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


def neutralise(environment: MutableMapping[str, str] = os.environ) -> None:
    """Replace personal settings of matplotlib, IPython and Python in `environment`, in place, by those of this checkout."""
    for name in PERSONAL:
        environment.pop(name, None)
    for name in THREADS:
        environment[name] = "1"
    environment["BANDITS_DP_STRICT_ASSERTS"] = "1"  # an assert that fails is an error here, and a sentence for readers
    environment["IPYTHONDIR"] = str(VENV / "ipython")
    matplotlib = importlib.util.find_spec("matplotlib")
    if matplotlib and matplotlib.origin:
        environment["MATPLOTLIBRC"] = str(Path(matplotlib.origin).parent / "mpl-data" / "matplotlibrc")
