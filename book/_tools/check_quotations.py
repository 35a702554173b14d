"""Look up every quotation of the claims ledger in the papers' texts, given a folder with one text file a paper.

    .venv/bin/python book/_tools/check_quotations.py FOLDER

The texts are not part of this repository. Letters and digits are compared, so that line breaks, hyphens and ligatures do not
matter; what stands between dollar signs is left out, because extraction damages formulas, and `...` stands for words left out.
"""

import argparse
import json
import re
import sys
import unicodedata
from pathlib import Path

from checkout import ROOT

ROWS = ("claims.json", "not_testable.json")


def letters(text: str) -> str:
    """Keep letters and digits only, in their plain form."""
    return re.sub(r"[\W_]", "", unicodedata.normalize("NFKC", text)).lower()


def lost(quotation: str, text: str) -> list[str]:
    """List the pieces of a quotation that a text, reduced to letters, does not hold in this order."""
    place, missing = 0, []
    for piece in re.split(r"\.\.\.|…|\$[^$]*\$", quotation):
        found = text.find(letters(piece), place)
        if found < 0:
            missing.append(piece.strip())
        else:
            place = found
    return missing


def main() -> int:
    """Check all rows and name what is not in the texts."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    texts = [letters(path.read_text("utf-8")) for path in sorted(parser.parse_args().folder.glob("*.txt"))]
    rows = [row for name in ROWS for row in json.loads((ROOT / "book" / name).read_text("utf-8")) if row.get("quotation")]
    bad = 0
    for row in rows:
        if missing := min((lost(row["quotation"], text) for text in texts), key=len):
            bad += 1
            print(f"{row['paper']}, {row['item']}: not in any text: {missing}")
    print(f"{len(rows)} quotations, {bad} not found")
    return int(bool(bad))


if __name__ == "__main__":
    sys.exit(main())
