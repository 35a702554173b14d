// The stage: phones on your side of the wall, whatever crosses it on Eve's. Where everything stands is a function of how
// far the night is, `phase` from 0 to 1, so that a still picture is a phase too.

const WALLS = { nobody: 0.44, shuffler: 0.665, server: 0.865, everybody: 1.2 }; // along the way from phones to learner
const PLACES = { shuffler: 0.555, server: 0.77, learner: 0.94 };
const ROW = 8;

const ease = (t) => (t <= 0 ? 0 : t >= 1 ? 1 : t * t * (3 - 2 * t));
const between = (from, to, t) => [from[0] + (to[0] - from[0]) * t, from[1] + (to[1] - from[1]) * t];

class Stage {
  constructor(canvas) {
    this.canvas = canvas;
    this.pen = canvas.getContext("2d");
    this.measure();
  }

  // On a narrow screen the way runs down, else to the right: `along` and `across` are shares of it.
  point(along, across) {
    return this.tall ? [across * this.width, along * this.height] : [along * this.width, across * this.height];
  }

  measure() {
    const { clientWidth, clientHeight } = this.canvas, sharp = Math.min(2, window.devicePixelRatio || 1);
    Object.assign(this, { width: clientWidth, height: clientHeight, tall: clientWidth < 560 });
    this.canvas.width = clientWidth * sharp;
    this.canvas.height = clientHeight * sharp;
    this.pen.setTransform(sharp, 0, 0, sharp, 0, 0);
    this.drum = this.tall ? 40 : Math.min(64, clientHeight * 0.17);
    this.seats = Array.from({ length: SEATS }, (_, seat) => this.seat(seat));
    const style = getComputedStyle(this.canvas), color = (name) => style.getPropertyValue(`--lull-${name}`).trim();
    this.colors = Object.fromEntries(["paper", "open", "line", "ink", "soft", "secret", ...TRUSTS].map((name) => [name, color(name)]));
    this.letters = style.fontFamily;
  }

  seat(seat) { // two blocks of four rows, one for each exercise
    const block = Number(seat >= SEATS / 2), column = (seat % ROW) + 0.5, line = Math.floor((seat % (SEATS / 2)) / ROW) + 0.5;
    if (this.tall) {
      const wide = (this.width - 40) / (2 * ROW);
      return [12 + wide * column + block * (ROW * wide + 16), 34 + 30 * line];
    }
    const wide = (this.width * 0.36) / ROW, high = (this.height - 78) / ROW;
    return [this.width * 0.025 + wide * column, 32 + high * line + block * (4 * high + 34)];
  }

  seatAt(x, y) {
    return this.seats.findIndex(([left, top]) => Math.abs(x - left) < 14 && Math.abs(y - top) < 16);
  }

  draw(lull, trust, phase) {
    const { pen, colors } = this;
    pen.clearRect(0, 0, this.width, this.height);
    this.ground(trust);
    if (trust === "shuffler") this.shuffler(phase);
    this.server(lull.tonight[trust], trust, phase);
    this.learner(lull.learners[trust], colors[trust]);
    this.phones(lull, trust, phase);
    this.messages(lull, trust, phase);
    this.eye(trust);
  }

  ground(trust) {
    const { pen, colors, width, height } = this, end = WALLS[trust] * (this.tall ? height : width);
    pen.fillStyle = colors.open;
    pen.fillRect(0, 0, width, height);
    pen.fillStyle = trust === "everybody" ? colors.open : colors.paper;
    pen.fillRect(0, 0, ...(this.tall ? [width, end] : [end, height]));
    if (trust === "everybody") return;
    pen.fillStyle = colors[trust];
    pen.globalAlpha = 0.1;
    pen.fillRect(0, 0, ...(this.tall ? [width, end] : [end, height]));
    pen.globalAlpha = 1;
    pen.fillRect(...(this.tall ? [0, end - 2, width, 4] : [end - 2, 0, 4, height]));
    const below = this.tall ? [[10, end - 12, "start"], [10, end + 16, "start"]] : [[end - 10, height - 14, "end"], [end + 10, height - 14, "start"]];
    this.words("private", ...below[0], colors[trust], 650);
    this.words("in the open", ...below[1], colors.soft);
  }

