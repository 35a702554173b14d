"""Find the ledger's quotations in the papers, and list those that were found: ``python tests/quotations.py FOLDER``.

The book does not come with the papers. FOLDER holds their texts, one file or more each, whose names contain the first author's, as
``wang-``. The list, ``tests/quotations.json``, has a digest of every piece of a quotation, from cut ("…") to cut: of those that
stand in the text word by word, and of those whose words our copy interrupts by the debris of a formula or a page, which somebody
compared by eye. ``tests/test_claims.py`` asks that the list has every piece of every row.
"""

import hashlib
import json
import re
import sys
import unicodedata
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LIST = ROOT / "tests" / "quotations.json"
FORMULA = r"\$[^$]*\$"
TYPES = r"\\(left|right|mathbf|mathbb|boldsymbol|mathrm|text)\b"
INTACT = {"tenenbaum2021", "wang2022"}  # formulas of the other copies are damaged, and not compared
LONGEST = 170  # letters of a formula, or of what is left of it
BY_EYE = (  # what our copy of Li, Zhou, Ji interrupts: a number that became a link, lines that moved
    "is an unbiased estimator of $\\sum_iy_i$, and the error is sub-Gaussian with variance",
    "the DP-PE algorithm with the shuffle model PIVATIZER specified in Algorithm 4 achieves expected regret",
    "is $(\\varepsilon,\\delta)$-SDP, unbiased, and has error distribution which is sub-Gaussian with variance",
    "has error distribution which is sub-Gaussian with variance",
)


def letters(text: str) -> str:
    """Return the letters and digits of a text: copies differ in spaces, hyphens and signs."""
    return re.sub(r"[^a-z0-9]+", "", unicodedata.normalize("NFKD", text).lower())


def pieces(quotation: str) -> list[str]:
    """Return what stands between the cuts of a quotation."""
    return [piece.strip() for piece in re.split(r"…|\$\\l?dots\$", quotation) if letters(re.sub(FORMULA, "", piece))]


def digest(paper: str, piece: str) -> str:
    return hashlib.sha256(f"{paper}:{piece}".encode()).hexdigest()[:12]


def found(piece: str, text: str) -> bool:
    """Whether the words of a piece stand in a text (its letters) one after the other, but for formulas."""
    first, *rest = [words for words in map(letters, re.split(FORMULA, piece)) if words] or [""]
    ends = [match.end() for match in re.finditer(re.escape(first), text)]
    for words in rest:
        places = (range(end, min(end + LONGEST, len(text))) for end in ends)
        ends = sorted({start + len(words) for starts in places for start in starts if text.startswith(words, start)})
    return bool(ends)


def formulas(piece: str) -> list[str]:
    """Return the letters of a piece's formulas, without what sets brackets and types."""
    return [letters(re.sub(TYPES, "", formula)) for formula in re.findall(FORMULA, piece)]


def main(folder: Path) -> None:
    rows = [row for name in ("claims", "not_testable") for row in json.loads((ROOT / "book" / f"{name}.json").read_text("utf-8"))]
    listed: dict[str, list[str]] = {"found": [], "by eye": []}
    for paper in sorted({row["paper"] for row in rows}):
        files = [path for path in sorted(folder.iterdir()) if re.search(rf"(^|-){paper[:-4]}-", path.name)]
        source = " ".join(path.read_text("utf-8") for path in files)
        text, typed = letters(source), letters(re.sub(TYPES, "", source))
        for row in rows:
            for piece in pieces(row["quotation"]) if row["paper"] == paper else []:
                by_eye = any(piece.startswith(words) for words in BY_EYE)
                whole = paper in INTACT and all(formula in typed for formula in formulas(piece))
                if not by_eye and not (found(piece, text) and (whole or paper not in INTACT)):
                    sys.exit(f"{paper}, {row['item']}: not found: {piece}")
                listed["by eye" if by_eye else "found"].append(digest(paper, piece))
    LIST.write_text(json.dumps({kind: sorted(set(names)) for kind, names in listed.items()}, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
