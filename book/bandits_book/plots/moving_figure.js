// Draws every figure made by bandits_dp.plots.moving_figure that is on the page and not yet drawn.
// Python wraps it, after moving_scales.js and moving_controls.js, in one function, so nothing here becomes global.

const LETTERS = "system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif";
const TICK = 12.5, NAME = 13; // letter sizes in pixels, as in the style sheet
const TOP = 12, BOTTOM = 26; // room for half a tick label above, a whole one below
const pen = document.createElement("canvas").getContext("2d");

const one = (pixels) => pixels.toFixed(1);
const isCurve = (look) => look.kind === "line" || look.kind === "step";

function textWidth(text, size) {
  pen.font = `600 ${size}px ${LETTERS}`;
  return pen.measureText(text).width;
}

// ---- Shapes: a series is one or two SVG paths

const line = (xs, ys) => "M" + xs.map((x, i) => `${one(x)},${one(ys[i])}`).join("L");

// The corners of a staircase that keeps each height until the next x.
const stairsX = (xs) => xs.flatMap((x, i) => (i ? [x, x] : [x]));
const stairsY = (ys) => ys.flatMap((y, i) => (i ? [ys[i - 1], y] : [y]));

const MARKERS = [
  (x, y) => `M${one(x - 4.5)},${one(y)}a4.5,4.5 0 1,0 9,0a4.5,4.5 0 1,0 -9,0Z`,
  (x, y) => `M${one(x - 4)},${one(y - 4)}h8v8h-8Z`,
  (x, y) => `M${one(x)},${one(y - 5)}l5,9h-10Z`,
  (x, y) => `M${one(x)},${one(y - 5.5)}l5.5,5.5l-5.5,5.5l-5.5,-5.5Z`,
];

function shapes(series, axes, slot) {
  const { look } = series, stairs = look.kind === "step";
  const [ys, low, high] = ["y", "low", "high"].map((key) => series[key] && series[key].map(axes.y));
  const xs = series.x.map(axes.x);
  if (isCurve(look)) {
    const acrossX = stairs ? stairsX(xs) : xs, bend = stairs ? stairsY : (heights) => heights;
    const curve = { kind: "bdp-stroke", d: line(acrossX, bend(ys)), look };
    if (!low) return [curve];
    const outline = line([...acrossX, ...[...acrossX].reverse()], [...bend(high), ...[...bend(low)].reverse()]);
    return [{ kind: "bdp-fill bdp-band", d: outline + "Z", look }, curve];
  }
  const places = look.kind === "bar" ? xs.map((x) => x + slot.shift) : xs, half = slot.width / 2;
  const bar = (x, i) => line([x - half, x - half, x + half, x + half], [axes.floor, ys[i], ys[i], axes.floor]) + "Z";
  const mark = look.kind === "bar" ? bar : (x, i) => MARKERS[look.marker](x, ys[i]);
  const filled = { kind: "bdp-fill", d: places.map(mark).join(""), look };
  if (!low) return [filled];
  return [filled, { kind: "bdp-whisker", d: places.map((x, i) => line([x, x], [low[i], high[i]])).join(""), look }];
}

// ---- One drawing

function draw(figure, data, frame) {
  const plot = figure.querySelector(".bdp-plot"), width = plot.clientWidth;
  if (!width) return; // hidden, in a closed tab or box; drawn when it opens
  const height = Math.round(Math.min(400, Math.max(230, width * 0.6)));
  const series = frame.series.map((packed) => {
    const numbers = ["x", "y", "low", "high"].map((key) => [key, data.arrays[packed[key]]]);
    return { look: data.looks[packed.look], ...Object.fromEntries(numbers) };
  });
  const room = Math.max(...series.map(({ look }) => textWidth(look.label, NAME))) + 22;
  const direct = width >= 540 && room < 0.34 * width && series.every(({ look }) => isCurve(look));
  const axes = makeAxes(data, data.arrays[frame.window], width, height, direct ? room : 0);
  const svg = plot.querySelector("svg") || element(plot, "svg", {});
  if (!svg.firstChild) {
    for (const [name, part] of [["g", "ticks"], ["svg", "marks"], ["g", "ends"]]) element(svg, name, { class: "bdp-" + part });
  }
  set(svg, { viewBox: `0 0 ${width} ${height}` }); // a unit is a pixel, so letters keep their size on a phone
  const [ticks, marks, ends] = svg.children;
  for (const part of [ticks, ends]) {
    part.replaceChildren();
    set(part, { transform: `translate(${axes.left} ${TOP})` });
  }
  drawTicks(ticks, axes);
  drawMarks(marks, axes, series);
  const legend = figure.querySelector(".bdp-legend");
  legend.hidden = direct;
  if (direct) drawEnds(ends, axes, series);
  else fillLegend(legend, series);
}

