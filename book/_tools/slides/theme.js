// Light or dark, before anything is drawn: as chosen last time, else as the system says; paper is light.
(function () {
  "use strict";
  const root = document.documentElement, KEY = "slides-theme";
  const remembered = () => {
    try {
      return ["light", "dark"].find((theme) => theme === localStorage.getItem(KEY));
    } catch {
      return null; // some browsers keep nothing for pages opened from a file
    }
  };
  const system = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  root.dataset.theme = /print-pdf/i.test(location.search) ? "light" : remembered() || system;
  window.switchTheme = () => {
    root.dataset.theme = root.dataset.theme === "dark" ? "light" : "dark";
    try {
      localStorage.setItem(KEY, root.dataset.theme);
    } catch {
      // it holds for this visit
    }
  };
}());
