"""Set, change or remove the public address of the book's repository.

The address lives in _config.yml, at repository.url. Setting one also switches on the buttons that need it,
writes a set-up cell for Colab below the title of each chapter and assignment, completes the commands of the page
"Get the code", and tells it in the citation, the package's metadata and the front page, its badges and its
picture (`repository_metadata.py`). Setting none puts every file back as it was, byte for byte. Nothing is written unless
everything can be.
`make repository URL=...` hands the address over in the environment, where no shell interprets it.
"""

import argparse
import json
import os
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import repository_hosts
from checkout import ROOT
from repository_metadata import cited, fronted, packaged

SETUP_CELL = "colab-setup"
NO_ADDRESS = "https://host/owner/name"  # stands for the address in the commands of the page
COMMANDS = "book/get_the_code.md"
METADATA = {"CITATION.cff": cited, "pyproject.toml": packaged, "README.md": fronted}


def checked(url: str) -> str:
    """Return the address without a trailing slash or `.git`; raise ValueError if it is not a repository's."""
    clean = url.strip().rstrip("/").removesuffix(".git")
    if not clean:
        return ""
    parts = urlsplit(clean)
    names = [name for name in parts.path.split("/") if name]
    if (
        parts.scheme not in ("http", "https")
        or not re.fullmatch(r"[A-Za-z0-9.-]+(:[0-9]+)?", parts.netloc)
        or len(names) < 2
        or not all(re.fullmatch(r"[A-Za-z0-9._~-]+", name) for name in names)
        or parts.query
        or parts.fragment
    ):
        raise ValueError(
            f"URL={url!r} is not the web address of a repository; it has to look like "
            f"{NO_ADDRESS} (or be empty, to remove the address)"
        )
    return clean


def settings(url: str) -> dict[str, str]:
    """Return the values in _config.yml that follow from the address, as they stand there."""
    host = repository_hosts.host(url)
    launches, shows = host in repository_hosts.LAUNCHES, host in repository_hosts.SHOWS_SOURCE
    return {
        "url": f'"{url}"',
        "binderhub_url": '"https://mybinder.org"' if launches else '""',
        "colab_url": '"https://colab.research.google.com"' if launches else '""',
        "use_repository_button": str(shows).lower(),
        "use_edit_page_button": str(shows).lower(),
        "use_issues_button": str(shows).lower(),
    }


def configured(text: str, url: str) -> str:
    """Return the text of _config.yml with the address set."""
    for key, value in settings(url).items():
        text, found = re.subn(rf"(?m)^( +{key}:) .*$", lambda match, v=value: f"{match[1]} {v}", text)
        if found != 1:
            raise ValueError(f"_config.yml has {found} lines '{key}:' where one is expected")
    return text


def setup_cell(url: str) -> dict[str, Any]:
    """Make the cell that installs the package on Colab, and does nothing anywhere else."""
    source = [
        "# On Google Colab this installs the book's package; anywhere else it does nothing.\n",
        "import sys\n",
        "\n",
        'if "google.colab" in sys.modules:\n',
        f'    %pip install -q "bandits-dp[plots] @ git+{url}"',
    ]
    return {
        "cell_type": "code",
        "execution_count": None,
        "id": SETUP_CELL,
        "metadata": {"tags": ["remove-cell"]},
        "outputs": [],
        "source": source,
    }


def title_index(cells: list[dict[str, Any]]) -> int:
    """Return the index of the cell with the notebook's title."""
    for index, cell in enumerate(cells):
        if cell["cell_type"] == "markdown" and re.search(r"(?m)^# ", "".join(cell["source"])):
            return index
    raise ValueError("has no title (a Markdown cell with a line '# ...')")


def with_setup(text: str, url: str) -> str:
    """Return the text of a notebook with the set-up cell for `url`, or without one if that is empty."""
    notebook = json.loads(text)
    end = text[len(text.rstrip("\n")) :]
    if json.dumps(notebook, indent=1, ensure_ascii=False) + end != text:
        raise ValueError("is not laid out as Jupyter does it; run make notebooks first")
    cells = [cell for cell in notebook["cells"] if cell.get("id") != SETUP_CELL]
    if url:
        cells.insert(title_index(cells) + 1, setup_cell(url))
    notebook["cells"] = cells
    return json.dumps(notebook, indent=1, ensure_ascii=False) + end


def text_of(path: Path) -> str:
    """Read a file as it is, with the ends of lines that it has."""
    return path.read_bytes().decode("utf-8")


def rewrite(root: Path, url: str) -> list[Path]:
    """Set the address in the checkout at `root` and return the files that changed."""
    config = root / "_config.yml"
    commands, settings_now = root / COMMANDS, text_of(config)
    now = re.search(r'(?m)^  url: "(.+)"$', settings_now)
    address = rf"(git clone |git\+){re.escape(now[1] if now else NO_ADDRESS)}(?![\w/-])"
    texts = {
        config: configured(settings_now, url),
        commands: re.sub(address, lambda match: match[1] + (url or NO_ADDRESS), text_of(commands)),
    }
    texts |= {root / name: told(text_of(root / name), url) for name, told in METADATA.items()}
    for path in sorted([*(root / "notebooks").glob("*.ipynb"), *(root / "notebooks" / "assignments").glob("*.ipynb")]):
        try:
            texts[path] = with_setup(text_of(path), url)
        except (ValueError, KeyError) as error:
            raise ValueError(f"{path.relative_to(root)} {error}") from error
    changed = {path: text for path, text in texts.items() if text_of(path) != text}
    replace(changed)
    return list(changed)


def replace(texts: Mapping[Path, str]) -> None:
    """Write files; none of them takes its place before all are on the disk."""
    drafts = {path: path.with_name(f".{path.name}.tmp") for path in texts}
    try:
        for path, draft in drafts.items():
            draft.write_bytes(texts[path].encode())
        for path, draft in drafts.items():
            os.replace(draft, path)
    finally:
        for draft in drafts.values():
            draft.unlink(missing_ok=True)


def main() -> int:
    """Set the address that the variable URL holds and say what changed."""
    argparse.ArgumentParser(description=__doc__.splitlines()[0]).parse_args()
    if "URL" not in os.environ:
        print("Say which: make repository URL=https://host/owner/name (URL= removes it)", file=sys.stderr)
        return 1
    try:
        url = checked(os.environ["URL"])
        changed = rewrite(ROOT, url)
    except ValueError as error:
        print(error, file=sys.stderr)
        return 1
    print(f"The repository's address is {url}." if url else "No repository's address is set.")
    for path in changed:
        print(f"  changed {path.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
