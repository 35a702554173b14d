"""Generated calls and sequences (`make fuzz`), and changes of the package that a test must see (`make mutants`)."""

import os

from hypothesis import HealthCheck, Phase, settings


def effort(name, parts, small, slowness=1.0, **more):
    """Return the settings of one of several tests: a small share, or its part of what `make fuzz` says (CALLS=, SEQUENCES=)."""
    wanted = os.environ.get(name)
    count = int(wanted) / parts if wanted else small
    return settings(max_examples=max(1, round(count / max(1.0, slowness))), derandomize=not wanted, deadline=None, database=None,
                    print_blob=True, phases=(Phase.generate, Phase.shrink), suppress_health_check=list(HealthCheck), **more)


def only(names):
    return [name for name in names if os.environ.get("ONLY", "").lower() in name.lower()]
