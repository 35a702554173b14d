"""Every system of the catalogue, served: to the horizon, through saves, damage and Ctrl-C at any line."""

import copy
import sys
from hashlib import blake2b

import numpy as np
import pytest

import bandits_dp as bdp
from bandits_dp import _checks
from bandits_dp.app import app as apps
from bandits_dp.play.paths import path_for
from bandits_dp.serve import HorizonReached, ServedCounter, served
from bandits_dp.serve.ids import DIGEST
from bandits_dp.serve.saved import Saved, digest
from tests.interrupted import at_every_line
from tests.small_problems import CASES, PROBLEMS, SYSTEMS, Alone, Crowd, refused, same_state

SECRET = [case for case, (name, _) in CASES.items() if SYSTEMS[name].model != "none"]
SENT = [case for case, (name, _) in CASES.items() if SYSTEMS[name].model in ("local", "shuffle")]


@pytest.fixture(autouse=True)
def _tickets_have_no_random_bits(monkeypatch):
    """So that states of twins can be compared; ``tests/test_serve.py`` says what these bits are for."""
    for module in (apps, served):
        monkeypatch.setattr(module, "DRAWN", 0)


@pytest.mark.parametrize("case", CASES)
def test_it_plays_to_the_horizon_and_no_further(case):
    """With arms that exist; then nobody is asked, nothing is taken, nothing changes, also after a restore."""
    crowd = Crowd(case)
    first, arms = crowd.act(), crowd.play(0, until=crowd.horizon)
    assert CASES[case][0] in crowd.learner.name and all(isinstance(arm, int) and 0 <= arm < crowd.learner.arms for arm in arms)
    state = crowd.learner.save()
    for one in (crowd, crowd.restored(state)):
        end = one.learner.played
        assert end == crowd.horizon
        for verb in (one.act, lambda one=one: one.learner.update(first, [1.0], crowd.noise)) if "unknown" not in case else ():
            refused(f"horizon is {end} and {end} rounds are played: there is no next", verb, error=HorizonReached)
        assert same_state(state, one.learner.save())


@pytest.mark.parametrize("case", CASES)
def test_nobody_writes_what_would_be_wrong_while_nothing_is(case):
    """Every live round formatted the arrays for its error message, which took 40 % of the time of UCB1."""
    crowd, written = Crowd(case), []
    crowd.play(3)

    def look(frame, event, _):
        if event == "call" and (frame.f_code.co_filename.endswith("arrayprint.py") or frame.f_code is _checks.told.__code__):
            written.append(frame.f_back.f_code.co_qualname)

    before = sys.getprofile()
    sys.setprofile(look)
    try:
        crowd.play(30)
    finally:
        sys.setprofile(before)
    assert not written


@pytest.mark.parametrize("case", CASES)
def test_a_restored_learner_goes_on_bit_for_bit(case, tmp_path):
    """Saved in mid-batch with open tickets, and restored from a dictionary and from a file; and a copy goes on alike."""
    crowd = Crowd(case)
    tickets = crowd.begun()
    state, twin = crowd.learner.save(tmp_path / "state.npz"), copy.copy(crowd)
    assert same_state(state, crowd.learner.save())
    others = [crowd.restored(state), crowd.restored(tmp_path / "state.npz"), twin]
    twin.rng, twin.noise, twin.learner = copy.deepcopy(crowd.rng), copy.deepcopy(crowd.noise), copy.copy(crowd.learner)
    given = [array for array in state.values() if array.dtype.kind in "iuf" and array.size]
    for array in given:  # is the caller's, and no part of the learner
        array[...] = 9
    went = []
    for one in (crowd, *others):
        log = []
        for ticket in reversed(tickets):
            try:
                one.learner.update(ticket, one.answer(ticket), one.noise)
            except ValueError as error:
                log.append(str(error))
        for user in ("Ada", 1):
            try:
                log.append(np.ravel(one.act(user).arm).tolist())
            except ValueError as error:
                log.append(str(error))
        went.append((log, one.play(0, until=one.horizon)))
        assert same_state(one.learner.save(), crowd.learner.save())
    assert went[1:] == went[:1] * 3 and one.learner.played == one.horizon


