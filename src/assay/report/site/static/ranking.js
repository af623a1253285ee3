// @ts-check
// The ranking: a table that can be sorted and filtered, and which LLMs do not differ from one.
"use strict";

/** A column: its head, what it is sorted by, and whether the highest come first.
 * @typedef {{id: string, title: string, value: (row: Standing) => string | number | null, down?: boolean, about: string}} Column */

/** @type {Column[]} */
const COLUMNS = [
  { id: "rank", title: "Rank", value: (row) => row[1], about: "The place by rate; equal rates share one. In brackets, the places that it takes in 95 % of the replicates." },
  { id: "model", title: "LLM", value: (row) => board().models[row[0]], about: "Who wrote the responses." },
  { id: "rate", title: "Hallucination rate", value: (row) => row[3][0], about: "Hallucinated of all judged, with a 95 % interval that resamples whole sources." },
  { id: "hallucinated", title: "Halluci\u00adnated", value: (row) => row[4], down: true, about: "Responses that count as hallucinated at this level." },
  { id: "judged", title: "Judged", value: (row) => row[5], down: true, about: "Responses with a verdict." },
  { id: "refused", title: "Refused", value: (row) => row[7], down: true, about: "The LLM did not answer, or its reply is empty." },
  { id: "invalid", title: "Invalid", value: (row) => row[8], down: true, about: "A judge says that it is no answer to the task." },
  { id: "failed", title: "Failed", value: (row) => row[9], down: true, about: "The judge has no verdict." },
  { id: "missing", title: "Missing", value: (row) => row[10], down: true, about: "Prompts that other LLMs answered and this one has no response to." },
  { id: "coverage", title: "Coverage", value: (row) => row[11], down: true, about: "Judged of all responses and missing ones." },
  { id: "words", title: "Words", value: (row) => row[12], about: "The mean length of the responses." },
];

/** The end of a scale that holds all rates: a round number. @param {Estimate[]} rates */
function endOf(rates) {
  const most = Math.max(0.01, ...rates.map(([value, , , high]) => high ?? value ?? 0));
  return [0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8].find((end) => end >= most) ?? 1;
}

/** A dot on its interval. @param {Estimate} estimate @param {number} end */
function whisker([value, , low, high], end) {
  if (value === null) return null;
  /** @param {number} share */
  const at = (share) => `${((100 * share) / end).toFixed(2)}%`;
  return s("svg", { class: "whisker", "aria-hidden": "true" },
    s("line", { class: "track", x1: 0, x2: "100%", y1: 5, y2: 5 }),
    low !== null && high !== null && s("line", { class: "reach", x1: at(low), x2: at(high), y1: 5, y2: 5 }),
    s("circle", { cx: at(value), cy: 5, r: 3.5 }));
}

/** The LLMs that do not differ from one, as far as the board says; null where it says nothing.
 * @param {Ranking} ranking @param {string | undefined} name @returns {Set<number> | null} */
function alike(ranking, name) {
  const place = ranking.standings.findIndex((row) => board().models[row[0]] === name);
  const row = ranking.differs[place];
  if (row === undefined) return null;
  return new Set(ranking.standings.filter((_, other) => other !== place && row[other] === "0").map((each) => each[0]));
}

/** The LLMs with the lowest rate, and those that do not differ from it. @param {Ranking} ranking */
function leaders(ranking) {
  const first = ranking.standings.findIndex((row) => row[1] === 1);
  const row = ranking.differs[first];
  if (row === undefined) return { best: [], same: [] };
  return {
    best: ranking.standings.filter((each) => each[1] === 1).map((each) => each[0]),
    same: ranking.standings.filter((each, other) => each[1] !== null && each[1] > 1 && row[other] === "0").map((each) => each[0]),
  };
}

/** A count that leads to its responses. @param {number} count @param {string} kind @param {string} model */
function cell(count, kind, model) {
  if (!count) return h("td", {}, h("span", { class: "quiet" }, "0"));
  const href = elsewhere({ view: "examples", model, class: kind });
  return h("td", {}, h("a", { class: "number", href, title: `${kind || "all"} responses of ${model}` }, grouped.format(count)));
}

