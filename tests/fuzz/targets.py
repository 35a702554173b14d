"""One valid call of everything public: the row of a function or class is the call itself, with every argument by its name."""

from __future__ import annotations

import ast
import importlib
import inspect
from functools import cache, partial
from typing import Any, NamedTuple

from tests.fuzz.values import NAMES, made

LISTED = ("bandits_dp", "bandits_dp.accounting", "bandits_dp.audit.audit", "bandits_dp.catalog", "bandits_dp.continual",
          "bandits_dp.learners", "bandits_dp.companion.logs", "bandits_dp.companion.plots", "bandits_dp.privatizers", "bandits_dp.problems")
DOCUMENTED = ("bandits_dp.designs", "bandits_dp.widths.arms", "bandits_dp.widths.designs", "bandits_dp.widths.rewards",
              "bandits_dp.widths.ridge", "bandits_dp.widths.ridge_private", "bandits_dp.widths.running",
              "bandits_dp.schedules.arms", "bandits_dp.schedules.clients", "bandits_dp.schedules.users", "bandits_dp.companion.museum",
              "bandits_dp.guarantee", "bandits_dp.play.result")  # no __all__: what they define is for users, too
for module in DOCUMENTED:
    importlib.import_module(module)


class Leader:
    """A learner of a reader's own."""

    best = 0

    def ask(self) -> Any:
        """Ask for all arms."""
        return NAMES["bdp"].Asked(arms=[0, 1], plays=[10, 10])

    def tell(self, released: Any, noise: Any) -> None:
        """Keep the best."""
        self.best = int(released.argmax())


def rounds(rng: Any) -> Any:
    """Yield features and rewards for ever."""
    while True:
        yield [[1.0, 0.0], [0.0, 1.0]], [1.0, 0.0]


def regret_series(users: int) -> Any:
    """Return the series of a moving figure."""
    return [NAMES["bdp"].plots.Series("error", [0, 1], [0, users])], f"{users} users"


def walk(step: int) -> Any:
    """Return the marks of a moving scene."""
    return [NAMES["bdp"].plots.Dot("Noor", 10 * step, 5)], f"{step} steps"


def axes() -> Any:
    """Return something to draw on."""
    from matplotlib.figure import Figure

    return Figure().subplots()


NAMES.update(Leader=Leader, rounds=rounds, regret_series=regret_series, walk=walk, axes=axes, partial=partial,
             **{name.rsplit(".", 1)[-1]: importlib.import_module(name) for name in ("bandits_dp.designs", "bandits_dp.guarantee")},
             **{f"{a}_{b}": importlib.import_module(f"bandits_dp.{a}.{b}") for a, b in (
                 ("widths", "arms"), ("widths", "designs"), ("widths", "rewards"), ("widths", "ridge"), ("widths", "ridge_private"),
                 ("widths", "running"), ("schedules", "arms"), ("schedules", "clients"), ("schedules", "users"))})

