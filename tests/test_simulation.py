"""The front door: guarantees that print, make and its errors, and simulations that repeat exactly."""

import math
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

import bandits_dp as bdp
from bandits_book import plots
from bandits_dp.play.fingerprint import fingerprint
from bandits_dp.play.simulate import checkpoints
from bandits_dp.problems import BernoulliArms, ContextualLinear, GradedArms, LinearArms, PoolContextual, SphericalArms
from tests.same_law import codes, same_law
from tests.small_problems import PROBLEMS, SYSTEMS, assert_same_runs, linear_arms, population, refused, served, slowly, small

FALSE_ALARM = 1e-6  # of each statistical test here, with fixed seeds
PROBLEM = BernoulliArms([0.9, 0.6, 0.5])
NAMES = [system.name for system in bdp.systems() if system.setting == "arms"]


@pytest.mark.parametrize("name", NAMES)
def test_every_system_runs_in_both_proved_calibrations(name):
    for calibration in ("certified", "theorem") if name != "Dist-DP-AE" else ("certified",):
        learner = bdp.make(name, PROBLEM, horizon=2000, epsilon=1.0, delta=0.1, calibration=calibration)
        result = bdp.simulate(learner, PROBLEM, 2000, runs=3)
        assert result.name == learner.name == name and learner.guarantee.model == SYSTEMS[name].model
        assert result.regret.shape == (3, len(result.rounds)) and result.rounds[-1] == 2000
        assert (np.diff(result.regret, axis=1) >= 0).all() and result.bits.shape == (3,)
        assert result.guarantee.proved == (SYSTEMS[name].model != "none")
    refused("publishes no simulation", bdp.make, name, PROBLEM, horizon=2000, epsilon=1.0, delta=0.1, calibration="experiment")


THEOREM = {"calibration": "theorem"}
BAD = [
    ("vb-sdp-ae", {}, "did you mean 'VB-SDP-AE'"),
    ("AE", {"batch_size": 2001}, "batch_size must not exceed the horizon, got a first batch of 2001 users for 2000 rounds"),
    ("VB-SDP-AE", {"horizon": 1}, "batch_size must not exceed the horizon, got a first batch of 2 users for 1 rounds"),
    ("UCB1", {"batch_size": 2}, "batch_size is not an option of UCB1, which has none"),
    ("VB-SDP-AE", {"batch_size": 2}, "batch_size is not an option of VB-SDP-AE, which has fidelity, honest_fraction, strict"),
    ("SDP-AE", THEOREM | {"epsilon": 2.0}, "epsilon must be at most 1 for the theorem calibration"),
    ("DP-UCB", {"counter": "factorization"}, "noise must be 'gaussian' for counter='factorization', got 'laplace'"),
    ("DP-UCB", THEOREM | {"noise": "gaussian"}, "calibration must be 'certified' for counter='tree'"),
    ("CDP-PE", {"problem": LinearArms(np.eye(2), [0, 0], "gaussian")}, "problem must have bounded rewards"),
    ("CDP-PE", {"delta": None, "noise": "gaussian"}, "delta must be in .* noise='laplace' needs none"),
    ("LDP-PE", THEOREM | {"noise": "laplace"}, "prints no width"), ("CDP-PE", THEOREM, "epsilon must be below 1"),
    ("PE", {"problem": PROBLEM}, "problem must be of the setting 'linear'"), ("CDP-DPE", THEOREM, "epsilon must be"),
    ("CDP-DPE", THEOREM | {"noise": "laplace"}, "calibration must be 'certified' for noise='laplace'"),
    ("LinUCB-SDP-Vec", {"batch_size": 2001}, "batch_size must not exceed the horizon, got 2001 users for 2000 rounds"),
    ("LinUCB-SDP-Vec", THEOREM | {"centred": True}, "centred must be False for calibration="),
    ("LinUCB-SDP-Vec", {"horizon": 30, "epsilon": 0.1, "batch_size": "returning"}, "not even one batch would end"),
    ("VB-SDP-AE", {"first_horizon": 10}, "first_horizon is not an option of VB-SDP-AE"),
    ("VB-SDP-AE", {"horizon": None}, "horizon must be .* got None; if it is unknown, bandits_dp.serve.Restarts"),
    ("LinUCB", {"late": "next"}, "late is an option of bandits_dp.serve.Served"),
    ("LinUCB-JDP", {"returning_users": 0}, "returning_users must be True or False or an integer that is at least 1, got 0"),
    ("LinUCB-DGS", {"perturb_contexts": 0.1}, "perturb_contexts must not be given for the certified LinUCB-DGS, got 0.1"),
    ("LinUCB-DGS", {"explicit_tree": True}, "explicit_tree must not be given"),
    ("LinUCB-DGS", {"counter": "hybrid"}, "counter must not be given"),
    ("LinUCB-DGS", THEOREM, r"least_eigenvalue must be a positive number, .* got None, and the problem does not"),
    ("LinUCB-DGS", THEOREM | {"least_eigenvalue": 0.01}, r"horizon must be above 32 ln\(1/delta\) / lambda_0 = 22105 .* got 2000"),
    ("LinUCB-RewardTree", THEOREM, "calibration must be 'certified' for LinUCB-RewardTree, got 'theorem'"),
    *((f"LinUCB-{end}", {"problem": PoolContextual()}, r"problem must have bounded rewards .* has them with clip=True")
      for end in ("Tree", "DGS", "RewardTree")),
]


