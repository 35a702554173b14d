// Puts the moving figure of the welcome page together: time, buttons, and the hand on them.

const NIGHT = 5200; // milliseconds
const REST = { everybody: 0.35, server: 0.35, shuffler: 0.5, nobody: 0.35 }; // what a still picture shows

class Figure {
  constructor(box, table) {
    this.box = box;
    this.lull = new Lull(table, table.seed, table.epsilons.indexOf(1));
    this.stage = new Stage(box.querySelector("canvas"));
    this.calm = matchMedia("(prefers-reduced-motion: reduce)");
    Object.assign(this, { trust: "shuffler", phase: REST.shuffler, playing: false, learned: false, visible: true });
    this.slider = box.querySelector("input[type=range]");
    Object.assign(this.slider, { max: table.epsilons.length - 1, value: this.lull.place });
    box.querySelector(".lull-seed").textContent = table.seed;
    this.listen();
    for (let night = 1; night < 6; night++) this.nextNight();
    this.show();
    this.play(!this.calm.matches);
  }

  at(name) {
    return this.box.querySelector(`[data-do=${name}]`);
  }

  listen() {
    for (const radio of this.box.querySelectorAll("input[type=radio]")) radio.addEventListener("change", () => this.believe(radio.value));
    this.slider.addEventListener("input", () => {
      this.lull.promiseAgain(Number(this.slider.value));
      this.learned = false;
      this.show();
    });
    this.slider.addEventListener("change", () => this.say());
    const doing = {
      play: () => this.play(!this.playing),
      night: () => this.stepOn(1),
      month: () => this.stepOn(30),
      again: () => {
        this.lull.restart();
        Object.assign(this, { learned: false, phase: REST[this.trust] });
      },
      flip: () => this.flip(),
    };
    for (const [name, does] of Object.entries(doing)) {
      this.at(name).addEventListener("click", () => {
        does();
        this.show();
        this.say();
      });
    }
    const canvas = this.stage.canvas;
    canvas.addEventListener("click", (event) => {
      const { left, top } = canvas.getBoundingClientRect();
      if (this.stage.seatAt(event.clientX - left, event.clientY - top) === YOU) this.at("flip").click();
    });
    new ResizeObserver(() => this.remeasure()).observe(canvas);
    new MutationObserver(() => this.remeasure()).observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
    new IntersectionObserver(([seen]) => {
      this.visible = seen.isIntersecting;
    }).observe(canvas);
    this.calm.addEventListener("change", () => this.play(!this.calm.matches));
  }

  remeasure() {
    this.stage.measure();
    this.draw();
    drawPanels(this.box, this.lull, this.trust);
  }

  believe(trust) {
    this.trust = this.box.dataset.trust = trust;
    if (!this.playing) this.phase = REST[trust];
    this.show();
    this.say();
  }

  flip() {
    if (this.learned) this.nextNight(); // last night's answer is given; this is tonight's
    this.lull.flip();
  }

  nextNight() {
    if (!this.learned) this.lull.learn();
    this.lull.ask();
    this.learned = false;
  }

  stepOn(nights) { // and let the last night end: what is drawn has arrived, and is learned
    this.play(false);
    for (let i = 0; i < nights; i++) this.nextNight();
    this.lull.learn();
    Object.assign(this, { learned: true, phase: 1 });
  }

  play(on) {
    this.playing = on;
    this.at("play").textContent = on ? "Pause" : "Play";
    if (!on) return;
    let last = performance.now();
    const tick = (now) => {
      if (!this.playing || !this.box.isConnected) return;
      if (this.visible) this.pass((now - last) / NIGHT);
      last = now;
      requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  }

  pass(share) {
    this.phase += Math.min(share, 0.02);
    if (this.phase > 0.97 && !this.learned) {
      this.lull.learn();
      this.learned = true;
      drawPanels(this.box, this.lull, this.trust);
    }
    if (this.phase >= 1.05) {
      this.nextNight();
      this.phase = 0;
      this.show();
    }
    this.draw();
  }

  draw() {
    this.stage.draw(this.lull, this.trust, Math.min(1, this.phase));
  }

  show() {
    const { epsilon } = this.lull.promise, all = this.trust === "everybody";
    this.box.querySelector("output").textContent = all ? "all" : `ε = ${epsilon}`;
    this.slider.disabled = all;
    this.slider.setAttribute("aria-valuetext", all ? "everything leaks" : `epsilon ${epsilon}`);
    this.at("flip").textContent = this.lull.yours ? "You slept better" : "You did not";
    this.at("flip").setAttribute("aria-label", `${this.at("flip").textContent}. Change your answer of tonight`);
    this.box.querySelector(".lull-night").textContent = `Night ${this.lull.night}`;
    drawPanels(this.box, this.lull, this.trust);
    this.draw();
  }

  say() {
    this.box.querySelector("[aria-live=polite]").textContent = aloud(this.lull, this.trust);
  }
}

for (const box of document.querySelectorAll(".lull")) {
  const table = JSON.parse(document.getElementById("lull-table").textContent);
  box.figure = new Figure(box, table);
}
