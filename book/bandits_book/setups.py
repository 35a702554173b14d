"""The published simulations: problem, sizes and curves of each paper, by name."""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from bandits_book.replicas.code_linear import CodeLinear
from bandits_dp import _checks
from bandits_dp.app.app import App
from bandits_dp.catalog import make
from bandits_dp.options import found
from bandits_dp.problems import BernoulliArms, ContextualLinear, PoolContextual, SphericalClients


@dataclass(frozen=True)
class Setup:
    """A simulation: what is played, for how long, and by whom.

    Parameters
    ----------
    paper : str
        The name that :func:`setup` takes.
    problem : Problem
        A distribution of instances, or one instance.
    horizon, runs : int
        Number of rounds T, and of independent runs.
    epsilons, delta : tuple of float, float
        Privacy parameters of the figures.
    systems : tuple of str
        Names of the curves, as ``make`` takes them.
    calibration, options : str, mapping of str to mapping
        What ``make`` takes unless told otherwise: the options, by system, are what it needs to be the paper's.

    Examples
    --------
    >>> from bandits_book import setup
    >>> paper = setup("chowdhury-zhou-2022")
    >>> paper.horizon, paper.runs, paper.systems[:2]
    (20000, 50, ('LinUCB', 'LinUCB-JDP'))
    >>> paper.make("LinUCB-LDP", epsilon=1.0).guarantee.model
    'local'
    """

    paper: str
    problem: Any  # a Problem; some distributions draw instances of another class
    horizon: int
    runs: int
    epsilons: tuple[float, ...]
    delta: float
    systems: tuple[str, ...]
    calibration: str = "certified"
    options: Mapping[str, Mapping[str, object]] = field(default_factory=lambda: MappingProxyType({}))

    def make(self, name: str, epsilon: float, calibration: str | None = None, **options: object) -> App:
        """Return a ready learner for ``simulate(learner, setup.problem, setup.horizon, runs=setup.runs)``.

        Arguments and errors are those of :func:`bandits_dp.make`; calibration and options take precedence over the simulation's.
        """
        given: dict[str, Any] = dict(self.options.get(name, {})) | options
        return make(name, self.problem, epsilon=epsilon, delta=self.delta, horizon=self.horizon,
                    calibration=calibration or self.calibration, **given)


_LINUCB = ("LinUCB", "LinUCB-JDP", "LinUCB-SDP-Amp", "LinUCB-SDP-Vec", "LinUCB-LDP")
_TWENTY = MappingProxyType({"batch_size": 20})
_BATCHES = MappingProxyType({"LinUCB-SDP-Amp": _TWENTY, "LinUCB-SDP-Vec": _TWENTY})
_TREE = MappingProxyType({**_BATCHES, "LinUCB-JDP": MappingProxyType({"counter": "tree"})})


def _chowdhury_zhou(paper: str, dimension: int = 5, arms: int = 100) -> Setup:
    """Section 5, Figures 1 and 2: arms that stay the same in all rounds of an instance."""
    return Setup(paper, ContextualLinear(arms, dimension), 20_000, 50, (0.2, 1.0, 10.0), 0.1, _LINUCB, options=_TREE)


def _chowdhury_zhou_code(paper: str, dimension: int = 5, arms: int = 100) -> Setup:
    """Section 5 as the code draws it that the paper names (see ``replicas.linucb``), with that code's constants."""
    return Setup(paper, CodeLinear(arms, dimension), 20_000, 50, (0.2, 1.0, 10.0), 0.1, _LINUCB, "experiment", _BATCHES)


def _li_zhou_ji(paper: str, dimension: int = 20, actions: int = 1000, horizon: int = 1_000_000) -> Setup:
    """Section 7, Figure 2, at its sizes.

    It says neither how actions and the parameter were drawn, which law rewards have and within which bound, how noise and widths
    were calibrated, nor which epsilons are on its axis.
    """
    systems = ("DPE", "DPE-FixedU", "CDP-DPE", "LDP-DPE", "SDP-DPE")
    problem = SphericalClients(_checks.integer("actions", actions, low=2), dimension, client_std=0.1, clients=100_000)
    options = MappingProxyType(dict.fromkeys(systems, MappingProxyType({"alpha": 0.8})))
    return Setup(paper, problem, _checks.integer("horizon", horizon), 20, (1.0, 2.0, 5.0, 10.0), 0.25, systems, options=options)


def _tenenbaum(paper: str, arms: int = 10, gap: float = 0.1, horizon: int = 1_000_000) -> Setup:
    """Not a simulation of the paper, which has none: the kinds of its Table 1, on one good arm among equal ones, around 1/2."""
    gap = _checks.real("gap", gap, 0.0, 1.0, ends="(]")
    problem = BernoulliArms([0.5 + gap / 2] + [0.5 - gap / 2] * (_checks.integer("arms", arms, 2, 10**6) - 1))
    systems = ("UCB1", "AE", "DP-UCB", "DP-SE", "SDP-AE", "VB-SDP-AE", "LDP-AE")
    return Setup(paper, problem, _checks.integer("horizon", horizon), 20, (0.1, 0.5, 1.0), 1e-6, systems)


def _wang_zhao_wang(paper: str) -> Setup:
    """Section 4, Figures 1 and 2, synthetic data; rewards are clipped to [-1, 1], as the paper's analysis assumes.

    Its simulation mentions no clipping and, but for Figure 2(b), neither how many rounds nor how many runs there are.
    """
    problem = PoolContextual(arms=10, dimension=10, items=1000, noise_std=0.5, clip=True)
    return Setup(paper, problem, 20_000, 20, (0.5, 1.0, 2.0, 5.0), 0.1, ("LinUCB", "LinUCB-Tree", "LinUCB-DGS"))


_PAPERS: dict[str, Callable[..., Setup]] = {
    "chowdhury-zhou-2022": _chowdhury_zhou,
    "chowdhury-zhou-2022-code": _chowdhury_zhou_code,
    "li-zhou-ji-2022": _li_zhou_ji,
    "tenenbaum-2021": _tenenbaum,
    "wang-zhao-wang-2022": _wang_zhao_wang,
}


def setup(paper: str, **overrides: Any) -> Setup:
    """Return a paper's simulation at its published size, or at another one.

    Parameters
    ----------
    paper : {"chowdhury-zhou-2022", "chowdhury-zhou-2022-code", "li-zhou-ji-2022", "tenenbaum-2021", "wang-zhao-wang-2022"}
        Which one; ``-code`` is what the code does that the paper names, which differs from what the paper says.
    **overrides
        ``dimension`` and ``arms`` (Chowdhury & Zhou), ``dimension``, ``actions`` and ``horizon`` (Li, Zhou, Ji), ``arms``, ``gap``
        in (0, 1] and ``horizon`` (Tenenbaum et al.).

    Raises
    ------
    ValueError
        If the paper is unknown (the nearest one is suggested), it has no such override, or a size is out of range.

    Examples
    --------
    >>> from bandits_book import setup
    >>> small = setup("tenenbaum-2021", arms=2, gap=0.2, horizon=1000)
    >>> small.problem, small.horizon
    (BernoulliArms([0.6, 0.4]), 1000)
    """
    made = found("paper", "simulation", paper, _PAPERS, cutoff=0.6)
    known = list(inspect.signature(made).parameters)[1:]
    for name in overrides:
        if name not in known:
            raise ValueError(f"{name} is not an override of {paper}, which has {', '.join(known) or 'none'}")
    return made(paper, **overrides)
