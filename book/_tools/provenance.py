"""What made the numbers that a command stores."""

import platform
from datetime import date
from typing import Any

import numpy as np
import scipy

import bandits_dp as bdp


def provenance(command: str, **more: Any) -> dict[str, Any]:
    """Name the command, the versions of what it used, and the day."""
    about = {"command": command, "package": bdp.__version__, "python": platform.python_version()}
    return about | {"numpy": np.__version__, "scipy": scipy.__version__, "day": date.today().isoformat(), **more}
