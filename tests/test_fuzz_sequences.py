"""A share of the sequences that `make fuzz` plays, and what such sequences found: once mended, it stays so."""

import copy
import warnings
from dataclasses import replace

import numpy as np
import pytest

import bandits_dp as bdp
from bandits_dp.learners import UCB
from bandits_dp.widths.running import TreeWidth
from tests.fuzz.cases import CASES, COUNTERS, PROBLEMS, Greedy, Turns, made
from tests.fuzz.onlookers import ONLOOKERS
from tests.fuzz.sequences import played

SYSTEMS = [system.name for system in bdp.systems()]
FIRST = {name: next(case for case in CASES if case.startswith(f"{name}, ")) for name in SYSTEMS}
SLOW = {"LinUCB-SDP-Amp": "LinUCB-SDP-Amp, theorem, contextual, strict=False"}  # whose certified noise takes a search of seconds


@pytest.mark.parametrize("name", SYSTEMS)
def test_a_sequence_of_every_system(name):
    violation = played(SLOW.get(name, FIRST[name]), 1)
    assert violation is None, f"{violation.what}\n{violation.call}"


@pytest.mark.parametrize("name", [
    *[case for case in CASES if " with " in case][::8], *list(COUNTERS)[::5],
    *[case for case in ONLOOKERS if "theorem" in case][::25],
])
def test_a_sequence_of_others(name):
    violation = played(name, 2)
    assert violation is None, f"{violation.what}\n{violation.call}"


def live(name, rounds=6, **options):
    """Return a learner after some rounds, and its state."""
    setting = next(system.setting for system in bdp.systems() if system.name == name)
    problem = PROBLEMS["pool" if setting == "contextual" else setting]
    given = {"horizon": 40, "epsilon": 1.0, "delta": 0.1} | options
    learner = bdp.make(name, problem, **given)
    for turn in range(rounds):
        features = (np.eye(2) * 0.5,) if setting == "contextual" else ()
        learner.update(learner.act(*features), 1.0, np.random.default_rng(turn))
    return learner, learner.save()


def squares(state, factor):
    """Change the sum of squares of features."""
    return {"learner_sums": state["learner_sums"] * [1, 1, factor, 1, factor]}


KEPT = {  # what was accepted, or raised something else, and which entry is to blame
    "a phase that no rounds reach": ("VB-SDP-AE", lambda state: {"learner_phase": 7}, "learner_phase"),
    "pulls below zero": ("UCB1", lambda state: {"learner_pulls": state["learner_pulls"] + [50, -50, 0]}, "learner_pulls"),
    "a model of other sums": ("LinUCB-JDP", lambda state: {"learner_inverse": -state["learner_inverse"]}, "learner_inverse"),
    "squares below zero": ("LinUCB-RewardTree", lambda state: squares(state, -1), "learner_sums"),
    "features longer than any": ("LinUCB-Tree", lambda state: squares(state, 1e9), "learner_(sums|inverse|beta)"),
    "directions that are none": ("LinUCB-RewardTree", lambda state: {"learner_cross": state["learner_cross"] + 9}, "learner_cross"),
    "two sums of one thing": ("LinUCB-DGS", lambda state: {"stream_gram": state["stream_gram"] + np.eye(2)}, "stream_gram"),
    "a number without a square": (
        "LinUCB-JDP", lambda state: {"stream_counter_total": state["stream_counter_total"] + 1e300}, "stream_counter_total"),
    "a message that nobody sends": ("LinUCB-Batched-LDP", lambda state: {"sent": state["sent"] + 1e30}, "sent"),
    "messages that wrapped": (
        "LinUCB-Batched-LDP", lambda state: {"sent": np.full(state["sent"].shape, 2**64 - 9, dtype=np.uint64)}, "sent"),
    "more ones than a user has bits": ("LinUCB-SDP-Vec", lambda state: {"sent": state["sent"] + 2**62}, "sent"),
    "a ticket for nobody": (
        "AE", lambda state: {"numbers": 9, "ticket_numbers": [8], "ticket_users": [0], "ticket_arms": [0], "ticket_user": ["null"]},
        "ticket_users"),
    "a fraction of a ticket": ("UCB1", lambda state: {"numbers": 6.5}, "numbers"),
    "a float that is no integer": ("UCB1", lambda state: {"learner_pulls": np.full(3, 1e300)}, "learner_pulls"),
    "a key that is no word": ("UCB1", lambda state: {7: 1.0}, "7"),
    "a ragged list": ("UCB1", lambda state: {"learner_sums": [[1], [1, 2]]}, "learner_sums"),
    "masked": ("UCB1", lambda state: {"learner_sums": np.ma.array([1.0, 2.0, 3.0], mask=True)}, "learner_sums"),
    "complex answers that wait": ("SDP-AE", lambda state: {"sent_0": np.ones((6, 1), complex)}, "sent_0"),
}


