"""Sphinx extension: a page loads one style sheet, and only the scripts that something on it uses.

The themes put all of theirs on every page. When the book is written, this takes away what no page of this book needs, and joins
the style sheets in their order, as far as a page can use them; scripts wait until a page is read, and lay out no more of it than is
seen. It may run again over pages that it has seen. What another host would have to serve stops the build.
"""

import hashlib
import re
from collections.abc import Iterable, Set
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Any

from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

# Icons are drawn by icons.css, folds open by themselves (folds.py), menus by book.js, nothing has tabs, and thebe is not used.
UNUSED = ("scripts/fontawesome.js", "scripts/bootstrap.js", "togglebutton.js", "design-tabs.js", "sphinx-thebe.js")
UNUSED_STYLES = ("/togglebutton.css", "/sphinx-thebe.css", "/proof.css", "/exercise.css")
# Only the search page searches; the dialog of every other page leads there.
SEARCHING = ("searchtools.js", "language_data.js", "searchindex.js")
BESIDE = "beside-contents"  # of a page that has some
TABLES = ("labels.js", "search_counts.js")  # which only hold words
SCRIPT = re.compile(r'<script\b[^>]*\bsrc="([^"?]+)[^>]*></script>\n?|<script>[^<]*togglebutton[^<]*</script>\n?', re.IGNORECASE)
VIEWPORT = re.compile(r'<meta name="viewport"[^>]*>\n?')
STYLE = re.compile(r'<link\b(?=[^>]*\brel="stylesheet")[^>]*\bhref="([^"?]+)[^>]*>\n?')
# Scripts wait, so nothing of them is worth fetching before the text; the text's faces are, lest its lines move when they come. (A
# page that is opened without a server may not.)
EARLY_SCRIPT = re.compile(r'<link rel="preload" as="script"[^>]*>\n?')
FACES = ["newsreader/newsreader-latin-wght-normal", "instrument-sans/instrument-sans-latin-wght-normal"]
EARLY_FACES = """<script>if (location.protocol !== "file:") for (const face of %s)
  document.head.append(Object.assign(document.createElement("link"),
    {rel: "preload", as: "font", crossOrigin: "", href: `%s_static/vendor/${face}.woff2`}));</script>
"""
# The script of a moving figure, which many pages have alike.
FIGURE = re.compile(r"(?s)<script>((?:(?!</script>).)+\bstartAll\([^()]*\);\s*\}\(\)\);\s*)</script>")
# The theme measures every box that may scroll as soon as a page is read, which lays out all of a chapter before its first lines are
# shown; book.js does the same a section at a time.
MEASURING = re.compile(r"function (\w+)\(\)\{const (\w)=\(\)=>\{document\.querySelectorAll\(\[\"pre\".*?,\2\(\)\}(?=function )")
# The theme puts on the page whatever its browser keeps under these names, and has no colours for other words than three.
KEPT = re.compile(r'localStorage\.getItem\("(mode|theme)"\) \|\| "(\w+)"')
# Extensions give each proof, exercise and solution the same name within; a function of that name keeps its own.
SAME_NAME = re.compile(r'(?<!"viewcode-block") id="(?:proof|exercise|solution)(?:-content)?"')
TEST = re.compile(r'(?<=<span class="pre">)test_\w+(?=</span>)')  # a name that may break after an underscore, and nowhere else
ADDRESS = re.compile(r"url\((['\"]?)(?!data:|https?:|#|/)([^'\")]+)\1\)")
NAMING = re.compile(r'(?s)class="([^"]*)"|<script\b[^>]*>(.*?)</script>')
WORD = re.compile(r"[A-Za-z_][\w-]*")
COMMENT = re.compile(r"(?s)/\*.*?\*/")
RULE = re.compile(r"""((?:"[^"]*"|[^{}"])*;)?((?:"[^"]*"|[^{}"])*)\{((?:"[^"]*"|[^{}"])*)\}""")  # that holds no other
# What stands in brackets, at most three deep, as in :not(.name), may be there or not.
ASIDE = re.compile(r"\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)|\[[^\]]*\]")
SELECTOR = re.compile(rf"(?:{ASIDE.pattern}|[^,(\[])+")
CLASS = re.compile(r"\.((?:[A-Za-z_-]|\\.)(?:[\w-]|\\.)*)")


def keep_local(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: object) -> None:
    """Leave each script once on a page and thebe, whose settings name a remote host, nowhere; refuse what is remote."""
    kept = {}
    for script in context.get("script_files", []):
        name = str(getattr(script, "filename", script) or "")
        body = str((getattr(script, "attributes", None) or {}).get("body", ""))
        if "thebe" not in f"{name} {body}".lower():
            kept.setdefault((name, body), script)
    context["script_files"] = list(kept.values())
    for asset in [*kept.values(), *context.get("css_files", [])]:
        name = str(getattr(asset, "filename", asset) or "")
        if name.startswith(("http:", "https:", "//")):
            raise ExtensionError(f"{page} would load {name} from another host; vendor it in book/_static")


