"""What the site makes of its address: below a folder of a host, at addresses that are wrong, and with nonsense in what it reads."""

from collections.abc import Iterator
from urllib.parse import quote
from urllib.request import urlopen

import pytest
import yaml
from pages import CHAPTERS, DESKTOP, Address, Quiet, served
from playwright.sync_api import Browser, Page, expect

import lost
from checkout import ROOT, SITE

BUILT_FOR = lost.whole(yaml.safe_load((ROOT / "_config.yml").read_text("utf-8"))["html"]["baseurl"])
FONTS = "[...document.fonts].some((one) => one.family === 'Newsreader' && one.status === 'loaded')"
# Every address on a page as the browser understands it.
LINKS = """() => [...document.querySelectorAll("a[href], link[href], script[src], img[src], form[action]")]
  .map((e) => e.href || e.src || e.action)"""


class Host(Quiet):
    """Serves the site below a folder, and as GitHub Pages does its page for wrong addresses, made for the address `told`."""

    folder, told = "/", ""

    def translate_path(self, path: str) -> str:
        return super().translate_path(path.removeprefix(self.folder) if path.startswith(self.folder) else "/no such file")

    def send_error(self, code: int, *told: object) -> None:
        page = (SITE / "404.html").read_text("utf-8")
        assert lost.base(BUILT_FOR) in page
        self.send_response(code)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(page.replace(lost.base(BUILT_FOR), lost.base(self.told)).encode())


@pytest.fixture(scope="module")
def host(build: list[str]) -> Iterator[str]:
    yield from served(Host)


def answered(link: str) -> bool:
    try:
        with urlopen(link, timeout=20) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False


@pytest.mark.parametrize(("folder", "told", "script"), [
    ("/a/b/", "{}/a/b/", True), ("/a/b/", "{}/a/b/", False), ("/a/b/", "https://a.github.io/b/", True), ("/a/b/", "", True),
    ("/", "", False), ("/", "https://a.github.io/b/", True)])
def test_a_wrong_address_shows_a_whole_page(browser: Browser, host: str, monkeypatch: pytest.MonkeyPatch, folder: str, told: str,
                                            script: bool) -> None:
    """Below a folder all its 65 links and its styles came from the host's root, where a project site is not.

    Who knows the site's address, or has the site at the root, needs no script and asks for nothing in vain.
    """
    monkeypatch.setattr(Host, "folder", folder)
    monkeypatch.setattr(Host, "told", told.format(host))
    site, known, failed = f"{host}{folder}", told.startswith("{") or (folder == "/" and not told), list[str]()
    with browser.new_context(viewport=DESKTOP, java_script_enabled=script) as context:
        context.on("response", lambda answer: failed.append(answer.url) if answer.status >= 400 else None)
        page = context.new_page()
        page.on("pageerror", lambda error: failed.append(str(error)))
        for wrong in ("nonsense/deep/page.html", "x", "book/no.html", "nonsense/deep/page.html?x=%E0#%"):
            failed.clear()
            page.goto("about:blank")
            page.goto(site + wrong)
            page.evaluate("document.fonts.ready")
            own = (site + wrong).partition("#")[0]
            assert own in failed and not (known and {*failed} - {own}), failed
            assert all(text.startswith(host) for text in failed), failed
            expect(page.locator("article h1")).to_have_text("No such page")
            assert page.evaluate(FONTS)
            links = {link.partition("#")[0] for link in page.evaluate(LINKS)}
            inside = {link for link in links if link.startswith(site)}
            assert len(inside) > 60 and not [link for link in inside if not answered(link)]
            assert all(link.startswith("https://") for link in links - inside), "no link leaves the site's folder"
        if script:
            page.locator("button.search-button-field:visible").click()
            page.locator("dialog[open] input[type=search]").fill("shuffle")
            page.keyboard.press("Enter")
            page.wait_for_url(f"{site}search.html?q=shuffle*")
            page.locator("ul.search li a").first.wait_for()
            page.goto(f"{site}old/page.html#thm-root")  # of a page that is gone the box is found where it stands now
            page.wait_for_url(f"{site}notebooks/*.html#thm-root")


def test_two_slashes_in_a_wrong_address_name_no_other_host(browser: Browser, host: str, server: str) -> None:
    """Or whoever makes a link could let the page take its scripts from his host."""
    with browser.new_context() as context:
        page = context.new_page()
        page.goto(f"{host}//{server.removeprefix('http://')}/x.html")
        assert page.evaluate("document.baseURI").startswith(f"{host}/")