@pytest.mark.parametrize("case", CASES)
def test_a_state_that_is_not_what_save_returned_is_refused(case):
    """Damaged or edited in any entry, of an older format, of another learner: one sentence, and nothing changes."""
    crowd = Crowd(case)
    crowd.begun()
    live, state = crowd.learner, crowd.learner.save()
    wrong, edited = [], "(digest does not fit|of format 5, got)"
    for key, value in state.items():
        flipped = value.copy()
        if value.size:
            flipped.reshape(-1).view(np.uint8)[0] ^= 1
        changes = [flipped] * (value.size > 0) + [value[None], value.astype("f4" if value.dtype.kind == "f" else "S9")]
        wrong += [({**state, key: change}, edited) for change in changes]
        wrong.append(({other: state[other] for other in state if other != key}, edited))
        wrong.append(({**state, key: None}, f"arrays by name, got None for '{key}'"))
    former = {key: value for key, value in state.items() if key not in ("format", "digest")}
    wrong += [({**state, "more": np.array(1)}, edited), ({}, "of format 5, got none"), (former, "format 5, got none"),
              ({**state, "more": np.ma.masked_array([1, 2], [0, 1])}, "for 'more'"), ({**state, 3: np.array(3)}, "for 3")]
    foreign = Crowd("UCB1" if case != "UCB1" else "AE").learner
    wrong += [(foreign.save(), f"come from .*, got one from {foreign.name}")]
    wrong += [(state | {"digest": foreign.save()["digest"]}, edited)]
    wrong += [(ServedCounter(bdp.continual.TreeCounter(9, 1.0, 0.1)).save(), "come from .*, got one from None")]
    if "unknown horizon" not in case:
        wrong += [(Crowd(case, horizon=crowd.horizon + 1).learner.save(), "come from .*horizon=")]
    for other, text in wrong:
        with pytest.raises(ValueError, match=rf"^state must (?s:.*){text}"):
            live.restore(other)
    with pytest.raises(TypeError, match="state must be what save"):
        live.restore(None)
    if crowd.setting in ("linear", "clients"):
        with pytest.raises(ValueError, match="state must come from a learner with the same actions"):
            Crowd(case, seed=1).learner.restore(state)
    assert same_state(state, live.save())
    twin = {**state, "played": np.array(int(state["played"]))}
    assert digest({key: value for key, value in twin.items() if key != "digest"}) == str(state["digest"])


INTERRUPTED = (  # each way in which an app or a stream keeps what changes; that no array is changed in place: tests/test_app.py
    "UCB1", "Gaussian DP-UCB", "SDP-AE", "unknown horizon", "LinUCB, unknown horizon", "CDP-PE", "CDP-DPE", "batched LinUCB",
    "late LinUCB-SDP-Vec", "factorized LinUCB-JDP", "explicit LinUCB-DGS", "hybrid LinUCB-RewardTree")


@pytest.mark.parametrize("case", INTERRUPTED)
def test_interrupted_at_any_line_a_learner_is_as_before_or_after(case):
    """In an update that releases and expires tickets, and in ``act``; after it with what the next call begins with, at most."""
    crowd = Crowd(case)
    ticket, answer = crowd.brink()
    for user in ("late", "too late"):
        crowd.act(user)
    live, shown, state = crowd.learner, crowd.shown(), np.random.default_rng(1).bit_generator.state
    before, seen = live.save(), set()

    def update(one):
        rng = np.random.default_rng()
        rng.bit_generator.state = state
        one.update(ticket, answer, rng)

    for verb in (update, lambda one: one.act(*shown, user="Ada"), lambda one: one.act(*shown)):
        learners = list(at_every_line(live, verb))
        after = learners[-1].save()
        assert not same_state(before, after)
        for one in learners[:-1]:
            now = one.save()
            if not same_state(now, before):  # what was released may be due to be told
                one._settle()
                now = one.save()
            assert same_state(now, before) or same_state(now, after)
            seen.add(same_state(now, after))
            assert one.missing == (learners[-1] if same_state(now, after) else live).missing
    assert False in seen and same_state(live.save(), before)


@pytest.mark.parametrize("case", SENT)
def test_a_state_is_a_function_of_what_is_sent(case, monkeypatch):
    """Local and shuffle model: users with other rewards and features who send the same leave the same state, in mid-batch, too."""
    states = []
    for seed in range(2):
        crowd, noise = Crowd(case), np.random.default_rng(3)
        live = crowd.learner
        live.owner, live.secret = "one name", bytes(range(16))
        crowd.rng = np.random.default_rng(seed)  # one instance, other users
        kind = type(live.sample if crowd.setting != "contextual" else live.stream.privatizer)
        with monkeypatch.context() as same_messages:
            same_messages.setattr(kind, "send", lambda self, values, rng, send=kind.send, own=noise: send(self, 0 * values, own))
            crowd.begun()
        states.append(crowd.learner.save())
    assert same_state(*states)


