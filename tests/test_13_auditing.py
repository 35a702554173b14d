"""What chapter 13 claims: what an audit proves and what it does not, and what the last bits of an output tell."""

import ast
import itertools
import math
import re
from functools import partial

import numpy as np
import pytest
from scipy import stats
from scipy.special import betaincinv

import bandits_dp as bdp
from checkout import ROOT
from tests.chapters import cells, stored_page, stored_scene
from tests.test_plots import page_json

CHAPTER = "13_auditing"
FALSE_ALARM = 1e-6  # of each statistical test here, with fixed seeds
BLOCKS = re.findall(r"```python\n(.*?)```", (ROOT / "book" / "not_covered.md").read_text("utf-8"), flags=re.DOTALL)


def numbers_of(chapter):
    return ast.literal_eval(cells(chapter)["numbers"].outputs[0].data["text/plain"])


def lower_bound(more, less, runs, delta, confidence):
    """Clopper and Pearson's limits for many counts at once, and the chapter's bound."""
    level, more, less = (1 - confidence) / 2, np.asarray(more, float), np.asarray(less, float)
    p = np.where(more > 0, betaincinv(np.maximum(more, 1), runs - more + 1, level), 0.0)
    q = np.where(less < runs, betaincinv(less + 1, np.maximum(runs - less, 1), 1 - level), 1.0)
    return np.log(np.maximum(p - delta, 1e-300) / q)


# ---- What an audit proves ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("p", "q", "delta"), [(0.5, 0.5 * math.exp(-1), 0.0), (0.3, 0.1, 0.05), (1.0, 0.3, 0.0), (0.3, 0.0, 0.2)])
def test_an_audit_is_wrong_as_rarely_as_declared(p, q, delta):
    """The exact probability of a bound above the truth, over all pairs of counts, is at most 1 - confidence."""
    runs = 60
    truth = math.log((p - delta) / q) if q else math.inf
    k, less = np.meshgrid(np.arange(runs + 1), np.arange(runs + 1), indexing="ij")
    chance = stats.binom.pmf(k, runs, p) * stats.binom.pmf(less, runs, q)
    for confidence in (0.6, 0.9, 0.99):
        wrong = chance[lower_bound(k, less, runs, delta, confidence) > truth + 1e-12].sum()
        assert wrong <= 1 - confidence
    if math.isfinite(truth):
        claimed_less = chance[lower_bound(k, less, runs, delta, 0.6) > truth - 3].sum()
        assert claimed_less > 0.4  # and it does refute claims that are too small


def test_choosing_on_one_half_is_free():
    """Fifty fair signs that tell nothing: the best of them, counted in the runs that chose it, and in new ones."""
    rng, wrong, tries = np.random.default_rng(0), np.zeros(2), 4000
    hits = rng.binomial(400, 0.5, (2, 2, tries, 50))  # half, world, try, entry
    best = (hits[0, 0] - hits[0, 1]).argmax(axis=1)
    for half in (0, 1):
        k, less = hits[half, :, np.arange(tries), best].T
        wrong[half] = (lower_bound(k, less, 400, 0.0, 0.9) > 0).sum()
    assert wrong[1] <= stats.binom.isf(FALSE_ALARM, tries, 0.1)
    assert wrong[0] > 2 * stats.binom.isf(FALSE_ALARM, tries, 0.1)


def test_no_event_beats_the_likelihood_ratio():
    """All 2^8 events of random mechanisms with eight outputs; and the exact delta of a Gaussian from its threshold."""
    rng = np.random.default_rng(1)
    events = np.array(list(itertools.product([False, True], repeat=8)))
    for _ in range(50):
        f, g = rng.dirichlet(np.full(8, 0.5), 2)
        for epsilon in (0.0, 0.5, 2.0):
            best = (f > math.exp(epsilon) * g) @ (f - math.exp(epsilon) * g)
            assert (events @ (f - math.exp(epsilon) * g)).max() == pytest.approx(best)
    for epsilon, std in ((0.5, 1.0), (2.0, 0.7)):
        cut = 0.5 - epsilon * std**2  # where the log-ratio of N(0) against N(1) equals epsilon
        value = stats.norm.cdf(cut, 0, std) - math.exp(epsilon) * stats.norm.cdf(cut, 1, std)
        assert value == pytest.approx(bdp.accounting.gaussian_delta(std, epsilon, 1.0))


def test_rare_faults_stay_unseen():
    """Verdicts on a sound mechanism and on one with a rare fault differ no more often than the faults strike."""
    share, runs, tries = 2e-4, 1000, 400

    def sound(data, rng, runs):
        return data + rng.laplace(0, 1.0, runs)

    def faulty(data, rng, runs):
        y = sound(data, rng, runs)
        strikes = rng.random(runs) < share
        struck.append(strikes.any())
        return np.where(strikes, 100.0 + data, y)

    differ = hit = 0
    for seed in range(tries):
        struck = []
        check = partial(bdp.audit, a=0.0, b=1.0, epsilon=1.0, delta=0.0, trials=runs, progress=False)
        # the fault's coins come after the noise, so both see the same noise on a; on b the streams would part
        found = check(bdp.Vectorized(faulty), rng=np.random.default_rng(seed))
        hit += any(struck)
        if not any(struck):
            plain = bdp.Vectorized(lambda data, rng, n: (sound(data, rng, n), rng.random(n))[0])
            differ += str(found) != str(check(plain, rng=np.random.default_rng(seed)))
    assert differ == 0
    chance = 1 - (1 - share) ** (2 * runs)
    assert chance <= 2 * share * runs
    assert abs(hit - tries * chance) < stats.norm.isf(FALSE_ALARM / 2) * math.sqrt(tries * chance * (1 - chance))


