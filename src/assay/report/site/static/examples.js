// @ts-check
// The responses behind a number: a list in pages, and one response with all that is said of it.
"use strict";

/** @typedef {{ids: string[], starts: number[], tasks: number[], classes: string[][], labels: number[][]}} Listing */

const PAGE = 25;
const MOST_CARDS = 40;

/** A row of an LLM, loaded with its piece. @param {number} model @param {Listing} listing @param {number} at @returns {Promise<SiteRow>} */
async function rowAt(model, listing, at) {
  const part = listing.starts.findLastIndex((start) => start <= at);
  const rows = /** @type {SiteRow[]} */ (await load(`rows/${model}-${part}`));
  return rows[at - listing.starts[part]];
}

/** Which rows a state lists, and how many there are of each class. @param {State} state @param {Listing} listing */
function chosenRows(state, listing) {
  const [judge, level] = [judgeOf(state), levelOf(state)];
  const classes = listing.classes[judge][level];
  const task = state.task ? board().tasks.indexOf(state.task) + 1 : 0;
  const label = state.label ? board().badges.flatMap(({ name }, at) => (name === state.label ? [at + 1] : [])) : null;
  const compared = board().bias.find((each) => each.level === level)?.judges ?? [];
  const judges = board().judges.flatMap(({ kind, name }, at) => (kind === "vote" || !compared.includes(name) ? [] : [at]));
  /** @type {Record<string, number>} */
  const counts = {};
  const found = [];
  for (let at = 0; at < classes.length; at += 1) {
    if (task && listing.tasks[at] !== task) continue;
    if (label && (!label.includes(listing.labels[judge][at]) || "ur".includes(classes[at]))) continue; // labels are of what is ranked
    if (state.among === "all" && !judges.every((each) => "hf".includes(listing.classes[each][level][at]))) continue;
    counts[classes[at]] = (counts[classes[at]] ?? 0) + 1;
    if (!state.class || classes[at] === letterOf(state.class)) found.push(at);
  }
  return { found, counts };
}

/** The classes as links, with their counts. @param {State} state @param {Record<string, number>} counts */
function classLinks(state, counts) {
  const all = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const shown = Object.keys(CLASSES).filter((each) => counts[each] || CLASSES[each].name === state.class);
  /** @param {string} name @param {Child} content @param {number} count */
  const tab = (name, content, count) => h("a", { class: "tab", href: changed({ class: name, page: "", id: "" }), "aria-current": (state.class ?? "") === name ? "true" : null }, content, h("b", {}, ` ${grouped.format(count)}`));
  return h("nav", { class: "tabs", "aria-label": "Kinds of responses" }, tab("", "all", all), ...shown.map((each) => tab(CLASSES[each].name, chip(CLASSES[each]), counts[each] ?? 0)));
}

/** The id of a response without the LLM, which is chosen already; a long one is cut where it tells least.
 * @param {string} id @param {string} model */
function shortId(id, model) {
  const [start, end] = [`${model}/`, `/${model}`];
  const own = id.startsWith(start) ? id.slice(start.length) : id.endsWith(end) ? id.slice(0, -end.length) : id;
  const letters = [...(own || id)];
  return letters.length > 30 ? `${letters.slice(0, 11).join("")}…${letters.slice(-17).join("")}` : letters.join("");
}

/** A line of the list. @param {SiteRow} row @param {string} letter @param {State} state @param {boolean} isShown */
function line(row, letter, state, isShown) {
  const said = row.said[judgeOf(state)];
  const whole = said ? wholeOf(said) : undefined;
  const badge = CLASSES[letter];
  return h("li", {}, h("a", { class: `line tone-${badge.tone}`, href: changed({ id: row.id }), "aria-current": isShown ? "true" : null },
    h("span", { class: "sign", title: badge.name }, signOf(badge), h("span", { class: "unseen" }, badge.name)), h("span", { class: "id", title: spelled(row.id) }, bdi(shortId(row.id, state.model))),
    whole?.score !== undefined && h("span", { class: "score" }, whole.score.toFixed(2)), h("span", { class: "start", dir: "auto" }, cut(row.text ?? "", 120) || "(empty)")));
}