@pytest.mark.parametrize(("name", "arguments", "text"), BAD)
def test_bad_requests_are_named(name, arguments, text):
    problem = PROBLEMS[SYSTEMS[name].setting][0] if name in SYSTEMS else PROBLEM
    given = {"problem": problem, "horizon": 2000, "epsilon": 1.0, "delta": 1e-3, **arguments}
    refused(text, bdp.make, name, **given)


def test_problems_that_a_learner_was_not_made_for_are_refused():
    arms = linear_arms()
    fixed = ContextualLinear(6, 3)
    perturbed = bdp.make("LinUCB-DGS", fixed, horizon=100, epsilon=1.0, delta=0.1, calibration="experiment", perturb_contexts=1.0)
    made = {"linear": bdp.make("CDP-PE", arms, horizon=1000, epsilon=1.0, delta=0.1),
            "clients": bdp.make("DPE", population(clients=25), horizon=1000), "arms": bdp.make("AE", PROBLEM, horizon=1000),
            "contextual": bdp.make("LinUCB", fixed, horizon=1000)}
    for learner, problem, text in (
        ("linear", linear_arms(13), "12 arms"), ("linear", linear_arms(12, 4), "actions of length 3"),
        ("linear", linear_arms(seed=1), "the actions for which"), ("linear", SphericalArms(12, 3), "the actions for which"),
        ("linear", linear_arms(rewards="gaussian", bound=1.0), r"rewards in \{-1, 1\}"),
        ("clients", population(clients=24), "problem must have 25 clients at least, for which the learner was made, got 24"),
        ("arms", BernoulliArms([0.1]), "problem must have 3 arms"), ("contextual", ContextualLinear(6, 4), "dimension 3"),
        ("contextual", PROBLEM, "setting 'contextual'"),
    ):
        refused(text, bdp.simulate, made[learner], problem, 100)
    refused(r"problem must show new features in every round, .* got fixed ones", bdp.simulate, perturbed, fixed, 100)
    with pytest.raises(ValueError, match=r"problem must have rewards in \[-1, 1\], or clip must be True .* rewards in R\^1"):
        bdp.make("CDP-DPE", population(rewards="gaussian"), horizon=500, epsilon=1.0, delta=0.1)


def test_bad_simulations_are_named():
    def learner():
        return bdp.make("AE", PROBLEM, horizon=100)

    used = learner()
    used.update(used.act(), 1.0)
    for more, text in (
        ({"horizon": 101}, "horizon must be at most 100, for which the learner was made, got 101"),
        ({"runs": 10**10}, r"runs must be at most \d+, got 10000000000: .* available"),
        ({"seed": 10**30 + 1}, "seed must be an integer from 0 to 1,000,000,000,000,"),
        ({"learner": used}, "learner must be fresh, but it has played 1 rounds"),
    ):
        refused(text, bdp.simulate, **{"learner": learner(), "problem": PROBLEM, "horizon": 100} | more)
    assert bdp.simulate(learner(), PROBLEM, 100, runs=1, seed=10**30).seed == 10**30  # the largest whole number
    with pytest.raises(TypeError, match=r"learner must be what make.* returned, got Bernoulli.*; learner and problem are swapped"):
        bdp.simulate(PROBLEM, learner(), 100)
    refused(r"learner must be what make\(\) or combine\(\) returned, got 'AE'$", bdp.simulate, "AE", PROBLEM, 100, error=TypeError)


