"""The experiment calibration of LinUCB: a plain oracle of the same law, and each oddity on its own."""

import math
from functools import wraps

import numpy as np
import pytest
from scipy import stats

import bandits_dp as bdp
from bandits_book.replicas import CodeLinear
from bandits_book.replicas.linucb import FigureBits, FigureCounter, FigureGaussian, FigureLinUCB, FigureTree
from bandits_dp.contextual.linucb import LinUCB
from bandits_dp.problems import ContextualLinear
from tests.benchmarks import reference_experiment as reference

FALSE_ALARM = 1e-6  # of each statistical test here, with fixed seeds, where nothing else is said
PROBLEM = CodeLinear()
T = 20_000


def make(name, epsilon, problem=PROBLEM, horizon=T, **options):
    return bdp.make(name, problem, horizon=horizon, epsilon=epsilon, delta=0.1, calibration="experiment", **options)


SMALL = {"horizon": 600, "arms": 12, "d": 3, "count": 400}


@pytest.mark.parametrize("name", reference.CURVES)
@pytest.mark.parametrize("epsilon", [0.2, 10.0])
def test_same_law_as_the_oracle(name, epsilon, monkeypatch):
    """Regret of 400 short runs and of 400 of the oracle, and in how many V is indefinite: the tests see no difference."""
    blocks, fit = [], LinUCB._fit  # of runs that are played together: whether V was ever indefinite

    @wraps(fit)  # else it would not be the package's, and runs would be played one by one
    def noticed(model, sums):
        fit(model, sums)
        below = np.atleast_1d(np.linalg.eigvalsh(model.inverse)[..., 0] < 0)  # V at the end counts here, and not in the oracle
        if model.batch > 1:
            blocks[-1] |= below
        elif model.batch == 1:
            blocks.append(below)

    monkeypatch.setattr(LinUCB, "_fit", noticed)
    if name == "LinUCB" and epsilon > 1:
        return
    problem = CodeLinear(arms=12, dimension=3)
    result = bdp.simulate(make(name, epsilon, problem, 600), problem, 600, runs=400, seed=2, progress=False)
    pseudo, realised, indefinite = reference.play(name, epsilon, seed=3, **SMALL)
    assert stats.ks_2samp(result.regret[:, -1], pseudo).pvalue > FALSE_ALARM
    shifted = np.concatenate(blocks)
    assert len(shifted) == 400
    counts = [[shifted.sum(), (~shifted).sum()], [(indefinite > 0).sum(), (indefinite == 0).sum()]]
    assert stats.fisher_exact(counts).pvalue > FALSE_ALARM
    # Realised regret has the same mean; a round adds at most 1/2 to the variance of the difference.
    difference = realised - pseudo
    assert abs(difference.mean()) < 5.3 * math.sqrt(600 / 2 / 400)
    assert difference.std() < math.sqrt(600 / 2) * 1.2


def test_shape_of_gaussian_noise():
    """(Z + Z') / 2: variance s^2 on the diagonal, half of it elsewhere, s^2 on the vector (false alarm below 1e-6)."""
    privatizer, rng = FigureGaussian(3, 20, 2.0, "shuffle"), np.random.default_rng(0)
    variances = 4 * 20 * np.array([1, 1, 1, 1, 0.5, 0.5, 1, 0.5, 1])  # vector, then 11 12 13 22 23 33
    assert privatizer.draw_ahead(50_000, rng).var(axis=0) == pytest.approx(variances, rel=5.5 * math.sqrt(2 / 50_000))
    two = privatizer.release_sum(np.zeros((50_000, 9)), rng, batches=2)
    assert two.var(axis=0) == pytest.approx(2 * variances, rel=5.5 * math.sqrt(2 / 50_000))
    assert privatizer.send(np.zeros((50_000, 9)), rng).var(axis=0) == pytest.approx(variances / 20, rel=5.5 * math.sqrt(2 / 50_000))


def test_counter_draws_few_noises():
    """After t rounds the sums carry the first 1 + floor(ln(1 + t)) of 10 noises."""
    path = FigureCounter(2, T, 3.0).noise_path(np.random.default_rng(0))
    t = np.arange(1, T + 1)
    count = 1 + np.floor(np.log(1 + t)).astype(int)
    assert count.max() == reference.PREFIXES
    distinct = np.unique(path, axis=0)
    assert len(distinct) == 10
    for j in range(1, 11):
        assert len(np.unique(path[count == j], axis=0)) == 1
    steps = np.diff(path[np.searchsorted(count, np.arange(1, 11))], axis=0)
    assert (steps != 0).all()


def test_tree_has_the_same_noise_per_node():
    """Sum t carries popcount(t) nodes, each of the shape and std of the other counter (false alarm below 1e-6)."""
    tree = FigureTree(2, 8, 3.0)
    rng = np.random.default_rng(0)
    paths = np.array([tree.noise_path(rng) for _ in range(4000)])  # (draws, sums, entries)
    variances = 9 * np.array([1, 1, 2, 1, 2, 2, 3, 1])[:, None] * np.array([1, 1, 1, 0.5, 1])
    assert paths.var(axis=0) == pytest.approx(variances, rel=6 * math.sqrt(2 / 4000))


