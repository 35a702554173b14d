"""The repository's address in what others read about the book: the citation, the package's metadata, the front page.

Each function takes the text of a file and gives it back with what follows from an address, or, for none, without.
"""

import re

import repository_hosts

PICTURE = "book/_static/regret.svg"  # of the front page


def cited(text: str, url: str) -> str:
    """Return the text of CITATION.cff with the code's address and, where it is known, the published book's."""
    text = re.sub(r"(?m)^(?:repository-code|url): .*\n", "", text)
    values = {"repository-code": url, "url": repository_hosts.site(url)}
    lines = "".join(f'{key}: "{value}"\n' for key, value in values.items() if value)
    return after(text, r"(?m)^version: .*\n", lines, "CITATION.cff", "version: ...")


def packaged(text: str, url: str) -> str:
    """Return the text of pyproject.toml with the addresses that a package index shows."""
    text = re.sub(r"(?m)^\[project\.urls\]\n(?:[^\[\n].*\n)*\n", "", text)
    site = repository_hosts.site(url)
    values = {
        "Homepage": site or url,
        "Documentation": site,
        "Source": url,
        "Issues": repository_hosts.issues(url),
        "Changelog": repository_hosts.shown(url, "CHANGELOG.md"),
    }
    lines = "".join(f'{label} = "{value}"\n' for label, value in values.items() if value)
    table = f"[project.urls]\n{lines}\n" if url else ""
    return after(text, r"(?ms)^\[project\]\n.*?(?=^\[)", table, "pyproject.toml", "[project]")


def fronted(text: str, url: str) -> str:
    """Return the text of README.md with its picture's address, and at the host that runs the workflows a line of badges.

    A package index shows this text as well, and has no picture beside it.
    """
    text = re.sub(r"(?m)^\[!\[.*\n\n", "", text)
    where = repository_hosts.contents(url, PICTURE) or PICTURE
    text = re.sub(rf"(?m)^(!\[.*\]\()\S*?{PICTURE}\)$", lambda found: f"{found[1]}{where})", text)
    line = ""
    if repository_hosts.host(url) == "github.com":
        runs, binder = f"{url}/actions/workflows", "https://mybinder.org"
        repository = url.partition("github.com/")[2]
        badges = {  # name: picture, where it leads
            "Test": (f"{runs}/test.yml/badge.svg", f"{runs}/test.yml"),
            "Book": (f"{runs}/publish.yml/badge.svg", repository_hosts.site(url)),
            "Binder": (f"{binder}/badge_logo.svg", f"{binder}/v2/gh/{repository}/main?urlpath=lab/tree/notebooks"),
        }
        line = " ".join(f"[![{name}]({picture})]({there})" for name, (picture, there) in badges.items()) + "\n\n"
    return after(text, r"\A# .*\n\n", line, "README.md", "# (its title)")


def after(text: str, place: str, new: str, file: str, named: str) -> str:
    """Return `text` with `new` after what matches `place`; raise ValueError if there is not just one such place."""
    places = list(re.finditer(place, text))
    if len(places) != 1:
        raise ValueError(f"{file} has {len(places)} places '{named}' where one is expected")
    end = places[0].end()
    return text[:end] + new + text[end:]
