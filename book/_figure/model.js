// Lull, the sleep app, with two exercises, learning from the same people four times: trusted by everybody, through a
// trusted server, through a shuffler, and trusted by nobody. Pure: no drawing and no clock.
// book/_tools/welcome_figure.py puts all scripts of this folder into one function, so nothing here becomes global.

const ARMS = [{ name: "Breathe", rate: 0.7 }, { name: "Stretch", rate: 0.5 }];
const TRUSTS = ["everybody", "server", "shuffler", "nobody"];
const SEATS = 64; // people a night
const YOU = 27;

// Uniform numbers in [0, 1) from a seed (the generator mulberry32).
function chance(seed) {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

const sum = (list) => list.reduce((total, item) => total + item, 0);
const truthful = (epsilon) => Math.exp(epsilon) / (1 + Math.exp(epsilon)); // of a bit under randomized response

// What one night's answers about one exercise become on their way, and the variance of the noise on their sum.
// Each returns what every phone sends (lists of bits), what is then known of the sum, and the variance.
const SEND = {
  everybody: (answers) => ({ sent: answers.map((bit) => [bit]), known: sum(answers), variance: 0 }),

  server(answers, { epsilon }, random) { // discrete Laplace noise, drawn by the server
    const share = Math.exp(-epsilon), geometric = () => Math.floor(Math.log(1 - random()) / -epsilon);
    const known = sum(answers) + geometric() - geometric();
    return { sent: answers.map((bit) => [bit]), known, variance: (2 * share) / (1 - share) ** 2 };
  },

  shuffler(answers, { bits }, random) { // M_sum: pairs of noise bits, one rare and one common, beside the answer
    const [pairs, p] = bits[answers.length];
    const noise = () => Array.from({ length: pairs }, () => [Number(random() < p), Number(random() >= p)]).flat();
    const sent = answers.map((bit) => [bit, ...noise()]);
    return { sent, known: sum(sent.flat()) - answers.length * pairs, variance: 2 * answers.length * pairs * p * (1 - p) };
  },

  nobody(answers, { epsilon }, random) { // randomized response, on every phone
    const q = truthful(epsilon), sent = answers.map((bit) => [random() < q ? bit : 1 - bit]);
    const known = (sum(sent.flat()) - answers.length * (1 - q)) / (2 * q - 1);
    return { sent, known, variance: answers.length / (4 * Math.sinh(epsilon / 2) ** 2) };
  },
};

// Arm elimination with intervals of two standard errors, for one of the four kinds of trust.
class Learner {
  constructor() {
    Object.assign(this, { users: [0, 0], sums: [0, 0], variances: [0, 0], viable: [0, 1], lost: [0], dropped: 0 });
  }

  armOf(seat) { // half of the people try each exercise, until one is dropped
    return this.viable.length === 2 ? Number(seat >= SEATS / 2) : this.viable[0];
  }

  interval(arm) {
    const n = this.users[arm];
    if (!n) return { mean: 0.5, half: Infinity };
    return { mean: this.sums[arm] / n, half: (2 * Math.sqrt(0.25 * n + this.variances[arm])) / n };
  }

  tell(released, night) {
    let lost = 0;
    for (const { arm, users, known, variance } of released) {
      this.users[arm] += users;
      this.sums[arm] += known;
      this.variances[arm] += variance;
      lost += users * (ARMS[0].rate - ARMS[arm].rate);
    }
    this.lost.push(this.lost.at(-1) + lost);
    if (this.viable.length < 2) return;
    const [one, other] = [this.interval(0), this.interval(1)];
    if (Math.abs(one.mean - other.mean) <= one.half + other.half) return;
    this.viable = [one.mean > other.mean ? 0 : 1];
    this.dropped = night;
  }
}

// The app on consecutive nights. `table` has the package's noise, epsilon -> users -> [pairs, p], and mean lines, epsilon -> trust.
class Lull {
  constructor(table, seed, place) {
    Object.assign(this, { table, seed, place, yours: 1 });
    this.restart();
  }

  get promise() {
    const epsilon = this.table.epsilons[this.place];
    return { epsilon, bits: this.table.bits[epsilon], means: this.table.means[epsilon] };
  }

  restart() {
    this.night = 0;
    this.random = chance(this.seed);
    this.learners = Object.fromEntries(TRUSTS.map((trust) => [trust, new Learner()]));
    this.ask();
  }

  // A new night: 64 people, the same for all four, each with the answer that fits what she was shown.
  ask() {
    this.night += 1;
    this.luck = Array.from({ length: SEATS }, this.random);
    this.noise = Math.floor(this.random() * 2 ** 31);
    this.send();
  }

  answer(trust, seat) {
    if (seat === YOU) return this.yours;
    return Number(this.luck[seat] < ARMS[this.learners[trust].armOf(seat)].rate);
  }

  // What every kind of trust makes of tonight's answers; the noise of a night is the same if it is sent again.
  send() {
    this.tonight = Object.fromEntries(TRUSTS.map((trust, i) => {
      const learner = this.learners[trust], random = chance(this.noise + i);
      const released = learner.viable.map((arm) => {
        const seats = [...Array(SEATS).keys()].filter((seat) => learner.armOf(seat) === arm);
        const answers = seats.map((seat) => this.answer(trust, seat));
        return { arm, seats, answers, users: seats.length, ...SEND[trust](answers, this.promise, random) };
      });
      return [trust, released];
    }));
  }

  flip() { // you change your answer of tonight
    this.yours = 1 - this.yours;
    this.send();
  }

  learn() {
    for (const trust of TRUSTS) this.learners[trust].tell(this.tonight[trust], this.night);
  }

  // The same nights under another promise.
  promiseAgain(place) {
    const nights = this.night;
    this.place = place;
    this.restart();
    while (this.night < nights) {
      this.learn();
      this.ask();
    }
  }
}