  words(text, x, y, align, color, weight = 400) {
    const { pen } = this;
    Object.assign(pen, { font: `${weight} 13px ${this.letters}`, fillStyle: color, textAlign: align, textBaseline: "middle" });
    pen.fillText(text, x, y);
  }

  circle([x, y], radius, color, filled = true) {
    const { pen } = this;
    pen.beginPath();
    pen.arc(x, y, Math.max(0, filled ? radius : radius - 0.8), 0, 7);
    if (filled) {
      pen.fillStyle = color;
      pen.fill();
    } else {
      Object.assign(pen, { lineWidth: 1.6, strokeStyle: color });
      pen.stroke();
    }
  }

  frame([x, y], width, height, color, thick = 1.5) {
    const { pen, colors } = this;
    pen.beginPath();
    pen.roundRect(x - width / 2, y - height / 2, width, height, Math.min(width, height) / 5);
    pen.fillStyle = colors.paper;
    pen.fill();
    Object.assign(pen, { lineWidth: thick, strokeStyle: color });
    pen.stroke();
  }

  shuffler(phase) {
    const place = this.point(PLACES.shuffler, 0.5), { pen, colors, drum } = this;
    this.circle(place, drum, colors.paper);
    this.circle(place, drum, colors.shuffler, false);
    for (let arc = 0; arc < 3; arc++) {
      const turn = 9 * phase + arc * 2.094;
      pen.beginPath();
      pen.arc(...place, drum + 7, turn, turn + 1.1);
      Object.assign(pen, { lineWidth: 3, strokeStyle: colors.shuffler, lineCap: "round" });
      pen.stroke();
    }
    if (this.tall) this.words("shuffler", place[0] - drum - 16, place[1], "end", colors.soft);
    else this.words("shuffler", place[0], place[1] + drum + 24, "center", colors.soft);
  }

  server(released, trust, phase) {
    const place = this.point(PLACES.server, 0.5), { colors } = this, inside = trust === "server";
    this.frame(place, this.tall ? 64 : 56, this.tall ? 46 : 66, inside ? colors.server : colors.soft, 2);
    if (inside && phase > 0.4) { // a trusted server knows the sums, and adds noise before anything leaves
      released.forEach(({ answers, known }, i) => {
        const noisy = phase > 0.7, high = place[1] + (i - (released.length - 1) / 2) * 22;
        this.words(minus(noisy ? known : sum(answers)), place[0], high, "center", noisy ? colors.server : colors.secret, 700);
      });
    }
    if (this.tall) this.words("server", place[0] - 46, place[1], "end", colors.soft);
    else this.words("server", place[0], place[1] + 48, "center", colors.soft);
  }

  learner(learner, color) {
    const [x, y] = this.point(PLACES.learner, 0.5), { pen, colors } = this, long = this.tall ? 110 : Math.min(100, this.width * 0.1);
    ARMS.forEach((_, arm) => {
      const { mean, half } = learner.interval(arm), high = y + (arm ? 10 : -10), at = (share) => x + (within(share) - 0.5) * long;
      pen.globalAlpha = learner.viable.includes(arm) ? 1 : 0.35;
      for (const [from, to, lineWidth, strokeStyle, alpha] of [[0, 1, 1, colors.line, 1], [mean - half, mean + half, 7, color, 0.4]]) {
        Object.assign(pen, { lineWidth, strokeStyle, lineCap: "round" });
        const before = pen.globalAlpha;
        pen.globalAlpha *= alpha;
        pen.beginPath();
        pen.moveTo(at(from), high);
        pen.lineTo(at(to), high);
        pen.stroke();
        pen.globalAlpha = before;
      }
      this.circle([at(mean), high], 4, color);
      pen.globalAlpha = 1;
    });
    if (this.tall) this.words("learner", x - 66, y, "end", colors.soft);
    else this.words("learner", x, y + 34, "center", colors.soft);
  }

