"""What a notebook's kernel may take from the person who starts it: nothing that shows in an output."""

import importlib.util
import os
from collections.abc import MutableMapping
from pathlib import Path

from checkout import VENV

# Settings of a person or a desktop that would change figures, texts or warnings.
PERSONAL = ("MPLBACKEND", "PYTHONWARNINGS", "PYTHONSTARTUP", "FORCE_COLOR", "COLUMNS")


def neutralise(environment: MutableMapping[str, str] = os.environ) -> None:
    """Take personal settings of matplotlib, IPython and Python out of `environment`, in place."""
    for name in PERSONAL:
        environment.pop(name, None)
    environment["IPYTHONDIR"] = str(VENV / "ipython")
    matplotlib = importlib.util.find_spec("matplotlib")
    if matplotlib and matplotlib.origin:
        environment["MATPLOTLIBRC"] = str(Path(matplotlib.origin).parent / "mpl-data" / "matplotlibrc")