/** The other pages of the list. @param {State} state @param {number} page @param {number} total */
function pager(state, page, total) {
  const last = Math.max(1, Math.ceil(total / PAGE));
  /** @param {string} text @param {number} to */
  const step = (text, to) => (to < 1 || to > last ? h("span", { class: "plain off", "aria-hidden": "true" }, text) : h("a", { class: "plain", href: changed({ page: to === 1 ? "" : String(to), id: "" }) }, text));
  return h("nav", { class: "pager", "aria-label": "Pages of the list" }, step("‹ Previous", page - 1),
    h("span", { class: "quiet" }, total ? `${grouped.format((page - 1) * PAGE + 1)}–${grouped.format(Math.min(page * PAGE, total))} of ${grouped.format(total)}` : "none"), step("Next ›", page + 1));
}

/** What every judge says, with a link that shows its marks. @param {SiteRow} row @param {Listing} listing @param {number} at @param {State} state */
function judgeLine(row, listing, at, state) {
  const level = levelOf(state);
  /** @param {number} judge */
  const isSilent = (judge) => !row.said[judge] && board().judges[judge].kind !== "vote" && judge !== judgeOf(state);
  const silent = board().judges.flatMap(({ name }, judge) => (isSilent(judge) ? [name] : []));
  return h("ul", { class: "verdicts" }, ...board().judges.map(({ name, kind }, judge) => {
    if (isSilent(judge)) return null;
    const said = row.said[judge];
    const whole = said ? wholeOf(said) : undefined;
    const badge = CLASSES[listing.classes[judge][level][at]];
    const label = whole && board().badges[whole.badge];
    return h("li", {}, h("a", { class: "verdict", href: changed({ judge: name, class: "", page: "", label: "", id: row.id }), "aria-current": judge === judgeOf(state) ? "true" : null },
      h("span", { class: "who" }, bdi(name)), chip(badge),
      label && label.name !== badge.name && label.name !== "score only" && !whole.failure && h("span", { class: "quiet" }, label.name), whole?.score !== undefined && h("span", { class: "quiet" }, whole.score.toFixed(2)), kind === "vote" && h("span", { class: "quiet" }, "vote of the others")));
  }), silent.length > 0 && h("li", { class: "silent quiet" }, `not judged by ${silent.join(", ")}`));
}

/** Who the people are, and how often they differ. @param {UnitView[]} units */
function disagreement(units) {
  const known = units.filter(({ people, kind }) => people && kind !== "response");
  const names = [...new Set(units.flatMap(({ who, people = [] }) => [...(who ? [who] : []), ...people.map((each) => each.who)]))];
  if (!names.length) return null;
  const differ = known.filter(isDisputed).length;
  return h("p", { class: "small" }, "Annotated by ", ...names.flatMap((name, at) => [at ? ", " : "", h("b", {}, bdi(name))]),
    known.length > 0 && names.length > 1 && (differ ? `, who differ about ${grouped.format(differ)} of ${counted(known.length, known[0].kind)}` : ", who agree"), ".");
}

/** One response. @param {SiteRow} row @param {PageSource | null} source @param {{listing: Listing, at: number, state: State}} where */
function response(row, source, { listing, at, state }) {
  const judge = judgeOf(state);
  const units = row.said[judge]?.units ?? [];
  /** @param {number} from @param {number} [to] */
  const cards = (from, to) => units.slice(from, to).map((unit, at) => unitCard(unit, from + at + 1, row, source));
  const more = units.length > MOST_CARDS && h("button", { type: "button", class: "plain", id: "more" }, `Show the other ${grouped.format(units.length - MOST_CARDS)}`);
  const list = h("ol", { class: "cards-list" }, ...cards(0, MOST_CARDS));
  const isBare = units.length === 1 && !["note", "failure", "explanation", "quotes", "people"].some((name) => name in units[0]);
  if (more) more.addEventListener("click", () => { more.remove(); list.append(...cards(MOST_CARDS)); });
  const badge = CLASSES[listing.classes[judge][levelOf(state)][at]];
  const found = h("article", { class: "shown", "aria-label": `Response ${row.id}` },
    h("header", {}, h("h3", { tabindex: -1, id: "shown-id" }, bdi(row.id)), chip(badge), h("span", { class: "quiet" }, badge.meaning)),
    judgeLine(row, listing, at, state),
    row.question && h("p", { class: "question", dir: "auto" }, h("b", {}, "Question: "), row.question),
    h("section", { class: "side response" }, h("h4", {}, "Response by ", bdi(state.model), h("span", { class: "quiet" }, ` ${counted((row.text ?? "").split(/\s+/u).filter(Boolean).length, "word")}`)),
      row.text ? responseText(row.text, units) : h("p", { class: "empty" }, "The reply is empty.")),
    h("section", { class: "side reasons" }, h("h4", {}, "What ", bdi(board().judges[judge].name), " says"),
      disagreement(units), units.length ? list : h("p", { class: "empty" }, board().judges[judge].kind === "vote" ? "A vote has no reasons of its own: choose one of the judges above." : "It says nothing of this response."), isBare && h("p", { class: "small" }, "It gives no reason."), more),
    h("section", { class: "side source" }, h("h4", {}, "Source ", source && bdi(source.id ?? "")), source ? sourceText(source, units) : h("p", { class: "empty" }, "The source could not be loaded.")));
  return found;
}

