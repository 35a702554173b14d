"""The Last.fm problem: files, download and stand-in, and what goes wrong with them; candidates, users who return, rewards."""

import hashlib
import http.server
import io
import os
import sys
import threading
import zipfile
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pytest

import bandits_dp as bdp
from bandits_book.lastfm import LastFM, files
from bandits_book.lastfm.data import Listening, load_listening
from bandits_book.lastfm.features import tag_features
from bandits_dp.play.plain import play_plainly
from tests.small_problems import refused

CONTENTS = {  # in the layout of HetRec 2011; artist 9 is tagged, but in no list
    "artists.dat": "id\tname\turl\tpictureURL\n1\tÅ\tu\tp\n2\tB\tu\tp\n5\tC\tu\tp\n".encode(),
    "tags.dat": "tagID\ttagValue\n1\tcalm\n3\tcafé\n".encode("latin-1"),
    "user_artists.dat": b"userID\tartistID\tweight\n7\t5\t10\n7\t1\t3\n8\t2\t4\n",
    "user_taggedartists.dat": b"userID\tartistID\ttagID\tday\tmonth\tyear\n7\t1\t1\t1\t4\t2009\n8\t1\t1\t1\t4\t2009\n"
    b"7\t5\t3\t1\t4\t2009\n7\t9\t3\t1\t4\t2009\n",
}


def real_folder():
    """Return the folder of the real files where they are, else None."""
    named = os.environ.get(files.VARIABLE)
    beside = Path(__file__).resolve().parents[2] / "shared" / "data" / "lastfm"
    places = ([Path(named), Path(named) / "lastfm"] if named else []) + [beside]
    return next((place for place in places if (place / "user_artists.dat").is_file()), None)


@pytest.fixture(scope="module")
def stand_in():
    return load_listening("synthetic")


@pytest.fixture
def tiny(monkeypatch):
    """Let the tiny files be version 1.0."""
    checks = {name: (len(content), hashlib.sha256(content).hexdigest()) for name, content in CONTENTS.items()}
    monkeypatch.setattr(files, "CHECKS", checks)


