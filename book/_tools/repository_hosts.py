"""What follows from the address of a repository, at the hosts that are known: buttons of the book, and other addresses."""

from urllib.parse import urlsplit

LAUNCHES = {"github.com"}  # the theme can make buttons for Binder and Colab
SHOWS_SOURCE = {"github.com", "gitlab.com"}  # the theme can make buttons for source, edit and issues

# Where a host has the list of issues, and a file of the branch main.
ISSUES = {
    "github.com": "{url}/issues",
    "gitlab.com": "{url}/-/issues",
    "codeberg.org": "{url}/issues",
}
FILES = {
    "github.com": "{url}/blob/main/{file}",
    "gitlab.com": "{url}/-/blob/main/{file}",
    "codeberg.org": "{url}/src/branch/main/{file}",
}
# Where a host gives the contents of a file of the branch main, such as a picture.
CONTENTS = {
    "github.com": "{url}/raw/main/{file}",
    "gitlab.com": "{url}/-/raw/main/{file}",
    "codeberg.org": "{url}/raw/branch/main/{file}",
}
# Where a host shows the pages that a repository publishes. (GitLab may choose an address that nobody can foretell.)
PAGES = {"github.com": "github.io", "codeberg.org": "codeberg.page"}


def host(url: str) -> str:
    """Return the host of an address, in small letters."""
    return urlsplit(url).netloc.lower()


def issues(url: str) -> str:
    """Return the address of the issues; empty if it is not known."""
    return ISSUES.get(host(url), "").format(url=url)


def shown(url: str, file: str) -> str:
    """Return where the host shows a file of the repository; empty if it is not known."""
    return FILES.get(host(url), "").format(url=url, file=file)


def contents(url: str, file: str) -> str:
    """Return where the host gives the contents of a file of the repository; empty if it is not known."""
    return CONTENTS.get(host(url), "").format(url=url, file=file)


def site(url: str) -> str:
    """Return the address of the published book; empty if it does not follow from the repository's."""
    domain = PAGES.get(host(url))
    names = [name for name in urlsplit(url).path.split("/") if name]
    if domain is None or len(names) != 2:
        return ""
    owner, name = names[0].lower(), names[1]
    alone = f"{owner}.{domain}" if domain == "github.io" else "pages"  # the repository of the owner's own site
    return f"https://{owner}.{domain}/" + ("" if name.lower() == alone else f"{name}/")
