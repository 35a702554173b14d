// Numbers as text, ticks, scales, and labels that make room for each other: pure functions used by moving_figure.js.
// Python wraps both files in one function, so nothing here becomes global.

function power(exponent) {
  return "10" + String(exponent).replace(/[-\d]/g, (sign) => (sign === "-" ? "⁻" : "⁰¹²³⁴⁵⁶⁷⁸⁹"[sign]));
}

function numberText(value) {
  const size = Math.abs(value);
  if (size === 0 || (size >= 1e-3 && size < 1e6)) {
    return value.toLocaleString("en-US", { maximumSignificantDigits: 6 }).replace("-", "−");
  }
  const [mantissa, exponent] = value.toExponential(4).split("e");
  const factor = String(Number(mantissa)).replace("-", "−");
  return (factor === "1" ? "" : factor + " × ") + power(Number(exponent));
}

// Steps of 1, 2 or 5 times a power of ten, at most about `most` of them.
function linearTicks(low, high, most) {
  const unit = 10 ** Math.floor(Math.log10((high - low) / most));
  const step = unit * ([1, 2, 5].find((m) => (high - low) / (m * unit) <= most) || 10);
  const ticks = [];
  for (let i = Math.ceil(low / step - 1e-6); i * step <= high + 1e-6 * step; i++) {
    const value = Number((i * step).toPrecision(12));
    ticks.push([value, numberText(value)]);
  }
  return ticks;
}

// Whole powers of ten; 2 and 5 times them too where there is little else.
function logTicks(low, high, most) {
  const first = Math.floor(Math.log10(low)), last = Math.ceil(Math.log10(high));
  const inside = (value) => value >= low * (1 - 1e-6) && value <= high * (1 + 1e-6);
  const powers = [];
  for (let e = first; e <= last; e++) if (inside(10 ** e)) powers.push(e);
  if (powers.length >= 3) {
    const every = Math.ceil(powers.length / most);
    const short = powers[0] >= -3 && powers[powers.length - 1] <= 4; // else 1 and 10⁶ would stand side by side
    return powers.filter((e) => e % every === 0).map((e) => [10 ** e, short ? numberText(10 ** e) : power(e)]);
  }
  const ticks = [];
  for (let e = first; e <= last; e++) for (const m of [1, 2, 5]) {
    const value = Number((m * 10 ** e).toPrecision(12));
    if (inside(value)) ticks.push([value, numberText(value)]);
  }
  return ticks.length >= 2 ? ticks : linearTicks(low, high, most);
}

function scale(kind, low, high, from, to) {
  // On a log axis 0 and negative numbers lie below the edge, where the drawing is cut off.
  const place = kind === "log" ? (v) => Math.log10(Math.max(v, low / 1e3)) : (v) => v;
  const start = place(low), end = place(high);
  return (v) => from + ((place(v) - start) / (end - start)) * (to - from);
}

// Smallest movement (least squares) that puts heights, sorted, at least `gap` apart and between 0 and `most`.
function spread(heights, gap, most) {
  const pools = [];
  heights.forEach((height, rank) => {
    let pool = { mean: height - rank * gap, size: 1 };
    while (pools.length && pools[pools.length - 1].mean > pool.mean) {
      const last = pools.pop(), size = last.size + pool.size;
      pool = { mean: (last.mean * last.size + pool.mean * pool.size) / size, size };
    }
    pools.push(pool);
  });
  const room = Math.max(0, most - (heights.length - 1) * gap);
  const means = pools.flatMap((pool) => Array(pool.size).fill(pool.mean));
  return means.map((mean, rank) => Math.min(room, Math.max(0, mean)) + rank * gap);
}
