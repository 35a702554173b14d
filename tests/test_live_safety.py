"""What surrounds the mathematics where people are served: crashes, threads, failing code of one's own, states that go elsewhere."""

import contextlib
import copy
import itertools
import os
import pickle
import signal
import subprocess
import sys
import textwrap
import threading
from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest

import bandits_dp as bdp
from bandits_dp import _state
from bandits_dp.app.slot import Slot
from bandits_dp.privatizers import Box, CentralGaussian, CentralLaplace
from bandits_dp.problems import BernoulliArms, ClientPopulation, ContextualLinear, LinearArms, PoolContextual
from bandits_dp.serve import Served
from tests.interrupted import Interrupted
from tests.small_problems import refused, served

ARMS = BernoulliArms([0.9, 0.8])


# Code of one's own that fails
class Fragile:
    """Plays two arms for ``users`` each, notes what it is told, and fails as long as it is asked to."""

    def __init__(self, where, users=10):
        self.where, self.users, self.seen, self.best = where, users, [], 0

    def __deepcopy__(self, memory):
        then = object.__new__(Fragile)
        then.__dict__.update(self.__dict__)  # what it has seen is seen by all copies
        return then

    def ask(self):
        if self.where == "ask" and self.seen and len(self.seen) < 20:
            self.seen.append(self.seen[-1])
            raise ConnectionError("no log server")
        return bdp.Asked(arms=[0, 1], plays=[self.users, self.users])

    def tell(self, released, noise):
        self.seen.append(released.copy())
        if self.where == "tell" and len(self.seen) < 20:
            raise ConnectionError("no log server")


def test_what_a_learner_is_yet_to_be_told_is_in_its_state():
    learner = Fragile("tell")
    live, again = (Served(bdp.combine(learner, partial(CentralLaplace, epsilon=1.0), ARMS, horizon=1000)) for _ in range(2))
    live.update(live.act(users=10), np.ones(10))
    refused(None, live.update, live.act(users=10), np.ones(10), error=ConnectionError)
    learner.where = "nowhere"
    again.learner.__class__.changes = ("best",)
    again.restore(live.save())
    again.act()
    assert len(learner.seen) == 2 and np.array_equal(*learner.seen)


# The guarantee of what is combined
class Doubling:
    """Asks for twice as many users, or clients, in every phase."""

    def __init__(self, clients=0):
        self.phase, self.clients = 0, clients

    def ask(self):
        users = 4 if self.clients else 100 * 2**self.phase
        return bdp.Asked(arms=[0, 1], plays=[users, min(users, 50)], clients=self.clients * 2**self.phase)

    def tell(self, released, noise):
        self.phase += 1


def test_the_weakest_privatizer_of_the_first_phase_is_promised():
    live = bdp.combine(Doubling(), lambda n: CentralLaplace(n, epsilon=1.0 if n == 100 else 50.0), ARMS, horizon=10_000)
    assert live.guarantee.epsilon == 50.0


def test_clients_are_promised_what_every_phase_keeps():
    world = ClientPopulation(np.eye(2), [0.5, 0.3], client_std=0.1)

    def loud(clients, numbers):
        return CentralGaussian(clients, max(clients, 5) / 5, 1e-3, domain=Box(numbers, -1.0, 1.0))

    live = bdp.combine(Doubling(5), loud, world, horizon=1000)
    assert live.guarantee.epsilon == 1.0
    with pytest.raises(ValueError, match=r"privatizer must promise \(1, 0.001\).* to each of 10 users, got \(2, 0.001\)"):
        live.update(live.act(), np.zeros((5, 2)))
    own = bdp.combine(Doubling(5), loud, world, horizon=1000, guarantee=CentralGaussian(1, 4.0, 1e-3).guarantee)
    own.update(own.act(), np.zeros((5, 2)))
    assert own.guarantee.epsilon == 4.0 and own.missing == 10


