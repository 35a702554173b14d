"""What chapter 14 claims: the set-up, stored runs on the real files, a promise to users who return, and two published figures."""

import json
from importlib.resources import files

import numpy as np
import pytest

import bandits_dp as bdp
import lastfm_curves as tool
from bandits_dp.audit import Vectorized, audit
from bandits_dp.problems import LastFM
from bandits_dp.problems.lastfm_data import load_listening
from bandits_dp.problems.lastfm_files import CHECKS, VARIABLE
from tests.stored_scenes import stored_scene
from tests.test_lastfm import check_candidates, real_folder

STORED = json.loads((files("bandits_dp.problems") / "lastfm_curves.json").read_text("utf-8"))
CHAPTER = "14_lastfm"
SET_UP = ("our reading: every round a user at random, 25 candidates, all tags, 25 components divided by the largest norm, $(2,0.1)$, "
          "width 0.3, $T=5{,}000$")


@pytest.fixture(scope="module")
def stand_in():
    return load_listening("synthetic")


@pytest.fixture(scope="module")
def real():
    """Return the problem on the real files where they are, else None: then only what is stored can be checked."""
    folder = real_folder()
    if folder is None:
        return None
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(VARIABLE, str(folder))
        return LastFM(source="files")


def ends(name):
    """Return mean and standard error of the stored ratio at the end."""
    values = np.array(STORED["curves"][name]["ends"])
    return values.mean(), values.std(ddof=1) / np.sqrt(len(values))


def test_the_set_up_is_the_papers(real, stand_in):
    """25 candidates, one of them from the user's history; 25 components; the ratio is over random play's 1 of 25."""
    for problem in (LastFM(listening=stand_in), real):
        if problem is None:
            continue
        check_candidates(problem)
        assert (problem.arms, problem.dimension, problem.random_click_rate) == (25, 25, 0.04)
        rounds, ratio = tool.random_play(problem, 40)
        assert abs(ratio[:, -1].mean() - 1) < 6 * np.sqrt(0.96 / 0.04 / rounds[-1] / 40)
        learner = bdp.make("LinUCB", problem, horizon=40)
        result = bdp.simulate(learner, problem, 40, runs=2, progress=False)
        rewards = problem.click_rate(result) * result.rounds
        np.testing.assert_allclose(result.regret, result.rounds - rewards)
        np.testing.assert_allclose(rewards, rewards.round(), atol=1e-9)


def test_stored_runs_come_from_the_files(real):
    """What says so is stored with them, and a part of them is made again where the files are."""
    assert STORED["provenance"]["sha256"] == {name: digest for name, (_, digest) in CHECKS.items()}
    assert set(STORED) == set(tool.PARTS)
    assert set(STORED["curves"]) == {*tool.LEARNERS, "random play"}
    described = STORED["described"]
    assert [described[key] for key in ("users", "artists", "tags", "listens")] == [1892, 17632, 11946, 92834]
    if real is None:
        return
    fresh = tool.described(real)
    assert fresh.keys() == described.keys()
    assert all(fresh[key] == (pytest.approx(value) if isinstance(value, float) else value) for key, value in described.items())
    assert tool.shown_again(real) == STORED["shown_again"]
    for name in ("RewardTree", "Tree"):
        _, ratio = tool.ratios(real, tool.LEARNERS[name], tool.HORIZON, 2)
        # Other processors round otherwise, and two such runs differ; on one they are the same.
        np.testing.assert_allclose(ratio[:, -1], STORED["curves"][name]["ends"][:2], atol=0.5)


def test_order_of_the_learners():
    """RewardTree is far above Neel and Roth's tree, bands apart, and every learner above chance."""
    tree, reward_tree = ends("Tree"), ends("RewardTree")
    assert reward_tree[0] - tree[0] > 20 * np.hypot(reward_tree[1], tree[1])
    assert all(ends(name)[0] > 1.5 for name in tool.LEARNERS)
    assert abs(ends("random play")[0] - 1) < 6 * ends("random play")[1]
    names = ("Tree", "RewardTree")
    promises = [bdp.make(tool.LEARNERS[name]["name"], LastFM(source="synthetic"), horizon=10, **tool.TWO).guarantee for name in names]
    assert [(promise.epsilon, promise.delta) for promise in promises] == [(2.0, 0.0), (2.0, 0.1)]


def columns(rounds):
    """Return the counter's matrix C, whose square makes running sums."""
    f = np.cumprod(np.append(1.0, 1 - 0.5 / np.arange(1, rounds)))
    return np.array([[f[t - s] if t >= s else 0.0 for s in range(rounds)] for t in range(rounds)]), f