@pytest.fixture
def cache(monkeypatch, tmp_path):
    """Keep downloads in a folder of the test, and let no variable name another."""
    monkeypatch.delenv(files.VARIABLE, raising=False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setattr("pooch.os_cache", lambda name: tmp_path / "cache")
    return tmp_path / "cache"


def write(folder, contents=CONTENTS):
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in contents.items():
        (folder / name).write_bytes(content)
    return folder


def packed(contents=CONTENTS):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in contents.items():
            archive.writestr(f"lastfm/{name}", content)
    return buffer.getvalue()


@pytest.fixture
def serve(monkeypatch):
    """Return a function that serves a body at the address of the zip, and a list of the requests."""
    asked = []

    class Handler(http.server.BaseHTTPRequestHandler):
        log_message = Mock()

        def do_GET(self):
            body, status, missing = self.server.served
            asked.append(self.path)
            self.send_response(status)
            self.send_header("Content-Length", str(len(body) + missing))
            self.end_headers()
            self.wfile.write(body)

    def start(body, status=200, missing=0):
        server.served = body, status, missing
        return asked

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()  # looks for the end so often
        monkeypatch.setattr(files, "URL", f"http://127.0.0.1:{server.server_address[1]}/lastfm.zip")
        yield start
        server.shutdown()


@pytest.mark.parametrize(("inside", "ends"), [("", b"\n"), ("lastfm", b"\r\n")])
def test_files_are_found_where_the_variable_says(monkeypatch, tmp_path, tiny, ends, inside):
    write(tmp_path / "data" / inside, {name: content.replace(b"\n", ends) for name, content in CONTENTS.items()})
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv(files.VARIABLE, "~/data")
    listening = load_listening("auto")
    assert listening.source == "files" and listening.tags == ("calm", "café")
    assert listening.starts.tolist() == [0, 2, 3] and listening.heard.tolist() == [0, 2, 1]
    assert listening.taggings.tolist() == [[0, 0, 2], [2, 1, 1]]


def test_without_files_where_they_are_to_be_there_is_no_falling_back(monkeypatch, tmp_path):
    for folder in (tmp_path, tmp_path / "missing"):
        monkeypatch.setenv(files.VARIABLE, str(folder))
        for source in ("auto", "files"):
            refused(f"BANDITS_DP_DATA must name a folder with user_artists.dat.*{folder}", load_listening, source)
    monkeypatch.setenv(files.VARIABLE, "")
    for source, said in (("files", "BANDITS_DP_DATA, which is not set: download"), ("web", "source must be one of")):
        refused(said, load_listening, source)


@pytest.mark.parametrize(("damage", "said"), [
    (lambda content: content[:-3], "{0} in .* must be that of HetRec 2011, version 1.0, .* got {1} bytes"),
    (lambda content: content.replace(b"\t", b" ", 1), "{0} in .* SHA-256"),
    (lambda content: None, "got no {0}"),
], ids=["cut off", "changed", "missing"])
@pytest.mark.parametrize("name", CONTENTS)
def test_damaged_files_are_an_error_and_no_reason_to_fall_back(monkeypatch, tmp_path, tiny, name, damage, said):
    folder, content = write(tmp_path), damage(CONTENTS[name])
    (folder / name).unlink() if content is None else (folder / name).write_bytes(content)
    monkeypatch.setenv(files.VARIABLE, str(folder))
    said = "must name a folder" if content is None and name == "user_artists.dat" else said.format(name, len(CONTENTS[name]) - 3)
    refused(said, load_listening, "auto")


def test_a_download_happens_once(cache, tiny, serve, capfd):
    asked = serve(packed())
    first, second = load_listening("download"), load_listening("auto")
    assert asked == ["/lastfm.zip"] and first.source == second.source == "download" and (first.heard == second.heard).all()
    assert "100%" in capfd.readouterr().err  # a progress bar
    assert [path.name for path in cache.iterdir()] == ["lastfm.zip"]


FULL = OSError(28, "No space left on device")
ROOM = "cache folder .* must be writable and have room for the download, got .*No space left.*; or download and unpack .*BANDITS_DP"
BAD = {
    "cut": ({"body": packed(), "missing": 100}, OSError, "broke off"),
    "gone": ({"body": b"no", "status": 404}, OSError, "404"),
    "no zip": ({"body": b"<html>"}, ValueError, "must give a zip file, got 6 damaged bytes"),
    "half a zip": ({"body": packed()[: len(packed()) // 2]}, ValueError, "must give a zip file"),
    "one file less": ({"body": packed({"tags.dat": CONTENTS["tags.dat"]})}, ValueError, "got no artists.dat"),
    "other version": ({"body": packed(CONTENTS | {"tags.dat": b"tagID\n"})}, ValueError, "tags.dat in http.*SHA-256"),
    "full disk": ({"body": packed()}, OSError, ROOM),
}


@pytest.mark.parametrize("source", ["auto", "download"])
@pytest.mark.parametrize("case", BAD)
def test_a_bad_download_is_an_error_and_leaves_nothing(cache, tiny, serve, monkeypatch, case, source):
    """And no stand-in: there is a network, and what is wrong can be mended."""
    served, kind, said = BAD[case]
    serve(**served)
    if case == "full disk":
        monkeypatch.setattr("shutil.move", Mock(side_effect=FULL))  # by which pooch keeps what has come
    with pytest.raises(kind, match=said) as caught:
        load_listening(source)
    assert not isinstance(caught.value, files.Unreachable)
    assert not list(cache.iterdir())


def test_without_a_network_there_is_a_stand_in_and_a_warning(cache, monkeypatch):
    monkeypatch.setattr(files, "URL", "http://127.0.0.1:1/lastfm.zip")
    refused(r"no server answers for http://127.0.0.1:1.*BANDITS_DP_DATA", load_listening, "download", error=OSError)
    with pytest.warns(UserWarning, match="NOT the Last.fm data.*BANDITS_DP_DATA"):
        problem = LastFM(source="auto")
    assert problem.source == "synthetic" and "source='synthetic'" in repr(problem) and not list(cache.iterdir())


def test_a_cache_that_cannot_be_written_and_what_is_not_installed_are_errors(cache, monkeypatch, stand_in):
    cache.write_text("a file where the folder should be")
    for source in ("auto", "download"):
        refused(r"cache folder .* must be writable.*BANDITS_DP_DATA", load_listening, source, error=OSError)
    for module, given in (("pooch", {"source": "download"}), ("sklearn.decomposition", {"listening": stand_in})):
        monkeypatch.setitem(sys.modules, module, None)
        refused(r"bandits-dp\[lastfm\]", LastFM, **given, error=ImportError)


def test_features_are_principal_components_of_tf_idf(stand_in):
    """By numpy alone, from the definitions."""
    features, components, explained = tag_features(stand_in, 6)
    table = np.zeros((stand_in.artists, len(stand_in.tags)))
    artist, tag, count = stand_in.taggings.T
    table[artist, tag] = count
    table *= 1 + np.log((1 + len(table)) / (1 + (table > 0).sum(axis=0)))
    table /= np.maximum(np.linalg.norm(table, axis=1, keepdims=True), 1e-300)
    left, sizes, right = np.linalg.svd(table - table.mean(axis=0), full_matrices=False)
    scores = left[:, :6] * sizes[:6]
    signs = np.sign(right[:6][np.arange(6), np.abs(right[:6]).argmax(axis=1)])
    exact = scores * signs / np.linalg.norm(scores, axis=1).max()
    assert (np.abs(features) <= np.abs(exact) + 1e-9).all() and np.abs(features - exact).max() < 1e-6 + 1e-9  # cut to six decimals
    np.testing.assert_allclose(components, right[:6] * signs[:, None], atol=1e-8)
    assert explained == pytest.approx((sizes[:6] ** 2).sum() / (sizes**2).sum())
    assert np.linalg.norm(features, axis=1).min() > 0 and np.linalg.norm(features, axis=1).max() <= 1 + 1e-12
    pool = LastFM(listening=stand_in, dimension=6)
    np.testing.assert_array_equal(pool.pool, features)
    assert pool.least_eigenvalue == pytest.approx(np.linalg.svd(features)[1][-1] ** 2 / len(features))  # of E[x x']
    refused("dimension must be at most", tag_features, stand_in, 300)


def check_candidates(problem):
    """One candidate is of the user's history, at any place and any of it; the others are not, and all differ."""
    rows = problem.numbers(np.random.default_rng(0), 3000)
    shown, liked, listening = problem.candidates(rows), problem.liked(rows), problem.listening
    for user, artists, place in zip(problem.users(rows), shown, liked, strict=True):
        own = listening.heard[listening.starts[user] : listening.starts[user + 1]]
        assert len(set(artists)) == problem.arms and np.flatnonzero(np.isin(artists, own)).tolist() == [place]
    counts = np.bincount(liked, minlength=problem.arms)
    assert abs(counts - 3000 / problem.arms).max() < 6 * np.sqrt(3000 / problem.arms)  # the places are even
    means = problem.round_means(rows)
    assert (means.sum(axis=1) == 1).all() and (means.argmax(axis=1) == liked).all()
    assert problem.contexts(rows).shape == (3000, problem.arms, problem.dimension)


def test_who_is_not_heard_is_shown_evenly():
    """With three artists and two heard by user 0, she is shown each with its chance."""
    listening = Listening("synthetic", np.array([0, 2, 3]), np.array([0, 2, 1]), np.array([[0, 0, 2], [1, 1, 1], [2, 2, 1]]),
                          ("a", "b", "c"), 3)
    problem = LastFM(dimension=1, arms=2, listening=listening)
    rows = problem.numbers(np.random.default_rng(0), 4000)
    pairs, counts = np.unique(np.sort(problem.candidates(rows), axis=1), axis=0, return_counts=True)
    assert pairs.tolist() == [[0, 1], [1, 2]] and abs(counts / 4000 - 0.5).max() < 0.04
    refused("arms must leave every user one artist heard and 2 not heard, of 3", LastFM, dimension=1, arms=3, listening=listening)


def test_users_return_once_in_every_season(stand_in):
    problem, rng = LastFM(returning=3, listening=stand_in), np.random.default_rng(3)
    refused(r"call draw\(rng\) first", problem.numbers, rng, 1)
    drawn = problem.draw(rng)
    check_candidates(LastFM(returning=20, listening=stand_in).draw(rng))
    users = np.concatenate([drawn.users(drawn.numbers(rng, rounds)) for rounds in (1, 399, 200)]).reshape(3, 200)
    assert (np.sort(users, axis=1) == np.arange(200)).all() and (users[0] != users[1]).any()
    for call in (lambda: drawn.numbers(rng, 1), lambda: bdp.simulate(bdp.make("LinUCB", problem, horizon=601), problem, horizon=601,
                                                                     runs=1, progress=False)):
        refused("horizon must be at most 600, as 200 users come 3 times each, got 601", call)


@pytest.mark.parametrize("name", ["LinUCB", "LinUCB-RewardTree"])
@pytest.mark.parametrize("returning", [None, 1])
def test_parallel_runs_follow_the_plain_loop(stand_in, name, returning, tmp_path, densities):
    problem, again = (LastFM(dimension=8, arms=6, returning=returning, listening=stand_in) for _ in range(2))
    learner = bdp.make(name, problem, horizon=150, **({} if name == "LinUCB" else {"epsilon": 2.0, "delta": 0.1}))
    result, kept = (bdp.simulate(learner, one, horizon=150, runs=3, seed=4, progress=False, cache=tmp_path)
                    for one in (problem, again))
    assert (kept.regret == result.regret).all() and len(list(tmp_path.rglob("*.npz"))) == 3
    rngs = [np.random.default_rng(child) for child in np.random.SeedSequence(4).spawn(3)]
    plain = play_plainly(learner, problem, rngs, result.rounds, int)
    np.testing.assert_allclose(result.regret, plain.regret)
    np.testing.assert_allclose(problem.click_rate(result), 1 - plain.regret / result.rounds)


def test_the_number_of_candidates_may_vary(stand_in):
    problem = LastFM(arms=9, fewest=4, listening=stand_in)
    rows = problem.numbers(np.random.default_rng(0), 500)
    shown, means = problem.contexts(rows), problem.round_means(rows)
    assert {len(own) for own in shown} == set(range(4, 10))
    assert all(len(own) == len(one) and one.sum() == 1 for own, one in zip(shown, means, strict=True))
    assert problem.random_click_rate == pytest.approx(np.mean([1 / k for k in range(4, 10)]))
    learner = bdp.make("LinUCB-RewardTree", problem, horizon=200, epsilon=2.0, delta=0.1)
    rate = problem.click_rate(bdp.simulate(learner, problem, horizon=200, runs=2, progress=False))
    assert ((rate >= 0) & (rate <= 1)).all()
    refused("fewest must be at most the 9 arms, got 10", LastFM, arms=9, fewest=10, listening=stand_in)