@pytest.mark.parametrize("case", KEPT)
def test_a_state_that_cannot_be_is_refused(case):
    name, change, entry = KEPT[case]
    learner, state = live(name)
    with warnings.catch_warnings(record=True) as leaked:
        warnings.simplefilter("always")
        with pytest.raises(ValueError, match=f"wrong entry '{entry}'"):
            learner.restore(state | change(state))
    assert not leaked
    assert all(np.array_equal(value, learner.save()[key]) for key, value in state.items())


def test_bits_that_no_integer_can_count_are_refused_without_a_warning():
    learner, fresh = (bdp.make("SDP-AE", PROBLEMS["arms"], horizon=100, epsilon=1.0, delta=0.1, batch_size=10) for _ in range(2))
    learner.update(learner.act(3), np.ones(3))
    state = learner.save()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ValueError, match="wrong entry 'sent_0': it does not come back"):
            fresh.restore(state | {"sent_0": state["sent_0"] * 1e149})


def test_sums_of_longer_features_than_are_shown_are_refused():
    """Three of norm 2 have squares of 12 at most; with noise of 1 on two coordinates, norms to 1 + 40 sqrt(2) are possible."""
    long = bdp.problems.Rounds(iter, 2, dimension=2, reward_range=(-1.0, 1.0), feature_norm=2.0)
    plain = bdp.make("LinUCB", long, horizon=40)
    for _ in range(3):
        plain.update(plain.act(np.eye(2) * 2), 1.0)
    with pytest.raises(ValueError, match="wrong entry 'stream_total': after 3 rounds nothing is larger than 16"):
        plain.restore(plain.save() | {"stream_total": np.array([6.0, 0.0, 17.0, 0.0, 0.0])})
    options = {"calibration": "theorem", "perturb_contexts": 1.0, "least_eigenvalue": 1.0, "strict": False}
    for norm, known in (((1 + 40 * 2**0.5) * 0.999, True), ((1 + 40 * 2**0.5) * 1.001, False)):
        perturbed, _ = live("LinUCB-DGS", **options)
        perturbed.stream.gram = perturbed.played * norm**2 * np.diag([0.5, 0.5])
        perturbed.learner.sums[2:] = perturbed.stream.gram[np.triu_indices(2)]
        perturbed.learner._fit(perturbed.learner.sums)
        state = perturbed.save()
        if known:
            perturbed.restore(state)
        else:
            with pytest.raises(ValueError, match=r"entry 'learner_sums': no 6 features of norm 57\.5685 have such squares"):
                perturbed.restore(state)


def test_a_state_that_another_machine_rounded_otherwise_is_taken():
    learner, state = live("LinUCB-JDP")
    learner.restore(state | {key: state[key] * (1 + 1e-7) for key in ("learner_inverse", "learner_theta", "learner_beta")})
    assert learner.learner.theta[0] == state["learner_theta"][0] * (1 + 1e-7) != state["learner_theta"][0]


def test_a_stage_is_checked_before_a_learner_for_it_is_made():
    learner = bdp.make("AE", PROBLEMS["arms"], horizon=None, first_horizon=50)
    asked = []
    learner.make = asked.append
    with pytest.raises(ValueError, match="wrong entry 'played'"):
        learner.restore(learner.save() | {"stage": 30})
    assert not asked


def test_optimism_in_batches_cannot_have_pulls_that_its_width_does_not_know():
    """With more of them than the horizon the width's table would grow for ever."""
    tree = bdp.continual.TreeCounter(60, 1.0, 0.0, noise="laplace")
    learner = bdp.combine(UCB(3, TreeWidth(tree)), bdp.privatizers.Identity, PROBLEMS["arms"], horizon=60)
    with pytest.raises(ValueError, match="wrong entry 'learner_pulls'"):
        learner.restore(learner.save() | {"learner_pulls": np.full(3, 1000)})


