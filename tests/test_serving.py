"""The server on the page "Serve real people": killed at every line, it releases no batch twice and loses no answer."""

import os
import re
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

PAGE = (Path(__file__).parents[1] / "book" / "serve.md").read_text("utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)
[SERVER] = [block for block in BLOCKS if "def answer" in block]
CODE = compile(BLOCKS[0] + SERVER, "server.py", "exec")
SAVES = ("server.py", "/serve/saved.py", "_files.py", "/serve/served.py")  # what they call meanwhile changes memory only


@pytest.fixture
def start(tmp_path, monkeypatch):
    """Return what starts a server in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(os, "fsync", lambda _: None)  # a process is killed here, and no machine: nobody has to wait for the disk

    def started():
        names = {"__name__": "server"}
        exec(CODE, names)
        return names

    return started


def traced(step):
    """Call something with every line of the server, and of what it saves with, before it runs."""
    def line(frame, event, _):
        if event == "line":
            step((frame.f_code.co_filename, frame.f_lineno))
        return line

    sys.settrace(lambda frame, event, _: line if frame.f_code.co_filename.endswith(SAVES) else None)


def die_at(number):
    """End this process, as by kill -9, at the line that is the so-many-th to run."""
    left = iter(range(number))
    traced(lambda _: next(left, None) is None and os._exit(9))


def child(act):
    """Fork a process that does something; return how it ended."""
    pid = os.fork()
    if not pid:
        try:
            act()
        finally:
            os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def brink(server):
    """Let users answer until the last answer of the first release is lacking; return that user's token."""
    token = server["ask"](0)["token"]
    user = 1
    while True:
        state = {key: value.copy() for key, value in server["learner"].save().items()}
        server["answer"](token, 1)
        if server["learner"].learner.phase > 1:
            return state, token
        token, user = server["ask"](user)["token"], user + 1


def looks(server):
    """What the public can see of the learner: what was released."""
    learner = server["learner"].learner
    return f"{learner.phase} {np.asarray(learner.sums).tolist()}"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="Windows has no fork")
def test_a_server_that_is_killed_at_any_line_releases_nothing_twice(start):
    """The last answer of a release, sent again after every crash as nobody thanked for it, and then the next user."""
    server = start()
    state, token = brink(server)
    server["learner"].restore(state)
    server["learner"].save(server["STATE"])
    whole = Path("served.npz").read_bytes()

    def served():
        server["answer"](token, 1)
        with open("seen", "w") as seen:
            seen.write(f"thanks\n{looks(server)}\n")
        server["ask"]("next")

    def listed():
        """Write down when each line runs for the first time, and when for the last: loops between them change memory only."""
        lines = []
        traced(lines.append)
        served()
        sys.settrace(None)
        first, last = ({line: place for place, line in way} for way in (reversed([*enumerate(lines)]), enumerate(lines)))
        Path("lines").write_text(" ".join(map(str, sorted({*first.values(), *last.values()}))))

    child(listed)
    lines, ends = [int(line) for line in Path("lines").read_text().split()], {"old": 0, "new": 0}
    for line in lines:
        Path("served.npz").write_bytes(whole)
        Path("seen").write_text("")
        assert child(lambda line=line: (die_at(line), served())) == 9
        thanked, _, before = Path("seen").read_text().partition("\n")
        again = start()
        played = again["learner"].played
        if thanked:
            assert played == server["learner"].played + 1  # no answer is lost
        try:
            again["answer"](token, 1)
        except ValueError as error:
            assert "used already" in str(error) and played == server["learner"].played + 1
            ends["new"] += 1
        else:
            assert not thanked
            ends["old"] += 1
        assert again["learner"].played == server["learner"].played + 1
        if before:
            assert looks(again) == before.strip()  # nothing is released twice
    assert min(ends.values()) > 40, ends  # crashes before the save, and after it


def test_all_code_on_the_page_runs_and_prints_what_it_says(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    names = {}
    for block in BLOCKS:
        exec(compile(block, "serve.md", "exec"), names)
    assert capsys.readouterr().out == "".join(re.findall(r"```text\n(.*?)```", PAGE, flags=re.DOTALL))
    assert names["patient"].played == 3 and names["patient"].missed == 0 and names["endless"].horizon_of(2) == 4000


def test_tokens_that_the_server_did_not_give_are_refused(start):
    server = start()
    token = server["ask"]("Ada")["token"]
    with pytest.raises(ValueError, match="token must be one that this learner's"):
        server["answer"](f"x{token}", 1)
    server["answer"](token, 1)
    with pytest.raises(ValueError, match="used already"):
        server["answer"](token, 0)
    assert server["ask"]("Ada") == {"arm": 0, "token": None}
    assert start()["learner"].played == 1  # and a server that is started again knows


def test_threads_share_a_server(start):
    server, thanks = start(), []

    def serve(first):
        for user in range(first, first + 40):
            token = server["ask"](user)["token"]
            try:
                server["answer"](token, user % 2)
                thanks.append(user)
            except ValueError as error:
                assert "released without it" in str(error)

    threads = [threading.Thread(target=serve, args=(first,)) for first in range(0, 160, 40)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=600)
    assert start()["learner"].played == server["learner"].played == len(thanks) > 100
