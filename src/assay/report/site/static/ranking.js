// @ts-check
// The ranking: a table that can be sorted and filtered, and which LLMs do not differ from one.
"use strict";

/** What a row is drawn with: the end of the scale, the LLMs that do not differ from the chosen one, its name, and
 * the LLMs that the judge asks itself. @typedef {{end: number, same: Set<number> | null, chosen: string | undefined, own: string[]}} Context */

/** The cells of formats that only the ranking has. @type {Record<string, (row: Standing, context: Context, name: string) => HTMLElement>} */
const RANKED = {
  place: ({ rank }) => h("td", { class: "rank" }, h("b", {}, rank?.rank ?? "–"), rank && rank.low !== rank.high && h("span", { class: "quiet" }, ` (${rank.low}–${rank.high})`)),
  name: nameCell,
  rate: rateCell,
  corrected: correctedCell,
  link: linked,
};
const DOWN = new Set(["link", "count", "share"]); // of these the highest come first

/** @param {Standing} row @param {Context} context */
function nameCell({ model, rank, starred }, { same, chosen, own }) {
  const name = board().models[model];
  const star = rank?.rank === 1 ? "the lowest rate" : "not distinguishable from the lowest rate";
  return h("th", { scope: "row" },
    h("button", { type: "button", class: "pick", "data-compare": name, "aria-pressed": String(name === chosen) }, bdi(name)),
    starred && same === null && h("span", { class: "mark-alike", title: star }, "★"),
    same?.has(model) && h("span", { class: "mark-alike", title: `does not differ from ${chosen}` }, "≈", h("span", { class: "unseen" }, ` does not differ from ${chosen}`)),
    own.includes(name) && h("span", { class: "own", title: "The judge asks this LLM, or another version of it." }, "judge’s own LLM"));
}

/** @param {Standing} row @param {Context} context */
function rateCell({ rate }, { end }) {
  const said = rate.value === null ? h("span", { class: "quiet" }, "undefined") : h("span", {}, h("b", {}, percent(rate.value)), h("span", { class: "quiet interval" }, interval(rate)));
  return h("td", { class: "of-rate" }, h("div", { class: "rate" }, said, whisker(rate, end)));
}

/** @param {Standing} row @param {Context} _context @param {string} name */
function correctedCell(row, _context, name) {
  const { rate, weight } = row[name] ?? {};
  if (!rate || rate.value === null) return none();
  return h("td", { title: `the judge counts with weight ${Number(weight.toFixed(3))}` }, h("b", {}, percent(rate.value)), h("span", { class: "quiet interval" }, interval(rate)), h("span", { class: "share-of" }, `${grouped.format(rate.n)} labelled`));
}

/** The columns that a ranking has something for. @param {Ranking} ranking */
const columnsOf = ({ standings }) => board().columns.filter(({ optional, name }) => !optional || standings.some((row) => row[name] !== null));

/** A count that leads to its responses. @param {Standing} row @param {Context} _context @param {string} kind */
function linked(row, _context, kind) {
  const model = board().models[row.model];
  if (!row[kind]) return CELLS.count(0);
  const href = elsewhere({ view: "examples", model, class: kind });
  return h("td", {}, h("a", { class: "number", href, title: `${kind} responses of ${model}` }, grouped.format(row[kind])));
}

/** The end of a scale that holds all rates: a round number. @param {Estimate[]} rates */
function endOf(rates) {
  const most = Math.max(0.01, ...rates.map(({ value, high }) => high ?? value ?? 0));
  return [0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8].find((end) => end >= most) ?? 1;
}

/** A dot on its interval. @param {Estimate} estimate @param {number} end */
function whisker({ value, low, high }, end) {
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
  const place = ranking.standings.findIndex(({ model }) => board().models[model] === name);
  const row = ranking.differs[place];
  if (row === undefined) return null;
  return new Set(ranking.standings.filter((_, other) => other !== place && row[other] === "0").map(({ model }) => model));
}

/** @param {Standing} row @param {Column[]} columns @param {Context} context */
function standing(row, columns, context) {
  const isChosen = board().models[row.model] === context.chosen;
  return h("tr", { class: isChosen ? "chosen" : context.same?.has(row.model) ? "alike" : null },
    ...columns.map(({ name, format }) => (RANKED[format] ? RANKED[format](row, context, name) : (CELLS[format] ?? CELLS.text)(row[name]))));
}

/** How LLMs are compared with one. @param {Ranking} ranking @param {string} whom */
function tested({ shared }, whom) {
  const sources = !shared ? "common sources" : shared[0] === shared[1] ? counted(shared[0], "common source") : `${grouped.format(shared[0])} to ${counted(shared[1], "common source")}`;
  return `paired on ${sources}; an LLM differs where p < 0.05 after Holm’s correction over the comparisons with ${whom}`;
}

/** How many pairs differ. @param {Ranking} ranking */
function pairs({ pairs: { all, compared, differ } }) {
  const lacking = all > compared ? `; ${grouped.format(all - compared)} cannot be compared, for want of common sources` : "";
  return compared ? `${grouped.format(differ)} of ${counted(compared, "pair")} ${compared === 1 ? "differs" : "differ"}, corrected over all pairs${lacking}. ` : "";
}

