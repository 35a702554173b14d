// Makes every slide fit its sheet, then starts reveal.js.
(function () {
  "use strict";
  const WIDTH = 1280, HEIGHT = 720, SMALLEST = 0.56, LARGEST = 1.32, STEP = 0.04, FILLED = 0.56, FOOT = 40, LETTERS = 20;
  const GROWING = ["section", "points", "list", "goals", "box", "formula", "asked", "table", "code"];
  const deck = document.querySelector(".reveal");

  const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));
  const tooWide = (box) => box.scrollWidth > box.clientWidth + 1;
  const tooLow = (part) => part.offsetTop + part.offsetHeight > HEIGHT - FOOT;
  const tooLarge = (sheet) => [sheet, ...sheet.querySelectorAll("pre, .part")].some(tooWide)
    || sheet.scrollHeight > sheet.clientHeight + 1 || [...sheet.querySelectorAll(".part:not(.book)")].some(tooLow);
  const words = (sheet) => [...sheet.children].reduce((sum, part) => sum + part.offsetHeight, 0);

  // All letters of a slide grow by the same factor while most of the sheet is empty, or shrink until everything is on it.
  function fit(sheet) {
    const put = (size) => sheet.style.setProperty("--fit", size.toFixed(2));
    let size = 1;
    if (tooLarge(sheet)) {
      for (; size > SMALLEST && tooLarge(sheet); put(size)) size -= STEP;
    } else if (GROWING.includes(sheet.parentElement.classList[0])) {
      for (; size < LARGEST && words(sheet) < FILLED * HEIGHT && !tooLarge(sheet); put(size)) size += STEP;
      if (tooLarge(sheet)) put(size - STEP);
    }
  }

  // Letters of a drawing have one size, whatever the drawing's, as far as they do not touch.
  function fitLetters(svg) {
    const { width, height } = svg.viewBox.baseVal, unit = Math.min(svg.clientWidth / width, svg.clientHeight / height);
    svg.style.setProperty("--letters", Math.min(Math.max(LETTERS / (15.4 * unit), 0.72), 1.12).toFixed(2));
  }

  // A moving figure draws itself when its width has changed.
  async function fitFigure(sheet) {
    for (let share = 64; share > 30 && tooLarge(sheet); share -= 3) {
      sheet.style.setProperty("--stage", `${share}%`);
      await pause(40);
    }
    fit(sheet);
  }

  // A hand on a figure's slider or button lets go of it, so that keys and presenters lead to the next slide again.
  document.addEventListener("pointerup", (event) => {
    const control = event.target.closest("input, button");
    if (control && control.closest(".bdp-figure")) setTimeout(() => control.blur());
  });

  async function start() {
    await document.fonts.ready;
    await pause(60); // moving figures draw when they are laid out
    for (const svg of deck.querySelectorAll(".drawing > svg")) { // words go below a wide drawing
      svg.closest("section").classList.toggle("wide", svg.viewBox.baseVal.width > 1.75 * svg.viewBox.baseVal.height);
    }
    for (const sheet of deck.querySelectorAll("section:not(.moving) > .sheet")) fit(sheet);
    await Promise.all([...deck.querySelectorAll("section.moving > .sheet")].map(fitFigure));
    deck.querySelectorAll(".drawing > svg").forEach(fitLetters);
    deck.classList.remove("fitting");
    await Reveal.initialize({
      width: WIDTH,
      height: HEIGHT,
      margin: 0,
      center: false,
      hash: true,
      transition: "none",
      navigationMode: "linear", // one key leads through all slides; Esc shows the sections as columns
      slideNumber: "c/t",
      pdfSeparateFragments: false,
      pdfMaxPagesPerSlide: 1,
      controls: false,
      keyboard: { 68: window.switchTheme }, // D
      plugins: [RevealNotes],
    });
    document.documentElement.dataset.ready = "";
  }

  start();
}());