@pytest.mark.parametrize("case", ["UCB1", "SDP-AE", "LinUCB-SDP-Vec", "late LinUCB-SDP-Vec", "CDP-DPE", "unknown horizon"])
def test_a_state_holds_no_id(case, tmp_path):
    """Of an id there is a keyed hash in it, as long for long ids as for short ones; what was shown is not in it."""
    sizes = []
    for ids in ("ABCDEFG", [f"{letter}@a-very-long-address.example" for letter in "ABCDEFG"]):
        crowd = Crowd(case)
        tickets = [crowd.act(user) for user in ids]
        crowd.learner.save(tmp_path / "state.npz")
        content = (tmp_path / "state.npz").read_bytes()
        assert not any(f"{user}".encode(code) in content for user in ids for code in ("utf-8", "utf-32-le") if len(user) > 1)
        assert all(ticket.shown is None or ticket.shown.tobytes() not in content for ticket in tickets)
        sizes.append(len(content))
    assert sizes[0] == sizes[1]


def test_two_states_tell_the_answer_between_them_as_is_said():
    """In the shuffle model, too: it was said of the central model only. And the key of the hashed ids is in the same file."""
    live = served.Served(bdp.make("VB-SDP-AE", bdp.problems.BernoulliArms([0.5, 0.5]), horizon=10**6, epsilon=1.0, delta=1e-3))
    rng = np.random.default_rng(3)
    while live.asked.plays[0] < 500:  # users, among whom each needs few bits of noise
        users = live.missing
        live.update(live.act(users), rng.integers(0, 2, users), rng)
    right, waiting, members = 0, 0.0, [f"user {number}" for number in range(200)]
    for member in members[:60]:
        answer = int(rng.integers(0, 2))
        live.update(live.act(user=member), answer, rng)
        state = live.save()
        before, waiting = waiting, float(state["slot_0_waiting"][0])
        right += (waiting - before - live.privatizers[0].noise_bits.common > 0.5) == answer
    key = {"key": state["secret"].tobytes(), "digest_size": DIGEST, "person": b"text"}
    hashes = set(map(bytes, state["users"]))
    assert [name for name in members if blake2b(name.encode(), **key).digest() in hashes] == members[:60] and right > 55
    assert "In every model but the local one, the file is as secret as the answers." in " ".join(Saved.save.__doc__.split())


@pytest.mark.parametrize("case", SECRET)
def test_nothing_that_is_to_come_is_in_a_state(case):
    """Who goes on from it comes to another release, with the system's randomness; and it does not grow with the horizon."""
    if case == "SDP-DPE":
        return  # whose noise takes long to find
    crowd, releases = Crowd(case), set()
    ticket, answer = crowd.brink()
    state = crowd.learner.save()
    one_bit = SYSTEMS[CASES[case][0]].model == "local" or case == "Dist-DP-AE"
    for _ in range(60 if one_bit else 12):  # so many alike by chance: less than 1e-7, of one bit or many
        live = crowd.restored(state).learner
        live.update(ticket, answer)
        told = live.learner.estimate if hasattr(live.learner, "estimate") else live.learner.sums
        releases.add(tuple(np.ravel(told)))
    assert len(releases) > 1
    if case != "DP-SE" and "unknown horizon" not in case and crowd.setting != "clients":
        longer = Crowd(case, horizon=50 * crowd.horizon)
        longer.play(9)
        shorter = Crowd(case)
        shorter.play(9)
        held, more = (sum(array.size for array in one.learner.save().values()) for one in (shorter, longer))
        assert more <= held + 6 * 9 * 3  # levels of trees


@pytest.mark.parametrize("name", SYSTEMS)
def test_progress_tells_of_every_round_of_every_run(name):
    crowd, told = Alone(name), []
    live, problem = crowd.make(), PROBLEMS[crowd.setting][0]
    path_for(live, problem)(live, problem, np.random.default_rng(0).spawn(3), np.array([7, crowd.horizon]), told.append)
    assert sum(told) == 3 * crowd.horizon
