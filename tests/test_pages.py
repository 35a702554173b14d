"""Code on the pages of the book and on the front page runs as it stands; what they show is true."""

import re

import pytest

import readme_picture
from checkout import ROOT
from run_notebooks import same_picture

BOOK, README = ROOT / "book", (ROOT / "README.md").read_text("utf-8")


def blocks(text: str) -> list[str]:
    return re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL)


def test_extensions_are_short_run_and_play():
    code = blocks((BOOK / "extend.md").read_text("utf-8"))
    names = {"__name__": "extend"}
    for block in code:
        exec(compile(block, "extend.md", "exec"), names)
    for learner in ("halving", "geometric", "learner"):
        assert names[learner].guarantee.proved and names[learner].played == 0
    assert len(code) >= 4 and max(len(block.splitlines()) for block in code) < 30


@pytest.mark.filterwarnings("ignore:Port 8787 is already in use")  # by the cluster of another test
def test_the_examples_for_researchers_run(tmp_path, monkeypatch):
    code = blocks((BOOK / "how_to.md").read_text("utf-8").partition("## Simulate a lot")[2].partition("\n## ")[0])
    assert len(code) == 3
    monkeypatch.chdir(tmp_path)
    names = {"__name__": "__main__"}
    for block in code:
        exec(block, names)
    assert names["result"].runs == 6 and len(list(tmp_path.glob("finished-runs/*/run-*.npz"))) == 18


def test_the_front_pages_picture_is_what_the_code_draws(tmp_path):
    readme_picture.draw(tmp_path / "fresh.svg")
    assert same_picture(readme_picture.PICTURE.read_text("utf-8"), (tmp_path / "fresh.svg").read_text("utf-8"))


def test_the_front_pages_example_runs(capsys):
    (example,) = blocks(README)
    exec("\n".join(line.removeprefix("  ") for line in example.splitlines()), {})
    printed = capsys.readouterr().out
    assert printed.startswith("(1, 1e-06)-differential privacy in the shuffle model") and "VB-SDP-AE: 20 runs" in printed
