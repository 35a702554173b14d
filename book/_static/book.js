// The name of the place that the address asks for; nothing if what stands there is no text, as "#%".
function askedPlace() {
  try {
    return decodeURIComponent(location.hash.slice(1));
  } catch {
    return "";
  }
}

// Let the fields of a form have what the address says of them by name; what is no field, or no value of it, changes nothing.
function fillFromAddress(fields) {
  for (const [name, value] of new URLSearchParams(location.search)) {
    const field = fields.find((one) => one.name === name), usual = field?.value;
    if (!field) continue;
    field.value = value;
    if (!field.value) field.value = usual;
  }
}

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
    for (const box of article.querySelectorAll(BOXES)) box.tabIndex = 0; // until it is measured
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

// Beside a link to a theorem, an algorithm or another box stands what it says, for who hovers, and for who comes by keyboard; for
// these, what a citation cites, too. Escape takes it away. Touch follows the link.
document.addEventListener("DOMContentLoaded", function () {
  "use strict";
  const article = document.querySelector("article");
  if (!article) return;
  const card = document.createElement("div");
  card.className = "beside";
  card.hidden = true;
  card.setAttribute("aria-hidden", "true"); // who listens follows the link
  const pages = {};
  let wanted = null, soon = 0;
  async function boxOf(link) {
    const [address, label] = link.href.split("#");
    if (!label) return null;
    const here = address === location.href.split(/[?#]/)[0];
    if (!here && location.protocol === "file:") return null; // which may not read another page
    const page = here ? document : await (pages[address] ??= fetch(address).then((answer) => answer.text())
      .then((text) => new DOMParser().parseFromString(text, "text/html")));
    return page.getElementById(decodeURIComponent(label))?.closest("div.proof, div.exercise");
  }
  async function show(link, byKeyboard) {
    wanted = link;
    const box = /#(?!$)/.test(link.href) && !link.matches(".headerlink") ? await boxOf(link).catch(() => null) : null;
    const noted = getComputedStyle(link, "::after").float !== "none"; // margin.css shows its title beside the text
    if (wanted !== link || (!box && !(byKeyboard && link.title && !noted))) return;
    card.replaceChildren(box ? box.cloneNode(true) : link.title);
    for (const part of card.querySelectorAll("[id], [tabindex], details, .headerlink")) {
      part.matches("details, .headerlink") ? part.remove() : ["id", "tabindex"].forEach((name) => part.removeAttribute(name));
    }
    for (const inner of card.querySelectorAll("a")) inner.replaceWith(...inner.childNodes);
    article.append(card);
    card.hidden = false;
    const place = link.getClientRects()[0], own = card.getBoundingClientRect(), low = place.bottom + 6;
    card.style.left = `${Math.max(8, Math.min(place.left, innerWidth - own.width - 24))}px`;
    card.style.top = `${low + own.height < innerHeight ? low : Math.max(8, place.top - own.height - 6)}px`;
  }
  function hide() {
    clearTimeout(soon);
    wanted = null;
    card.hidden = true;
  }
  const later = (act, time) => {
    clearTimeout(soon);
    soon = setTimeout(act, time);
  };
  article.addEventListener("pointerover", function (event) {
    if (event.pointerType !== "mouse") return;
    const link = event.target.closest("a.internal[href*='#']");
    if (event.target.closest(".beside") || (link && link === wanted)) clearTimeout(soon);
    else if (link) later(() => show(link, false), 250);
    else if (wanted) later(hide, 250);
    else clearTimeout(soon);
  });
  article.addEventListener("focusin", (event) => event.target.matches("a.internal:focus-visible") && show(event.target, true));
  article.addEventListener("focusout", hide);
  addEventListener("keydown", (event) => event.key === "Escape" && hide());
  addEventListener("scroll", hide, { passive: true });
});

// The menus in an article's header: one is open at a time, and a click anywhere, Escape or going on takes it away.
(function () {
  "use strict";
  const toggle = (button, open) => {
    button.setAttribute("aria-expanded", open);
    button.nextElementSibling.classList.toggle("show", open);
  };
  const MENU = "button[data-bs-toggle=dropdown]";
  const close = (except) => document.querySelectorAll(`${MENU}[aria-expanded=true]`).forEach((one) => one !== except && toggle(one, false));
  addEventListener("click", function (event) {
    const button = event.target.closest(MENU);
    close(button);
    if (button) toggle(button, button.getAttribute("aria-expanded") !== "true");
  });
  addEventListener("keydown", function (event) {
    const open = event.key === "Escape" && document.querySelector(`${MENU}[aria-expanded=true]`);
    if (!open) return;
    close();
    open.focus();
  });
  addEventListener("focusin", (event) => close(event.target.closest(".dropdown")?.querySelector(MENU)));
})();
