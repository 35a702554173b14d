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

import newest
from checkout import NOTEBOOKS, ROOT, TOOLS

KERNELS = ("Nehalem", "Sandybridge", "Haswell", "Zen", "SkylakeX", "ARMV8", "NEOVERSEN1", "VORTEX")
EVERYTHING = (str(NOTEBOOKS), str(ROOT / "tests"), f"--ignore={ROOT / 'tests' / 'site'}")
SHARED = (f"--numprocesses={os.cpu_count()}", "--dist=loadfile", "-p", "longest_first")
# Prints which kernel OpenBLAS took, after a product that a processor without its instructions cannot compute; and what numpy found.
PROBE = """
import numpy, threadpoolctl
from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__
numpy.linalg.inv(numpy.eye(40) + numpy.random.default_rng(0).random((40, 40)))
print(*{one["architecture"] for one in threadpoolctl.threadpool_info() if one["user_api"] == "blas"})
print(*[name for name in __cpu_dispatch__ if __cpu_features__[name]])
"""


def probed(kernel: str) -> list[str]:
    """Return the kernel that OpenBLAS takes when `kernel` is asked for, and what numpy dispatches; nothing if that crashes."""
    environment = {**os.environ, "OPENBLAS_CORETYPE": kernel}
    done = subprocess.run([sys.executable, "-c", PROBE], env=environment, capture_output=True, text=True, timeout=120, check=False)
    return done.stdout.splitlines()


def processors() -> Iterator[tuple[str, dict[str, str]]]:
    """Yield a name and the variables of each way to compute that this processor has."""
    found = {kernel: probed(kernel) for kernel in KERNELS}
    able = [kernel for kernel, told in found.items() if told and told[0].lower() == kernel.lower()]
    for kernel in able:
        yield kernel, {"OPENBLAS_CORETYPE": kernel}
    if able and (dispatched := found[able[0]][1].replace(" ", ",")):
        yield f"oldest ({able[0]} without numpy's dispatch)", {"OPENBLAS_CORETYPE": able[0], "NPY_DISABLE_CPU_FEATURES": dispatched}


def run(variables: dict[str, str], tests: Sequence[str]) -> tuple[int, str]:
    """Run the tests with these variables, showing what they print; return how that ended and what they printed."""
    with subprocess.Popen(
        [sys.executable, str(TOOLS / "run_tests.py"), *SHARED, *tests], env={**os.environ, **variables}, cwd=ROOT,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    ) as running:
        assert running.stdout is not None
        lines = []
        for line in running.stdout:
            print(line, end="", flush=True)
            lines.append(line)
    return running.returncode, "".join(lines)


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
        code, log = run(variables, [*options.tests, *more])
        other += code != 0
        last = log.strip().splitlines()[-1]
        report += [f"# {name}: {last}", *(newest.drifted(log) if code else ())]
    print("\n" + "\n".join(report))
    return other


if __name__ == "__main__":
    sys.exit(main())