@pytest.mark.parametrize(("learner", "changed"), (
    (Turns, {"learner_turn": 7}), (lambda: Greedy(2), {"learner_theta": np.zeros(9)}),
))
def test_a_state_with_which_somebodys_own_learner_cannot_go_on_is_refused(learner, changed):
    contexts = isinstance(learner(), Greedy)
    source = (bdp.privatizers.CentralGaussian(5, 1.0, 0.1, domain=bdp.privatizers.LinearStatistics(2)) if contexts
              else bdp.privatizers.Identity)
    one = bdp.combine(learner(), source, PROBLEMS["contextual" if contexts else "arms"], horizon=60)
    with pytest.raises(ValueError, match="wrong entry 'learner_"):
        one.restore(one.save() | changed)


def test_what_a_learner_is_told_is_its_own():
    """One that works in place with released sums does not change the sums that the stream goes on from."""
    one = copy.deepcopy(made("Greedy with CentralGaussian"))
    while one.played < 20:
        one.update(one.act(np.eye(2)), 1.0, np.random.default_rng(one.played))
    assert np.isfinite(one.stream.total).all() and np.isfinite(one.learner.theta).all()


def test_what_was_asked_is_nobody_elses():
    arms = np.array([0, 1])
    asked = bdp.Asked(arms, [3, 4])
    arms[:] = 7
    assert asked.arms.tolist() == [0, 1]
    with pytest.raises(ValueError, match="read-only"):
        asked.plays[0] = 0
    with pytest.raises(ValueError, match="arms must be integers"):
        bdp.Asked([[0], [1, 2]], [3, 4])


@pytest.mark.parametrize("changed", ({"number": "0"}, {"number": [0]}, {"users": "1"}, {"owner": None}, {"shown": 3}))
def test_a_forged_ticket_is_refused_by_its_name(changed):
    with pytest.raises(TypeError, match="ticket must be what act"):
        replace(live("UCB1")[0].act(), **changed)


def test_a_refused_user_is_shown_no_noise():
    """The generator of who perturbs features is where it was."""
    learner = live("LinUCB-DGS", calibration="theorem", perturb_contexts=0.1, least_eigenvalue=0.1, strict=False)[0]
    learner.act(np.eye(2), user="Ada", rng=np.random.default_rng(1))
    rng = np.random.default_rng(2)
    before = rng.bit_generator.state
    with pytest.raises(ValueError, match="user must be asked once"):
        learner.act(np.eye(2), user="Ada", rng=rng)
    assert rng.bit_generator.state == before


@pytest.mark.parametrize("ridge", (1.0, 1e12))
def test_parameters_have_noise_whatever_the_ridge_is(ridge):
    """Its law does not depend on the ridge, in units of one over it, once features are small beside it; it was 0 beyond 1e10."""
    thetas = []
    for seed in range(20):
        learner = live("LinUCB-DGS", rounds=0, ridge=ridge)[0]
        learner.update(learner.act(np.eye(2)), 1.0, np.random.default_rng(seed))
        thetas.append(learner.learner.theta * ridge)
    assert np.std(thetas) > 1


def test_work_that_a_horizon_asks_for_is_bounded():
    with pytest.raises(ValueError, match="horizon must be at most 5,000,000"):
        bdp.make("LinUCB-LDP", PROBLEMS["contextual"], horizon=10**9, epsilon=1.0)
    with pytest.raises(ValueError, match="horizon must be at most 5,000,000"):
        bdp.make("DP-UCB", PROBLEMS["arms"], horizon=10**9, epsilon=1.0, delta=0.1, noise="gaussian")
    with pytest.raises(ValueError, match="trials must be at most"):
        bdp.audit(bdp.privatizers.CentralLaplace(2, epsilon=1.0), [0, 1], [1, 1], trials=2**45, rng=np.random.default_rng(1))


def test_an_audit_draws_all_its_randomness_from_the_generator():
    learner = live("LinUCB-DGS", rounds=0, calibration="theorem", perturb_contexts=0.1, least_eigenvalue=0.1, strict=False)[0]
    seen = bdp.view_of(learner, "releases")
    data = np.stack([np.eye(2)] * 4), np.ones((4, 2))
    assert np.array_equal(*(seen(data, np.random.default_rng(1)) for _ in range(2)), equal_nan=True)
