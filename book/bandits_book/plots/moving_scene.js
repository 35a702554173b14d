// Draws every scene made by bandits_dp.plots.moving_scene that is on the page and not yet drawn.
// Python wraps it, after moving_controls.js, in one function, so nothing here becomes global.

const TAGS = { dot: "circle", path: "path", bar: "rect", ground: "rect", text: "text", icon: "g" };
const INKS = { ink: "var(--bdp-ink)", soft: "var(--bdp-soft)", secret: "var(--bdp-secret)", paper: "var(--bdp-behind)" };

function drawScene(figure, data, frame) {
  const plot = figure.querySelector(".bdp-plot"), width = plot.clientWidth;
  if (!width) return; // hidden, in a closed tab or box; drawn when it opens
  const unit = width / data.size[0], height = unit * data.size[1];
  const svg = plot.querySelector("svg") || element(plot, "svg", {});
  set(svg, { viewBox: `0 0 ${width} ${height}` }); // a unit is a pixel, so letters keep their size on a phone
  const wanted = frame.marks.map((place) => data.marks[place]), keys = new Set(wanted.map((mark) => mark.key));
  for (const node of [...svg.children]) if (!keys.has(node.dataset.key)) node.remove();
  const known = new Map([...svg.children].map((node) => [node.dataset.key, node]));
  wanted.forEach((mark, i) => {
    let node = known.get(mark.key);
    if (node && node.tagName !== TAGS[mark.kind]) {
      node.remove();
      node = undefined;
    }
    if (!node) {
      node = document.createElementNS(SVG, TAGS[mark.kind]);
      node.dataset.key = mark.key;
    }
    // A node that already stands in its place is not put there again, since that would end its glide.
    if (svg.children[i] !== node) svg.insertBefore(node, svg.children[i] || null);
    place(node, mark, unit, height, data.icons);
  });
}

function place(node, mark, unit, height, icons) {
  const { x = 0, y = 0 } = mark, solid = mark.kind === "path" ? mark.filled : !mark.hollow;
  const boxed = node.tagName === "rect", look = { ground: "bdp-ground", icon: "bdp-icon" }[mark.kind];
  set(node, { class: (look || (solid ? "bdp-fill" : "bdp-stroke")) + (mark.faint ? " bdp-faint" : "") });
  node.style.setProperty("--bdp-color", INKS[mark.color] || paint(mark.color));
  const tall = unit * (mark.height || 0);
  const left = unit * x, top = height - unit * y - (boxed ? tall : 0);
  const moved = `translate(${left.toFixed(2)}px, ${top.toFixed(2)}px)`;
  node.style.transform = mark.kind === "icon" ? `${moved} scale(${(unit * mark.size).toFixed(2)})` : moved;
  if (mark.kind === "icon" && node.dataset.name !== mark.name) {
    node.dataset.name = mark.name;
    node.innerHTML = icons[mark.name].replaceAll('"C"', '"var(--bdp-color)"').replaceAll('"P"', '"var(--bdp-behind)"');
  }
  if (mark.kind === "dot") node.style.r = `${(unit * mark.size).toFixed(2)}px`;
  if (boxed) {
    set(node, { rx: mark.kind === "ground" ? 0 : 2 });
    node.style.width = `${(unit * (mark.width || 0)).toFixed(2)}px`;
    node.style.height = `${tall.toFixed(2)}px`;
  }
  if (mark.kind === "path") {
    set(node, { "stroke-dasharray": mark.dash || "none" });
    node.setAttribute("d", "M" + mark.points.map(([right, up]) => `${(unit * right).toFixed(2)},${(-unit * up).toFixed(2)}`).join("L"));
  }
  if (mark.kind === "text") {
    if (mark.color === "secret") node.style.setProperty("--bdp-color", "var(--bdp-secret-letters)");
    set(node, { "text-anchor": mark.anchor, "font-weight": mark.bold ? 700 : 400 });
    node.textContent = mark.words;
  }
}

startAll("scene", drawScene);