/** @param {Standing} row @param {number} end @param {{same: Set<number> | null, chosen: string | undefined, leading: Set<number>}} compared */
function standing(row, end, { same, chosen, leading }) {
  const [model, rank, ranks, rate, hallucinated, judged, , refused, invalid, failed, missing, coverage, words] = row;
  const name = board().models[model];
  const isChosen = name === chosen;
  const isAlike = same?.has(model) ?? false;
  return h("tr", { class: isChosen ? "chosen" : isAlike ? "alike" : null },
    h("td", { class: "rank" }, h("b", {}, rank ?? "–"), ranks && ranks[0] !== ranks[1] && h("span", { class: "quiet" }, ` (${ranks[0]}–${ranks[1]})`)),
    h("th", { scope: "row" },
      h("button", { type: "button", class: "pick", "data-compare": name, "aria-pressed": String(isChosen) }, bdi(name)),
      leading.has(model) && h("span", { class: "mark-alike", title: rank === 1 ? "the lowest rate" : "does not differ significantly from the lowest rate" }, "★"),
      isAlike && h("span", { class: "mark-alike", title: `does not differ from ${chosen}` }, "≈", h("span", { class: "unseen" }, ` does not differ from ${chosen}`))),
    h("td", { class: "of-rate" }, h("div", { class: "rate" },
      rate[0] === null ? h("span", { class: "quiet" }, "undefined") : h("span", {}, h("b", {}, percent(rate[0])), h("span", { class: "quiet interval" }, interval(rate))),
      whisker(rate, end))),
    cell(hallucinated, "hallucinated", name),
    h("td", {}, grouped.format(judged)),
    cell(refused, "refused", name),
    cell(invalid, "invalid", name),
    cell(failed, "failed", name),
    h("td", {}, missing ? grouped.format(missing) : h("span", { class: "quiet" }, "0")),
    h("td", {}, coverage === null ? "–" : percent(coverage)),
    h("td", {}, words === null ? "–" : grouped.format(Math.round(words))));
}

/** How LLMs are compared. @param {Ranking} ranking */
function tested({ shared }) {
  const sources = !shared ? "common sources" : shared[0] === shared[1] ? counted(shared[0], "common source") : `${grouped.format(shared[0])} to ${counted(shared[1], "common source")}`;
  return `paired on ${sources}, p < 0.05 after Holm’s correction`;
}

/** How many pairs differ. @param {Ranking} ranking */
function pairs({ differs }) {
  const all = differs.flatMap((row, at) => [...row.slice(at + 1)]);
  const apart = all.filter((each) => each === "?").length;
  const lacking = apart ? `; ${grouped.format(apart)} cannot be compared, for want of common sources` : "";
  return all.length ? `${grouped.format(all.filter((each) => each === "1").length)} of ${counted(all.length - apart, "pair")} ${all.length - apart === 1 ? "differs" : "differ"}${lacking}. ` : "";
}

/** What the marks in the table say. @param {Ranking} ranking @param {string | undefined} chosen @param {Set<number> | null} same */
function comparison(ranking, chosen, same) {
  const read = "Press a count to read its responses.";
  if (same === null) {
    const { best, same: others } = leaders(ranking);
    if (!best.length) return h("p", { class: "small" }, read);
    const more = others.length ? `, and ${counted(others.length, "LLM")} that ${others.length === 1 ? "does" : "do"} not differ significantly from it` : "; every LLM that can be compared with it differs significantly";
    return h("p", { class: "small", id: "leaders" }, h("b", { class: "mark-alike" }, "★ "), `the lowest rate${more} (${tested(ranking)}). ${pairs(ranking)}Press the name of an LLM to mark those that do not differ from it. ${read}`);
  }
  const place = ranking.standings.findIndex((row) => board().models[row[0]] === chosen);
  const apart = [...ranking.differs[place]].filter((each) => each === "?").length;
  const said = same.size ? `${counted(same.size, "LLM")} marked ≈ ${same.size === 1 ? "does" : "do"} not differ significantly from it` : apart ? "every LLM that can be compared with it differs significantly" : "every other LLM differs significantly from it";
  const lacking = apart ? `; ${counted(apart, "LLM")} cannot be compared with it, for want of common sources` : "";
  return h("p", { class: "small", role: "status" }, h("b", {}, bdi(chosen ?? "")), `: ${said} (${tested(ranking)})${lacking}. `,
    h("button", { type: "button", class: "plain", "data-compare": "" }, "Clear"));
}

