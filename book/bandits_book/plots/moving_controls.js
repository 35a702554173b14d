// The controls of a moving figure or scene: sliders and pills, a note that is read aloud, and a button that plays.
// A page holds one copy of this script per figure; whichever runs first starts a figure, the others find it started.

const SVG = "http://www.w3.org/2000/svg";

function set(node, attributes) {
  for (const key in attributes) node.setAttribute(key, attributes[key]);
}

function element(parent, name, attributes, text) {
  const node = parent.appendChild(document.createElementNS(SVG, name));
  set(node, attributes);
  if (text !== undefined) node.textContent = text;
  return node;
}

// A colour, by the name under which the style sheet or a page has it in the light and in the dark.
function paint(color) {
  return `var(--bdp-${color.slice(1)}, color-mix(in oklab, ${color}, var(--bdp-lift)))`;
}

// ---- One figure

// Put the parts that need this script in place of the still picture.
function unpack(figure) {
  const still = figure.querySelector(".bdp-still");
  still.insertAdjacentHTML("afterend", withOwnIds(figure, figure.querySelector(".bdp-parts").textContent));
  still.remove();
  figure.querySelector(".bdp-controls").after(figure.querySelector(".bdp-note"));
}

function begin(figure, draw, fillTable) {
  unpack(figure);
  const data = JSON.parse(figure.querySelector('script[type="application/json"]').textContent);
  const boxes = [...figure.querySelectorAll("[data-place]")].sort((a, b) => a.dataset.place - b.dataset.place);
  const controls = boxes.map(control);
  const note = figure.querySelector(".bdp-note"), numbers = figure.querySelector(".bdp-numbers");
  // Frames are in the order of nested loops over the sliders, the last one innermost.
  const place = () => controls.reduce((sum, one, k) => sum * data.sliders[k].values.length + one.at(), 0);
  const redraw = () => draw(figure, data, data.frames[place()]);
  const refill = () => numbers && numbers.open && fillTable(numbers.querySelector("div"), data, data.frames[place()]);
  const say = () => {
    controls.forEach((one, k) => one.say(data.sliders[k].texts[one.at()]));
    const said = data.frames[place()].note;
    if (note.textContent !== said) note.textContent = said; // the same words again would be read aloud again
  };
  const move = () => {
    say();
    redraw();
    refill();
  };
  playable(figure, controls);
  for (const box of boxes) {
    box.addEventListener("input", () => {
      figure.classList.add("bdp-moved"); // only a reader's move glides, the first drawing stands
      move();
    });
  }
  if (numbers) numbers.addEventListener("toggle", refill);
  say();
  // Draws at once when the figure is near, else when the page first lays it out or is printed; and whenever its width changes.
  new ResizeObserver(redraw).observe(figure.querySelector(".bdp-plot"));
  new ResizeObserver(() => figure.classList.toggle("bdp-wide", figure.clientWidth >= 600)).observe(figure); // controls beside
  addEventListener("beforeprint", redraw);
}

// A slider, or pills of which one is chosen: both stand at a position, and say it.
function control(box) {
  const range = box.querySelector("input[type=range]"), output = box.querySelector("output");
  if (!range) return { at: () => Number(box.querySelector("input:checked").value), say: () => {} };
  const say = (text) => {
    output.textContent = text;
    range.setAttribute("aria-valuetext", text);
    range.style.setProperty("--bdp-done", `${(100 * range.value) / range.max}%`);
  };
  return { at: () => Number(range.value), say, range };
}

// A notebook may show the same output twice; a label must lead to the slider beside it, and pills must not know each other.
function withOwnIds(figure, parts) {
  const name = figure.id;
  if (document.getElementById(name) === figure) return parts;
  let copy = 2;
  while (document.getElementById(`${name}-copy-${copy}`)) copy++;
  figure.id = `${name}-copy-${copy}`;
  return parts.replaceAll(name, figure.id);
}

// A button that moves one slider on, step by step, to its end.
function playable(figure, controls) {
  const button = figure.querySelector(".bdp-play");
  if (!button) return;
  const slider = controls[button.dataset.slider].range, atEnd = () => Number(slider.value) >= Number(slider.max);
  let timer = 0;
  const show = () => {
    button.textContent = timer ? "Pause" : atEnd() ? "Play again" : "Play";
  };
  const put = (value) => {
    slider.value = value;
    slider.dispatchEvent(new Event("input", { bubbles: true }));
  };
  const stop = () => {
    clearInterval(timer);
    timer = 0;
    show();
  };
  const step = () => {
    if (!figure.isConnected || atEnd()) return stop();
    put(Number(slider.value) + 1);
    if (atEnd()) stop();
  };
  button.addEventListener("click", () => {
    if (timer) return stop();
    if (atEnd()) put(slider.min);
    else step();
    timer = atEnd() ? 0 : setInterval(step, Number(button.dataset.pace));
    show();
  });
  // A hand on the slider takes over; another pill is looked at while the slider plays on.
  figure.addEventListener("input", (event) => (event.isTrusted && event.target === slider ? stop() : show()));
  show();
}

function startAll(kind, draw, fillTable) {
  for (const figure of document.querySelectorAll(`figure.bdp-${kind}:not([data-ready])`)) {
    figure.dataset.ready = "";
    begin(figure, draw, fillTable);
  }
}