# One law, one seed
PURE = {"epsilon": 2.0, "delta": 0.1}
STARS = GradedArms([0.0, 0.3, 0.8, 1.0], [[0, 0.1, 0.1, 0.8], [0.2, 0.2, 0.2, 0.4], [0.15, 0.1, 0.3, 0.45]])
BITS, ACTIONS, CUT = BernoulliArms([0.9, 0.1, 0.4]), linear_arms(8, 2), linear_arms(8, 2, rewards="gaussian", bound=1.5)
WATCHED = {kind: population(k=8, d=2, seed=3, rewards=kind) for kind in ("signs", "gaussian")}
DPE = {"DPE": {}, "DPE-FixedU": {"clients_per_phase": 40}, "CDP-DPE": {"epsilon": 8.0}, "LDP-DPE": {"epsilon": 30.0},
       "SDP-DPE": {"epsilon": 8.0}}
LAPLACE = {"CDP-DPE": {"epsilon": 30.0, "noise": "laplace"}, "LDP-DPE": {"epsilon": 80.0, "noise": "laplace"}}
LAWS = [  # name, problem, horizon, runs, options
    *((name, BITS, 3000, 80, {"epsilon": 1.0} | size)
      for name, size in (("LDP-AE", {"batch_size": 40}), ("SDP-AE", {"batch_size": 40}), ("VB-SDP-AE", {}))),
    ("VB-SDP-AE", BITS, 60_000, 80, {"epsilon": 1.0, "calibration": "theorem"}),
    *((name, STARS, 6000, 60, PURE | size)
      for name, size in (("SDP-AE", {"batch_size": 16}), ("VB-SDP-AE", {}), ("LDP-AE", {"batch_size": 30}), ("DP-SE", {}),
                         ("DP-KLUCB", {}), ("SDP-KLUCB", {}), ("LDP-KLUCB", {}))),
    *((name, ACTIONS, 3000, 80, options) for name, options in (
        ("PE", {}), ("CDP-PE", PURE), ("LDP-PE", {"epsilon": 4.0, "noise": "laplace"}), ("SDP-PE", PURE))),
    ("SDP-PE", ACTIONS, 6000, 60, {"epsilon": 29.0, "delta": 0.4, "calibration": "theorem"}),
    ("SDP-PE", CUT, 3000, 60, {"epsilon": 4.0}),  # sums need single values under shuffling
    *((name, WATCHED["signs"], 700, 70, options) for name, options in DPE.items()),
    *((name, WATCHED["gaussian"], 700, 70, options | {"clip": True}) for name, options in LAPLACE.items()),
    ("SDP-DPE", WATCHED["gaussian"], 700, 70, DPE["SDP-DPE"] | {"clip": True}),
    *((name, ContextualLinear(arms=8, dimension=3), 300, 70, {"epsilon": 4.0, "batch_size": 10} | more)
      for name, more in (("LinUCB-SDP-Amp", {}), ("LinUCB-SDP-Vec", {"levels": 30}), ("LinUCB-Batched-LDP", {}))),
]


@pytest.mark.parametrize(("name", "problem", "horizon", "runs", "options"), LAWS, ids=[f"{law[0]}-{law[4]}" for law in LAWS])
def test_fidelities_have_the_same_law(name, problem, horizon, runs, options):
    """Final regret of whole runs with real messages against more runs drawn from exact laws (Kolmogorov-Smirnov)."""
    last = []
    for fidelity, many in (("aggregate", 2 * runs), ("messages", runs)):
        learner = bdp.make(name, problem, horizon=horizon, fidelity=fidelity, **{"delta": 0.1} | options)
        last.append(bdp.simulate(learner, problem, horizon, runs=many, seed=8, progress=False).regret[:, -1])
    assert same_law(*last) > FALSE_ALARM
    values = len(np.unique(codes(*last)[0]))  # regret varies, so there was something to compare
    assert np.ptp(last[0]) > 1 and values > (5 if problem.setting == "clients" else 1)


