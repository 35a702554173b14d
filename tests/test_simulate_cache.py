"""A cache never loses a finished run and never gives a wrong one: killed sweeps, damaged files, and learners that look alike."""

import copy
import errno
import functools
import hashlib
import importlib
import io
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
import warnings
import zipfile
from pathlib import Path

import numpy as np
import psutil  # which distributed, another tool of the tests, needs
import pytest

import bandits_book
import bandits_dp as bdp
from bandits_book.replicas import CodeLinear
from bandits_dp import _files
from bandits_dp.app.streams import FreshBatches
from bandits_dp.arms.app import RunningApp
from bandits_dp.arms.running_widths import ExactWidth
from bandits_dp.arms.widths import PaperWidth
from bandits_dp.learners import UCB
from bandits_dp.play import fingerprint as _fingerprint
from bandits_dp.play.fingerprint import fingerprint
from bandits_dp.play.groups import GROWTH, PATIENCE, TOGETHER, Groups
from bandits_dp.play.store import RunStore
from bandits_dp.privatizers import Identity
from bandits_dp.problems import BernoulliArms
from tests.small_problems import Diary, assert_same_runs, elimination, slowly

PROBLEM = BernoulliArms([0.9, 0.6, 0.5])
ROUNDS = np.array([1, 100, 1000])


def make(name="VB-SDP-AE", **options):
    return bdp.make(name, PROBLEM, **({"horizon": 1000, "epsilon": 1.0, "delta": 0.1} | options))


def run_python(code, **options):
    return subprocess.run([sys.executable, *code], capture_output=True, text=True, check=True, timeout=600, **options).stdout


def test_a_cache_changes_nothing_and_plays_nothing_twice(tmp_path):
    problem = Diary([0.9, 0.6, 0.5], tmp_path / "diary")
    learner = slowly(problem, 200)

    def played():
        return [run for run, _ in problem.read()]

    plain = bdp.simulate(learner, problem, 200, runs=12, seed=3)
    assert played() == list(range(12))
    first = bdp.simulate(learner, problem, 200, runs=9, seed=3, cache=tmp_path / "cache")
    assert played() == list(range(9))
    assert_same_runs(bdp.simulate(learner, problem, 200, runs=12, seed=3, cache=tmp_path / "cache", workers=2), plain)
    assert played() == [9, 10, 11] and (first.regret == plain.regret[:9]).all()
    (folder,) = (tmp_path / "cache").iterdir()
    about = json.loads((folder / "about.json").read_text())
    assert about == {"learner": learner.description, "problem": repr(problem), "horizon": 200, "seed": 3}
    assert not list(folder.glob(".*"))
    for run in (2, 7):
        (folder / f"run-{run:06d}.npz").unlink()
    (folder / ".run-000002.npz-abc.tmp").write_bytes(b"PK")  # what a kill in the middle of writing leaves
    assert_same_runs(bdp.simulate(learner, problem, 200, runs=12, seed=3, cache=str(tmp_path / "cache")), plain)
    assert played() == [2, 7]


SLOW = """
import os, time
import bandits_dp as bdp

class Slow(bdp.problems.BernoulliArms):
    def draw(self, rng):
        with open("diary", "a") as file:
            file.write(f"{self.horizon} {rng.bit_generator.seed_seq.spawn_key[0]}\\n")
        end = time.monotonic() + 300
        while os.path.exists("wait") and len(open("diary").readlines()) > 26 and time.monotonic() < end:
            time.sleep(0.01)
        return self
"""
SWEEP = """
import signal
import bandits_dp as bdp
from slow import Slow

def sweep(horizon):
    problem = Slow([0.9, 0.6])
    problem.horizon = horizon
    learner = bdp.make("LDP-AE", problem, horizon=horizon, epsilon=1.0, fidelity="messages")
    return bdp.simulate(learner, problem, horizon, runs=16, seed=1, workers=WORKERS, progress=False, cache=CACHE)

if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)  # else a job in the background could not be interrupted
    print([sweep(horizon).regret[:, -1].tolist() for horizon in (100, 150, 200)])
"""


