// The order of search results; Sphinx puts this into language_data.js (html_search_scorer). A page is worth what its words say of
// it: how often each word that was searched for stands there, and each two words together, which search_counts.js knows of chapters
// and guides, whether it is the first chapter with the two, and whether its title has them all. A section whose heading was
// searched for stands just above its page, or, if the heading says nothing else, above all; an object comes last.
Scorer.score = function (result) {
  const [docname, title, anchor, description, score] = result;
  const stemmer = new Stemmer();
  const query = new URLSearchParams(location.search).get("q") ?? "";
  const asking = ["how", "what", "why", "who", "do", "i"]; // of which no page is more about than another
  const words = splitQuery(query.toLowerCase()).filter((word) => ![...stopwords, ...asking].includes(word));
  const counted = (window.searchCounts ?? {})[docname];
  const stems = words.map((word) => stemmer.stemWord(word));
  const times = (words) => (counted && Object.hasOwn(counted, words) ? counted[words] : 0);
  const often = stems.map(times);
  const together = stems.slice(1).map((stem, i) => times(`${stems[i]} ${stem}`));
  const chapters = Object.keys(window.searchCounts ?? {}).filter((name) => name.startsWith("notebooks/")).sort();
  const first = stems.slice(1).filter((stem, i) => chapters.find((name) => searchCounts[name][`${stems[i]} ${stem}`]) === docname);
  const heading = splitQuery(title.split(" > ").pop().toLowerCase()).filter((word) => !stopwords.includes(word));
  const just = words.length > 0 && heading.length <= words.length && words.every((word) => heading.includes(word));
  const named = !anchor && words.length > 0 && words.every((word) => title.toLowerCase().includes(word));
  const logs = (list, weight) => list.reduce((sum, count) => sum + weight * Math.log2(1 + count), 0);
  const page = (counted ? 50 : 0) + logs(often, 10) + logs(together, 20) + 25 * first.length;
  if (description !== null) return score / 10; // an object of the package
  const chapter = Number((docname.match(/^notebooks\/(\d+)/) ?? [])[1] ?? 10); // what is explained first stands first
  return page - 2 * chapter + (named ? 20 : 0) + (anchor && just ? 100 : 0) + score / 100 + (anchor ? 1 : 0);
};

// What every object has by itself, as "constructor", is no word of the book: the index is looked up by the words of the address.
const setIndex = Search.setIndex;
const methods = Object.assign(Object.create(null), { hasOwnProperty: Object.prototype.hasOwnProperty });
const onlyOwn = (table) => Object.assign(Object.create(methods), table);
Search.setIndex = (index) => setIndex({ ...index, terms: onlyOwn(index.terms), titleterms: onlyOwn(index.titleterms) });

// An excerpt leaves out what is not the chapter's text, its code and the page's empty lines.
const textOf = Search.htmlToText;
Search.htmlToText = function (html, anchor) {
  const page = new DOMParser().parseFromString(html, "text/html");
  for (const part of page.querySelectorAll("#jb-print-docs-body, .bd-header-article, .take-along, .cell_input")) part.remove();
  return textOf(page.documentElement.outerHTML, anchor).replace(/\s+/g, " ");
};

// An excerpt is taken from the whole page, so that a page is fetched when its line comes near, and once.
const load = window.fetch;
const texts = {};
window.fetch = (address) => new Promise((done, fail) => setTimeout(() => {
  const line = Search.output.lastElementChild;
  const near = new IntersectionObserver((seen) => {
    if (!seen.some((one) => one.isIntersecting)) return;
    near.disconnect();
    const page = String(address).split("#")[0];
    (texts[page] ??= load(page).then((answer) => answer.text())).then((text) => done(new Response(text)), fail);
  }, { rootMargin: "200px" });
  near.observe(line);
}));

// Where nothing was found, offer the nearest beginning of a word that the book has.
const letters = (one, other) => { // how many letters have to be changed
  let row = [...Array(other.length + 1).keys()];
  for (let i = 1; i <= one.length; i++) {
    const next = [i];
    for (let j = 1; j <= other.length; j++) {
      next.push(Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + (one[i - 1] !== other[j - 1])));
    }
    row = next;
  }
  return row[other.length];
};

const offerNearest = (box) => {
  const said = box.querySelector("p.search-summary");
  if (!said?.innerText.includes("did not match") || box.querySelector(".search-near")) return;
  const stem = new Stemmer().stemWord((new URLSearchParams(location.search).get("q") ?? "").toLowerCase().trim());
  const known = Object.create(null);
  for (const counts of Object.values(window.searchCounts ?? {})) {
    for (const [word, times] of Object.entries(counts)) if (/^[a-z]{4,}$/.test(word)) known[word] = (known[word] ?? 0) + times;
  }
  const near = Object.keys(known).filter((word) => word[0] === stem[0] && letters(word, stem) <= 2)
    .sort((a, b) => letters(a, stem) - letters(b, stem) || known[b] - known[a])[0];
  if (!near) return;
  const line = box.appendChild(document.createElement("p"));
  line.className = "search-near";
  line.innerHTML = `<a href="?q=${near}">Search for words that begin with “${near}”</a>`;
};

addEventListener("DOMContentLoaded", () => {
  const box = document.getElementById("search-results");
  if (!box) return;
  offerNearest(box);
  new MutationObserver(() => offerNearest(box)).observe(box, { childList: true, subtree: true, characterData: true });
});