# States that go elsewhere
def test_a_state_of_other_bounds_is_refused():
    a, b = (served("CDP-PE", LinearArms([[1, 0], [0, 1]], [0.5, 0], rewards="gaussian", bound=bound), 10**5,
                   epsilon=1.0, delta=1e-6) for bound in (100.0, 1.0))
    refused(r"state must come from CDP-PE.*\[-1, 1\].*got one for.*\[-100, 100\]", b.restore, a.save())


@pytest.mark.parametrize("name", ["LinUCB-RewardTree", "LinUCB-Tree", "LinUCB-Batched-JDP", "LinUCB-LDP", "LinUCB"])
def test_a_state_of_other_rewards_is_refused(name):
    worlds = PoolContextual(arms=5, dimension=3, items=50, noise_std=0.5, clip=True), ContextualLinear(5, 3)
    wide, narrow = (served(name, world, 400, epsilon=1.0, delta=0.01) for world in worlds)
    refused(r"state must come from LinUCB.*\[0, 1\].*got one for.*\[-1, 1\]", narrow.restore, wide.save())


def test_a_state_of_another_privatizer_is_refused():
    one, other = (Served(bdp.combine(Doubling(), partial(CentralLaplace, epsilon=epsilon), ARMS, horizon=1000))
                  for epsilon in (10.0, 1.0))
    refused("state must come from Doubling", other.restore, one.save())


# Threads
@pytest.fixture
def four_threads():
    """Return a function that does something in four threads, which take turns after every few instructions."""
    def work(what):
        threads = [threading.Thread(target=what) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(timeout=600)

    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield work
    sys.setswitchinterval(before)


def test_one_ticket_from_many_threads_is_taken_once(four_threads):
    for _ in range(50):
        live = served("VB-SDP-AE", ARMS, 1000, epsilon=1.0, delta=1e-3)
        ticket, outcomes = live.act(), []

        def answer(live=live, ticket=ticket, outcomes=outcomes):
            try:
                live.update(ticket, 1.0)
                outcomes.append("taken")
            except ValueError:
                outcomes.append("refused")

        four_threads(answer)
        assert sorted(outcomes) == ["refused"] * 3 + ["taken"] and live.played == 1


def test_others_go_on_while_a_file_is_written_and_newer_states_are_written_later(monkeypatch, tmp_path):
    live, started, go = served("DP-UCB", ARMS, 1000, epsilon=1.0), threading.Event(), threading.Event()
    wrote = []

    def slow(path, state):
        started.set()
        assert go.wait(600)
        wrote.append(int(state["played"]))

    def hold_and_save():
        with live.lock:  # whoever holds it may save, too
            live.save(tmp_path / "state.npz")

    monkeypatch.setattr(_state, "write_state", slow)
    savers = [threading.Thread(target=live.save, args=(tmp_path / "state.npz",)), threading.Thread(target=hold_and_save)]
    savers[0].start()
    assert started.wait(600)
    live.update(live.act(), 1.0)  # while the first file is written
    savers[1].start()
    go.set()
    for saver in savers:
        saver.join(timeout=600)
    assert wrote == [0, 1]


def test_a_state_that_waits_to_be_written_does_not_replace_a_newer_one(monkeypatch, tmp_path):
    """Between packing and writing another thread may pack and write a newer state."""
    live, packed, go, plainly = served("UCB1", ARMS, 1000), threading.Event(), threading.Event(), _state.digest

    def slow(state):
        if threading.current_thread() is older:
            packed.set()
            assert go.wait(600)
        return plainly(state)

    monkeypatch.setattr(_state, "digest", slow)
    older = threading.Thread(target=live.save, args=(tmp_path / "shared",))
    older.start()
    assert packed.wait(600)
    live.update(live.act(), 1.0)
    live.save(tmp_path / "shared")
    go.set()
    older.join(timeout=600)
    assert int(_state.read_state(tmp_path / "shared")["played"]) == 1
    live.update(live.act(), 1.0)
    live.save(tmp_path / "shared")
    assert int(_state.read_state(tmp_path / "shared")["played"]) == 2


def saves_in_another_thread(live, path):
    """Whether it can save, which it cannot if a lock is held."""
    other = threading.Thread(target=live.save, args=(path,), daemon=True)
    other.start()
    other.join(timeout=20)
    return not other.is_alive()


def test_a_save_that_is_interrupted_at_any_line_leaves_no_lock(tmp_path):
    """An ExitStack locked first and noted it in the next line: after Ctrl-C between the two, later saves waited for ever."""
    live = served("UCB1", ARMS, 1000)
    for line in itertools.count(1):
        try:
            with Interrupted(line, also=contextlib.__file__):
                live.save(tmp_path / "state.npz")
        except KeyboardInterrupt:
            assert saves_in_another_thread(live, tmp_path / "state.npz"), line
        else:
            break
    assert line > 100


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="Windows has no timers")
def test_real_signals_leave_no_lock(tmp_path):
    """400 times Ctrl-C while a learner is saved, with and without a file, and asked."""
    script = tmp_path / "signals.py"
    script.write_text(textwrap.dedent("""
        import random, signal, sys, threading
        import bandits_dp as bdp
        from bandits_dp.serve import Served

        def stop(*_):
            raise KeyboardInterrupt

        live = Served(bdp.make("UCB1", bdp.problems.BernoulliArms([0.9, 0.8]), horizon=10**7))
        signal.signal(signal.SIGALRM, stop)
        for number in range(400):
            try:
                signal.setitimer(signal.ITIMER_REAL, random.uniform(1e-5, 3e-3), 0.5)  # again, if it was lost in a __del__
                while True:
                    live.update(live.act(), 1.0)
                    live.save("state.npz" if number % 2 else None)
            except KeyboardInterrupt:
                signal.setitimer(signal.ITIMER_REAL, 0)
            other = threading.Thread(target=live.save, daemon=True)
            other.start()
            other.join(timeout=20)
            if other.is_alive():
                sys.exit(f"locked by signal {number}")
        print(live.played > 400)
    """))
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=600, cwd=tmp_path,
                          env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})
    assert (done.stdout.strip(), done.returncode) == ("True", 0), done.stderr