def script_in(folder, workers, cache):
    (folder / "slow.py").write_text(SLOW)
    (folder / "sweep.py").write_text(SWEEP.replace("WORKERS", str(workers)).replace("CACHE", cache))
    return folder / "sweep.py"


def ended(processes, seconds):
    left, deadline = set(processes), time.monotonic() + seconds
    while left and time.monotonic() < deadline:
        left = {one for one in left if one.is_running() and one.status() != psutil.STATUS_ZOMBIE}
        time.sleep(0.05)
    return left


@pytest.mark.skipif(sys.platform == "win32", reason="sends signals, which Windows does not have")
@pytest.mark.parametrize(("workers", "death"), [(2, "SIGKILL"), (2, "SIGINT")])
def test_a_killed_sweep_leaves_nobody_and_goes_on_where_it_was(tmp_path, workers, death):
    """In its second simulation: stored runs are kept and not played again, workers end by themselves, the numbers stay."""
    script, diary, wait = script_in(tmp_path, workers, "'cache'"), tmp_path / "diary", tmp_path / "wait"
    command = [sys.executable, str(script)]
    wait.touch()
    diary.touch()
    sweep = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True)
    deadline = time.monotonic() + 120
    while len(diary.read_text().splitlines()) <= 26 and time.monotonic() < deadline:
        time.sleep(0.05)
    time.sleep(0.5)  # for what is finished to be stored
    children = psutil.Process(sweep.pid).children(recursive=True)
    sweep.send_signal(getattr(signal, death))
    try:
        assert sweep.wait(300) == -getattr(signal, death) and len(children) >= workers
    finally:
        sweep.kill()
    assert not ended(children, 30) and sweep.communicate(timeout=300)[0] == b""
    if death != "SIGKILL":
        return
    stored = {path: path.stat().st_mtime_ns for path in tmp_path.glob("cache/*/run-*.npz")}
    assert 16 < len(stored) <= 26
    diary.unlink()
    wait.unlink()
    resumed = run_python(command[1:], cwd=tmp_path)
    played = diary.read_text().splitlines()
    assert len(played) == len(set(played)) == 48 - len(stored)
    assert all(path.stat().st_mtime_ns == before for path, before in stored.items())  # not even written again
    problem = BernoulliArms([0.9, 0.6])
    plain = [bdp.simulate(slowly(problem, end), problem, end, runs=16, seed=1, progress=False) for end in (100, 150, 200)]
    assert json.loads(resumed) == [result.regret[:, -1].tolist() for result in plain]


def test_processes_may_share_a_cache(tmp_path):
    """Two sweeps at the same time write the same files: both get the right numbers, and no draft is left."""
    script = script_in(tmp_path, 1, "'cache'")
    both = [subprocess.Popen([sys.executable, str(script)], cwd=tmp_path, stdout=subprocess.PIPE) for _ in range(2)]
    first, second = (process.communicate(timeout=300)[0] for process in both)
    assert first == second != b"" and [process.returncode for process in both] == [0, 0]
    assert len(list(tmp_path.glob("cache/*/run-*.npz"))) == 48 and not list(tmp_path.glob("cache/*/.*"))