RNG = "np.random.default_rng(1)"
CALLS = f"""
bdp.accounting.advanced_composition(epsilon=0.5, delta=0.25, releases=3, slack=0.125)
bdp.accounting.basic_composition(epsilon=0.5, delta=0.25, releases=3)
bdp.accounting.binomial_delta(trials=80, epsilon=1.0, shift=1, p=0.5)
bdp.accounting.binomial_trials(epsilon=1.0, delta=0.125, shift=1, p=0.5)
bdp.accounting.binomial_vector_epsilon(trials=400, delta=0.125, l2_shift=1.5, max_shift=1, dimension=10)
bdp.accounting.classical_gaussian_noise_std(epsilon=0.5, delta=0.125, sensitivity=1.0, strict=True)
bdp.accounting.discrete_laplace_delta(scale=2.0, epsilon=0.25, shift=1)
bdp.accounting.discrete_laplace_scale(epsilon=0.5, delta=0.125, shift=1)
bdp.accounting.gaussian_composition(noise_stds=[42.25, 2.0], sensitivities=[1.0, 0.5])
bdp.accounting.gaussian_delta(noise_std=2.0, epsilon=1.0, sensitivity=1.0)
bdp.accounting.gaussian_noise_std(epsilon=1.0, delta=0.125, sensitivity=1.0)
bdp.accounting.laplace_delta(scale=2.0, epsilon=0.25, sensitivity=1.0)
bdp.accounting.laplace_scale(epsilon=0.5, delta=0.125, sensitivity=1.0)
bdp.accounting.laplace_sums_epsilon(shifts=[[0.5], [0.25]], scales=[[0.5], [0.25]], delta=0.125)
bdp.accounting.optimal_composition(epsilon=0.5, delta=0.25, releases=3, slack=0.125)
bdp.accounting.parameter_shifts(features=[[1.0, 0.5], [0.5, 0.25]], ridge=1.0, record=0, change=2.0)
bdp.accounting.shuffle_epsilon(local_epsilon=1.0, users=1000, delta=0.125, local_delta=0.0, bound='numerical')
bdp.accounting.shuffle_epsilon(local_epsilon=1.0, users=1000, delta=0.125, local_delta=0.0, bound='closed-form')
bdp.accounting.skellam_delta(variance=14.5, epsilon=1.0, shift=1)
bdp.accounting.skellam_variance(epsilon=1.0, delta=0.125, shift=1, bound='exact')
bdp.accounting.skellam_variance(epsilon=1.0, delta=0.125, shift=1, bound='renyi')
bdp.accounting.zcdp_epsilon(rho=0.5, delta=0.125)

bdp.privatizers.Box(dimension=2, low=0.0, high=1.0, whole=False)
bdp.privatizers.Box(dimension=2, low=0.0, high=1.0, whole=True)
bdp.privatizers.Ball(dimension=2, norm=1.0)
bdp.privatizers.LinearStatistics(features=2)
bdp.privatizers.LinearStatistics(2).encode(features=[[1.0, 0.0], [0.0, 1.0]], rewards=[1.0, 0.0])
bdp.privatizers.Reals(dimension=2)
bdp.privatizers.Identity(users=3, domain=bdp.privatizers.Box(2))
bdp.privatizers.AmplifiedGaussian(users=20, epsilon=1.0, delta=0.125, calibration='certified', domain=bdp.privatizers.Box(1),
    honest_fraction=1.0, clip=False, strict=True)
bdp.privatizers.AmplifiedGaussian(users=20, epsilon=0.125, delta=0.125, calibration='theorem',
    domain=bdp.privatizers.LinearStatistics(2), honest_fraction=1.0, clip=False, strict=True)
bdp.privatizers.BinarySum(users=100, epsilon=1.0, delta=0.125, calibration='certified', honest_fraction=1.0, strict=True)
bdp.privatizers.BinarySum(users=100, epsilon=0.5, delta=0.125, calibration='theorem', honest_fraction=1.0, strict=True)
bdp.privatizers.CentralGaussian(users=10, epsilon=1.0, delta=0.125, calibration='certified', domain=bdp.privatizers.Ball(2),
    clip=False, strict=True)
bdp.privatizers.CentralLaplace(users=10, epsilon=1.0, delta=0.0, calibration='certified', domain=bdp.privatizers.Box(2), clip=False)
bdp.privatizers.DiscreteLaplaceSum(users=10, epsilon=1.0, delta=0.0, calibration='certified',
    domain=bdp.privatizers.Box(1), honest_fraction=1.0)
bdp.privatizers.LocalGaussian(users=10, epsilon=1.0, delta=0.125, calibration='certified', domain=bdp.privatizers.Ball(2),
    clip=False, strict=True)
bdp.privatizers.LocalLaplace(users=10, epsilon=1.0, delta=0.0, calibration='certified', domain=bdp.privatizers.Box(2), clip=False)
bdp.privatizers.RandomizedResponse(users=10, epsilon=1.0, delta=0.0, calibration='certified')
bdp.privatizers.ScalarSum(users=10, epsilon=1.0, delta=0.125, calibration='certified', domain=bdp.privatizers.Box(1), levels=4,
    honest_fraction=1.0, clip=False, strict=True)
bdp.privatizers.SkellamSum(users=10, epsilon=1.0, delta=0.125, calibration='certified', domain=bdp.privatizers.Box(1),
    honest_fraction=1.0)
bdp.privatizers.VectorSum(users=10, epsilon=1.0, delta=0.125, domain=bdp.privatizers.Ball(2), calibration='certified', levels=4,
    honest_fraction=1.0, clip=False, strict=True)
bdp.privatizers.VectorSum(users=10, epsilon=1.0, delta=0.125, domain=bdp.privatizers.LinearStatistics(2), calibration='theorem',
    honest_fraction=1.0, clip=False, strict=True)
bdp.privatizers.LocalGaussian(3, 1.0, 0.125).release(values=[0.0, 1.0, 0.5], rng={RNG}, fidelity='aggregate')
bdp.privatizers.CentralGaussian(2, 1.0, 0.125, domain=bdp.privatizers.Ball(2)).release(values=[[0.5, 0.0], [1.0, 0.0]], rng={RNG},
    fidelity='messages')
bdp.privatizers.CentralLaplace(3, 1.0).release(values=[0.0, 1.0, 0.5], rng={RNG}, fidelity='aggregate')
bdp.privatizers.LocalLaplace(3, 1.0).release(values=[0.0, 1.0, 0.5], rng={RNG}, fidelity='messages')
bdp.privatizers.RandomizedResponse(3, 1.0).release(values=[0, 1, 1], rng={RNG}, fidelity='aggregate')
bdp.privatizers.BinarySum(3, 1.0, 0.125).release(values=[0, 1, 1], rng={RNG}, fidelity='messages')
bdp.privatizers.ScalarSum(3, 1.0, 0.125).release(values=[0.0, 1.0, 0.5], rng={RNG}, fidelity='aggregate')
bdp.privatizers.DiscreteLaplaceSum(3, 1.0).release(values=[0, 1, 1], rng={RNG}, fidelity='messages')
bdp.privatizers.SkellamSum(3, 1.0, 0.125).release(values=[0, 1, 1], rng={RNG}, fidelity='aggregate')
bdp.privatizers.AmplifiedGaussian(3, 1.0, 0.125).release(values=[0.0, 1.0, 0.5], rng={RNG}, fidelity='messages')
bdp.privatizers.VectorSum(2, 1.0, 0.125, bdp.privatizers.Ball(2)).release(values=[[0.5, 0.0], [1.0, 0.0]], rng={RNG},
    fidelity='aggregate')
bdp.privatizers.Identity(3, bdp.privatizers.Reals(1)).release(values=[0.0, 1.0, 0.5], rng={RNG}, fidelity='aggregate')
bdp.privatizers.Identity(2, bdp.privatizers.LinearStatistics(1)).release(values=[[1.0, 1.0], [0.0, 0.0]], rng={RNG},
    fidelity='aggregate')
bdp.privatizers.CentralGaussian(2, 1.0, 0.125, domain=bdp.privatizers.Ball(2), clip=True).release(
    values=[[0.5, 0.0], [1.0, 0.0]], rng={RNG}, fidelity='aggregate')
bdp.privatizers.Identity(3, bdp.privatizers.Reals(1)).randomize(values=[0.0, 1.0, 0.5], rng={RNG})
bdp.privatizers.LocalGaussian(3, 1.0, 0.125).randomize(values=[0.0, 1.0, 0.5], rng={RNG})
bdp.privatizers.CentralLaplace(3, 1.0).randomize(values=[0.0, 1.0, 0.5], rng={RNG})
bdp.privatizers.LocalLaplace(3, 1.0).randomize(values=[0.0, 1.0, 0.5], rng={RNG})
bdp.privatizers.RandomizedResponse(3, 1.0).randomize(values=[0, 1, 1], rng={RNG})
bdp.privatizers.ScalarSum(3, 1.0, 0.125).randomize(values=[0.0, 1.0, 0.5], rng={RNG})
bdp.privatizers.SkellamSum(3, 1.0, 0.125).randomize(values=[0, 1, 1], rng={RNG})

bdp.continual.FactorizationCounter(horizon=10, epsilon=1.0, delta=0.125, domain=bdp.privatizers.Box(2), calibration='certified',
    appearances=2, clip=False, noise='gaussian', strict=True)
bdp.continual.HybridCounter(horizon=10, epsilon=1.0, delta=0.125, domain=bdp.privatizers.Box(2), calibration='certified',
    appearances=2, clip=False, noise='gaussian', strict=True)
bdp.continual.NaiveCounter(horizon=10, epsilon=1.0, delta=0.125, domain=bdp.privatizers.Box(2), calibration='certified',
    appearances=2, clip=False, noise='gaussian', strict=True)
bdp.continual.PerStepCounter(horizon=10, epsilon=1.0, delta=0.125, domain=bdp.privatizers.Box(2), calibration='certified',
    appearances=2, clip=False, noise='laplace', strict=True)
bdp.continual.TreeCounter(horizon=10, epsilon=1.0, delta=0.125, domain=bdp.privatizers.Box(2), calibration='certified',
    appearances=2, clip=False, noise='gaussian', strict=True)
bdp.continual.TreeCounter(horizon=10, epsilon=0.5, delta=0.125, domain=bdp.privatizers.Box(2), calibration='theorem',
    appearances=1, clip=False, noise='gaussian', strict=True)
bdp.continual.TwoLevelCounter(horizon=10, epsilon=1.0, delta=0.125, domain=bdp.privatizers.Box(2), calibration='certified',
    appearances=2, clip=False, noise='gaussian', strict=True)
bdp.continual.TreeCounter(10, 1.0, 0.125).add(value=[1.0], rng={RNG})
bdp.continual.HybridCounter(None, 1.0, 0.125, bdp.privatizers.Box(2)).add(value=[1.0, 0.5], rng={RNG})
bdp.continual.FactorizationCounter(10, 1.0, 0.125, bdp.privatizers.Ball(2), clip=True).add(value=[1.0, 0.5], rng={RNG})
bdp.continual.TreeCounter(10, 1.0, 0.125).noise_path(rng={RNG}, steps=3)
bdp.continual.HybridCounter(None, 1.0, 0.125).noise_path(rng={RNG}, steps=3)
bdp.continual.FactorizationCounter(10, 1.0, 0.125).noise_path(rng={RNG}, steps=3)
bdp.continual.TwoLevelCounter(10, 1.0, 0.125).error_std(t=[1, 2, 3])
bdp.continual.TreeCounter(10, 1.0, 0.125).error_std(t=3)
bdp.continual.HybridCounter(None, 1.0, 0.125).error_std(t=[1, 2, 3])
bdp.continual.FactorizationCounter(10, 1.0, 0.125).error_std(t=[1, 2, 3])
bdp.continual.NaiveCounter(10, 1.0, 0.125).error_std(t=[1, 2, 3])

bdp.problems.BernoulliArms(means=[0.5, 0.25, 0.75])
bdp.problems.GradedArms(values=[0.0, 0.5, 1.0], probabilities=[[0.25, 0.25, 0.5], [0.5, 0.5, 0.0]])
bdp.problems.LinearArms(actions=[[1.0, 0.0], [0.0, 1.0]], theta=[0.5, 0.25], rewards='signs')
bdp.problems.LinearArms(actions=[[1.0, 0.0], [0.0, 1.0]], theta=[0.5, 0.25], rewards='gaussian', bound=2.0)
bdp.problems.SphericalArms(arms=5, dimension=2, rewards='signs', theta_norm=1.0)
bdp.problems.SphericalArms(arms=5, dimension=2, rewards='gaussian', bound=2.0, theta_norm=1.0)
bdp.problems.SphericalClients(arms=5, dimension=2, client_std=0.5, rewards='signs', clients=10, theta_norm=1.0)
bdp.problems.ClientPopulation(actions=[[1.0, 0.0], [0.0, 1.0]], theta=[0.5, 0.25], client_std=0.5, rewards='signs', clients=10)
bdp.problems.ClientPopulation(actions=[[1.0, 0.0], [0.0, 1.0]], theta=[0.5, 0.25], client_std=0.5, rewards='gaussian', clients=10)
bdp.problems.CodeLinear(arms=5, dimension=3)
bdp.problems.ContextualLinear(arms=5, dimension=3, fixed=False)
bdp.problems.ContextualLinear(fixed=True, features=[[1.0, 0.0], [0.5, 0.5]], theta=[0.5, 0.5])
bdp.problems.PoolContextual(arms=2, dimension=2, items=5, noise_std=0.5, clip=False)
bdp.problems.PoolContextual(arms=2, noise_std=0.5, clip=True, pool=[[1.0, 0.0], [0.5, 0.5], [0.0, 1.0]], theta=[0.5, 0.5])
bdp.problems.Rounds(rounds=rounds, arms=2, dimension=2, reward_range=(0.0, 1.0), bits=False, feature_norm=1.0, theta_norm=1.0)
bdp.lastfm.LastFM(dimension=5, arms=5, returning=3, fewest=5, source='synthetic')

designs.support_bound(dimension=20)
designs.action_rows(actions=[[1.0, 0.0], [0.0, 1.0]])
designs.bounded_actions(actions=[[1.0, 0.0], [0.0, 1.0]])
designs.g_optimal_design(actions=[[1.0, 0.0], [0.0, 1.0], [0.5, 0.5]], tolerance=1.5)
widths_arms.ChernoffWidth(horizon=1000, decisions=5)
widths_arms.PaperWidth(horizon=1000)
widths_designs.ExactWidth(arms=3, horizon=1000, reward_std=1.0, client_std=0.5)
widths_designs.PrintedWidth(arms=3, dimension=2, horizon=1000, private_std=lambda phase: 0.5, client_std=0.5)
widths_designs.log_failure(arms=10, horizon=1000)
widths_rewards.InstrumentRadius(dimension=2, users=1, batches=10, least_std=3.0, reward_std=0.5, theta_norm=1.0, failure=0.25)
widths_rewards.CountedRadius(counter=bdp.continual.TreeCounter(100, epsilon=1.0, delta=0.0, noise='laplace'), users=1,
    reward_std=0.5, theta_norm=1.0, feature_norm=1.0, regularizer=1.0, failure=0.25)
widths_rewards.PrintedWidth(dimension=2, horizon=1000, epsilon=1.0, regularizer=1.0, theta_norm=1.0, feature_norm=1.0, failure=0.25)
widths_ridge.FixedWidth(alpha=0.5, regularizer=1.0)
widths_ridge.PlainRadius(dimension=5, users=1, reward_std=0.5, alpha=0.25, regularizer=1.0, theta_norm=1.0, feature_norm=1.0)
widths_ridge_private.CertifiedRadius(dimension=2, users=1, law=widths_ridge.NoiseLaw(np.full(10, 3.0), np.full(10, 3.0)),
    reward_std=0.5, alpha=0.25, theta_norm=1.0)
widths_ridge_private.LemmaRadius(dimension=2, users=1, law=widths_ridge.NoiseLaw(np.full(10, 3.0), np.full(10, 3.0)),
    reward_std=0.5, alpha=0.25, theta_norm=1.0)
widths_running.TreeWidth(counter=bdp.continual.TreeCounter(20, epsilon=1.0, delta=0.0, noise='laplace'))
widths_running.GaussianWidth(counter=bdp.continual.TreeCounter(20, epsilon=1.0, delta=0.125))
widths_running.PublishedWidth(arms=2, horizon=2000, epsilon=1.0)
schedules_arms.EqualBatches(every=50)
schedules_arms.GapBatches(width=widths_arms.ChernoffWidth(1000, 5), noise=bdp.privatizers.CentralLaplace(1, epsilon=1.0))
schedules_arms.PublishedEpochs(horizon=1000, epsilon=1.0)
schedules_arms.PublishedDoubling(horizon=1000, epsilon=1.0)
schedules_arms.batches(batch_size=50)
schedules_arms.most_decisions(horizon=1000, batch_size=50)
schedules_arms.most_decisions(horizon=1000, batch_size='doubling')
schedules_arms.first_batch(horizon=100, schedule=schedules_arms.EqualBatches(50), arms=2)
schedules_clients.growing(phase=5, alpha=0.5)
schedules_clients.constant(phase=5, clients=40)
schedules_users.named_batch_size(name='utility', protocol='amplified', horizon=100000, features=5, epsilon=1.0, delta=0.125)
schedules_users.named_batch_size(name='privacy', protocol='vector', horizon=100000, features=5, epsilon=1.0, delta=0.125)
guarantee.upper(number=0.5, digits=6)

bdp.learners.UCB(arms=2, width=widths_running.ExactWidth())
bdp.learners.ArmElimination(arms=2, schedule=schedules_arms.EqualBatches(10), width=widths_arms.ChernoffWidth(1000, 5))
bdp.learners.LinUCB(dimension=2, radius=widths_ridge.FixedWidth(alpha=0.5, regularizer=1.0), radius_scale=1.0)
bdp.learners.PhasedElimination(arms=2, dimension=2, first_length=20.0, width=widths_designs.ExactWidth(2, horizon=1000),
    population=0)

bdp.logs.Log(actions=[0, 2, 1, 1], rewards=[1.0, 0.0, 1.0, 0.5], propensities=[0.5, 0.25, 0.25, 0.25], arms=3,
    reward_range=(0.0, 1.0), users=['a', 'b', 'c', 4])
bdp.logs.Log(actions=[0, 1], rewards=[1.0, 0.0], propensities=[0.5, 0.25], features=np.ones((2, 2, 3)))
bdp.logs.evaluate(policy=[1.0, 0.0], log=bdp.logs.Log([0, 1, 1, 0], [1, 0, 1, 1], propensities=0.5, arms=2), method='ips', clip=2.0,
    confidence=0.75)
bdp.logs.record(policy=[0.25, 0.75], problem=bdp.problems.BernoulliArms([0.9, 0.2]), rounds=10, rng={RNG})
bdp.logs.replay(learner=bdp.make('UCB1', bdp.problems.BernoulliArms([0.9, 0.2]), horizon=10),
    log=bdp.logs.Log([0, 1, 1, 0], [1, 0, 1, 1], propensities=0.5, arms=2), least_propensity=0.5, confidence=0.75, rng={RNG})
bdp.logs.warm_start(learner=bdp.make('UCB1', bdp.problems.BernoulliArms([0.9, 0.2]), horizon=10),
    log=bdp.logs.Log([0, 1, 1, 0], [1, 0, 1, 1], propensities=0.5, arms=2), log_is_public=False, skip_returning=False, rng={RNG})

bdp.make(name='SDP-AE', problem=bdp.problems.BernoulliArms([0.9, 0.8]), horizon=1000, epsilon=1.0, delta=0.125,
    calibration='certified', batch_size=50)
bdp.make(name='LinUCB-LDP', problem=bdp.problems.ContextualLinear(arms=3, dimension=2), horizon=100, epsilon=1.0, delta=0.125)
bdp.make(name='LinUCB-SDP-Vec', problem=bdp.problems.ContextualLinear(arms=3, dimension=2), horizon=100, epsilon=1.0, delta=0.125,
    batch_size=20)
bdp.make(name='CDP-DPE', problem=bdp.problems.SphericalClients(5, 2, clients=100), horizon=1000, epsilon=1.0, delta=0.125)
bdp.make(name='DP-UCB', problem=bdp.problems.BernoulliArms([0.9, 0.8]), horizon=1000, epsilon=1.0)
bdp.make(name='LinUCB-RewardTree', problem=bdp.problems.ContextualLinear(arms=3, dimension=2), horizon=100, epsilon=1.0,
    delta=0.125)
bdp.setup(paper='tenenbaum-2021', arms=2, gap=0.25, horizon=1000)
bdp.systems()
bdp.source(code=bdp.museum.half_the_noise)
bdp.release_of(privatizer=bdp.privatizers.CentralLaplace(3, epsilon=1.0), fidelity='aggregate')
bdp.view_of(system=bdp.privatizers.RandomizedResponse(3, epsilon=1.0), view='messages', user=0)
bdp.audit(mechanism=bdp.privatizers.CentralLaplace(3, epsilon=1.0), a=[1, 0, 0], b=[0, 0, 0], epsilon=1.0, delta=0.125, trials=200,
    confidence=0.75, rng={RNG}, user=0, progress=False)
bdp.combine(learner=Leader(), privatizer=partial(bdp.privatizers.CentralLaplace, epsilon=1.0),
    problem=bdp.problems.BernoulliArms([0.8, 0.5]), horizon=100, fidelity='aggregate')
bdp.simulate(learner=bdp.make('UCB1', bdp.problems.BernoulliArms([0.9, 0.2]), horizon=20),
    problem=bdp.problems.BernoulliArms([0.9, 0.2]), horizon=20, runs=2, seed=0, workers=1, progress=False)
bdp.Guarantee(epsilon=1.0, delta=0.125, model='local', unit='one bit', neighbours='replace it', calibration='certified',
    reason='because', joint=False)
bdp.museum.exhibits()

bdp.plots.Series(label='regret', x=[1.0, 10.0], y=[0.5, 1.0], kind='line', low=[0.25, 0.5], high=[1.0, 2.0], color='shuffle')
bdp.plots.Dot(key='Noor', x=10.0, y=5.0, color='secret', faint=False, size=1.5, hollow=False)
bdp.plots.Path(key='arrow', x=0.0, y=0.0, color='ink', faint=False, points=[(0, 0), (10, 5)], dash='6 4', filled=False)
bdp.plots.Bar(key='count', x=10.0, y=0.0, color='ink', faint=False, width=1.0, height=4.5, hollow=False)
bdp.plots.Text(key='sum', x=50.0, y=5.0, color='ink', faint=False, words='41 clicks', anchor='middle', bold=False)
bdp.plots.band(ax=axes(), x=[1.0, 2.0], mean=[1.0, 1.5], low=[0.5, 1.0], high=[1.5, 2.0], label='SDP-AE', color='shuffle')
bdp.plots.moving_figure(series=regret_series, sliders={{'users': [100, 400]}}, start={{'users': 100}}, title='Noise',
    x_label='users', y_label='error', alt='It grows and grows and grows.', x_scale='linear', y_scale='linear')
bdp.plots.moving_scene(draw=walk, sliders={{'step': [0, 1, 2]}}, start={{'step': 0}}, title='A walk',
    alt='A dot that walks and walks.', size=(100.0, 60.0), play='step', pace=700)
bdp.plots.use_style()
"""

