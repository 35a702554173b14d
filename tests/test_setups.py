"""`bandits_book.setup`: the published sizes, what may be changed, and that every curve can be made and played."""

import dataclasses

import pytest

import bandits_dp as bdp
from bandits_book import setup

PAPERS = ("chowdhury-zhou-2022", "chowdhury-zhou-2022-code", "li-zhou-ji-2022", "tenenbaum-2021", "wang-zhao-wang-2022")
CURVES = [(paper, name) for paper in PAPERS for name in setup(paper).systems]


def test_sizes_are_the_published_ones():
    """Read in the papers: Chowdhury & Zhou, section 5; Li, Zhou, Ji, section 7; Wang, Zhao, Wang, section 4."""
    for paper in PAPERS[:2]:
        made = setup(paper)
        assert (made.horizon, made.runs, made.epsilons, made.delta) == (20_000, 50, (0.2, 1.0, 10.0), 0.1)
        assert (made.problem.arms, made.problem.dimension, made.problem.fixed) == (100, 5, True)
        assert made.systems == ("LinUCB", "LinUCB-JDP", "LinUCB-SDP-Amp", "LinUCB-SDP-Vec", "LinUCB-LDP")
        assert all(made.make(name, 1.0).stream.users == 20 for name in made.systems if "SDP" in name)
    clients = setup("li-zhou-ji-2022")
    assert (clients.horizon, clients.runs, clients.delta) == (10**6, 20, 0.25) and 10.0 in clients.epsilons
    problem = clients.problem
    assert (problem.arms, problem.dimension, problem.client_std, problem.clients) == (1000, 20, 0.1, 100_000)
    assert [clients.options[name]["alpha"] for name in clients.systems] == [0.8] * 5
    pool = setup("wang-zhao-wang-2022")
    assert (pool.problem.arms, pool.problem.dimension, pool.problem.items, pool.problem.noise_std) == (10, 10, 1000, 0.5)
    assert pool.problem.clip and pool.delta == 0.1 and {0.5, 2.0, 5.0} <= set(pool.epsilons)
    arms = setup("tenenbaum-2021")
    assert arms.problem.means.tolist() == pytest.approx([0.55] + [0.45] * 9) and arms.horizon == 10**6


@pytest.mark.parametrize(("paper", "overrides", "sizes"), [
    ("chowdhury-zhou-2022", {"dimension": 15, "arms": 30}, (30, 15)),
    ("chowdhury-zhou-2022-code", {"dimension": 10, "arms": 30}, (30, 10)),
    ("li-zhou-ji-2022", {"dimension": 5, "actions": 40, "horizon": 1000}, (40, 5)),
    ("tenenbaum-2021", {"arms": 3, "gap": 0.5, "horizon": 1000}, (3, None)), ("wang-zhao-wang-2022", {}, (10, 10)),
])
def test_overrides(paper, overrides, sizes):
    made = setup(paper, **overrides)
    assert (made.problem.arms, getattr(made.problem, "dimension", None)) == sizes
    assert made.horizon == overrides.get("horizon", setup(paper).horizon) and made.paper == paper
    if "gap" in overrides:
        assert made.problem.gaps.tolist() == [0, 0.5, 0.5]
    with pytest.raises(dataclasses.FrozenInstanceError):
        made.horizon = 5
    with pytest.raises(TypeError):
        made.options["LinUCB"] = {}


@pytest.mark.parametrize(("paper", "name"), CURVES)
def test_every_curve_can_be_made_and_played(paper, name):
    """At every epsilon of the figures, at full size; a few rounds of it are played."""
    # DPE-FixedU finds its number of clients by pilot runs: half a minute at full size.
    made = setup(paper, **({"dimension": 5, "actions": 50, "horizon": 10_000} if name == "DPE-FixedU" else {}))
    for epsilon in made.epsilons:
        learner = made.make(name, epsilon)
        assert learner.horizon == made.horizon and learner.name == name
        promise = learner.guarantee
        assert promise.proved == (made.calibration == "certified" and promise.model != "none")
        if promise.proved:
            assert promise.epsilon <= epsilon and promise.delta <= made.delta
    result = bdp.simulate(learner, made.problem, min(made.horizon, 200), runs=2, progress=False)
    assert result.runs == 2 and (result.regret >= 0).all() and result.rounds[-1] == 200


def test_options_of_the_caller_come_first():
    made = setup("chowdhury-zhou-2022")
    assert made.make("LinUCB-SDP-Vec", 1.0, batch_size=50).stream.users == 50
    assert made.make("LinUCB-SDP-Vec", 1.0, calibration="experiment").guarantee.calibration == "experiment"