def test_all_rewards_of_one_user(stand_in):
    """However one user's rewards, rounds and directions are: the released sums move by no more than the noise is made for."""
    rng, rounds, most = np.random.default_rng(0), 60, 5
    C, f = columns(rounds)
    np.testing.assert_allclose(C @ C, np.tril(np.ones((rounds, rounds))), atol=1e-9)
    largest = 0.0
    for trial in range(300):
        there = np.arange(most) if trial < 100 else rng.choice(rounds, most, replace=False)
        moved = np.zeros((rounds, 3))
        directions = rng.normal(size=(most, 3)) * (trial % 2) + [1.0, 0.0, 0.0]
        moved[there] = rng.uniform(-1, 1, (most, 1)) ** (trial > 50) * directions / np.linalg.norm(directions, axis=1, keepdims=True)
        shift = np.linalg.solve(C, np.cumsum(moved, axis=0))
        largest = max(largest, np.linalg.norm(shift))
        assert np.linalg.norm(shift) <= most * np.linalg.norm(f)
    assert largest > 0.7 * most * np.linalg.norm(f)  # rounds in a row, one direction
    problem = LastFM(listening=stand_in)
    learner = bdp.make("LinUCB-RewardTree", problem, horizon=rounds, epsilon=1.0, delta=0.01, returning_users=most)
    noise = float(learner.stream.counter.error_std(np.array([1]))[0])
    assert bdp.accounting.gaussian_delta(1.0, noise, most * np.linalg.norm(f)) == pytest.approx(0.01, rel=1e-3)
    assert (learner.guarantee.epsilon, learner.guarantee.delta) == (1.0, 0.01)


@pytest.mark.parametrize(("visits", "passes"), [(1, False), (8, True)])
def test_audit_of_a_user_who_returns(visits, passes):
    """Eight rewards of one user under noise for one exceed the claim; under noise for eight nothing is found."""
    pool = bdp.problems.PoolContextual(arms=2, dimension=2, clip=True)
    learner = bdp.make("LinUCB-RewardTree", pool, horizon=20, epsilon=1.0, delta=0.01, returning_users=visits)
    C, _ = columns(20)
    there = np.zeros((20, 2))
    there[:8, 0] = 1.0
    shift = np.linalg.solve(C, np.cumsum(there, axis=0))

    def score(reward, rng, runs):
        noise = np.stack([learner.stream.counter.noise_path(rng) for _ in range(runs)])
        released = reward * np.cumsum(there, axis=0) + noise
        return (np.linalg.solve(C, released) * shift).sum(axis=(1, 2))

    verdict = audit(Vectorized(score), 1.0, -1.0, 1.0, 0.01, 2000, rng=np.random.default_rng(1), progress=False)
    assert verdict.passed == passes


def test_the_scene_shows_the_packages_scores(stand_in):
    """One frame, made again from the catalogue's learner: places of all dots, the note's rank and rate."""
    problem = LastFM(listening=stand_in)
    rows = problem.numbers(np.random.default_rng(14), 2001)
    noor, amber = problem.contexts(rows[:1])[0], problem.liked(rows[:1])[0]
    learner = bdp.make("LinUCB-RewardTree", problem, horizon=2000, returning_users=10, **tool.TWO)
    rng, hits, x, r = np.random.default_rng(2), 0, [], []
    for shown, liked in zip(problem.contexts(rows[1:201]), problem.liked(rows[1:201]), strict=True):
        ticket = learner.act(shown)
        learner.update(ticket, float(ticket.arm == liked), rng)
        hits, x, r = hits + (ticket.arm == liked), [*x, shown[ticket.arm]], [*r, ticket.arm == liked]
    across = noor @ np.linalg.solve(np.eye(25) + np.transpose(x) @ x, np.transpose(x) @ np.array(r, dtype=float))
    up = noor @ learner.learner.theta
    marks, note = stored_scene(CHAPTER, "scores-scene")["200", "ten rewards"]
    for artist in range(25):
        dot = marks[f"artist {artist}"]
        assert (dot["x"], dot["y"]) == pytest.approx((50 + 190 * across[artist], 50 + 190 * np.clip(up[artist], -0.2, 0.2)), abs=0.02)
    assert marks[f"artist {amber}"]["color"] == "secret"
    assert f"rank {(up > up[amber]).sum() + 1} of 25" in note and f"{25 * hits / 200:.1f} times chance" in note