def test_bits_are_truncated_for_the_draw_only():
    """Every number of a batch comes out too small by B L (b - floor(b)) / 4 g, in the mean (false alarm below 1e-6)."""
    users, levels, bits = 20, 2 * math.sqrt(20), 6.9
    privatizer = FigureBits(2, users, math.sqrt(2), levels, bits)
    rng = np.random.default_rng(1)
    phi, y = np.array([0.6, 1.0]), (rng.random((4000, users)) < 0.5).astype(float)
    values = np.concatenate([phi * y[:, :, None], np.broadcast_to([0.36, 0.6, 1.0], (4000, users, 3))], axis=2)
    ahead = privatizer.noise_from(privatizer.draw_ahead(4000, rng), values)
    for noise in (ahead, np.array([privatizer.release(own, rng) for own in values]) - values.sum(axis=1)):
        error = noise.std(axis=0) / math.sqrt(4000)
        assert (np.abs(noise.mean(axis=0) + users * math.sqrt(2) * 0.9 / (4 * levels)) < 5.3 * error).all()
        own = math.sqrt(users * (6 * 3 / 16 + 0.25)) * math.sqrt(2) / levels  # rounding adds 1/4 per user at most
        assert (noise.std(axis=0) < own * 1.06).all() and (noise.std(axis=0) > own * 0.85).all()


@pytest.mark.parametrize("name", reference.CURVES)
def test_constants_of_each_curve(name):
    for epsilon in reference.EPSILONS:
        own, made = reference.constants(name, epsilon, T, 20, 0.1, 5), make(name, epsilon)
        assert made.learner.radius.regularizer(7) == pytest.approx(own["ridge"])
        radius = math.sqrt(own["gamma"] * 5) + 0.5 * math.sqrt(5 * math.log((1 + T * 2 / own["gamma"]) * T))
        assert made.learner.beta == pytest.approx(radius) and made.batch_size == own["batch"]
        if "bits" in own:
            assert made.stream.privatizer.noise_bits.believed == pytest.approx(own["bits"])


def test_indefinite_matrix_plays_the_first_negative_arm():
    """For fixed arms, for arms shown, and live: the first arm of negative squared width, however large another index is."""
    live = make("LinUCB-SDP-Vec", 1.0, CodeLinear(arms=4, dimension=2), 100)
    features, model = np.array([[[1.0, 1.0], [0.6, 1.0], [-0.9, 1.0], [-1.0, 1.0]]]), live.learner
    model.tell(np.zeros(5))
    model.inverse = np.array([[-1.0, 0.0], [0.0, 0.7]])  # squared widths: -0.3, 0.34, -0.11, -0.3
    model.theta = np.array([-50.0, 0.0])
    assert model.choose(features).tolist() == [0]
    assert model.choose(features[:, None, ::-1]).tolist() == [[0]]
    assert model.choose(features[:, None, [1, 2, 3, 0]]).tolist() == [[1]]
    assert live.act(features[0, ::-1]).arm == 0 and live.act(features[0, [1, 2, 3, 0]]).arm == 1


@pytest.mark.parametrize("name", reference.CURVES)
def test_the_plain_loop_is_the_fast_path(name):
    problem = CodeLinear(arms=12, dimension=3)
    learner = make(name, 10.0, problem, 300)
    fast = bdp.simulate(learner, problem, 300, runs=2, seed=5, progress=False)
    learner.fidelity = "messages"
    plain = bdp.simulate(learner, problem, 300, runs=2, seed=5, progress=False)
    assert fast.counts.keys() == plain.counts.keys() and fast.curves.keys() == plain.curves.keys()
    assert "SDP" in name or fast.regret == pytest.approx(plain.regret, abs=1e-9)


def test_instances_of_the_code():
    """Norms sqrt(2), mean rewards 1/2 + cos/2, the axes first; an instance is its own draw."""
    instance = PROBLEM.draw(np.random.default_rng(0))
    assert np.linalg.norm(instance.features, axis=1) == pytest.approx([math.sqrt(2)] * 4 + [1.0] + [math.sqrt(2)] * 95)
    assert (instance.features[:5] == np.column_stack([np.eye(5)[:, :4], np.ones(5)])).all()
    cosine = instance.features[:, :4] @ instance.theta[:4] * 2
    assert instance.means(instance.features) == pytest.approx(0.5 + cosine / 2)
    assert np.linalg.norm(instance.theta) == pytest.approx(PROBLEM.theta_norm)
    assert instance.draw(np.random.default_rng(1)) is instance
    assert (repr(PROBLEM), repr(instance)) == (f"CodeLinear(arms=100, dimension={PROBLEM.dimension})",
                                               f"CodeLinear(arms=100, dimension={PROBLEM.dimension}, one instance)")


def test_experiment_on_other_problems():
    """L is the norm of the problem's features."""
    learner = make("LinUCB-SDP-Vec", 1.0, ContextualLinear(arms=10, dimension=3), 1000)
    assert isinstance(learner.learner, FigureLinUCB) and learner.stream.privatizer.high == 1.0
    result = bdp.simulate(learner, ContextualLinear(arms=10, dimension=3), 1000, runs=2, progress=False)
    assert (np.diff(result.regret, axis=1) >= 0).all()
