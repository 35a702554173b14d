// Content moves between pages while its labels stay. If this page does not hold what the address asks for, ask where it is.
(function () {
  "use strict";
  function look() {
    const label = askedPlace();
    if (!label || document.getElementById(label) || document.getElementsByName(label).length) return;
    const root = document.documentElement.dataset.content_root;
    const known = document.createElement("script");
    known.src = root + "_static/labels.js";
    known.onload = function () {
      const place = Object.hasOwn(window.bookLabels, label) ? window.bookLabels[label] : "";
      const [page, anchor] = place.split("#");
      const there = new URL(root + page + "#" + (anchor ?? label), document.baseURI);
      if (page && there.pathname !== location.pathname) location.replace(there);
    };
    document.head.append(known);
  }
  document.addEventListener("DOMContentLoaded", look);
  window.addEventListener("hashchange", look);
})();
