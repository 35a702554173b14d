// Small help for pages opened straight from their files.
(function () {
  "use strict";
  // A browser does not let a page read other files, so the search cannot show excerpts there; its results still come.
  if (location.protocol === "file:" && typeof DOCUMENTATION_OPTIONS !== "undefined") {
    DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false;
  }
})();
