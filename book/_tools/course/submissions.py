"""Find what was handed in, and for which set it is.

A folder holds `<student>.ipynb`, or a folder for each student with `<set>/<set>.ipynb` in it (as nbgrader has it) or just a
notebook (as Moodle's download has it); in names like those of Moodle and Canvas, the student's part is taken.
"""

import contextlib
import re
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path

from nbformat import NotebookNode

from course.restore import names, parsed
from course.sets import SETUP, mark, masters, read

CANVAS = re.compile(r"(?P<name>.+?)_(?P<late>LATE_)?(?P<number>\d+)_\d+_.+")  # doejane_LATE_101_2002_1_mechanisms
MOODLE = re.compile(r"(?P<name>.+?)(?:_(?P<number>\d+))?_assignsubmission_\w*")  # Jane Doe_101_assignsubmission_file_
NO_NOTEBOOK = "not a notebook"
MEGABYTE = 1 << 20


@dataclass(frozen=True)
class Handed:
    """What one student handed in: the notebook, or why there is none; and the number by which a platform knows the student."""

    student: str
    path: Path | None = None
    status: str = ""
    remark: str = ""
    number: str = ""


def known_ids(folder: Path) -> dict[str, list[str]]:
    return {path.stem: [mark(cell)["grade_id"] for cell in read(path).cells if mark(cell)] for path in masters(folder)}


def owner(notebook: NotebookNode, known: dict[str, list[str]]) -> str:
    """Name the set with which a notebook shares most cells; "" if with none."""
    shared = {name: len(set(names(notebook, ids)) - {"", SETUP}) for name, ids in known.items()}
    best = max(shared, key=lambda name: shared[name], default="")
    return best if best and shared[best] else ""


def named(stem: str) -> Handed:
    """Read the name of a file or folder: the student's part, with the platform's number, and whether it was late."""
    stem = stem.encode("utf-8", "replace").decode()  # a name in another encoding
    for pattern in (MOODLE, CANVAS):
        if found := pattern.fullmatch(stem):
            name, number, late = map(found.groupdict("").get, ("name", "number", "late"))
            return Handed(f"{name}_{number}" if number else name, remark="handed in late" if late else "", number=number)
    return Handed(stem)


def visible(folder: Path) -> list[Path]:
    """List what is in a folder, without hidden files and links."""
    return [path for path in sorted(folder.iterdir()) if not path.name.startswith((".", "__MACOSX")) and not path.is_symlink()]


def is_notebook(path: Path) -> bool:
    return path.suffix.lower() == ".ipynb" and path.is_file()


def handed_in(folder: Path, name: str) -> list[Handed]:
    """List what was handed in for a set, one for each student."""
    found: dict[str, list[Handed]] = {}
    for path in visible(folder):
        one = named(path.name if path.is_dir() else path.stem)
        if path.is_dir():
            one = in_folder(one, path, name)
        elif is_notebook(path):
            one = replace(one, path=path)
        else:
            one = replace(one, status=NO_NOTEBOOK, remark=f"{path.name} is not a notebook (.ipynb)")
        found.setdefault(one.student.casefold(), []).append(one)
    return [only(several) for several in found.values()]


def in_folder(one: Handed, folder: Path, name: str) -> Handed:
    """Look for the set's notebook in a student's folder."""
    place = folder / name if (folder / name).is_dir() else folder
    found = list(filter(is_notebook, visible(place)))
    fitting = [path for path in found if path.stem == name] or found
    if len(fitting) == 1:
        return replace(one, path=fitting[0])
    if fitting:
        files = ", ".join(path.name for path in fitting)
        return replace(one, status="several notebooks", remark=f"one of {files} has to be called {name}.ipynb")
    return replace(one, status="nothing handed in", remark= f"there is no notebook in {place.relative_to(folder.parent)}")


def only(several: list[Handed]) -> Handed:
    """Choose among what is there under one student's name: the notebook, if it is the only one."""
    with_notebook = [one for one in several if one.path]
    if len(with_notebook) > 1:
        files = ", ".join(str(one.path.name) for one in with_notebook if one.path)
        return replace(several[0], path=None, status="several notebooks", remark=f"leave one of {files}")
    return (with_notebook or several)[0]


def inferred(folder: Path, known: dict[str, list[str]], megabytes: float) -> str:
    """Say for which set most of the notebooks are; raise ValueError if that is not clear."""
    inside = [path for student in visible(folder) if student.is_dir() for path in visible(student)]
    layout = {path.name for path in inside if path.is_dir()} & set(known)
    if len(layout) > 1:
        raise ValueError(f"there are folders for {', '.join(sorted(layout))}; say which one, for example SET={min(layout)[0]}")
    votes: Counter[str] = Counter()
    for path in (path for depth in ("*", "*/*", "*/*/*") for path in sorted(folder.glob(f"{depth}.ipynb"))):
        if path.is_file() and not path.is_symlink():
            with contextlib.suppress(ValueError, OSError):  # whose set cannot be told
                votes[owner(parsed(text_of(path, megabytes)), known)] += 1
    del votes[""]
    if not votes:
        raise ValueError(f"no notebook in {folder} is of a set that has a master; the sets are {', '.join(known)}")
    return votes.most_common(1)[0][0]


def text_of(path: Path, megabytes: float) -> str:
    """Read a file that is not too large; raise ValueError otherwise, or if it is no text."""
    if path.stat().st_size > megabytes * MEGABYTE:
        raise ValueError(f"is larger than {megabytes:g} MB: clear the outputs and hand it in again")
    try:
        return path.read_text("utf-8-sig")  # some editors of Windows write a mark first
    except UnicodeDecodeError as error:
        raise ValueError("is not a notebook: it is no text in UTF-8") from error
