"""Run the README's two commands on a fresh machine: a minimal Debian in a folder, with a clone of what is committed, nothing else.

Root comes first, because root's `make test` installs a browser, and the reader, who is nobody in particular, cannot: with `--user
reader` no browser is there, and `make test` is to show one failure. Needs Linux, root, debootstrap and git. Everything runs in
namespaces of its own: when its last process ends, however that comes, its mounts are gone, and there is never one in the folder
that is removed.
"""

import argparse
import ast
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from checkout import BUILD, ROOT

SUITE = "bookworm"  # whose Python is the oldest that will do
PACKAGES = "python3,python3-venv,make,git,ca-certificates"
HOMES = {"root": "/root", "reader": "/home/reader"}
LONGEST = 4 * 3600  # seconds of one command; this stops what hangs
LOGS = BUILD / "fresh_machine"
PRIVATE = ("setpriv", "--pdeathsig", "KILL", "unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc")
ENTER = """
mount --bind "$0" "$0" && cd "$0" && mount -t proc proc proc && mount -t sysfs -o ro sysfs sys &&
mount -t devpts -o ptmxmode=666 devpts dev/pts && mount -t tmpfs -o mode=1777 tmpfs dev/shm && pivot_root . mnt && umount -l mnt &&
exec chroot --userspec="$1" / sh -c "$2"
"""
VARIABLES = r"(?i)SSL_CERT_FILE|\w+_CA_BUNDLE|\w+_CA_CERTS|\w+_proxy"
PIP = "cert|client-cert|index-url|extra-index-url|trusted-host|proxy|timeout|default-timeout|retries"
CARRIED = "/srv/carried"  # the folder in the box with certificates that variables name


def run(command: list[str], log: Path, environment: dict[str, str] | None = None) -> int:
    """Run a command in namespaces of its own; what it says goes to `log`. Return its status."""
    with log.open("ab") as said:
        try:
            return subprocess.run([*PRIVATE, *command], stdin=subprocess.DEVNULL, stdout=said, stderr=subprocess.STDOUT,
                                  env=environment, timeout=LONGEST, check=False).returncode  # fmt: skip
        except subprocess.TimeoutExpired:
            said.write(f"\nStopped: it took longer than {LONGEST} seconds.\n".encode())
            return 124


def settings(listed: str, environment: dict[str, str]) -> dict[str, str]:
    """Return the variables by which this machine reaches package indexes, from `pip config list` and the environment.

    Folders of packages and choices of versions are left out: a fresh machine has none.
    """
    made = {name: value for name, value in environment.items() if re.fullmatch(VARIABLES, name)}
    for name, value in re.findall(rf"(?m)^[\w:]+\.({PIP})=(.*)$", listed):
        made[f"PIP_{name.upper().replace('-', '_')}"] = str(ast.literal_eval(value))
    return {name: value for name, value in made.items() if "file:" not in value}


def carry_over(box: Path) -> dict[str, str]:
    """Let the box reach what this machine reaches: names, certificates, settings of pip and of apt. Return the variables."""
    for name in ("resolv.conf", "hosts"):
        shutil.copy(f"/etc/{name}", box / "etc" / name)
    if shutil.which("apt-config"):
        for part in ("http", "https"):
            told = subprocess.run(["apt-config", "dump", f"Acquire::{part}"], stdout=subprocess.PIPE, timeout=60, check=True).stdout
            (box / "etc/apt/apt.conf.d" / f"99{part}").write_bytes(told)
    pip = [sys.executable, "-m", "pip", "config", "list"]
    made = settings(subprocess.run(pip, capture_output=True, text=True, timeout=60, check=True).stdout, dict(os.environ))
    for name, value in made.items():
        if Path(value).is_file():
            made[name] = CARRIED + value
            target = box / made[name][1:]
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(value, target)
    return made


def make_box(box: Path) -> dict[str, str]:
    """Make the machine, with a clone for each user; return the variables that its processes get."""
    log = LOGS / "box.log"
    if run(["debootstrap", "--variant=minbase", f"--include={PACKAGES}", SUITE, str(box)], log):
        raise RuntimeError(f"the minimal Debian could not be made, see {log}")
    environment = carry_over(box) | {"LANG": "C.UTF-8", "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"}
    steps = "useradd --create-home reader"
    for home in HOMES.values():
        copy = box / home[1:] / "book"
        steps += f" && mkdir -p {home} && mv /srv/{copy.parent.name} {home}/book"
        subprocess.run(["git", "clone", "--quiet", str(ROOT), str(box / "srv" / copy.parent.name)], timeout=600, check=True)
    steps += " && chown -R reader:reader /home/reader"
    if run(["sh", "-c", ENTER, str(box), "root", steps], log, environment):
        raise RuntimeError(f"the minimal Debian could not be set up, see {log}")
    return environment


def told(log: Path) -> str:
    return next((line for line in reversed(log.read_text("utf-8", "replace").splitlines()) if line.strip()), "(nothing was said)")


def try_out(box: Path, user: str, tests: str, environment: dict[str, str]) -> int:
    """Run both commands as one user, and say how each ended; return how many failed."""
    failed = 0
    for command in ("make book", "make test"):
        log, started = LOGS / f"{user}-{command.split()[1]}.log", time.monotonic()
        whole = f"cd ~/book && {command}" + (f' ARGS="{tests}"' if tests and command == "make test" else "")
        home = {"HOME": HOMES[user], "USER": user, "LOGNAME": user}
        status = run(["sh", "-c", ENTER, str(box), f"{user}:{user}", whole], log, environment | home)
        minutes, seconds = divmod(round(time.monotonic() - started), 60)
        print(f"{command} as {user}: exit code {status} after {minutes} min {seconds} s: {told(log)}", flush=True)
        failed += status != 0
    return failed


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--user", choices=sorted(HOMES), help="run as this one only (default: root, then reader)")
    parser.add_argument("--tests", default="", help="what make test gets as ARGS (default: nothing, so it runs all tests)")
    options = parser.parse_args()
    missing = [name for name in ("debootstrap", "unshare", "git") if not shutil.which(name)]
    if missing or os.geteuid():
        print("; ".join(["Run this as root", *(f"install {name}" for name in missing)]), file=sys.stderr)
        return 1
    for end in (signal.SIGINT, signal.SIGTERM):  # the box is removed then, too; a job in the background would not hear the first
        signal.signal(end, lambda number, _: sys.exit(128 + number))
    shutil.rmtree(LOGS, ignore_errors=True)
    LOGS.mkdir(parents=True)
    with tempfile.TemporaryDirectory(prefix="fresh-machine-") as folder:
        box, started = Path(folder, "box"), time.monotonic()
        try:
            environment = make_box(box)
        except RuntimeError as error:
            print(f"{error}; it ends: {told(LOGS / 'box.log')}", file=sys.stderr)
            return 1
        print(f"a box with {SUITE}, after {time.monotonic() - started:.0f} s; what is said in it is in {LOGS}", flush=True)
        failed = sum(try_out(box, user, options.tests, environment) for user in ([options.user] if options.user else HOMES))
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
