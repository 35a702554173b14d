"""Run tests as other processors would, and list every number that moves and every test that fails.

OpenBLAS and numpy choose how they add by the processor they find. Here each kernel of OpenBLAS that this processor executes is
asked for in turn; and the oldest once more with numpy's own choices switched off, which is the farthest from a new processor.

    python book/_tools/processors.py                                                   # notebooks and unit tests under each
    python book/_tools/processors.py --only oldest notebooks/10_private_linucb.ipynb   # these under one
"""

import argparse
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence

from checkout import NOTEBOOKS, ROOT, TOOLS

KERNELS = ("Nehalem", "Sandybridge", "Haswell", "Zen", "SkylakeX", "ARMV8", "NEOVERSEN1", "VORTEX")
EVERYTHING = (str(NOTEBOOKS), str(ROOT / "tests"), f"--ignore={ROOT / 'tests' / 'site'}")
SHARED = (f"--numprocesses={os.cpu_count()}", "--dist=loadfile")
TOLD = ("DRIFT ", "FAILED ", "ERROR ")  # how lines begin that say what moved or failed
# Prints which kernel OpenBLAS took, after a product that a processor without its instructions cannot compute; and what numpy found.
PROBE = """
import numpy, threadpoolctl
from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__
numpy.linalg.inv(numpy.eye(40) + numpy.random.default_rng(0).random((40, 40)))
print(*{one["architecture"] for one in threadpoolctl.threadpool_info() if one["user_api"] == "blas"})
print(*[name for name in __cpu_dispatch__ if __cpu_features__[name]])
"""


def processors() -> Iterator[tuple[str, dict[str, str]]]:
    """Yield a name and the variables of each way to compute that this processor has."""
    oldest, probe = "", [sys.executable, "-c", PROBE]
    for kernel in KERNELS:
        asked = {"OPENBLAS_CORETYPE": kernel}
        done = subprocess.run(probe, env={**os.environ, **asked}, capture_output=True, text=True, timeout=120, check=False)
        taken, dispatched, *_ = [*done.stdout.splitlines(), "", ""]  # nothing if that crashes
        if taken.lower() == kernel.lower():
            yield kernel, asked
            if not oldest:
                oldest, features = kernel, dispatched.replace(" ", ",")
    if oldest and features:
        without = {"OPENBLAS_CORETYPE": oldest, "NPY_DISABLE_CPU_FEATURES": features}
        yield f"oldest ({oldest} without numpy's dispatch)", without


def run(variables: dict[str, str], tests: Sequence[str]) -> tuple[int, list[str]]:
    """Run the tests with these variables, showing what they print; return how that ended and what they printed."""
    with subprocess.Popen(
        [sys.executable, str(TOOLS / "run_tests.py"), *SHARED, *tests], env={**os.environ, **variables}, cwd=ROOT,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    ) as running:
        lines = []
        for line in running.stdout or ():
            print(line, end="", flush=True)
            lines.append(line.rstrip())
    return running.returncode, lines


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the tests under each kernel, and print at the end what each gave; return under how many anything failed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("tests", nargs="*", default=EVERYTHING, help="what pytest is told (default: notebooks and unit tests)")
    parser.add_argument("--only", default="", help="a part of a kernel's name, or 'oldest'")
    options, more = parser.parse_known_args(arguments)
    ways = [way for way in processors() if options.only.lower() in way[0].lower()]
    if not ways:
        parser.error(f"--only must name a kernel that this processor executes, of {', '.join(KERNELS)}, got {options.only!r}")
    report, other = [], 0
    for name, variables in ways:
        print(f"\n{name}\n", flush=True)
        code, lines = run(variables, [*options.tests, *more])
        other += code != 0
        report += [f"# {name}: {next(filter(None, reversed(lines)), '')}", *(line for line in lines if line.startswith(TOLD))]
    print("\n" + "\n".join(report))
    return other


if __name__ == "__main__":
    sys.exit(main())
