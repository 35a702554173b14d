// The order of search results; Sphinx puts this into language_data.js (html_search_scorer). A page is worth what its words say of
// it: how often each word that was searched for stands there, which search_counts.js knows of chapters and guides, and whether its
// title has them all. A section whose heading was searched for stands just above its page, and an object comes last.
Scorer.score = function (result) {
  const [docname, title, anchor, description, score] = result;
  const stemmer = new Stemmer();
  const query = new URLSearchParams(location.search).get("q") ?? "";
  const words = splitQuery(query.toLowerCase()).filter((word) => !stopwords.includes(word));
  const counted = (window.searchCounts ?? {})[docname];
  const often = words.map((word) => counted?.[stemmer.stemWord(word)] ?? 0);
  const named = !anchor && words.length > 0 && words.every((word) => title.toLowerCase().includes(word));
  const page = (counted ? 10 : 0) + often.reduce((sum, times) => sum + 10 * Math.log2(1 + times), 0);
  if (description !== null) return score / 10; // an object of the package
  return page + (named ? 20 : 0) + score / 100 + (anchor ? 1 : 0);
};

// An excerpt leaves out what is not the chapter's text, and the page's empty lines.
const textOf = Search.htmlToText;
Search.htmlToText = function (html, anchor) {
  const page = new DOMParser().parseFromString(html, "text/html");
  for (const part of page.querySelectorAll("#jb-print-docs-body, .bd-header-article, .take-along")) part.remove();
  return textOf(page.documentElement.outerHTML, anchor).replace(/\s+/g, " ");
};
