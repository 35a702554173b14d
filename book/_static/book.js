// Small help for pages opened straight from their files.
(function () {
  "use strict";
  // A browser does not let a page read other files, so the search cannot show excerpts there; its results still come.
  if (location.protocol === "file:" && typeof DOCUMENTATION_OPTIONS !== "undefined") {
    DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false;
  }
})();

// What is wider than its place, a formula or a box of code, scrolls there, and only while it does can the keyboard reach it, to
// scroll it: on a phone that is one here and there, on a desktop none. Everywhere else Tab goes past.
(function () {
  "use strict";
  function roomAround(formula) {
    let block = formula.parentElement;
    while (getComputedStyle(block).display === "inline") block = block.parentElement;
    const style = getComputedStyle(block);
    return block.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
  }
  function offer(box, scrolls) {
    if (scrolls) {
      box.tabIndex = 0;
      box.setAttribute("role", "group");
      box.setAttribute("aria-label", "Formula that scrolls sideways");
    } else if (box.hasAttribute("tabindex")) {
      for (const name of ["tabindex", "role", "aria-label"]) box.removeAttribute(name);
    }
  }
  function look(part, whole) {
    // First measure everything, then change what has to be: in turns, each change would lay out the page again.
    const own = (formula) => !whole || !formula.closest(SECTION);
    const inline = Array.from(part.querySelectorAll("span.formula")).filter(own).map(function (formula) {
      const widest = Math.max(0, ...Array.from(formula.querySelectorAll(".katex-base"), (base) => base.offsetWidth));
      return [formula, widest > 0 && widest > roomAround(formula) + 1];
    });
    const displayed = Array.from(part.querySelectorAll("div.formula > .katex-display")).filter(own).map(function (box) {
      return [box, box.scrollWidth > box.clientWidth];
    });
    const boxes = Array.from(part.querySelectorAll(BOXES)).filter(own).map(function (box) {
      return [box, box.scrollWidth > box.clientWidth || box.scrollHeight > box.clientHeight];
    });
    for (const [box, scrolls] of boxes) box.tabIndex = scrolls ? 0 : -1;
    for (const [formula, wide] of inline) {
      formula.classList.toggle("wide", wide);
      offer(formula, wide);
    }
    for (const [box, wide] of displayed) offer(box, wide);
  }
  // A section that is far away is not laid out yet (book.css), and measuring it would do so: its turn comes when it is.
  const BOXES = "pre, .cell_output > .output, .pst-scrollable-table-container";
  const SECTION = "article > section > section";
  const away = (part) => part.matches(SECTION) && part.firstElementChild.checkVisibility?.({ contentVisibilityAuto: true }) === false;
  const lookAt = (part) => away(part) || look(part, part.matches("article"));
  document.addEventListener("DOMContentLoaded", function () {
    const article = document.querySelector("article");
    if (!article) return;
    const parts = [article, ...document.querySelectorAll(SECTION)];
    // Comes once at the start, and whenever a fold opens, the window changes or a section is laid out.
    const changes = new ResizeObserver((entries) => entries.forEach((entry) => lookAt(entry.target)));
    for (const part of parts) changes.observe(part);
    document.fonts.ready.then(() => parts.forEach(lookAt));
  });
})();

// Who listens hears what a mark without words opens, and the keyboard scrolls a figure's numbers in browsers that need a tab stop.
document.addEventListener("DOMContentLoaded", function () {
  "use strict";
  for (const mark of document.querySelectorAll("nav.bd-links li > details > summary")) {
    const page = mark.parentElement.parentElement.querySelector("a");
    mark.setAttribute("aria-label", `Pages of ${page.textContent.trim()}`);
  }
  for (const box of document.querySelectorAll(".bdp-numbers > div")) {
    box.tabIndex = 0;
    box.setAttribute("role", "group");
    box.setAttribute("aria-label", "Numbers of the figure");
  }
});

// An excerpt in the search shows a formula once, as text; not also as a picture made of letters, nor its source.
document.addEventListener("DOMContentLoaded", function () {
  "use strict";
  if (typeof Search === "undefined") return; // only the search page has it
  const original = Search.htmlToText;
  Search.htmlToText = function (html, anchor) {
    const page = new DOMParser().parseFromString(html, "text/html");
    for (const part of page.querySelectorAll(".katex-html, annotation")) part.remove();
    return original(page.documentElement.outerHTML, anchor);
  };
});