WITHOUT = {  # public names without a call, and why
    **dict.fromkeys(("AuditResult", "Asked", "Result", "Setup", "System", "Estimate", "Replay", "Exhibit", "Phase", "NoiseLaw",
                     "Shape", "MovingFigure", "MovingScene", "Room", "Gallery", "Design"),
                    "a record that the package fills and hands out"),
    **dict.fromkeys(("Privatizer", "Counter", "IntervalCounter", "Published", "NoisyRadius"),
                    "abstract: called through those that inherit from it"),
    **dict.fromkeys(("Problem", "Contextual", "ArmWidth", "DesignWidth", "Radius", "RunningWidth", "Batches", "Domain"),
                    "a protocol or a union of types"),
    **dict.fromkeys(("ExactWidth", "DoublingBatches"), "takes no argument, or has a row under the same name"),
    **dict.fromkeys(("half_the_noise", "reused_noise", "one_coordinate_at_a_time", "unclipped", "bare_leaves", "fresh_tree_noise",
                     "unshuffled", "fixed_seed", "impossible_counts", "warm_cache", "textbook_gaussian", "sliding_window"),
                    "an exhibit, which is wrong by design and is called by `audit` only"),
    **dict.fromkeys(("mean_norm", "quadratic_quantile", "norm_bounds"), "a step of a radius, with the radius's own numbers"),
    "Vectorized": "holds any function",
    "no_guarantee": "five words that nobody reads but people",
}
INFINITE = {"binomial_vector_epsilon", "Reals"}  # may answer inf, and say so
PROBABILITY = {"binomial_delta", "discrete_laplace_delta", "gaussian_delta", "laplace_delta", "skellam_delta"}