# ---- The last bits -----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def sampler():
    """The textbook's sampler and Eve's test, as they stand in the chapter."""
    names = {"np": np, "math": math}
    exec(cells(CHAPTER)["sampler"].source.split("rng = ")[0], names)
    return names


@pytest.mark.parametrize("b", (0.5, 1.0, 3.0))
def test_textbook_laplace_betrays_its_count(sampler, b):
    """Every output can be made from its own count, and most cannot be made from the other one, at every scale."""
    rng = np.random.default_rng(2)
    for count in (0, 1):
        y = sampler["textbook"](count, rng, 4000, b)
        assert sampler["reachable"](y, count, b).all()
        assert sampler["reachable"](y, 1 - count, b).mean() < 0.5
    noise = sampler["textbook"](0, rng, 50_000, b)
    assert stats.kstest(noise / b, stats.laplace.cdf).pvalue > FALSE_ALARM  # it is Laplace noise all the same


def test_numpys_laplace_betrays_its_count(sampler):
    """numpy's own sampler is a logarithm of a uniform number, too: the test never misses the true count."""
    rng = np.random.default_rng(3)
    for count in (0, 1):
        y = rng.laplace(count, 1.0, 4000)
        assert sampler["reachable"](y, count).all()
        assert sampler["reachable"](y, 1 - count).mean() < 0.5


# ---- What the chapter shows --------------------------------------------------------------------------------------------------


def test_the_grid_says_what_chapter_12_says():
    """The same eight cells with the same verdicts and, to the last digit, the same numbers."""
    ours, theirs = numbers_of(CHAPTER), numbers_of("12_dynamic_sensitivity")
    shared = {"plays-fresh", "thm-line", "audit", "thm-pool", "fresh", "plays-kept", "plays-kept-short", "plays-kept-one",
              "thm-kept", "kept", "kept-most"}
    assert {name: ours[name] for name in shared} == {name: theirs[name] for name in shared}

    def verdicts(text):
        rows = [line for line in text.split("\n") if line.startswith(("| fresh", "| kept"))]
        words = r"\*\*(refuted|proved|open)\*\*|(above nominal)"
        return [[re.findall(words, cell) for cell in row.split("|")[3:5]] for row in rows]

    here, there = cells(CHAPTER)["grid-words"].source, cells("12_dynamic_sensitivity")["real-words"].source
    assert verdicts(here) == verdicts(there) and len(verdicts(here)) == 4
    for row in (found for line in (here, there) for found in verdicts(line)):
        assert all(row)


def test_scene_shows_counts_and_bounds():
    """At every setting the marks are the counts' shares and limits, and the bound follows from them."""
    settings = stored_scene(CHAPTER, "scene")
    assert len(settings) == 63
    for (runs, _), (marks, note) in settings.items():
        total = int(runs.replace(",", ""))
        k, less = (int(marks[f"hits {world}"]["words"].split(" of ")[0].replace(",", "")) for world in ("X", "X′"))
        bound = max(0.0, float(lower_bound(k, less, total, 0.0, 0.99)))
        assert f"ε ≥ {bound:.2f}" in note and marks["proved"]["width"] == pytest.approx(max(37.2 * bound, 0.4), abs=0.01)
        assert bound <= 2 and ("refuted" in note) == (bound > 1)
        for world, hits in (("X", k), ("X′", less)):
            low, high = stats.binomtest(hits, total).proportion_ci(0.99, "exact")
            ends = [point[0] / 29 for point in marks[f"limits {world}"]["points"]]
            assert ends == pytest.approx([low, high], abs=2e-3)


def test_the_gallery_hangs_what_the_audits_found():
    """Twelve rooms, some private; the broken ones are caught at last, the others never; audits of 1,000 runs, computed again."""
    rooms = page_json(stored_page(CHAPTER, "museum"))["rooms"]
    assert len(rooms) == len(bdp.museum.exhibits()) == 12 and 3 <= sum(one["private"] for one in rooms) <= 6
    for one, piece in zip(rooms, bdp.museum.exhibits(), strict=True):
        assert one["audits"][-1]["passed"] is one["private"] and (one["twin"]["bound"] <= piece.epsilon) is not one["private"]
        assert " ".join(piece.story.split()).startswith(one["title"])
        if piece.epsilon < 5:  # such claims can fail at 1,000 runs
            mechanism, rng = piece.mended if one["private"] else piece.broken, np.random.default_rng(13)
            found = bdp.audit(mechanism, piece.a, piece.b, piece.epsilon, piece.delta, 1000, rng=rng, progress=False)
            assert one["audits"][1]["bound"] == pytest.approx(found.epsilon_lower, abs=1e-4)
            assert one["audits"][1]["passed"] == found.passed


def test_the_page_on_what_is_not_covered_runs():
    """Every block of the page runs as it stands, in order, and its assertions hold."""
    assert len(BLOCKS) >= 8
    names = {"__name__": "not_covered"}
    for block in BLOCKS:
        exec(compile(block, "not_covered.md", "exec"), names)
