// The three panels under the stage, and the words that a screen reader hears.

const percent = (share) => `${Math.round(100 * share)}%`;
const within = (share) => Math.min(1, Math.max(0, share));
const minus = (number) => String(Math.round(number)).replace("-", "−");

// The seats' bits in their places, with yours framed: what Eve reads when messages carry names.
function named(released) {
  const bits = new Map(released.flatMap(({ seats, sent }) => seats.map((seat, i) => [seat, sent[i][0]])));
  return dots([...bits.keys()].sort((a, b) => a - b).map((seat) => [bits.get(seat), seat === YOU]));
}

// All bits of a batch in an order that says nothing.
function mixed({ sent }, night) {
  const random = chance(night), order = sent.flat().map((bit) => [random(), bit]);
  return dots(order.sort((one, other) => one[0] - other[0]).map(([, bit]) => [bit, false]));
}

// What a trusted server publishes.
function counts({ arm, known }) {
  const box = paragraph(`with noise after ${ARMS[arm].name}`);
  const number = document.createElement("b");
  number.textContent = minus(known);
  box.prepend(number, " ");
  box.className = "lull-count";
  return box;
}

function dots(bits) {
  const box = document.createElement("div");
  box.className = "lull-dots";
  box.style.setProperty("--columns", bits.length > 400 ? 64 : bits.length > 64 ? 32 : 16);
  for (const [bit, yours] of bits) {
    const dot = box.appendChild(document.createElement("i"));
    dot.className = (bit ? "one" : "") + (yours ? " yours" : "");
  }
  return box;
}

function paragraph(text) {
  const p = document.createElement("p");
  p.textContent = text;
  return p;
}

function said(lull, trust) {
  const released = lull.tonight[trust], answer = lull.yours ? "you slept better" : "you did not";
  const total = (count) => released.map(count).join(" + ");
  return {
    everybody: `64 answers, each with its name. Yours says that ${answer}.`,
    server: `Slept better after ${released.map(({ arm, known }) => `${ARMS[arm].name}: ${minus(known)}`).join(", after ")}, give or take ` +
      `${Math.sqrt(released[0].variance).toFixed(1)}. No names.`,
    shuffler: `${sum(released.map(({ sent }) => sent.flat().length))} bits, no order, no names. Ones: ${total(({ sent }) => sum(sent.flat()))}.`,
    nobody: `64 bits, each with its name, ${percent(truthful(lull.promise.epsilon))} of them true on average.`,
  }[trust];
}

// The largest share of right guesses about a fair coin that the promise allows (Proposition 2.1 of the book).
function guess(lull, trust) {
  const delta = trust === "shuffler" ? lull.table.delta : 0, e = Math.exp(lull.promise.epsilon);
  return trust === "everybody" ? 1 : (e + delta) / (e + 1);
}

function verdict(learner) {
  if (learner.viable.length === 2) return "The bands overlap, so both go on. Triangles mark the truth.";
  const [best] = learner.viable;
  return `${ARMS[best].name} helps more. ${ARMS[1 - best].name} was dropped on night ${learner.dropped}.`;
}

function drawBands(box, learner) {
  box.replaceChildren(...ARMS.map(({ name, rate }, arm) => {
    const { mean, half } = learner.interval(arm), row = document.createElement("div");
    const low = within(mean - half), high = within(mean + half);
    row.className = learner.viable.includes(arm) ? "" : "dropped";
    row.innerHTML = '<span></span><span></span><div><i class="band"></i><i class="mean"></i><i class="truth"></i></div>';
    const [title, number, line] = row.children, [band, middle, truth] = line.children;
    title.textContent = name;
    number.textContent = learner.users[arm] ? `${percent(mean)} ± ${Math.round(100 * half)}` : "";
    band.style.left = percent(low);
    band.style.width = percent(high - low);
    middle.style.left = percent(within(mean));
    truth.style.left = percent(rate);
    return row;
  }));
}

const usual = (line, night) => line[Math.min(night, line.length - 1)]; // the mean over many worlds

function drawLost(svg, learners, trust, means) {
  const width = svg.clientWidth || 280, height = svg.clientHeight || 150, nights = Math.max(20, learners[trust].lost.length - 1), room = width - 100;
  const most = Math.max(20, ...TRUSTS.flatMap((one) => [learners[one].lost.at(-1), usual(means[one], nights)]));
  const x = (night) => 2 + ((room - 4) * night) / nights, y = (lost) => height - 22 - ((height - 36) * lost) / most;
  const ends = TRUSTS.map((one) => ({ one, lost: learners[one].lost.at(-1) })).sort((a, b) => b.lost - a.lost);
  let last = -Infinity;
  const lowest = height - 22 - 18 * 3;
  ends.forEach((end, i) => { // labels keep a line's distance and stay on the picture
    end.y = Math.max(last + 18, Math.min(y(end.lost), lowest + 18 * i));
    last = end.y;
  });
  const path = (lines) => lines.slice(0, nights + 1).map((lost, night) => `${x(night).toFixed(1)},${y(lost).toFixed(1)}`).join("L");
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  svg.innerHTML = `<path class="base" d="M2,${height - 22}H${room}"/><text x="2" y="${height - 5}">night 1</text>` +
    `<text x="${room}" y="${height - 5}" text-anchor="end">${nights}</text>` +
    TRUSTS.map((one) => `<path class="${one} usual" d="M${path(means[one])}"/>`).join("") +
    TRUSTS.map((one) => `<path class="${one}${one === trust ? " shown" : ""}" d="M${path(learners[one].lost)}"/>`).join("") +
    ends.map(({ one, lost, y: at }) => `<g class="${one}${one === trust ? " shown" : ""}"><text x="${room + 10}" y="${at + 4}">${one}</text>` +
      `<text x="${width - 2}" y="${at + 4}" text-anchor="end">${Math.round(lost)}</text></g>`).join("");
}

function drawPanels(figure, lull, trust) {
  const at = (name) => figure.querySelector(`.lull-${name}`), released = lull.tonight[trust], learner = lull.learners[trust];
  const whole = { server: () => released.map(counts), shuffler: () => released.map((one) => mixed(one, lull.night)) };
  const pictures = trust in whole ? whole[trust]() : [named(released)];
  at("seen").replaceChildren(...pictures, paragraph(said(lull, trust)));
  const right = guess(lull, trust);
  at("guess").textContent = `Guessing your answer, Eve is right ${trust === "everybody" ? "" : "at most about "}${Math.round(100 * right)} times in 100. Blind: 50.`;
  at("bar").firstElementChild.style.width = percent(right);
  drawBands(at("bands"), learner);
  at("verdict").textContent = verdict(learner);
  drawLost(at("lost"), lull.learners, trust, lull.promise.means);
}

function aloud(lull, trust) {
  const learner = lull.learners[trust], people = { everybody: "everybody", server: "the server", shuffler: "a shuffler", nobody: "nobody" };
  const means = ARMS.map(({ name }, arm) => {
    const { mean, half } = learner.interval(arm);
    return learner.users[arm] ? `${name} ${percent(mean)} plus or minus ${Math.round(100 * half)}` : "";
  }).filter(Boolean);
  return `Night ${lull.night}, trusting ${people[trust]}. Eve sees: ${said(lull, trust)} The learner: ${means.join(", ")}. ` +
    `${verdict(learner)} Nights lost: ${Math.round(learner.lost.at(-1))}, ` +
    `and in the mean of many worlds ${Math.round(usual(lull.promise.means[trust], learner.lost.length - 1))}.`;
}