  phones(lull, trust, phase) {
    const { colors } = this, learner = lull.learners[trust], [wide, high] = this.tall ? [12, 20] : this.height < 350 ? [15, 21] : [18, 28];
    this.seats.forEach((place, seat) => {
      const yours = seat === YOU;
      this.frame(place, wide + (yours ? 4 : 0), high + (yours ? 4 : 0), yours ? colors.ink : colors.soft, yours ? 2.5 : 1.2);
      if (phase > 0.1 * ((seat * 37) % 64) / 64) this.circle(place, 4, colors.secret, lull.answer(trust, seat) === 1);
    });
    const [x, y] = this.seats[YOU];
    this.words("you", x, y + high / 2 + 9, "center", colors.ink, 700);
    if (!this.tall) {
      const right = this.width * 0.385, high0 = this.seats[0][1] - high / 2 - 12;
      [["not", 24, 0, false], ["slept better", 78, 54, true]].forEach(([word, long, back, filled]) => {
        this.words(word, right - back - long, high0, "start", colors.soft);
        this.circle([right - back - long - 11, high0], 4, colors.secret, filled);
      });
    }
    for (const first of [0, SEATS / 2]) {
      const [left, top] = this.seats[first];
      this.words(ARMS[learner.armOf(first)].name, left - wide / 2, top - high / 2 - 12, "start", colors.soft, 600);
    }
  }

  // One bit on its way, or none: where it is, and whether it has crossed the wall.
  message({ seat, order, turn }, trust, phase) {
    const server = this.point(PLACES.server, 0.5), start = this.seats[seat];
    const door = this.tall ? [server[0] + 40 * (turn - 0.5), server[1] - 24] : [server[0] - 28, server[1] + 50 * (turn - 0.5)];
    if (trust !== "shuffler") {
      const t = (phase - 0.12 - 0.3 * order) / 0.3;
      if (t < 0 || t > 1) return null;
      const place = between(start, door, ease(t)), crossed = (this.tall ? place[1] / this.height : place[0] / this.width) > WALLS[trust];
      return { place, crossed };
    }
    const angle = 6.283 * turn + 9 * phase, far = this.drum * 0.85 * Math.sqrt(order), middle = this.point(PLACES.shuffler, 0.5);
    const inside = [middle[0] + far * Math.cos(angle), middle[1] + far * Math.sin(angle)];
    const t = (phase - 0.1 - 0.25 * order) / 0.2, out = (phase - 0.6 - 0.22 * turn) / 0.18;
    if (t < 0 || out > 1) return null;
    const place = out > 0 ? between(inside, door, ease(out)) : between(start, inside, ease(t));
    return { place, crossed: phase > 0.48 };
  }

  messages(lull, trust, phase) {
    const random = chance(lull.night * 7919), color = this.colors[trust];
    for (const { seats, answers, sent } of lull.tonight[trust]) {
      seats.forEach((seat, i) => {
        for (const bit of sent[i].slice(0, 9)) { // at most four pairs of noise bits are drawn for a phone
          const moving = this.message({ seat, order: random(), turn: random() }, trust, phase);
          if (!moving) continue;
          const open = moving.crossed || trust === "everybody", hidden = trust === "nobody" && !moving.crossed;
          this.circle(moving.place, 4, open ? color : this.colors.secret, (hidden ? answers[i] : bit) === 1);
        }
      });
    }
  }

  eye(trust) {
    const [x, y] = this.tall ? [this.width - 40, this.height * Math.min(0.925, WALLS[trust] + 0.06)] : [this.width * 0.95, 40], { pen, colors } = this;
    pen.beginPath();
    pen.moveTo(x - 24, y);
    pen.bezierCurveTo(x - 10, y - 20, x + 10, y - 20, x + 24, y);
    pen.bezierCurveTo(x + 10, y + 20, x - 10, y + 20, x - 24, y);
    pen.fillStyle = colors.paper;
    pen.fill();
    Object.assign(pen, { lineWidth: 2, strokeStyle: colors.ink });
    pen.stroke();
    const look = between([0, 0], this.tall ? [0, -4] : [-7, 3], 1);
    this.circle([x + look[0], y + look[1]], 8, colors.ink);
    const short = this.tall || trust === "server"; // the sentence is wider than what is left beside the wall
    this.words(short ? "Eve" : "Eve reads what crosses", short ? x : x + 24, y + 26, short ? "center" : "end", colors.soft);
  }
}