class Trap:
    """What makes a folder when it is unpickled."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return os.mkdir, (str(self.path),)


NOTHING = np.zeros(3)
FOUL = ["another format", "objects", "compressed", "no arrays", "huge", "folder"]


@pytest.mark.parametrize("case", FOUL)
def test_what_cannot_be_a_run_is_played_again(case, tmp_path):
    """Also with a checksum that fits: no other error, nothing unpickled or blown up."""
    learner = make("UCB1", horizon=3)
    right = bdp.simulate(learner, PROBLEM, 3, runs=2, cache=tmp_path)
    store = RunStore(tmp_path, learner, PROBLEM, right.rounds, 0)
    path, run, label = store.folder / "run-000000.npz", {"regret": NOTHING, "bits": np.array(0.0)}, store._label(0)
    path.write_bytes(_files.packed(label, run))
    assert store.found(1)[0].regret.tolist() == [[0, 0, 0]]  # such a file is believed
    if case in ("objects", "compressed", "no arrays", "huge"):
        buffer = io.BytesIO()
        if case == "objects":
            np.savez(buffer, regret=np.array([Trap(tmp_path / "sprung")], dtype=object), bits=0.0)
        elif case == "compressed":
            np.savez_compressed(buffer, **run)
        else:
            with zipfile.ZipFile(buffer, "w") as archive:
                archive.writestr("regret.npy", np.lib.format.magic(1, 0) + b"v\0" + b"{'descr': '<f8', 'fortran_order': False, "
                                 b"'shape': (1000000000000000,)}".ljust(117) + b"\n" if case == "huge" else b"\x93NUMPY")
        with zipfile.ZipFile(buffer, "a") as archive:
            archive.comment = f"{label} sha256 {'0' * 64}".encode()
        content = buffer.getvalue()[:-64]
        content += hashlib.sha256(content).hexdigest().encode()
    else:
        content = _files.packed(label.replace("run 1", "run 2"), run)
    path.unlink()
    if case == "folder":
        path.mkdir()
    else:
        path.write_bytes(content)
    with pytest.warns(UserWarning) as told:
        assert_same_runs(bdp.simulate(learner, PROBLEM, 3, runs=2, cache=tmp_path), right)
    assert str(told[0].message).startswith(f"the stored run {path} cannot be used and will be played again: ")
    assert len(told) == (2 if case == "folder" else 1)  # and where a folder is, no run can be stored
    assert {one.filename for one in told} == {__file__}  # a warning shows the line that called the simulation
    assert not (tmp_path / "sprung").exists()
    if case != "folder":
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # mended
            assert_same_runs(bdp.simulate(learner, PROBLEM, 3, runs=2, cache=tmp_path), right)


def by_hand(constant, privatizer=Identity):
    """Return arm elimination with a hand-made width; two of them have the same description."""
    width = PaperWidth(1000)
    width.constant = constant
    return elimination(3, 1000, privatizer, 10, width)


def counted(learner):
    return RunningApp(learner, FreshBatches(Identity(1)), 3, 1000, Identity(1).guarantee)


def helper(users):
    return Identity(users)


DIFFERENT = {
    "learner": [make(**options) for options in (
        {}, {"epsilon": 1.0 + 1e-15}, {"delta": 0.2}, {"calibration": "theorem"}, {"horizon": 1001}, {"honest_fraction": 0.5},
        {"fidelity": "messages"}, {"name": "SDP-AE"}, {"name": "SDP-AE", "batch_size": 7}, {"name": "SDP-AE", "batch_size": 8},
    )],
    "hand-made": [by_hand(constant) for constant in (1.0, 2.0, 1, True, None, (1.0,), [1.0])],
    "function": [by_hand(1.0, privatizer) for privatizer in (
        Identity, helper, functools.partial(Identity), functools.partial(helper),
    )],
}


@pytest.mark.parametrize("kind", DIFFERENT)
def test_what_differs_is_never_reused(kind, tmp_path):
    keys = [RunStore(tmp_path, learner, PROBLEM, ROUNDS, 0).key for learner in DIFFERENT[kind]]
    assert len(set(keys)) == len(keys)
    assert keys == [RunStore(tmp_path, copy.deepcopy(one), copy.deepcopy(PROBLEM), ROUNDS, 0).key for one in DIFFERENT[kind]]
    first = DIFFERENT[kind][0]
    for problem, rounds, seed in (  # another horizon, another seed, other problems
        (PROBLEM, ROUNDS[:2], 0), (PROBLEM, ROUNDS, 1), (BernoulliArms([0.9, 0.5, 0.6]), ROUNDS, 0),
        (BernoulliArms([0.9, 0.6, np.nextafter(0.5, 1)]), ROUNDS, 0),
    ):
        assert RunStore(tmp_path, first, problem, rounds, seed).key not in keys


def test_edited_code_is_never_reused(tmp_path, monkeypatch):
    """The user's own code counts by its file, and so does the package's."""
    monkeypatch.syspath_prepend(tmp_path)
    code, seen = tmp_path / "my_learner.py", []
    for line in ("pass", "pass  # another one"):
        code.write_text(f"from bandits_dp.learners import UCB\n\n\nclass Mine(UCB):\n    {line}\n")
        mine = importlib.import_module("my_learner").Mine(3, ExactWidth())
        seen.append(fingerprint(counted(mine)))
    before = _fingerprint._package()
    monkeypatch.setattr(_fingerprint, "_package", lambda: (*before, ""))
    seen.append(fingerprint(counted(mine)))
    assert len(set(seen)) == 3
    for part in ("arms/ucb.py", "play/simulate.py", "arms/systems.py"):
        assert part in " ".join(before)
    assert "bandits_book" not in " ".join(before)


def test_the_books_code_counts_where_a_run_uses_it(monkeypatch):
    """All its files at once, for its modules import each other; but for those that draw, which change no run."""
    seen, book = [], Path(bandits_book.__file__).parent
    content = _fingerprint._content
    for changed in (None, book / "lastfm" / "features.py", book / "plots" / "style.py"):
        _fingerprint._package.cache_clear()
        monkeypatch.setattr(_fingerprint, "_content", lambda path, changed=changed: "new" if path == changed else content(path))
        seen.append([fingerprint(learner) for learner in (counted(UCB(3, ExactWidth())), CodeLinear())])
    _fingerprint._package.cache_clear()
    assert seen[0] == seen[2] and seen[0][0] == seen[1][0] and seen[0][1] != seen[1][1]


def test_code_that_no_file_tells_is_refused(tmp_path):
    class Local(UCB):
        pass

    with pytest.raises(ValueError, match=r"^cache needs learners and problems that can be pickled, got one that cannot: "):
        fingerprint(counted(Local(3, ExactWidth())))
    (tmp_path / "mine.py").write_text("from bandits_dp.play.fingerprint import fingerprint\nclass Mine: pass\nfingerprint(Mine())")
    said = subprocess.run([sys.executable, "mine.py"], cwd=tmp_path, capture_output=True, text=True, timeout=60).stderr
    assert said.rstrip().endswith("got one with a class or function of a notebook or script; write it to a module, mine.py, and "
                                  "import it from there")


TELL = """
import collections, fractions, functools
import numpy as np
import bandits_dp as bdp
from bandits_dp.play.fingerprint import fingerprint
from tests.small_problems import SYSTEMS, small
values = [
    0, 0.0, -0.0, False, None, "0", b"0", 1j, "", [], (), {}, set(), [[]], [0, 1], [[0], 1], ["ab"], ["a", "b"],
    {"a": 1, "b": 2}, {"a": 12}, {1, 2}, frozenset({1, 2}), fractions.Fraction(1, 3), collections.OrderedDict(a=1),
    np.zeros(2), np.zeros((2, 1)), np.zeros((1, 2)), np.zeros(2, dtype=np.float32), np.array([0, 0]), np.float64(0),
    np.array([1, "a"], dtype=object), np.dtype("f8"), np.random.default_rng(0), np.random.default_rng(1),
    np.random.default_rng(0).normal, np.random.default_rng(0).random, np.add, np.multiply, len, max,
    slice(1), range(3), functools.partial(max, 1), functools.partial(max, 2), bdp.make, bdp.Guarantee,
    {"elements", "in", "an", "order", "that", "depends", "on", "the", "process"}, *map(small, SYSTEMS),
]
keys = [fingerprint(value) for value in values]
"""


def test_fingerprints_tell_values_and_systems_apart_in_every_process():
    here = {}
    exec(TELL, here)  # the very same lines as below
    assert len(set(here["keys"])) == len(here["keys"])
    told = run_python(["-c", TELL + "print(*keys)"], env={**os.environ, "PYTHONHASHSEED": "1"}, cwd=Path(__file__).parents[1])
    assert told.split() == here["keys"]


def test_fingerprints_of_objects_that_hold_themselves():
    ring, chain = [1], [1, [1]]
    ring.append(ring)
    assert fingerprint(ring) != fingerprint(chain) and fingerprint(ring) == fingerprint(copy.deepcopy(ring))


def test_caches_that_cannot_work_are_refused(tmp_path, monkeypatch):
    learner = make("UCB1", horizon=100)
    (tmp_path / "file").write_text("")
    with pytest.raises(ValueError, match=r"cache must be a folder that can be written to, got '.*file'"):
        bdp.simulate(learner, PROBLEM, 100, cache=tmp_path / "file")
    for wrong in (True, "", b"folder", 3, "a\0b", os.fsencode(tmp_path)):
        with pytest.raises(ValueError, match=f"cache must be the path of a folder, got {re.escape(repr(wrong))}"):
            bdp.simulate(learner, PROBLEM, 100, cache=wrong)
    learner.door = threading.Lock()
    with pytest.raises(ValueError, match=r"cache needs .* that can be pickled, got one that cannot: "):
        bdp.simulate(learner, PROBLEM, 100, cache=tmp_path / "folder")
    assert bdp.simulate(learner, PROBLEM, 100, runs=1).runs == 1  # without a cache nobody asks
    monkeypatch.setenv("USERPROFILE" if os.name == "nt" else "HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    bdp.simulate(make("UCB1", horizon=100), PROBLEM, 100, runs=1, cache="~/mine")
    assert list((tmp_path / "mine").iterdir()) and not (tmp_path / "~").exists()
    with pytest.raises(ValueError, match=r"cache must be the path of a folder, got '~nobody-here/x': .*home"):
        bdp.simulate(make("UCB1", horizon=100), PROBLEM, 100, runs=1, cache="~nobody-here/x")


FAULTS = {"never room": "did not take its description: .*No space left", "disk full": "No space left",
          "folder gone": "No such file", "file instead": "Not a directory"}


@pytest.mark.parametrize(("fault", "workers"), [*((fault, 1) for fault in FAULTS), ("disk full", 2)])
def test_a_cache_that_fails_on_the_way_costs_no_result(fault, workers, tmp_path, monkeypatch):
    """One warning that names folder and reason; all results; no draft left; and what could not be stored is tried again."""
    learner, written, first, rename = make(), [], [], _files._rename
    plain = bdp.simulate(learner, PROBLEM, 1000, runs=9)
    folder = RunStore(tmp_path / "cache", learner, PROBLEM, plain.rounds, 0).folder

    def failing(draft, path):  # at the second run, and a full disk at the two after it
        written.append(path)
        if fault == "never room" or (fault == "disk full" and 3 <= len(written) <= 5):
            raise OSError(errno.ENOSPC, "No space left on device")
        if fault.startswith(("folder", "file")) and len(written) == 3:
            first.extend(folder.glob("run-*"))
            shutil.rmtree(folder)
            if fault == "file instead":
                folder.write_text("")
        rename(draft, path)

    monkeypatch.setattr(_files, "_rename", failing)
    with pytest.warns(UserWarning) as told:
        assert_same_runs(bdp.simulate(learner, PROBLEM, 1000, runs=9, workers=workers, cache=tmp_path / "cache"), plain)
    (one,) = (one for one in told if "the cache" in str(one.message))
    assert one.filename == __file__ and str(folder) in str(one.message) and re.search(FAULTS[fault], str(one.message))
    if fault in ("disk full", "never room"):  # else all were tried again
        assert len(list(folder.iterdir())) == 1 + 9 * (fault == "disk full") and not list(folder.glob(".*"))
    else:
        assert len(first) == 1 and not list(folder.glob("*"))
    monkeypatch.undo()
    if fault == "file instead":
        folder.unlink()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert_same_runs(bdp.simulate(learner, PROBLEM, 1000, runs=9, cache=tmp_path / "cache"), plain)


def test_groups_grow_only_as_long_as_they_are_quick():
    """So an interruption costs a few seconds, and many quick runs are still played together."""
    groups, sizes = Groups(list(range(5000)), TOGETHER, True), []
    for group in groups:
        sizes.append(len(group))
        groups.took(len(group), 0.1 * len(group))
    assert sizes[:3] == [1, GROWTH, PATIENCE / 2 / 0.1] and max(sizes) == sizes[2] and sum(sizes) == 5000
    groups = Groups(list(range(50_000)), TOGETHER, True)
    for group in groups:
        groups.took(len(group), 0.0)  # too quick for the clock
    assert groups.size == TOGETHER
    slow = Groups(list(range(9)), TOGETHER, True)
    for group in slow:
        slow.took(len(group), 2 * PATIENCE)
    assert list(map(len, slow)) == [1] * 9 and list(map(len, Groups(list(range(9)), 4, False))) == [4, 4, 1]
