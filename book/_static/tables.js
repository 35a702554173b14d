// Filter and sort the tables that one can browse. The page is whole without this; the form shows only with it. What a reader
// chooses stands in the page's address, so that it can be linked to: claims.html?outcome=open&paper=li2022.
document.addEventListener("DOMContentLoaded", function () {
  "use strict";
  const form = document.querySelector("form.browse-form");
  if (!form) return;
  const fields = Array.from(form.querySelectorAll("select, input"));
  const count = form.querySelector("output");
  const bodies = Array.from(document.querySelectorAll("table.browse:not(.browse-counts) tbody"));
  const rows = bodies.flatMap((body) => Array.from(body.rows));
  const places = new Map(rows.map((row, place) => [row, place]));
  const texts = new Map(rows.map((row) => [row, row.textContent.toLowerCase()]));

  function chosen() {
    return Object.fromEntries(fields.map((field) => [field.name, field.value.trim()]));
  }
  function fits(row, choice) {
    for (const [name, value] of Object.entries(choice)) {
      if (!value || name === "order") continue;
      const own = row.getAttribute("data-" + name) ?? "";
      // A row of the notation stands for several chapters.
      if (name === "words" ? !texts.get(row).includes(value.toLowerCase()) : own !== value && !own.split("|").includes(value)) return false;
    }
    return true;
  }
  function compare(order) {
    // Rows that agree stay as they are in the book.
    const key = (row) => (order === "item" ? row.querySelector(".item .browse-cell > *").textContent : row.getAttribute("data-" + order)) ?? "";
    const rank = new Map(Array.from(form.elements[order]?.options ?? [], (option, place) => [option.value, place]));
    return function (one, other) {
      if (!order) return places.get(one) - places.get(other);
      const [a, b] = [key(one), key(other)];
      const known = rank.has(a) && rank.has(b) ? rank.get(a) - rank.get(b) : a.localeCompare(b, "en", { numeric: true });
      return known || places.get(one) - places.get(other);
    };
  }
  let order = "";
  function show() {
    const choice = chosen();
    for (const row of rows) row.hidden = !fits(row, choice);
    if ((choice.order ?? "") !== order) {
      order = choice.order;
      for (const body of bodies) body.append(...Array.from(body.rows).sort(compare(order)));
    }
    for (const body of bodies) {
      const part = body.closest("section section section") ?? body.closest("table");
      part.hidden = Array.from(body.rows).every((row) => row.hidden);
    }
    const left = rows.filter((row) => !row.hidden).length;
    count.textContent = `${left} of ${rows.length} ${count.dataset.rows}`;
  }
  function remember() {
    const choice = Object.entries(chosen()).filter(([, value]) => value);
    const query = new URLSearchParams(choice).toString();
    history.replaceState(null, "", (query ? "?" + query : location.pathname) + location.hash);
  }
  fillFromAddress(fields);
  form.hidden = false;
  form.addEventListener("input", function () {
    show();
    remember();
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", function () {
    setTimeout(function () {
      show();
      remember();
    });
  });
  show();
  // The form and the filter have moved what the address points at.
  document.getElementById(askedPlace())?.scrollIntoView();
});
