// Hangs every gallery made by bandits_dp.plots.gallery that is on the page and not yet open.
// Python wraps it, after moving_controls.js, in one function, so nothing here becomes global.

const ROW = 26, LEFT = 100;

function enter(figure) {
  unpack(figure);
  const data = JSON.parse(figure.querySelector('script[type="application/json"]').textContent);
  const find = (name) => figure.querySelector(`.bdp-${name}`);
  const slider = find("slider input"), output = find("slider output"), note = find("note"), why = find("why");
  const bets = [...figure.querySelectorAll(".bdp-bet input")], run = find("run"), reveal = find("reveal");
  const kept = data.rooms.map(() => ({ bet: "", bought: -1, open: false })); // what the reader did in each room
  let at = 0;
  for (const bet of bets) bet.name = `${figure.id}-bet`; // two copies of a gallery are two games
  const doors = data.rooms.map((room, i) => {
    const door = find("doors").appendChild(document.createElement("button"));
    door.type = "button";
    door.textContent = i + 1;
    door.addEventListener("click", () => go(i));
    return door;
  });

  const truth = (room) => (room.private ? "private" : "broken");
  const caught = (room, mine) => room.audits.slice(0, mine.bought + 1).some((one) => !one.passed);
  const settled = (i) => kept[i].open || caught(data.rooms[i], kept[i]);
  const say = (words) => {
    const over = kept.map((_, i) => i).filter((i) => settled(i) && kept[i].bet);
    const right = over.filter((i) => kept[i].bet === truth(data.rooms[i])).length;
    note.textContent = words + (over.length ? ` Bets won: ${right} of ${over.length}.` : "");
  };

  function show() {
    const room = data.rooms[at], mine = kept[at];
    doors.forEach((door, i) => {
      door.setAttribute("aria-label", `Room ${i + 1}${settled(i) ? ", " + truth(data.rooms[i]) : ""}`);
      door.setAttribute("aria-pressed", i === at);
      door.classList.toggle("bdp-done", settled(i));
    });
    find("room-title").textContent = `Room ${at + 1}. ${room.title}`;
    find("claim").textContent = `Claim: ${room.claim}. ${room.inputs}`;
    find("code").textContent = room.code;
    for (const bet of bets) {
      bet.checked = bet.value === mine.bet;
      bet.disabled = settled(at);
    }
    run.disabled = reveal.disabled = !mine.bet;
    why.hidden = !settled(at);
    why.replaceChildren(...(why.hidden ? [] : room.why.map((words) => paragraph(words))));
    move();
  }

  function paragraph(words) {
    const made = document.createElement("p");
    made.textContent = words;
    return made;
  }

  function move() {
    const text = data.rooms[at].audits[slider.value].runs;
    output.textContent = text;
    slider.setAttribute("aria-valuetext", text);
    slider.style.setProperty("--bdp-done", `${(100 * slider.value) / slider.max}%`);
    draw(find("plot"), data.rooms[at], kept[at], Number(slider.value), settled(at));
  }

  function go(i) {
    at = i;
    show();
    say(`Room ${at + 1} of ${data.rooms.length}. ${kept[at].bet ? "Your bet: " + kept[at].bet + "." : "Read the code and bet."}`);
  }

  for (const bet of bets) {
    bet.addEventListener("change", () => {
      kept[at].bet = bet.value;
      show();
      say(`You bet that room ${at + 1} is ${bet.value}. Now choose how many runs to pay for.`);
    });
  }
  run.addEventListener("click", () => {
    const mine = kept[at], room = data.rooms[at];
    mine.bought = Math.max(mine.bought, Number(slider.value));
    const { said, passed } = room.audits[slider.value];
    show();
    const next = settled(at) ? ` You bet ${mine.bet}; it is ${truth(room)}.` : passed ? " Buy more runs, or see why." : "";
    say(said + next);
  });
  reveal.addEventListener("click", () => {
    const mine = kept[at], room = data.rooms[at];
    mine.open = true;
    mine.bought = room.audits.length - 1;
    show();
    say(`You bet ${mine.bet}; room ${at + 1} is ${truth(room)}. ${room.audits[mine.bought].said}`);
  });
  slider.addEventListener("input", move);
  new ResizeObserver(move).observe(find("plot"));
  show();
}

// A bar for each audit that was paid for, an empty one for each that the slider would buy, and a line at the claim.
function draw(plot, room, mine, wanted, over) {
  const width = plot.clientWidth;
  if (!width) return; // hidden, in a closed tab or box; drawn when it opens
  const twin = over ? [{ ...room.twin, runs: room.twin.words, twin: true }] : [];
  const rows = [...room.audits, ...twin], height = ROW * (room.audits.length + 1) + 30;
  const most = Math.max(room.epsilon, ...room.audits.map((one) => one.bound), room.twin.bound);
  const x = (epsilon) => LEFT + ((width - LEFT - 48) * epsilon) / most; // right of the longest bar is room for its number
  const svg = plot.querySelector("svg") || element(plot, "svg", {});
  svg.replaceChildren();
  set(svg, { viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" });
  const claim = x(room.epsilon), late = claim > width - 60;
  element(svg, "path", { d: `M${claim},18V${height}`, class: "bdp-claim-line" });
  rows.forEach((row, i) => {
    const top = 24 + ROW * i, known = row.twin || i <= mine.bought;
    element(svg, "text", { x: LEFT - 8, y: top + 13, "text-anchor": "end" }, row.runs);
    if (!known && i > wanted) return;
    const bar = { x: LEFT, y: top, height: 16, rx: 2, width: known ? Math.max(x(row.bound) - LEFT, 2) : 40 };
    const look = known && !row.twin ? "bdp-fill" : "bdp-stroke";
    const node = element(svg, "rect", { ...bar, class: look });
    node.style.setProperty("--bdp-color", known && row.bound > room.epsilon ? "var(--bdp-secret)" : "var(--bdp-hand)");
    element(svg, "text", { x: LEFT + bar.width + 6, y: top + 13, class: "bdp-halo" }, known ? row.shown : "?");
  });
  element(svg, "text", { x: late ? width : claim, y: 13, "text-anchor": late ? "end" : "middle" }, `claimed ε = ${room.epsilon}`);
}

for (const figure of document.querySelectorAll("figure.bdp-gallery:not([data-ready])")) {
  figure.dataset.ready = "";
  enter(figure);
}
