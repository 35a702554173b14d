"""The instructor's guide: what it names exists, in the chapters and in the sets."""

import json
import re
import runpy

import pytest

from checkout import NOTEBOOKS, ROOT

PAGES = {path.stem: path.read_text("utf-8") for path in sorted((ROOT / "book" / "teaching").glob("*.md"))}


def texts(path):
    return ["".join(cell["source"]) for cell in json.loads(path.read_text("utf-8"))["cells"] if cell["cell_type"] == "markdown"]


SOURCES = {path.stem: path.read_text("utf-8") for path in sorted(NOTEBOOKS.glob("[0-9]*.ipynb"))}
HEADINGS = {name: re.findall(r"(?m)^#{2,3} (.+)$", "\n".join(texts(NOTEBOOKS / f"{name}.ipynb"))) for name in SOURCES}
SCENES = [path.read_text("utf-8") for path in sorted((ROOT / "book" / "bandits_book" / "scenes").rglob("*.py"))]
EVERYTHING = "\n".join(["".join(cell["source"]) for text in SOURCES.values() for cell in json.loads(text)["cells"]] + SCENES)
SETS = NOTEBOOKS / "assignments"
MASTERS = sorted((SETS / "masters").glob("*.ipynb")) or sorted(SETS.glob("*.ipynb"))  # a public copy has no masters
CHAPTER = re.compile(r"\{doc\}`\.\./\.\./notebooks/(\w+)`")
ITALIC = re.compile(r"(?<!\*)\*([^*]+)\*(?!\*)")
HELP = re.compile(r"chapter (\d+), ((?:\*[^*]+\*(?: and )?)+)")  # where a set sends its readers


def test_the_page_never_offers_a_master():
    cell = PAGES["overview"].split("```{code-cell}")[1].split("\n```")[0]
    assert "masters" not in cell.replace("# never the masters", "")


def test_sections_that_are_to_be_read_and_figures_that_are_to_be_moved_are_there():
    for reading in re.findall(r"(?ms)^\* \*\*Read:\*\*(.+?)(?=^\* |^###|\Z)", PAGES["syllabus"]):
        text = re.sub(r"\s+", " ", reading)
        assert set(ITALIC.findall(text)) <= {heading for name in CHAPTER.findall(text) for heading in HEADINGS[name]}
    for session in re.findall(r"(?ms)^\* \*\*In class:\*\*(.+?)(?=^\* )", PAGES["syllabus"]):
        named = re.findall(r"\*\*([^*]+)\*\*", session)
        assert named and all(f'"{" ".join(title.split())}"' in EVERYTHING for title in named), named


def test_the_sets_look_for_the_mistakes_that_are_told():
    entries = "".join(re.findall(r"\((set \d, `[^)]+)\)", PAGES["mistakes"]))
    for number, names in re.findall(r"set (\d), ((?:`[^`]+`(?:, )?)+)", entries):
        path = ROOT / "tests" / "course" / f"set_{number}.py"
        told = {" ".join(name.split()) for name in re.findall(r"`([^`]+)`", names)}
        assert not path.exists() or told <= set(runpy.run_path(str(path))["MISTAKES"])


@pytest.mark.parametrize("path", MASTERS, ids=[path.stem for path in MASTERS])
def test_a_set_says_its_time_and_sends_its_readers_to_sections_that_exist(path):
    assert re.search(r"\*\*Time:\*\*\s+[^.]+\.", texts(path)[0])
    sent = HELP.findall("\n".join(texts(path)))
    assert len(sent) > 6 or not path.name.startswith("5")
    for chapter, sections in sent:
        (name,) = (name for name in HEADINGS if int(name[:2]) == int(chapter))
        assert all(any(there.startswith(title) for there in HEADINGS[name]) for title in ITALIC.findall(sections))