@pytest.mark.parametrize("name", SYSTEMS)
def test_same_seed_same_result_however_runs_are_split(name, monkeypatch, tmp_path):
    """Runs that advance together, or on two workers, give the numbers that they give alone, for every system of the catalogue."""
    small_case = small(name)
    learner, problem, _ = small_case
    before = fingerprint(learner, problem)
    one = bdp.simulate(*small_case, runs=5, seed=2, progress=False, cache=tmp_path)
    assert fingerprint(learner, problem) == before  # neither is changed
    assert_same_runs(bdp.simulate(*small_case, runs=6, seed=2, workers=2, progress=False), one, runs=5)
    for together in (3, 1):
        monkeypatch.setattr(sys.modules["bandits_dp.play.simulate"], "TOGETHER", together)
        assert_same_runs(bdp.simulate(*small_case, runs=5, seed=2, progress=False), one)
    assert (bdp.simulate(*small_case, runs=5, seed=3, progress=False).regret != one.regret).any()


ALIKE = {"DP-UCB", "DPE", "DPE-FixedU", "CDP-DPE", "LDP-DPE", "LinUCB", "LinUCB-LDP", "LDP-OLS", "LinUCB-JDP", "LinUCB-Batched-JDP",
         "LinUCB-Tree", "LinUCB-DGS", "LinUCB-RewardTree"}  # draw the same numbers in both


@pytest.mark.parametrize("name", SYSTEMS)
def test_the_plain_loop_counts_and_records_the_same(name, densities):
    """What is counted does not depend on the fidelity; and regret is the same, where the same noise is drawn (else in law)."""
    learner, problem, _ = small(name)
    fast = bdp.simulate(learner, problem, 250, runs=3, seed=5, progress=False)
    learner.fidelity = "messages"
    plain = bdp.simulate(learner, problem, 250, runs=3, seed=5, progress=False)
    assert fast.counts.keys() == plain.counts.keys() and fast.curves.keys() == plain.curves.keys()
    setting = SYSTEMS[name].setting
    assert list(fast.counts) == {"arms": [], "contextual": ["shifts"]}.get(setting, ["numbers", "phases"])
    assert list(fast.curves) == ["parameter error"] * (setting == "contextual")
    if name in ALIKE:
        assert fast.regret == pytest.approx(plain.regret, abs=1e-9) and (fast.bits == plain.bits).all()
        for kind in ("counts", "curves"):
            for key, value in getattr(fast, kind).items():
                assert value == pytest.approx(getattr(plain, kind)[key], rel=1e-7)


