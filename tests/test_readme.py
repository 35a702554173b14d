"""What the front page shows: the picture is the code's, the example runs, and the folders it lists exist."""

import re

import readme_picture
from checkout import ROOT
from run_notebooks import same_picture

README = (ROOT / "README.md").read_text("utf-8")


def test_the_picture_is_what_the_code_draws(tmp_path):
    readme_picture.draw(tmp_path / "fresh.svg")
    assert same_picture(readme_picture.PICTURE.read_text("utf-8"), (tmp_path / "fresh.svg").read_text("utf-8"))


def test_the_example_runs(capsys):
    (example,) = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)
    exec("\n".join(line.removeprefix("  ") for line in example.splitlines()), {})  # our own README
    printed = capsys.readouterr().out
    assert printed.startswith("(1, 1e-06)-differential privacy in the shuffle model") and "VB-SDP-AE: 20 runs" in printed


def test_everything_at_the_top_is_explained():
    listed = set(re.findall(r"`([^`\s]+?)/?`", README))
    files = ("_config.yml", "_toc.yml", "requirements.txt", "requirements.lock")
    for name in ("bandits_dp", "notebooks", "book", "tests", "binder", *files):
        assert name in listed and (ROOT / name).exists()