function makeAxes(data, [xLow, xHigh, yLow, yHigh], width, height, labelRoom) {
  const ticks = (kind, low, high, most) => (kind === "log" ? logTicks : linearTicks)(low, high, Math.max(2, Math.floor(most)));
  const widest = (list) => Math.max(...list.map((tick) => textWidth(tick[1], TICK)), 12);
  const yTicks = ticks(data.yScale, yLow, yHigh, height / 48), left = widest(yTicks) + 9;
  const xTicks = data.xTicks.length ? data.xTicks : ticks(data.xScale, xLow, xHigh, (width - left) / 68);
  const w = width - left - (labelRoom || widest(xTicks) / 2), h = height - TOP - BOTTOM;
  const x = scale(data.xScale, xLow, xHigh, 0, w), y = scale(data.yScale, yLow, yHigh, h, 0);
  const floor = data.yScale === "linear" && yLow <= 0 && yHigh >= 0 ? y(0) : h;
  return { x, y, w, h, left, floor, xTicks, yTicks };
}

function drawTicks(group, { x, y, w, h, floor, xTicks, yTicks }) {
  for (const [value, text] of yTicks) {
    element(group, "path", { class: "bdp-grid", d: `M0,${one(y(value))}H${one(w)}` });
    element(group, "text", { x: -7, y: one(y(value) + 4.3), "text-anchor": "end", "data-y": value }, text);
  }
  element(group, "path", { class: "bdp-base", d: `M0,${one(floor)}H${one(w)}` });
  for (const [value, text] of xTicks) {
    element(group, "path", { class: "bdp-base", d: `M${one(x(value))},${h}v5` });
    element(group, "text", { x: one(x(value)), y: h + 19, "text-anchor": "middle", "data-x": value }, text);
  }
}

function drawMarks(marks, axes, series) {
  const { left, w, h } = axes;
  // What lies outside the axes is cut off, with three pixels of slack for a thick line along the edge.
  set(marks, { x: left - 3, y: TOP - 3, width: w + 6, height: h + 6, viewBox: `-3 -3 ${w + 6} ${h + 6}`, overflow: "hidden" });
  const bars = series.filter(({ look }) => look.kind === "bar");
  const gap = Math.min(w, ...bars.map((bar) => {
    const places = bar.x.map(axes.x).sort((a, b) => a - b);
    return Math.min(0.5 * w, ...places.slice(1).map((place, i) => place - places[i]));
  }));
  const slotWidth = (0.84 * gap) / Math.max(1, bars.length);
  const wanted = series.flatMap((each) => {
    const shift = (bars.indexOf(each) - (bars.length - 1) / 2) * slotWidth;
    return shapes(each, axes, { width: slotWidth, shift });
  });
  // Paths are kept and changed, not replaced, so that the style sheet can let them glide.
  while (marks.children.length > wanted.length) marks.lastChild.remove();
  wanted.forEach(({ kind, d, look }, i) => {
    const path = marks.children[i] || element(marks, "path", {});
    const dash = (kind === "bdp-stroke" && look.dash) || "none";
    set(path, { class: kind, d, "data-label": look.label, "stroke-dasharray": dash });
    path.style.setProperty("--bdp-color", paint(look.color));
  });
}

function drawEnds(ends, { y, w, h }, series) {
  const inside = (height) => Math.min(h, Math.max(0, height));
  const sorted = series.map((each) => ({ look: each.look, end: inside(y(each.y[each.y.length - 1])) }));
  sorted.sort((a, b) => a.end - b.end);
  spread(sorted.map(({ end }) => end), 17, h).forEach((height, i) => {
    const { look, end } = sorted[i];
    const lead = element(ends, "path", { class: "bdp-lead", d: `M${one(w + 2)},${one(end)}L${one(w + 12)},${one(height)}` });
    const name = element(ends, "text", { class: "bdp-end", x: one(w + 15), y: one(height + 4.5) }, look.label);
    for (const node of [lead, name]) node.style.setProperty("--bdp-color", paint(look.color));
  });
}

function fillLegend(legend, series) {
  legend.replaceChildren();
  for (const { look } of series) {
    const item = legend.appendChild(document.createElement("li"));
    const d = isCurve(look) ? "M1,7H27" : look.kind === "bar" ? "M8,1h12v12h-12Z" : MARKERS[look.marker](14, 7);
    const path = element(element(item, "svg", { width: 28, height: 14 }), "path", { d });
    set(path, { class: isCurve(look) ? "bdp-stroke" : "bdp-fill", "stroke-dasharray": (isCurve(look) && look.dash) || "none" });
    path.style.setProperty("--bdp-color", paint(look.color));
    item.append(look.label);
  }
}

function fillTable(box, data, frame) {
  const table = document.createElement("table");
  const row = (cells, kind) => {
    const tr = table.insertRow();
    for (const cell of cells) tr.appendChild(document.createElement(kind)).textContent = cell;
  };
  const banded = frame.series.some((packed) => "low" in packed), names = new Map(data.xTicks);
  row(["", data.xLabel, data.yLabel].concat(banded ? ["from", "to"] : []), "th");
  for (const packed of frame.series) {
    const [xs, ys, low, high] = ["x", "y", "low", "high"].map((key) => data.arrays[packed[key]]);
    xs.forEach((x, i) => {
      const ends = low ? [numberText(low[i]), numberText(high[i])] : [];
      row([data.looks[packed.look].label, names.get(x) || numberText(x), numberText(ys[i]), ...ends], "td");
    });
  }
  box.replaceChildren(table);
}

startAll("curves", draw, fillTable);