def finish(app: Sphinx, failure: Exception | None) -> None:
    if failure or app.builder.format != "html":
        return
    site = Path(app.outdir)
    script = site / "_static" / "scripts" / "pydata-sphinx-theme.js"
    theme, changes = MEASURING.subn(r"function \1(){}", script.read_text("utf-8"))
    if not changes and "clientWidth" in theme:
        raise ExtensionError(f"{script.name} measures boxes in a way that light_pages.py does not know")
    script.write_text(theme, "utf-8")
    pages = [page for page in sorted(site.rglob("*.html")) if page.relative_to(site).parts[0] != "_static"]
    scripts = (path for path in (site / "_static").rglob("*.js") if not path.as_posix().endswith(TABLES + UNUSED))
    known = frozenset({BESIDE} | names(*((path.read_text("utf-8") for path in paths) for paths in (pages, scripts))))
    for page in pages:
        lighten(page, site, known)


def lighten(page: Path, site: Path, known: frozenset[str]) -> None:
    """Take away what a page does not need, let its scripts wait, and join its style sheets."""
    text = page.read_text("utf-8")
    unused = UNUSED + SEARCHING * (page.name != "search.html") + ("/tables.js",) * ("browse-form" not in text)
    light = SCRIPT.sub(lambda found: "" if not found[1] or found[1].endswith(unused) else found[0], text)
    # The first script is a few settings, which the others and some lines of the page ask for.
    settings = (site / "_static" / "documentation_options.js").read_text("utf-8").strip()
    light = re.sub(r'<script src="[^"]*documentation_options\.js[^"]*"></script>', lambda _: f"<script>{settings}</script>", light)
    light = re.sub(r"<title>(.+?) &#8212; \1</title>", r"<title>\1</title>", light)  # the welcome is called as the book
    light = KEPT.sub(r'["auto", "dark", "light"].find((one) => one === localStorage.getItem("\1")) ?? "\2"', light)
    first, mark, rest = light.partition('name="viewport"')
    light = first + mark + VIEWPORT.sub("", rest)  # each theme adds its own
    light = EARLY_SCRIPT.sub("", re.sub(r'<script src="', '<script defer src="', light))
    # A button is called what it says, "Search Ctrl+K", so that one can say that to it.
    light = re.sub(r'(<button class="btn search-button-field[^>]*?) aria-label="Search"', r"\1", light)
    # What a list holds are list items; docutils' role for an entry of a bibliography is out of use.
    light = light.replace('role="doc-biblioentry"', 'role="listitem"').replace(" data-bs-title=", " title=")
    light = TEST.sub(lambda found: found[0].replace("_", "_<wbr>"), SAME_NAME.sub("", light))
    # The contents come after the text, which must not move when they do.
    if 'class="bd-sidebar-secondary' in light:
        light = light.replace('<div class="bd-content">', f'<div class="bd-content {BESIDE}">', 1)
    sheets = [found[1] for found in STYLE.finditer(light) if not found[1].endswith(UNUSED_STYLES)]
    if len(sheets) > 1:
        up = sheets[0].partition("_static/")[0]
        joined = share(join(tuple(sheet.removeprefix(f"{up}_static/") for sheet in sheets), site / "_static", known), site, "css")
        links = iter([EARLY_FACES % (FACES, up) + f'<link rel="stylesheet" href="{up}{joined}" />\n'])
        light = STYLE.sub(lambda _: next(links, ""), light)
        light = FIGURE.sub(lambda found: f'<script defer src="{up}{share(found[1], site, "js")}"></script>', light)
    if light != text:
        page.write_text(light, "utf-8")


def share(text: str, site: Path, kind: str) -> str:
    """Write a file for all pages under a name of its content, and return that."""
    name = f"_static/all-{hashlib.sha256(text.encode()).hexdigest()[:10]}.{kind}"
    (site / name).write_text(text, "utf-8")
    return name


@cache
def join(sheets: tuple[str, ...], folder: Path, known: frozenset[str]) -> str:
    """Return one style sheet with what of `sheets` in `folder` can be used."""
    texts = []
    for name in sheets:
        sheet = PurePosixPath("basic.css" if name == "styles/theme.css" else name)  # which only imports that
        text = (folder / sheet).read_text("utf-8")
        text = ADDRESS.sub(lambda found: f"url({found[1]}{sheet.parent / found[2]}{found[1]})", text)  # noqa: B023
        texts.append(re.sub(r"@font-face\s*\{[^}]*Font Awesome[^}]*\}", "", text.replace(r"Font Awesome\ 6", "Font Awesome 6")))
    return used("\n".join(texts), known)


def names(pages: Iterable[str], scripts: Iterable[str]) -> set[str]:
    """Collect the classes of pages, and every word of scripts, which may make a class of it."""
    inside = (part for page in pages for found in NAMING.findall(page) for part in found)
    return {word for text in (*inside, *scripts) for word in WORD.findall(text)}


def used(text: str, known: Set[str]) -> str:
    """Return a style sheet without the selectors that no page can match; a browser reads all of it before it shows a line."""

    def kept(rule: re.Match[str]) -> str:
        before, selectors, inside = rule.groups("")
        if selectors.lstrip().startswith("@"):
            return rule[0] if inside.strip() else before
        left = [one.strip() for one in SELECTOR.findall(selectors)
                if known >= {name.replace("\\", "") for name in CLASS.findall(ASIDE.sub("", one))}]
        return f"{before}{','.join(left)}{{{inside.strip()}}}" if left else before

    text, last = COMMENT.sub("", text), ""
    while text != last:  # what held nothing but such rules goes next
        text, last = RULE.sub(kept, text), text
    return text


def setup(app: Sphinx) -> None:
    """Register the filter, after every other extension has had its turn, and the last step of a build."""
    app.connect("html-page-context", keep_local, priority=990)
    app.connect("build-finished", finish, priority=999)
