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
  const plain = new Set(fields.map((field) => field.name));

  function answerTo(kind, trust) {
    const fits = answers.filter((one) => one.dataset.trust.split(" ").includes(trust));
    return fits.find((one) => one.dataset.kinds.split(" ")[0] === kind) ?? fits.find((one) => one.dataset.kinds.split(" ").includes(kind));
  }
  function number(name, usual) {
    const field = form.elements[name];
    const value = field.value === "" ? usual : Number(field.value);
    const whole = field.step === "any" || Number.isInteger(value);
    const fine = field.disabled || (whole && Number.isFinite(value) && value >= Number(field.min));
    field.setAttribute("aria-invalid", String(!fine));
    return fine ? value : usual;
  }
  // A probability, rounded down: what is promised must not be less than what was asked.
  function small(value) {
    const power = 10 ** (Math.floor(Math.log10(value)) - 2);
    return Number((Math.floor(value / power + 1e-6) * power).toPrecision(3)).toExponential();
  }
  function nearest(rows, epsilon) {
    const away = (row) => Math.abs(Math.log(Number(row.dataset.epsilon) || 1) - Math.log(epsilon));
    return rows.reduce((best, row) => (away(row) < away(best) ? row : best));
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
    const returns = own.kinds.includes("contexts");
    // One answer of a person who gives several: group privacy, or the option of systems that know of returning users.
    const each = returns ? epsilon : epsilon / visits;
    const delta = returns || visits === 1 ? 0.1 / T : 0.1 / T / (visits * Math.exp(epsilon));
    const rows = Array.from(answer.querySelectorAll("tr[data-code]"));
    const row = nearest(rows, each);
    for (const other of answers) for (const one of other.querySelectorAll("tr[data-code]")) one.classList.toggle("which-near", one === row);
    const values = {
      K: number("arms", Number(own.arms)),
      d: number("dimension", Number(own.dimension)),
      T: String(T).replace(/\B(?=(\d{3})+(?!\d))/g, "_"),
      epsilon: String(Number(each.toPrecision(6))),
      delta: small(delta),
      returning: visits > 1 ? "returning_users=" + visits : "",
    };
    let code = row.dataset.code.replace(/\{(\w+)\}/g, (_, name) => values[name]);
    code = code.replace(/, \)/, ")");
    answer.querySelector(".which-code code").textContent = code;
    const hidden = row.dataset.epsilon === "0" ? "" : ` at ε = ${row.dataset.epsilon}`;
    const several = visits === 1 ? "" : returns ? ` The code says that one person answers ${visits} times; the sweep had one answer each, so expect more regret.`
      : own.trust === "none" ? "" : ` As one person may give ${visits} answers, each gets ε = ${values.epsilon}.`;
    told.textContent = `${own.title}: take ${row.dataset.system}. In the sweep${hidden} it lost ${row.dataset.regret} of ` +
      `${Number(own.horizon).toLocaleString("en")}, ${row.dataset.share} of what random play loses, and users sent ${row.dataset.bits} bits each on average.${several}`;
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
    const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target || !target.closest(".bd-article") || !target.closest("section[hidden]")) return;
    all.setAttribute("aria-pressed", "true");
    show();
    target.scrollIntoView();
  }
  for (const [name, value] of new URLSearchParams(location.search)) if (plain.has(name)) form.elements[name].value = value;
  if (!form.elements.kind.value) form.elements.kind.selectedIndex = 0;
  if (!form.elements.trust.value) form.elements.trust.selectedIndex = 0;
  if (!location.search) form.elements.trust.value = "shuffle";
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