/** What the marks in the table say. @param {Ranking} ranking @param {string | undefined} chosen @param {Set<number> | null} same */
function comparison(ranking, chosen, same) {
  const read = "Press a count to read its responses.";
  if (same === null) {
    const others = ranking.standings.filter(({ starred, rank }) => starred && rank?.rank !== 1).length;
    if (!ranking.standings.some(({ starred }) => starred)) return h("p", { class: "small" }, read);
    const more = others ? `, and ${counted(others, "LLM")} not distinguishable from it` : "; every LLM that can be compared with it differs significantly";
    return h("p", { class: "small", id: "leaders" }, h("b", { class: "mark-alike" }, "★ "), `the lowest rate${more} (${tested(ranking, "it")}). ${pairs(ranking)}Press the name of an LLM to mark those that do not differ from it. ${read}`);
  }
  const place = ranking.standings.findIndex(({ model }) => board().models[model] === chosen);
  const apart = [...ranking.differs[place]].filter((each) => each === "?").length;
  const said = same.size ? `${counted(same.size, "LLM")} marked ≈ ${same.size === 1 ? "does" : "do"} not differ significantly from it` : apart ? "every LLM that can be compared with it differs significantly" : "every other LLM differs significantly from it";
  const lacking = apart ? `; ${counted(apart, "LLM")} cannot be compared with it, for want of common sources` : "";
  return h("p", { class: "small", role: "status" }, h("b", {}, bdi(chosen ?? "")), `: ${said} (${tested(ranking, "it")})${lacking}. `,
    h("button", { type: "button", class: "plain", "data-compare": "" }, "Clear"));
}

/** Says where LLMs were judged on unequally many responses. @param {Ranking} ranking */
function unequal({ standings }) {
  const judged = standings.map((row) => row.judged);
  const [fewest, most] = [Math.min(...judged), Math.max(...judged)];
  if (!judged.length || fewest === most) return null;
  const least = standings.find((row) => row.judged === fewest);
  return h("p", { class: "small caution", id: "unequal" }, h("b", {}, "Unequal coverage: "), `the LLMs were judged on ${grouped.format(fewest)} to ${counted(most, "response")}, fewest of `, bdi(board().models[least?.model ?? 0]), ". Their rates are of different sources, and ranks may change on common ones.");
}

/** The rows of the table as they were drawn, since sorting and filtering change none of them. */
let drawn = { ranking: /** @type {Ranking | null} */ (null), chosen: "", rows: /** @type {Map<Standing, HTMLElement>} */ (new Map()) };

/** @param {Ranking} ranking @param {number} end @param {string | undefined} chosen */
function drawnRows(ranking, end, chosen) {
  if (drawn.ranking !== ranking || drawn.chosen !== (chosen ?? "")) {
    const context = { end, same: alike(ranking, chosen), chosen, own: board().judges[ranking.judge].own };
    drawn = { ranking, chosen: chosen ?? "", rows: new Map(ranking.standings.map((row) => [row, standing(row, columnsOf(ranking), context)])) };
  }
  return drawn.rows;
}

/** @param {State} state @param {HTMLElement} place */
function showRanking(state, place) {
  const ranking = rankingOf(state);
  if (!ranking) return place.replaceChildren(heading("Ranking"), nothing(state));
  const [by, order] = (state.sort ?? "rank.up").split(".");
  const column = board().columns.find((each) => each.name === by) ?? board().columns[0];
  const wanted = (state.q ?? "").toLocaleLowerCase();
  const found = ranking.standings.filter(({ model }) => board().models[model].toLocaleLowerCase().includes(wanted));
  const rows = ordered(found, (row) => sortKey(column, row), order === "down");
  const end = endOf(ranking.standings.map(({ rate }) => rate));
  const same = alike(ranking, state.compare);
  const lines = drawnRows(ranking, end, state.compare);
  const table = h("table", { class: "board ranked" },
    h("caption", { class: "unseen" }, `LLMs by hallucination rate, judged by ${board().judges[ranking.judge].name}`),
    h("thead", {}, h("tr", {}, ...columnsOf(ranking).map((each) => {
      const head = sorter(each.name, each.title, { sort: state.sort ?? "rank.up" }, each.format === "rate" ? `0|${percent(end, 0)}` : "");
      head.title = each.meaning;
      return head;
    }))),
    h("tbody", {}, ...rows.map((row) => lines.get(row))));
  const filter = h("input", { type: "search", id: "q", placeholder: "Filter by name", "aria-label": "Filter LLMs by name", autocomplete: "off" });
  /** @type {HTMLInputElement} */ (filter).value = state.q ?? "";
  const tally = found.length < ranking.standings.length ? `${grouped.format(found.length)} of ${counted(ranking.standings.length, "LLM")}` : counted(found.length, "LLM");
  place.replaceChildren(
    heading("Ranking", h("span", { class: "quiet", role: "status" }, `${tally} on ${counted(ranking.sources, "source")}${pooled(ranking.judge)}`), filter),
    ...[unequal(ranking), comparison(ranking, state.compare, same), scrolled("Ranking", table)].filter((each) => each instanceof Node));
}

/** Says that a judge has no ranking there. @param {State} state */
const nothing = (state) =>
  h("p", { class: "empty" }, `${board().judges[judgeOf(state)].name} has no ranking at level ${board().levels[levelOf(state)].title}${state.task ? ` for ${state.task}` : ""}.`);

/** Sorts by a column, or the other way round. @param {string} id */
function sortBy(id) {
  const [by, order] = (current().sort ?? "rank.up").split(".");
  const first = DOWN.has(board().columns.find((each) => each.name === id)?.format ?? "") ? "down" : "up";
  go({ sort: `${id}.${by === id ? (order === "up" ? "down" : "up") : first}` });
}
