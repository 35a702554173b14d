// Which one should I use? Leave the answer to what was asked, and write the reader's numbers into its code. Every answer stands in
// the page already; this script only hides, fills in and says in one sentence what was found. Questions stand in the address.
document.addEventListener("DOMContentLoaded", function () {
  "use strict";
  const form = document.querySelector("form.which-form");
  if (!form) return;
  const all = form.querySelector("button");
  const told = document.querySelector(".which-told p");
  const answers = Array.from(document.querySelectorAll(".which-answer"));
  const fields = Array.from(form.querySelectorAll("select, input"));

  function answerTo(kind, trust) {
    const fits = answers.filter((one) => one.dataset.trust.split(" ").includes(trust));
    return fits.find((one) => one.dataset.kinds.split(" ")[0] === kind) ?? fits.find((one) => one.dataset.kinds.split(" ").includes(kind));
  }
  function number(name, usual) {
    const field = form.elements[name];
    const value = field.value === "" ? usual : Number(field.value);
    const whole = field.step === "any" || Number.isInteger(value);
    const fine = field.disabled || (whole && value >= Number(field.min) && value <= Number(field.max));
    field.setAttribute("aria-invalid", String(!fine));
    return fine ? value : usual;
  }
  function digits(number, mark) {
    return String(number).replace(/\B(?=(\d{3})+(?!\d))/g, mark);
  }
  // A probability, rounded down: what is promised must not be less than what was asked.
  function small(value) {
    const power = 10 ** (Math.floor(Math.log10(value)) - 2);
    return Number((Math.floor(value / power + 1e-6) * power).toPrecision(3)).toExponential();
  }
  // The rows that were played nearest to the epsilon that each would have.
  function nearest(rows, each) {
    const played = (row) => Number(row.dataset.epsilon) || 1;
    const away = (row, epsilon) => Math.abs(Math.log(played(row) / epsilon));
    const closest = (epsilon) => played(rows.reduce((best, row) => (away(row, epsilon) < away(best, epsilon) ? row : best)));
    return rows.filter((row) => played(row) === closest(each(row)));
  }
  // The instances by which an answer is judged: those nearest to the reader's K, d and T, by ratios, or all if nothing is said.
  function judges(own) {
    const sizes = JSON.parse(own.sizes);
    const mine = ["arms", "dimension", "horizon"].map((name) => (form.elements[name].value === "" ? 0 : number(name, 0)));
    const all = sizes.map((_, i) => i);
    if (!mine.some(Boolean)) return all;
    const away = sizes.map((size) => Math.round(1e9 * size.reduce((sum, its, j) => sum + (its && mine[j] ? Math.abs(Math.log(its / mine[j])) : 0), 0)));
    return all.sort((i, j) => away[i] - away[j] || i - j).slice(0, Number(own.near));
  }
  function interval(values, quantiles) {
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    const spread = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1);
    return [mean, quantiles * Math.sqrt(spread / values.length)];
  }
  // The least mean share, or the first in the answer's order whose paired difference from it has 0 in its 95% interval.
  function best(rows, here, quantile) {
    const shares = new Map(rows.map((row) => [row, here.map((i) => JSON.parse(row.dataset.shares)[i])]));
    const mean = (row) => interval(shares.get(row), quantile)[0];
    const ordered = [...rows].sort((one, two) => Number(one.dataset.place) - Number(two.dataset.place));
    const least = ordered.reduce((found, row) => (mean(row) < mean(found) ? row : found));
    const near = (row) => {
      const [more, half] = interval(shares.get(row).map((share, i) => share - shares.get(least)[i]), quantile);
      return more <= half + 1e-12;
    };
    const row = ordered.find(near);
    return [row, ...interval(shares.get(row), quantile)];
  }
  function percent(mean, half) {
    return `${Number((100 * mean).toPrecision(2))} ± ${Number((100 * half).toPrecision(2))}%`;
  }
  function show() {
    const kind = form.elements.kind.value;
    const trust = form.elements.trust.value;
    const answer = answerTo(kind, trust);
    const own = answer.dataset;
    for (const name of ["horizon", "arms", "dimension"]) form.elements[name].placeholder = own[name] === "0" ? "" : own[name];
    form.elements.dimension.disabled = own.dimension === "0";
    const visits = number("visits", 1);
    const epsilon = number("epsilon", 1);
    const T = number("horizon", Number(own.horizon));
    // One answer of a person who gives several: group privacy, or the option of systems that know of returning users.
    const returns = (row) => row.dataset.code.includes("{returning}");
    const share = (row) => (returns(row) ? epsilon : epsilon / visits);
    const here = judges(own);
    const quantiles = JSON.parse(own.quantiles);
    const quantile = here.length === Number(own.near) ? quantiles[0] : quantiles[1];
    const rows = Array.from(answer.querySelectorAll("tr[data-code]"));
    const [row, lost, half] = best(nearest(rows, share), here, quantile);
    const each = share(row);
    const delta = returns(row) || visits === 1 ? 0.1 / T : 0.1 / T / (visits * Math.exp(epsilon));
    for (const other of answers) for (const one of other.querySelectorAll("tr[data-code]")) one.classList.toggle("which-near", one === row);
    const values = {
      K: number("arms", Number(own.arms)),
      d: number("dimension", Number(own.dimension)),
      T: digits(T, "_"),
      epsilon: String(Number(each.toPrecision(6))),
      delta: small(delta),
      returning: visits > 1 ? "returning_users=" + visits : "",
    };
    let code = row.dataset.code.replace(/\{(\w+)\}/g, (_, name) => values[name]);
    code = code.replace(/, \)/, ")");
    answer.querySelector(".which-code code").textContent = code;
    const hidden = row.dataset.epsilon === "0" ? "" : ` at ε = ${row.dataset.epsilon}`;
    const several = visits === 1 ? "" : returns(row) ? ` The code says that one person answers ${digits(visits, ",")} times; in the contest each gave one answer, so expect more regret, and perhaps another order: simulate the others, too.`
      : own.trust === "none" ? "" : ` As one person may give ${digits(visits, ",")} answers, each gets ε = ${values.epsilon}.`;
    const beyond = ["arms", "dimension", "horizon"].filter((name, j) => {
      const played = JSON.parse(own.sizes).map((size) => size[j]);
      const mine = Number(form.elements[name].value);
      return mine && (mine < Math.min(...played) || mine > Math.max(...played));
    });
    const epsilons = rows.map((one) => Number(one.dataset.epsilon));
    if (hidden && (each < 0.999 * Math.min(...epsilons) || each > 1.001 * Math.max(...epsilons))) beyond.push("epsilon");
    const words = { arms: "K", dimension: "d", horizon: "T", epsilon: "ε" };
    const outside = beyond.length ? ` Your ${beyond.map((name) => words[name]).join(" and ")} ${beyond.length > 1 ? "lie" : "lies"} outside of what was played: simulate.` : "";
    const ignored = fields.filter((field) => field.getAttribute("aria-invalid") === "true").map((field) => field.labels[0].textContent);
    const unused = ignored.length ? ` Out of range, and so not used: ${ignored.join("; ")}` : "";
    const judged = here.length === Number(own.near) ? `the ${here.length} instances of the contest that are nearest to your numbers` : `the contest's ${here.length} instances`;
    told.textContent = `${own.title}: take ${row.dataset.system}. On ${judged}${hidden} it lost ${percent(lost, half)} of what random play loses, ` +
      `and users sent ${row.dataset.bits} bits each on average.${several}${outside}${unused}`;
    const everything = all.getAttribute("aria-pressed") === "true";
    for (const other of answers) {
      const section = other.closest("section");
      section.hidden = !everything && other !== answer;
      section.classList.toggle("which-found", other === answer);
    }
    for (const group of new Set(answers.map((one) => one.closest("section").parentElement))) {
      group.hidden = Array.from(group.querySelectorAll("section")).every((section) => section.hidden);
    }
  }
  function remember() {
    const query = new URLSearchParams(fields.filter((one) => one.value && !one.disabled).map((one) => [one.name, one.value]));
    history.replaceState(null, "", "?" + query + location.hash);
  }
  function seek() {
    // Whoever comes with the address of a section that is hidden wants to see it.
    const target = document.getElementById(askedPlace());
    if (!target || !target.closest(".bd-article") || !target.closest("section[hidden]")) return;
    all.setAttribute("aria-pressed", "true");
    show();
    target.scrollIntoView();
  }
  form.elements.trust.value = "shuffle";
  fillFromAddress(fields);
  form.hidden = false;
  form.addEventListener("input", function () {
    show();
    remember();
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  all.addEventListener("click", function () {
    all.setAttribute("aria-pressed", String(all.getAttribute("aria-pressed") !== "true"));
    show();
  });
  addEventListener("hashchange", seek);
  show();
  seek();
});