@pytest.mark.parametrize("look", ["tickets", "missing"])
def test_what_others_look_at_meanwhile_waits_for_its_turn(look, monkeypatch):
    """While an answer is taken, another thread reads."""
    live, taken, done = served("LinUCB", ContextualLinear(2, 2), 100, batch_size=3), [], threading.Event()
    plainly = type(live.app)._take

    def other():
        taken.append(getattr(live, look))
        done.set()

    def take(self, *given):
        worker.start()
        assert not done.wait(0.2)
        plainly(self, *given)

    worker = threading.Thread(target=other)
    ticket = live.act(np.eye(2))
    monkeypatch.setattr(type(live.app), "_take", take)
    live.update(ticket, 1.0)
    worker.join(timeout=600)
    assert taken[0] in ({}, 2)


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, lambda live: pickle.loads(pickle.dumps(live))])
def test_a_copy_has_a_lock_of_its_own(duplicate):
    live = served("DP-UCB", ARMS, 1000, epsilon=1.0)
    other = duplicate(live)
    assert other.lock is not live.lock and other.writing is not live.writing
    with live.lock:
        worker = threading.Thread(target=lambda: other.update(other.act(), 1.0))
        worker.start()
        worker.join(timeout=60)
    assert other.played == 1 and live.played == 0


# Answers outside the range
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, 1e101, -1e300])
def test_a_clipped_answer_always_counts(bad):
    live = bdp.combine(Doubling(), partial(CentralLaplace, epsilon=1.0, clip=True), ARMS, horizon=10_000)
    live.update(live.act(), bad)
    assert live.played == 1


def test_answers_that_come_one_by_one_are_counted_in_64_bits() -> None:
    """Also those of a privatizer of one's own that sends bytes: 256 ones are not none."""
    source = SimpleNamespace(adds=True, bits_per_user=1.0, send=lambda values, rng: values.astype(np.uint8))
    slot = Slot(source, 300)
    for _ in range(256):
        slot = slot.with_answers(1, np.ones((1, 1)), np.random.default_rng(1))
    assert slot.waiting == 256
