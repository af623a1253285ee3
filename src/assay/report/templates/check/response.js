// @ts-check
// The response that is shown: beside its source, with what is said of the sentence chosen.

const article = byId("shown");
const calm = matchMedia("(prefers-reduced-motion: reduce)");
const LONGEST_QUOTE = 600;

/** @type {PageResponse | null} */
let response = null;
/** @type {PageSource} */
let shownSource = { text: "" };
/** The number of the unit chosen, from 1; 0 for none. */
let chosen = 0;

/** @template {Element} [T=HTMLElement] @param {string} selector @returns {T[]} */
const all = (selector) => /** @type {T[]} */ ([...article.querySelectorAll(selector)]);

/** Words of which every other run is underlined. @param {string[]} runs @param {UnitView} [unit] */
const marked = (runs, unit) =>
  runs.map((run, at) => (at % 2 ? h("mark", { class: unit?.marked ? "marked" : "absent" }, run) : run));

/** What it means that words of the unit chosen are underlined. @param {UnitView} unit @param {Badge} badge */
function key(unit, badge) {
  const drawn = all(".unit.current mark")[0];
  if (!drawn) return false;
  const said = unit.marked ? "the source does not bear them out, as far as the detector can tell" : `they are not in the ${badge.name === "contradicting" ? "best " : ""}evidence as written`;
  return h("p", { class: "quiet key" }, h("mark", { class: drawn.className }, "Underlined"), ` words: ${said}.`);
}

/** Shows a response in the place of the one before.
 * @param {number} row @param {PageResponse} given @param {PageSource} source */
function showResponse(row, given, source) {
  const { id, badge, score, model } = index[row];
  [response, shownSource, chosen] = [given, source, 0];
  const judged = given.judged ?? given.counted;
  const share = given.counted ? Math.floor((100 * judged) / given.counted) : 100;
  const language = given.language;
  article.replaceChildren(
    h("header", {},
      h("h2", { id: "shown-id" }, bdi(titleOf(id))),
      h("ul", { class: "facts" },
        h("li", {}, chip(about.badges[badge])),
        score !== null && h("li", {}, "Score ", h("b", {}, score.toFixed(2))),
        h("li", {}, "Coverage ", h("b", {}, `${share}%`), `: ${judged} of ${counted(given.counted, given.noun)} ${given.counted === 1 ? "has" : "have"} a verdict`),
        given.read !== undefined && h("li", {}, "Read ", h("b", {}, grouped.format(given.read)), ` of ${counted(given.characters, "character")} of the source`),
        about.models[model] !== "" && h("li", {}, "Written by ", h("b", {}, bdi(about.models[model])))),
      given.question && h("p", { class: "question", dir: "auto" }, h("span", { class: "quiet" }, "Question "), given.question)),
    h("section", { class: "side source", "aria-label": "Source" },
      h("h3", {}, "Source", h("span", { class: "quiet" }, ...extent(given, source))),
      h("div", { class: "text", tabindex: 0, role: "group", "aria-label": "Text of the source", lang: language, dir: "auto" }, ...(given.characters ? drawSource(source, given.units) : [h("span", { class: "quiet" }, "There is no source.")]))),
    h("div", { class: "beside" }, h("section", { class: "side response", "aria-label": "Response" },
      h("h3", {}, "Response", h("span", { class: "quiet" }, ...tally(given))),
      h("div", { class: "text", lang: language, dir: "auto" }, ...(given.text ? responsePieces(given.text, given.units).map(drawPiece) : [h("span", { class: "quiet" }, "There is no response.")])),
      ...listedUnits(given)),
    h("section", { class: "side panel", id: "panel", "aria-label": "Details", "aria-live": "polite" })));
  article.scrollTop = 0;
  choose(given.worst);
  if (about.count === 1) byId(`u${chosen}`)?.scrollIntoView({ block: "nearest" });
  highlight();
}

/** What a response is headed with: a single one that has no name, with that of its file. @param {string} id */
const titleOf = (id) => (about.count === 1 && ["", "0", "1"].includes(id) ? about.data.replace(/, [^,]*$/, "") || "The response" : id || "(no id)");

/** How long the source is, and a switch where it is not seen as written. @param {PageResponse} given @param {PageSource} source */
function extent(given, source) {
  if (!given.characters) return [];
  if (!source.edits) return [counted(given.characters, "character")];
  return [
    `${counted(given.seen ?? given.characters, "character")} seen of ${grouped.format(given.characters)} `,
    h("button", { type: "button", class: "plain", "data-written": true, "aria-pressed": "false" }, "Show as written"),
  ];
}

/** @param {PageResponse} given */
const tally = (given) =>
  given.tally.map(([badge, count]) => h("span", { class: `count tone-${about.badges[badge].tone}`, title: about.badges[badge].name },
    h("span", { class: "sign", "aria-hidden": "true" }, signOf(about.badges[badge])), h("span", { class: "unseen" }, about.badges[badge].name), ` ${count}`));