/** The rows of the table as they were drawn, since sorting and filtering change none of them. */
let drawn = { ranking: /** @type {Ranking | null} */ (null), chosen: "", rows: /** @type {Map<Standing, HTMLElement>} */ (new Map()) };

/** @param {Ranking} ranking @param {number} end @param {string | undefined} chosen */
function drawnRows(ranking, end, chosen) {
  if (drawn.ranking !== ranking || drawn.chosen !== (chosen ?? "")) {
    const same = alike(ranking, chosen);
    const { best, same: others } = leaders(ranking);
    const leading = new Set(same === null ? [...best, ...others] : []);
    drawn = { ranking, chosen: chosen ?? "", rows: new Map(ranking.standings.map((row) => [row, standing(row, end, { same, chosen, leading })])) };
  }
  return drawn.rows;
}

/** @param {State} state @param {HTMLElement} place */
function showRanking(state, place) {
  const ranking = rankingOf(state);
  if (!ranking) return place.replaceChildren(heading("Ranking"), nothing(state));
  const [by, order] = (state.sort ?? "rank.up").split(".");
  const column = COLUMNS.find((each) => each.id === by) ?? COLUMNS[0];
  const wanted = (state.q ?? "").toLocaleLowerCase();
  const found = ranking.standings.filter((row) => board().models[row[0]].toLocaleLowerCase().includes(wanted));
  const rows = ordered(found, column.value, order === "down");
  const end = endOf(ranking.standings.map((row) => row[3]));
  const same = alike(ranking, state.compare);
  const lines = drawnRows(ranking, end, state.compare);
  const table = h("table", { class: "board ranked" },
    h("caption", { class: "unseen" }, `LLMs by hallucination rate, judged by ${board().judges[ranking.judge].name}`),
    h("thead", {}, h("tr", {}, ...COLUMNS.map((each) => {
      const head = sorter(each.id, each.title, { sort: state.sort ?? "rank.up" }, each.id === "rate" ? `0|${percent(end, 0)}` : "");
      head.title = each.about;
      return head;
    }))),
    h("tbody", {}, ...rows.map((row) => lines.get(row))));
  const filter = h("input", { type: "search", id: "q", placeholder: "Filter by name", "aria-label": "Filter LLMs by name", autocomplete: "off" });
  /** @type {HTMLInputElement} */ (filter).value = state.q ?? "";
  const tally = found.length < ranking.standings.length ? `${grouped.format(found.length)} of ${counted(ranking.standings.length, "LLM")}` : counted(found.length, "LLM");
  place.replaceChildren(
    heading("Ranking", h("span", { class: "quiet", role: "status" }, `${tally} on ${counted(ranking.sources, "source")}`), filter),
    comparison(ranking, state.compare, same),
    scrolled("Ranking", table));
}

/** Says that a judge has no ranking there. @param {State} state */
const nothing = (state) =>
  h("p", { class: "empty" }, `${board().judges[judgeOf(state)].name} has no ranking at level ${board().levels[levelOf(state)].title}${state.task ? ` for ${state.task}` : ""}.`);

/** Sorts by a column, or the other way round. @param {string} id */
function sortBy(id) {
  const [by, order] = (current().sort ?? "rank.up").split(".");
  const first = COLUMNS.find((each) => each.id === id)?.down ? "down" : "up";
  go({ sort: `${id}.${by === id ? (order === "up" ? "down" : "up") : first}` });
}