class Target(NamedTuple):
    """A call: what is called, a valid value of every argument as text, and which arguments may be None."""

    name: str
    callee: str
    arguments: dict[str, str]
    optional: frozenset[str]

    def text(self, arguments: dict[str, str]) -> str:
        """Return the call with these arguments, to be pasted."""
        return f"{self.callee}({', '.join(f'{name}={value}' for name, value in arguments.items())})"


@cache
def targets() -> tuple[Target, ...]:
    """Return all rows."""
    found = []
    for row in ast.parse(CALLS).body:
        assert isinstance(row, ast.Expr) and isinstance(row.value, ast.Call)
        callee = ast.unparse(row.value.func)
        arguments = {str(word.arg): ast.unparse(word.value) for word in row.value.keywords}
        known = inspect.signature(made(callee)).parameters
        optional = frozenset(name for name in arguments if name in known and (
            known[name].default is None or "None" in str(known[name].annotation)))
        if callee == "bdp.make":
            options = next(system.options for system in made("bdp.systems()") if system.name == made(arguments["name"]))
            optional |= {option.name for option in options if option.name in arguments and "None" in option.type}
        found.append(Target(callee.rsplit(".", 1)[-1], callee, arguments, optional))
    return tuple(found)


def forgotten() -> list[str]:
    """Return the public functions and classes that no row calls."""
    called = {target.name for target in targets()} | set(WITHOUT)
    public = []
    for name in (*LISTED, *DOCUMENTED):
        module = importlib.import_module(name)
        names = getattr(module, "__all__", None) or [
            key for key, value in vars(module).items() if getattr(value, "__module__", None) == name and not key.startswith("_")]
        public += [f"{name}.{key}" for key in names if callable(getattr(module, key))]
    return sorted(key for key in public if key.rsplit(".", 1)[-1] not in called)
