"""The same call on a cluster: joblib's Dask backend, with a scheduler and two worker processes that are really there."""

import logging
import os

import joblib
import pytest
from distributed import Client, LocalCluster

import bandits_dp as bdp
from tests.small_problems import SYSTEMS, Diary, assert_same_runs, slowly, small

# One system of each setting: the cluster moves learners, problems and results about, and knows nothing of algorithms.
SOME = list({system.setting: name for name, system in SYSTEMS.items()}.values())


@pytest.fixture(scope="module")
def cluster():
    """Start two worker processes with one thread each; nothing listens beyond this machine."""
    cluster = LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, host="127.0.0.1",
                           silence_logs=logging.ERROR)
    with cluster, Client(cluster) as client:
        client.wait_for_workers(2, timeout=300)
        yield client


@pytest.mark.parametrize("name", SOME)
def test_a_cluster_gives_the_same_result(cluster, name):
    small_case = small(name)
    here = bdp.simulate(*small_case, runs=9, seed=4, progress=False)
    with joblib.parallel_config(backend="dask"):
        there = bdp.simulate(*small_case, runs=9, seed=4)
    assert_same_runs(there, here)
    assert there.guarantee == here.guarantee and there.name == name


def test_the_cluster_does_the_work(cluster, tmp_path):
    """All runs are played in the two worker processes, also in a call that asks for one worker; and none without the backend."""
    problem = Diary([0.9, 0.6], tmp_path / "diary")
    workers = set(cluster.run(os.getpid).values())
    assert len(workers) == 2 and os.getpid() not in workers
    with joblib.parallel_config(backend="dask"):
        bdp.simulate(slowly(problem, 1000), problem, 1000, runs=16, progress=False)
    assert {process for _, process in problem.read()} == workers
    bdp.simulate(slowly(problem, 100), problem, 100, runs=3, progress=False)
    assert problem.read() == [(run, os.getpid()) for run in range(3)]


def test_a_cache_is_kept_by_the_caller(cluster, tmp_path):
    """Workers need no common file system: what they return is stored here, and found here again."""
    problem = Diary([0.9, 0.6], tmp_path / "diary")
    with joblib.parallel_config(backend="dask"):
        first = bdp.simulate(slowly(problem, 100), problem, 100, runs=6, cache=tmp_path / "cache", progress=False)
    assert os.getpid() not in {process for _, process in problem.read()}
    again = bdp.simulate(slowly(problem, 100), problem, 100, runs=8, cache=tmp_path / "cache", progress=False)
    assert problem.read() == [(6, os.getpid()), (7, os.getpid())]
    assert (again.regret[:6] == first.regret).all()


def test_an_error_on_the_cluster_reaches_the_caller(cluster):
    class Broken(bdp.problems.BernoulliArms):
        def draw(self, rng):
            raise RuntimeError("out of luck")

    broken, problem = Broken([0.9, 0.6]), bdp.problems.BernoulliArms([0.9, 0.6])
    with joblib.parallel_config(backend="dask"), pytest.raises(RuntimeError, match="out of luck"):
        bdp.simulate(slowly(broken, 100), broken, 100, progress=False)
    with joblib.parallel_config(backend="dask"):  # and the cluster goes on
        assert bdp.simulate(slowly(problem, 100), problem, 100, progress=False).runs == 20