/** The source, cut at the borders of evidence. @param {PageSource} source @param {UnitView[]} units */
const drawSource = (source, units) => sourceSegments(source, units).map(({ text, seen, marks, gap }) => {
  if (gap) return h("span", { class: "gap" }, `… ${counted(gap, "character")} left out …`);
  const drawn = seen === undefined ? [text] : [h("span", { class: "seen" }, seen), h("span", { class: "written" }, text)];
  if (!marks.length) return seen === undefined ? spelled(text) : h("span", {}, ...drawn);
  return h("span", { class: "segment", "data-for": marks.map(({ unit }) => unit).join(" "), "data-is": marks.map(({ unit, rank }) => `${unit}-${rank}`).join(" ") }, ...drawn);
});

/** @param {Piece} piece */
function drawPiece({ words, number, unit, isFirst }) {
  if (!unit) return h("span", { class: "words" }, ...words);
  if (isFirst) return button(number, unit, words);
  return h("span", { class: `unit words tone-${about.badges[unit.badge].tone}`, "data-unit": number }, ...marked(words, unit));
}

/** A unit that can be chosen. @param {number} number @param {UnitView} unit @param {string[]} runs */
function button(number, unit, runs) {
  const badge = about.badges[unit.badge];
  return h("span", { class: `unit tone-${badge.tone}`, id: `u${number}`, "data-unit": number, role: "button", "aria-pressed": "false", tabindex: -1 },
    h("span", { class: "tag", "aria-hidden": "true" }, `${signOf(badge)}\u00a0`),
    h("span", { class: "unseen" }, `${badge.name}: `),
    h("span", { class: "words" }, ...marked(runs, unit)));
}

/** The units that stand nowhere in the response. @param {PageResponse} given */
function listedUnits(given) {
  const numbers = given.units.flatMap(({ text }, at) => (text === undefined ? [] : [at + 1]));
  if (!numbers.length) return [];
  const kinds = new Set(given.units.map((unit) => unit.kind));
  const isAlone = numbers.length === given.units.length && kinds.size === 1;
  const heading = isAlone ? counted(2, [...kinds][0]).slice(2) : "also judged";
  return [
    h("h4", {}, heading[0].toUpperCase() + heading.slice(1)),
    h("ul", { class: "listed", lang: given.language }, ...numbers.map((number) => {
      const unit = given.units[number - 1];
      return h("li", { dir: "auto" }, !isAlone && h("span", { class: "quiet" }, `${unit.kind} `), button(number, unit, runsOf(unit.text ?? "", unit.runs)));
    })),
  ];
}

/** A name for a unit: its kind, and which of these it is. @param {number} number */
function nameOf(number) {
  const units = response?.units.slice(0, number) ?? [];
  const { kind } = units[number - 1];
  return `${kind} ${units.filter((unit) => unit.kind === kind).length}`;
}

/** Lights the evidence of a unit, the best above all, and shows its details; 0 chooses none.
 * @param {number} number */
function choose(number) {
  if (!response) return;
  chosen = response.units[number - 1] ? number : 0;
  for (const piece of all(".unit")) piece.classList.toggle("current", piece.dataset.unit === String(chosen));
  for (const unit of all(".unit[role]")) {
    const isChosen = unit.dataset.unit === String(chosen);
    unit.setAttribute("aria-pressed", String(isChosen));
    unit.tabIndex = isChosen || (!chosen && unit.dataset.unit === "1") ? 0 : -1;
  }
  for (const segment of all(".segment")) {
    const marks = (segment.dataset.is ?? "").split(" ");
    segment.classList.toggle("lit", marks.some((mark) => mark.split("-")[0] === String(chosen)));
    segment.classList.toggle("best", marks.includes(`${chosen}-0`));
  }
  byId("panel").replaceChildren(...(chosen ? details(chosen, response.units[chosen - 1]) : summary(response)));
  byId("panel").scrollTop = 0;
  scrollToEvidence(0);
}

/** Scrolls the source to a passage of evidence of the unit chosen.
 * @param {number} rank @param {boolean} [isAsked] whether the reader wants to see it now */
function scrollToEvidence(rank, isAsked = false) {
  const segment = all(`.segment[data-is~="${chosen}-${rank}"]`)[0];
  const pane = segment?.closest(".text");
  if (!segment || !pane) return;
  if (isAsked && matchMedia("(max-width: 46rem)").matches) pane.scrollIntoView({ block: "start" });
  const inside = segment.getBoundingClientRect();
  const around = pane.getBoundingClientRect();
  if (inside.top >= around.top && inside.bottom <= around.bottom) return;
  const top = pane.scrollTop + inside.top - around.top - pane.clientHeight / 4;
  pane.scrollTo({ top, behavior: calm.matches ? "auto" : "smooth" });
}