def test_the_page_for_wrong_addresses_is_whole_from_its_file(browser: Browser, address: Address) -> None:
    with browser.new_context(viewport=DESKTOP) as context:
        page = context.new_page()
        page.goto(address("file", "404.html"))
        links = [link for link in page.evaluate(LINKS) if not link.startswith("https://")]
        assert len(links) > 60 and all(link.startswith(SITE.as_uri()) for link in links) and page.evaluate(FONTS)


FORMS = ["book/claims.html", "book/catalogue.html", "book/notation.html", "book/contest.html", "book/which.html"]
# What a form reads from an address, and words that are a property of every form or object.
FIELDS = """() => [...document.querySelectorAll("form:not(.bd-search) :is(input, select)")].map((e) => [e.name, e.type])"""
NO_FIELDS = ["length", "item", "0", "elements", "reset", "constructor", "__proto__", ""]
NONSENSE = ["nonsense", "%E0%A4%A", "constructor", "__proto__", "-", "1e999", "<b>", "NaN"]
SEEN = """() => [document.querySelector("article").textContent, document.querySelectorAll("article [hidden]").length,
  [...document.querySelectorAll("form:not(.bd-search) :is(input, select)")].map((e) => e.value)]"""


@pytest.mark.parametrize("name", FORMS)
def test_nonsense_in_what_a_form_reads_changes_nothing(page: Page, address: Address, name: str) -> None:
    """`?length=1` threw, a value that a field does not have emptied it, and so did any parameter the trust model."""
    page.goto(address("http", name))
    usual, fields = page.evaluate(SEEN), page.evaluate(FIELDS)
    assert fields
    closed = [key for key, kind in fields if kind not in ("text", "search")]
    for keys, value in [*((closed, nonsense) for nonsense in NONSENSE), (NO_FIELDS, "1"), (NO_FIELDS, "nonsense")]:
        page.goto(address("http", f"{name}?{'&'.join(f'{key}={value}' for key in keys)}"))
        assert page.evaluate(SEEN) == usual, (keys, value)


@pytest.mark.parametrize("query", ["epsilon=800&visits=2", "horizon=1e22", "arms=1e300", "dimension=1e30&kind=linear"])
def test_numbers_too_large_for_a_learner_are_told_and_not_used(page: Page, address: Address, query: str) -> None:
    """The code had `delta=NaN` and `horizon=1e+22`."""
    page.goto(address("http", f"book/which.html?{query}"))
    expect(page.locator(".which-told p")).to_contain_text("Out of range, and so not used: ")
    code = page.locator(".which-answer:visible .which-code").text_content() or ""
    assert "bdp.make(" in code and not [word for word in ("NaN", "e+", "Infinity", "undefined") if word in code]


@pytest.mark.parametrize("place", ["%", "%E0%A4%A", "constructor", "__proto__", "<b>", "'", '"', "]", "a b"])
def test_nonsense_for_a_place_on_a_page_leads_nowhere(page: Page, address: Address, place: str) -> None:
    """`#%` threw "URI malformed" on every page."""
    for name in (CHAPTERS[0], *FORMS[-2:]):
        page.goto(address("http", f"{name}#{place}"))
        page.wait_for_load_state("networkidle")
        assert page.url.startswith(address("http", f"{name}#"))


@pytest.mark.parametrize("word", ["constructor", "__proto__", "hasOwnProperty", "%E0%A4%A1", "constructor regret", "(", "*+?["])
def test_the_search_takes_any_word(page: Page, address: Address, word: str) -> None:
    """Each object's own "constructor" was taken for an entry of the index, and the search never ended."""
    page.goto(address("http", f"search.html?q={quote(word)}"))
    page.wait_for_function("/Search finished|did not match/.test(document.querySelector('p.search-summary').innerText)")
    assert not page.locator("ul.search a[data-score=NaN]").count()


@pytest.mark.parametrize("kept", ["nonsense", "{", "null", ""])
def test_nonsense_that_a_browser_kept_is_no_theme(page: Page, address: Address, kept: str) -> None:
    """A page was drawn in a theme that no style sheet knows until its scripts ran, which said so in the console."""
    theme = "document.documentElement.dataset.theme"
    page.goto(address("http", CHAPTERS[0]))
    page.evaluate("(kept) => ['mode', 'theme', 'sphinx_highlight_terms'].forEach((key) => localStorage.setItem(key, kept))", kept)
    page.evaluate("(kept) => sessionStorage.setItem('sidebar-scroll-top', kept)", kept)
    page.reload()
    assert page.evaluate(theme) == "light" and page.evaluate("document.documentElement.dataset.mode") == "auto"