def test_runs_are_played_with_one_thread():
    """Linear algebra has a single thread inside a simulation, and as many as before after it, also after an error."""
    def threads():
        return [library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"]

    class Counting(BernoulliArms):
        def draw(self, rng):
            seen.append(threads())
            if len(seen) > 1:
                raise RuntimeError("stop")
            return self

    problem, seen = Counting([0.9, 0.6]), []
    with threadpool_limits(2, user_api="blas"):
        bdp.simulate(slowly(problem, 100), problem, 100, runs=1, progress=False)
        refused("stop", bdp.simulate, slowly(problem, 100), problem, 100, progress=False, error=RuntimeError)
        assert threads() and seen == [[1] * len(threads())] * 2 and set(threads()) == {2}


def test_restarts_play_every_run_on_its_own_instance():
    """All stages of a run play one instance, which is not that of another run: what is lost is a multiple of its own gap."""
    class Random(BernoulliArms):
        def draw(self, rng):
            return BernoulliArms([0.9, rng.uniform(0.1, 0.8)])

    problem, lost = Random([0.9, 0.5]), []
    for name in ("UCB1", "VB-SDP-AE"):
        learner = served(name, problem, epsilon=1.0, delta=0.1, first_horizon=20)
        result = bdp.simulate(learner, problem, 150, runs=4, seed=3, progress=False)
        seeds = np.random.SeedSequence(3).spawn(4)
        for seed, regret in zip(seeds, result.regret, strict=True):
            (gap,) = np.random.default_rng(seed).uniform(0.1, 0.8, 1)
            plays = regret / (0.9 - gap)
            assert plays == pytest.approx(plays.round(), abs=1e-6) and plays[-1] > 0
            lost.append(0.9 - gap)
    assert len(set(lost)) == 4


def test_a_shorter_simulation_is_a_prefix():
    """The learner keeps its own horizon; simulating less of it shows the beginning of the same runs."""
    learner = bdp.make("VB-SDP-AE", PROBLEM, horizon=100_000, epsilon=1.0, delta=1e-3)
    whole = bdp.simulate(learner, PROBLEM, 100_000, runs=4)
    part = bdp.simulate(learner, PROBLEM, 50_000, runs=4)
    assert part.regret[:, -1] == pytest.approx(whole.regret[:, np.searchsorted(whole.rounds, 50_000)])


def test_checkpoints_cover_small_and_large_horizons():
    assert checkpoints(1).tolist() == [1]
    for horizon in (2, 7, 1000, 10**9):
        rounds = checkpoints(horizon)
        assert rounds[0] == 1 and rounds[-1] == horizon and (np.diff(rounds) > 0).all() and len(rounds) <= 200


def test_result_prints_a_table_and_can_be_plotted():
    result = bdp.simulate(bdp.make("VB-SDP-AE", PROBLEM, horizon=20_000, epsilon=1.0, delta=0.1), PROBLEM, 20_000, runs=5, seed=7)
    text = str(result)
    assert text.startswith("VB-SDP-AE: 5 runs, seed 7\n") and str(result.guarantee) in text
    first, second = repr(result).split("\n")
    assert first.startswith("Result of VB-SDP-AE, 5 runs of 20,000 rounds, seed 7: regret ") and second.startswith("(1, 0.1)-")
    assert f"{20_000:>13,} {result.regret[:, -1].mean():>12,.1f}" in text
    assert result.std_error[-1] == pytest.approx(result.regret[:, -1].std(ddof=1) / math.sqrt(5))
    for size in (2.0**-600, 2.0**900):  # whose squares are 0 and infinite
        assert (replace(result, regret=size * result.regret).std_error == size * result.std_error).all()
    axes = plots.regret(result, label="mine")
    (line,) = axes.lines
    assert (line.get_ydata() == result.mean).all() and axes.get_xlabel() == "round" and "regret" in axes.get_ylabel()
    assert len(axes.collections) == 1  # the band
    assert plots.regret(result, ax=axes) is axes and len(axes.lines) == 2


@pytest.mark.parametrize("name", ["Dist-DP-AE", "CDP-PE", "DPE-FixedU", "LinUCB-JDP"])
def test_to_dataframe_says_everything(name):
    pd = pytest.importorskip("pandas")
    learner, problem, horizon = small(name)
    result = bdp.simulate(learner, problem, horizon, runs=3, seed=5, progress=False)
    table = result.to_dataframe()
    assert len(table) == 3 * len(result.rounds) and table.columns.is_unique
    assert set(table["name"]) == {name} and set(table["seed"]) == {5} and set(table["horizon"]) == {horizon}
    (system,) = (one for one in bdp.systems() if one.name == name)
    assert {one.name for one in system.options} | set(result.counts) | set(result.curves) <= set(table.columns)
    assert set(table["model"]) == {learner.guarantee.model} and set(table["unit"]) == {learner.guarantee.unit}
    for run, own in table.groupby("run"):
        assert own["round"].to_numpy().tolist() == result.rounds.tolist()
        assert (own["regret"].to_numpy() == result.regret[run]).all()
        assert set(own["bits"]) == {result.bits[run]} and set(own["bits_per_round"]) == {result.bits[run] / horizon}
        for counted in result.counts:
            assert set(own[counted]) == {result.counts[counted][run]}
    assert pd.api.types.is_float_dtype(table["epsilon"])


def test_importing_the_package_and_playing_is_light():
    """No plotting or table library until something is drawn, of scipy only what is small, and no joblib for one worker."""
    heavy = ("matplotlib", "pandas", "IPython", "scipy.stats", "scipy.optimize", "joblib")
    code = f"""import sys, bandits_dp as bdp
problem = bdp.problems.BernoulliArms([0.9, 0.1])
bdp.simulate(bdp.make("UCB1", problem, horizon=20), problem, horizon=20)
print([m for m in {heavy} if m in sys.modules])"""
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=600).stdout == "[]\n"