/** Lights the evidence of a unit, and shows what is said of it. @param {string} unit */
function light(unit) {
  for (const each of document.querySelectorAll(".unit.current, .segment.best, .said.current")) each.classList.remove("current", "best");
  const [own, card] = [document.querySelector(`.unit[data-unit="${unit}"]`), document.querySelector(`[data-card="${unit}"]`)];
  const segments = [...document.querySelectorAll(".segment")].filter((each) => each instanceof HTMLElement && (each.dataset.units ?? "").split(" ").includes(unit));
  for (const each of [own, card]) each?.classList.add("current");
  for (const each of segments) each.classList.add("best");
  for (const each of [card, segments[0]]) {
    const pane = each?.closest(".reasons, .source-text");
    if (each instanceof HTMLElement && pane instanceof HTMLElement) pane.scrollTop += each.getBoundingClientRect().top - pane.getBoundingClientRect().top - 40;
  }
}

/** The response before or after the one that is shown. @param {number} step */
function stepTo(step) {
  const links = /** @type {HTMLAnchorElement[]} */ ([...document.querySelectorAll(".lines .line")]);
  const next = links[links.findIndex((each) => each.getAttribute("aria-current")) + step];
  if (next) location.hash = next.hash;
}

/** @param {State} given @param {HTMLElement} place */
async function showExamples(given, place) {
  const first = rankingOf(given)?.standings[0]?.model ?? 0;
  /** @type {State} */
  const state = { ...given, model: given.model || board().models[first] };
  const model = board().models.indexOf(state.model);
  /** @type {[string, string][]} */
  const models = board().models.map((name) => [name, name]);
  const head = heading("Examples", choice("model", "LLM", models, state.model));
  if (model < 0) return place.replaceChildren(head, h("p", { class: "empty" }, `There is no LLM called ${state.model} here.`));
  const wanted = (showing = address(state));
  const listing = /** @type {Listing} */ (await load(`rows/${model}`));
  const { found, counts } = chosenRows(state, listing);
  const own = state.id === undefined ? -1 : listing.ids.indexOf(state.id);
  const page = state.page === undefined && own >= 0 && found.includes(own) ? 1 + Math.floor(found.indexOf(own) / PAGE) : Math.min(Math.max(1, Number(state.page) || 1), Math.max(1, Math.ceil(found.length / PAGE)));
  const listed = found.slice((page - 1) * PAGE, page * PAGE);
  const at = own >= 0 ? own : state.id ? -1 : listed[0] ?? -1;
  const rows = await Promise.all(listed.map((each) => rowAt(model, listing, each)));
  const row = at < 0 ? null : await rowAt(model, listing, at);
  const block = row && (await load(`sources/${row.source.block}`).catch(() => null));
  if (showing !== wanted) return;
  const source = row && block ? /** @type {PageSource[]} */ (block)[row.source.at] : null;
  const classes = listing.classes[judgeOf(state)][levelOf(state)];
  const narrowed = [state.label && `labelled ${state.label}`, state.among === "all" && "that all judges judged"].filter(Boolean).join(", ");
  place.replaceChildren(
    head, classLinks(state, counts),
    narrowed && h("p", { class: "small" }, `Only responses ${narrowed}. `, h("a", { href: changed({ label: "", among: "", page: "", id: "" }) }, "Show all")) || "",
    h("div", { class: "browser" },
      h("aside", { class: "index", "aria-label": "Responses" }, pager(state, page, found.length), h("ol", { class: "lines" }, ...rows.map((each, place) => line(each, classes[listed[place]], { ...state, page: page === 1 ? "" : String(page) }, listed[place] === at)))),
      row ? response(row, source, { listing, at, state }) : h("p", { class: "empty", id: "missing" }, state.id ? `${state.model} has no response called ${state.id} here.` : "There are no such responses.")));
}