/** What there is to say of a response while no unit is chosen. @param {PageResponse} given */
const summary = (given) => [
  h("h3", {}, "This response"),
  h("ul", { class: "readings" }, ...given.tally.map(([badge, count]) => h("li", {}, h("b", {}, String(count)), " ", chip(about.badges[badge])))),
  h("p", { class: "quiet" }, "Choose a sentence to see what its verdict rests on."),
];

/** @param {number} number @param {UnitView} unit */
function details(number, unit) {
  const badge = about.badges[unit.badge];
  return [
    h("h3", { class: "what" }, chip(badge), h("span", { class: "quiet" }, nameOf(number)), h("button", { type: "button", class: "plain", "data-unchooses": "" }, "Close")),
    h("p", { class: "stance" }, ...(unit.failure ? failureWords(unit.failure) : [unit.stance])),
    ...section("", unit.note && h("p", { class: "note", dir: "auto" }, unit.note)),
    key(unit, badge),
    ...measures(unit),
    ...section("Its parts", ...items(unit.parts, (part) => {
      const { units, text } = /** @type {PageResponse} */ (response);
      return [chip(about.badges[units[part - 1].badge]), " ", h("span", { class: "quiet" }, `${nameOf(part)} `), h("span", { dir: "auto" }, wording(units[part - 1], text))];
    })),
    ...section("Words of the response", ...items(unit.words, (words) => [h("q", { dir: "auto" }, words)])),
    ...section("Readings", ...items(unit.interpretations, ({ badge: label, meaning }) => [chip(about.badges[label]), " ", h("span", { dir: "auto" }, meaning)])),
    ...(unit.failure ? [] : section("Evidence in the source", unit.quotes ? h("ol", { class: "quotes" }, ...unit.quotes.map(drawQuote)) : h("p", { class: "quiet" }, "None was given."))),
    ...section("Outside evidence", ...items(unit.external, outside)),
    ...section("The detector’s answers", unit.answers && h("dl", { class: "questions" }, ...answered(unit, about.questions).map(({ letter, question, answer }) => h("div", { "data-answer": letter }, h("dt", {}, question), h("dd", {}, answer))))),
    ...section("What the model replied", unit.failure?.reply && h("div", { class: "raw" }, replyOf(unit.failure))),
  ].filter((each) => each instanceof Node);
}

/** A heading with what stands under it, or nothing. @param {string} heading @param {...(Node | string | undefined)} content */
const section = (heading, ...content) =>
  content.some(Boolean) ? [...(heading ? [h("h4", {}, heading)] : []), ...content.filter((each) => each instanceof Node)] : [];

/** @template T @param {T[] | undefined} things @param {(thing: T) => Child[]} draw */
const items = (things, draw) =>
  things?.length ? [h("ul", { class: "readings" }, ...things.map((thing) => h("li", {}, ...draw(thing))))] : [];

/** @param {UnitView} unit */
function measures(unit) {
  /** @type {[string, number | undefined, string, string][]} */
  const given = [
    ["Score", unit.score, about.score, about.threshold === null ? "" : `; --line-at: ${about.threshold}`],
    ["Confidence", unit.confidence, "in this verdict", ""],
  ];
  const drawn = given.flatMap(([name, value, hint, more]) =>
    value === undefined ? [] : [h("div", { class: "measure", style: `--at: ${value}${more}` }, h("dt", {}, name), h("dd", {}, h("b", {}, value.toFixed(2)), h("span", { class: "quiet" }, hint)))]);
  return drawn.length ? [h("dl", { class: `measures tone-${about.badges[unit.badge].tone}` }, ...drawn)] : [];
}

/** @param {Quote} quote @param {number} rank */
function drawQuote(quote, rank) {
  const text = quoted(shownSource, quote);
  const rest = text.length - LONGEST_QUOTE;
  const shown = rest > 0 ? `${text.slice(0, LONGEST_QUOTE)}…` : text;
  return h("li", {}, h("button", { type: "button", class: rank ? "quote" : "quote best", "data-rank": rank, "aria-label": `Show in the source: ${spelled(shown)}` },
    quote.passage && h("span", { class: "quiet" }, `${quote.passage} `), h("q", { dir: "auto" }, shown),
    rest > 0 && h("span", { class: "quiet" }, ` ${counted(rest, "more character")}`)));
}

/** Marks the words looked for in both texts. */
function highlight() {
  if (!("highlights" in CSS)) return;
  CSS.highlights.delete("found");
  const words = wanted.q.toLowerCase();
  if (!words) return;
  const ranges = [];
  const walk = document.createTreeWalker(article, NodeFilter.SHOW_TEXT);
  while (walk.nextNode() && ranges.length < 1000) {
    const text = (walk.currentNode.textContent ?? "").toLowerCase();
    if (text.length !== walk.currentNode.textContent?.length) continue;
    for (let at = text.indexOf(words); at >= 0; at = text.indexOf(words, at + words.length)) {
      const range = new Range();
      range.setStart(walk.currentNode, at);
      range.setEnd(walk.currentNode, at + words.length);
      ranges.push(range);
    }
  }
  CSS.highlights.set("found", new Highlight(...ranges));
}
