// The controls of a moving figure or scene: sliders, a note that is read aloud, and a button that plays.
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

// ---- One figure

// Put the parts that need this script in place of the still picture.
function unpack(figure) {
  const still = figure.querySelector(".bdp-still");
  still.insertAdjacentHTML("afterend", figure.querySelector(".bdp-parts").textContent);
  still.remove();
  figure.querySelector(".bdp-controls").after(figure.querySelector(".bdp-note"));
}

function begin(figure, draw, fillTable) {
  unpack(figure);
  const data = JSON.parse(figure.querySelector('script[type="application/json"]').textContent);
  const inputs = [...figure.querySelectorAll("input[type=range]")], outputs = figure.querySelectorAll("output");
  const note = figure.querySelector(".bdp-note"), numbers = figure.querySelector(".bdp-numbers");
  // Frames are in the order of nested loops over the sliders, the last one innermost.
  const place = () => inputs.reduce((sum, input, k) => sum * data.sliders[k].values.length + Number(input.value), 0);
  const redraw = () => draw(figure, data, data.frames[place()]);
  const refill = () => numbers && numbers.open && fillTable(numbers.querySelector("div"), data, data.frames[place()]);
  const say = () => {
    inputs.forEach((input, k) => {
      outputs[k].textContent = data.sliders[k].texts[input.value];
      input.setAttribute("aria-valuetext", outputs[k].textContent);
      input.style.setProperty("--bdp-done", `${(100 * input.value) / input.max}%`);
    });
    const said = data.frames[place()].note;
    if (note.textContent !== said) note.textContent = said; // the same words again would be read aloud again
  };
  const move = () => {
    say();
    redraw();
    refill();
  };
  useOwnIds(figure, inputs, outputs);
  playable(figure, inputs);
  for (const input of inputs) {
    input.addEventListener("input", () => {
      figure.classList.add("bdp-moved"); // only a reader's move glides, the first drawing stands
      move();
    });
  }
  if (numbers) numbers.addEventListener("toggle", refill);
  say();
  // Draws at once when the figure is near, else when the page first lays it out or is printed; and whenever its width changes.
  new ResizeObserver(redraw).observe(figure.querySelector(".bdp-plot"));
  addEventListener("beforeprint", redraw);
}

// A notebook may show the same output twice; a label must lead to the slider beside it.
function useOwnIds(figure, inputs, outputs) {
  const name = figure.id, labels = figure.querySelectorAll(".bdp-slider label");
  if (document.getElementById(name) === figure) return;
  let copy = 2;
  while (document.getElementById(`${name}-copy-${copy}`)) copy++;
  figure.id = `${name}-copy-${copy}`;
  inputs.forEach((input, k) => {
    input.id = labels[k].htmlFor = outputs[k].htmlFor = `${figure.id}-${k}`;
  });
}

// A button that moves one slider on, step by step, to its end.
function playable(figure, inputs) {
  const button = figure.querySelector(".bdp-play");
  if (!button) return;
  const slider = inputs[button.dataset.slider], atEnd = () => Number(slider.value) >= Number(slider.max);
  let timer = 0;
  const show = () => {
    button.textContent = timer ? "Pause" : atEnd() ? "Play again" : "Play";
  };
  const put = (value) => {
    slider.value = value;
    slider.dispatchEvent(new Event("input"));
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
  for (const input of inputs) {
    input.addEventListener("input", (event) => (event.isTrusted ? stop() : show())); // a hand on a slider takes over
  }
  show();
}

function startAll(kind, draw, fillTable) {
  for (const figure of document.querySelectorAll(`figure.bdp-${kind}:not([data-ready])`)) {
    figure.dataset.ready = "";
    begin(figure, draw, fillTable);
  }
}
