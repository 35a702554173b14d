"""Make the environment in .venv complete and current: a plain venv, filled by pip from requirements.lock.

Runs on the newcomer's own Python, so it needs the standard library only, and keeps to old syntax so that an
old Python gets the message below and no traceback.

The last thing written is `.venv/.complete`. A .venv without it was interrupted, and is made again from the
start; one whose `.complete` tells of other requirements, another Python or another place is made again too.
"""

import os
import subprocess
import sys

OLDEST = (3, 11)


def base_interpreter(venv: "os.PathLike[str]") -> str:
    """Return this Python, or the one it was made from when this Python lives in `venv` itself."""
    if os.path.realpath(sys.prefix) != os.path.realpath(str(venv)):
        return sys.executable
    if os.name == "nt":
        return os.path.join(sys.base_prefix, "python.exe")
    return os.path.join(sys.base_prefix, "bin", "python{}.{}".format(*sys.version_info))


def complaint() -> str:
    """Say why this Python cannot make the environment; empty if it can."""
    if sys.version_info < OLDEST:
        return (
            "This book needs Python {}.{} or newer, and {} is Python {}.{}.\n"
            "Name a newer one, for example: make book PY=python3.12"
        ).format(*OLDEST, sys.executable, *sys.version_info[:2])
    try:
        import ensurepip  # noqa: F401
        import venv  # noqa: F401
    except ImportError as missing:
        return (
            "{} cannot make virtual environments ({}).\n"
            "On Debian or Ubuntu install python{}.{}-venv; elsewhere install Python from python.org."
        ).format(sys.executable, missing, *sys.version_info[:2])
    return ""


def main() -> int:
    """Check the Python, then make or refresh the environment if it is not what the lock asks for."""
    message = complaint()
    if message:
        print(message, file=sys.stderr)
        return 1

    from checkout import PYTHON, ROOT, VENV, exclusive, fingerprint

    complete = VENV / ".complete"
    with exclusive() as lock:
        wanted = [str(VENV), fingerprint("requirements.lock"), fingerprint("pyproject.toml")]
        found = complete.read_text("utf-8").split("\n") if complete.exists() else []
        if not os.access(str(PYTHON), os.X_OK):
            found = []
        if found == wanted:
            return 0

        def run(*command: str) -> None:
            subprocess.run(command, cwd=str(ROOT), check=True, pass_fds=lock, timeout=3600)

        pip = [str(PYTHON), "-m", "pip", "--disable-pip-version-check", "--quiet", "install"]
        try:
            if found[:2] == wanted[:2]:
                complete.unlink()  # only pyproject.toml changed: install the package again, nothing else
            else:
                print("Making the environment in .venv (a minute or two) ...", flush=True)
                run(base_interpreter(VENV), "-m", "venv", "--clear", str(VENV))
                run(*pip, "--require-hashes", "-r", "requirements.lock")
            run(*pip, "--no-deps", "--no-build-isolation", "-e", ".")
        except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
            print("The environment is not complete; the next make starts it again.", error, file=sys.stderr)
            return 1
        complete.write_text("\n".join(wanted), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
