"""Learners on disk: a file is there as a whole or not at all, only its owner reads it, and nothing else is taken for it."""

import errno
import os
import re
import stat

import numpy as np
import pytest

import bandits_dp as bdp
from bandits_dp import _files
from bandits_dp.serve import Served, ServedCounter
from bandits_dp.serve.saved import LABEL
from tests.small_problems import same_state, served
from tests.test_combine import Leader

PROBLEM = bdp.problems.BernoulliArms([0.9, 0.6])


def learner(rounds=0):
    live, rng = served("VB-SDP-AE", PROBLEM, 1000, epsilon=1.0, delta=1e-3), np.random.default_rng(0)
    for _ in range(rounds):
        live.update(live.act(), 1.0, rng)
    live.act(user="Ada")
    return live


def test_a_learner_and_a_counter_are_saved_at_home(tmp_path, monkeypatch):
    monkeypatch.setenv("USERPROFILE" if os.name == "nt" else "HOME", str(tmp_path))
    counter, other = (ServedCounter(bdp.continual.TreeCounter(20, 1.0, 0.1)) for _ in range(2))
    counter.add(1.0, np.random.default_rng(0))
    for one, again, name in ((counter, other, "counter.npz"), (learner(5), learner(), "learner.npz")):
        state = one.save(f"~/{name}")
        again.restore(str(tmp_path / name))
        assert same_state(state, again.save()) and same_state(state, one.save())
        with np.load(tmp_path / name) as archive:
            again.restore(archive)


@pytest.mark.skipif(os.name != "posix", reason="other systems have other rights")
def test_only_the_owner_reads_the_file(tmp_path):
    """Also if it replaces one that everybody could read; and a link keeps its goal."""
    real, link = tmp_path / "real.npz", tmp_path / "link.npz"
    real.write_text("old")
    real.chmod(0o644)
    link.symlink_to(real)
    learner(3).save(link)
    assert stat.S_IMODE(real.stat().st_mode) == 0o600 and link.is_symlink()
    learner().restore(real)


def test_no_accident_to_a_file_is_restored(tmp_path):
    """Whatever bits are wrong: a ValueError that names the file, and the learner is as it was."""
    path, live = tmp_path / "learner.npz", learner(1)
    before = live.save()
    learner(40).save(path)
    whole, rng = path.read_bytes(), np.random.default_rng(0)
    wrong = [whole[: rng.integers(len(whole))] for _ in range(100)] + [whole + rng.bytes(9), whole[9:], b"", b"\0" * len(whole)]
    for at in rng.integers(len(whole), size=200):
        wrong.append(whole[:at] + bytes([whole[at] ^ (1 << rng.integers(8))]) + whole[at + 1 :])
    for content in wrong:
        path.write_bytes(content)
        with pytest.raises(ValueError, match=f"state must be a file that .* wrote, got {re.escape(repr(str(path)))}: it is "):
            live.restore(path)
    assert same_state(before, live.save())
    path.write_bytes(whole)
    live.restore(path)
    assert live.played == 40


def test_other_files_say_why_they_are_refused(tmp_path):
    live, path = learner(1), tmp_path / "learner.npz"
    before, state = live.save(), learner(2).save()
    cases = {
        "No such file": lambda: None,
        "it is not a file": path.mkdir,
        "it is empty": path.touch,
        "of another program": lambda: np.savez(path, **state),
        f"it is 'bandits_dp state 1' instead of '{LABEL}'": lambda: path.write_bytes(_files.packed("bandits_dp state 1", state)),
        "it is 'bandits_dp run 1 k 0' instead": lambda: path.write_bytes(_files.packed("bandits_dp run 1 k 0", state))}
    for why, make in cases.items():
        make()
        with pytest.raises(ValueError, match=f"state must be .* got {re.escape(repr(str(path)))}: .*{why}"):
            live.restore(path)
        if path.is_dir():
            path.rmdir()
        path.unlink(missing_ok=True)
    for wrong in ("", "a\0b"):
        with pytest.raises(ValueError, match=f"state must be the path of a file, got {re.escape(repr(wrong))}"):
            live.restore(wrong)
    for wrong in (3, b"learner.npz"):
        with pytest.raises(TypeError, match=r"state must be what save\(\) returned, or the path of the file that it wrote, got"):
            live.restore(wrong)
    assert same_state(before, live.save())


def test_files_that_cannot_be_written_are_refused(tmp_path):
    live = learner(1)
    for wrong in ("", "a\0b", 3, b"learner.npz", True):
        with pytest.raises(ValueError, match=f"path must be the path of a file, got {re.escape(repr(wrong))}"):
            live.save(wrong)
    for wrong, why in ((tmp_path, "directory"), (tmp_path / "none" / "learner.npz", "No such file")):
        with pytest.raises(ValueError, match=f"path must be a file that can be written, got .*{why}"):
            live.save(wrong)
    own = Served(bdp.combine(Leader(bdp.Asked([0, 1], [10, 10])), bdp.privatizers.Identity, PROBLEM, horizon=50))
    own.learner.best = {}
    with pytest.raises(ValueError, match="path can take only arrays of numbers and strings, and entry 'learner_best' holds"):
        own.save(tmp_path / "own.npz")
    assert list(tmp_path.iterdir()) == [] and not list(tmp_path.parent.glob(".*.tmp"))


@pytest.mark.parametrize("step", ["fdopen", "fsync", "replace"])
@pytest.mark.parametrize(("fault", "after"), [
    (OSError(errno.ENOSPC, "full"), False), (KeyboardInterrupt(), False), (KeyboardInterrupt(), True)])
def test_a_save_that_fails_leaves_the_old_file_or_the_new_one(fault, after, step, tmp_path, monkeypatch):
    """A full disk, or Ctrl-C, before or after any step of writing."""
    path, old, new = tmp_path / "learner.npz", learner(3), learner(7)
    old.save(path)
    done = getattr(os, step)

    def failing(*arguments):
        if after:
            done(*arguments)
        raise fault

    with monkeypatch.context() as patch:
        patch.setattr(os, step, failing)
        with pytest.raises((ValueError, KeyboardInterrupt)) as told:
            new.save(path)
    assert told.type is KeyboardInterrupt or re.match(r"path must be .*, which is unchanged: .*full", str(told.value))
    assert any(same_state(_files.read(path, LABEL), one.save()) for one in (old, new)) and list(tmp_path.iterdir()) == [path]
    new.save(path)
    assert same_state(_files.read(path, LABEL), new.save())


@pytest.mark.parametrize("readers", [1, 5])
def test_a_file_that_is_being_read_is_replaced_a_little_later(readers, tmp_path, monkeypatch):
    """Windows refuses to replace an open file; who reads for long is named by an error, and nothing is left behind."""
    path, live, refused, replace = tmp_path / "learner.npz", learner(1), [], os.replace

    def busy(*names):
        refused.append(names)
        if len(refused) <= readers:
            raise PermissionError(errno.EACCES, "Access is denied")
        replace(*names)

    monkeypatch.setattr(os, "replace", busy)
    if readers == 1:
        live.save(path)
        learner().restore(path)
    else:
        with pytest.raises(ValueError, match=r"which is unchanged: .*Access is denied"):
            live.save(path)
    assert [found.name for found in tmp_path.iterdir()] == ["learner.npz"] * (readers == 1)
