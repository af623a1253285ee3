// @ts-check
// The index: which responses are listed, in which order, and the few rows of them that are drawn.

const ROW_HEIGHT = 50; // as in the style sheet
const NEEDS_A_LOOK = "look";

/** What the reader asked for. Numbers of labels, readings, models and detectors are kept as texts. */
const wanted = { q: "", label: "", coarse: "", model: "", detector: "", look: "", sort: "row" };

const list = byId("list");
const rowsElement = byId("rows");
const tallyElement = byId("tally");
/** @type {number[]} the rows that are listed, in order */
let listed = [];
/** @type {Set<number> | null} the rows that have the words looked for */
let found = null;
let searching = new AbortController();
/** @type {number} the row that is shown; -1 for none */
let shownRow = -1;

/** @param {number} row */
function isWanted(row) {
  const { coarse, labels, flagged, model, detector } = index[row];
  if (wanted.label !== "" && !(labels & (1 << Number(wanted.label)))) return false;
  if (wanted.coarse !== "" && coarse !== Number(wanted.coarse)) return false;
  if (wanted.model !== "" && model !== Number(wanted.model)) return false;
  if (wanted.detector !== "" && detector !== Number(wanted.detector)) return false;
  if (wanted.look === NEEDS_A_LOOK && !flagged) return false;
  return found === null || found.has(row);
}

const collator = new Intl.Collator("en", { numeric: true });

/** Of two rows, which comes first; those without a score come last.
 * @type {Record<string, (a: number, b: number) => number>} */
const ORDERS = {
  row: (a, b) => a - b,
  score: (a, b) => (index[a].score ?? 2) - (index[b].score ?? 2) || a - b,
  best: (a, b) => (index[b].score ?? -1) - (index[a].score ?? -1) || a - b,
  id: (a, b) => collator.compare(index[a].id, index[b].id) || a - b,
};

/** Makes the list anew after something else is wanted. */
function relist() {
  listed = [...index.keys()].filter(isWanted).sort(ORDERS[wanted.sort] ?? ORDERS.row);
  rowsElement.style.height = `${listed.length * ROW_HEIGHT}px`;
  const all = counted(index.length, "response");
  tallyElement.textContent =
    listed.length === index.length ? all : `${grouped.format(listed.length)} of ${all}`;
  byId("nothing").hidden = listed.length > 0;
  for (const button of document.querySelectorAll("button[data-label]"))
    button.setAttribute("aria-pressed", String(button.getAttribute("data-label") === wanted.label));
  draw();
}

/** Looks for the words anew, while the list already shows what was found so far.
 * @param {() => void} then what is done when all is found */
function research(then) {
  searching.abort();
  searching = new AbortController();
  const { signal } = searching;
  found = wanted.q ? new Set() : null;
  list.setAttribute("aria-busy", String(Boolean(wanted.q)));
  if (!wanted.q) return relist(), then();
  search(wanted.q, signal, (rows, isDone) => {
    if (signal.aborted) return;
    found = rows;
    if (isDone) list.setAttribute("aria-busy", "false");
    relist();
    if (isDone) then();
  });
}

/** Draws the rows in view, and a few around them. */
function draw() {
  const first = Math.max(0, Math.floor(list.scrollTop / ROW_HEIGHT) - 4);
  const last = Math.min(listed.length, first + Math.ceil(list.clientHeight / ROW_HEIGHT) + 8);
  rowsElement.replaceChildren(...listed.slice(first, last).map((row, at) => drawRow(row, first + at)));
  const at = listed.indexOf(shownRow);
  if (at >= first && at < last) list.setAttribute("aria-activedescendant", `row-${shownRow}`);
  else list.removeAttribute("aria-activedescendant");
}

/** @param {number} row @param {number} at */
function drawRow(row, at) {
  const { id, score, flagged, ...own } = index[row];
  const badge = about.badges[own.badge];
  return h("div", {
    id: `row-${row}`, class: `row tone-${badge.tone}`, role: "option", "data-row": row,
    style: `top: ${at * ROW_HEIGHT}px`, "aria-selected": String(row === shownRow),
    "aria-posinset": at + 1, "aria-setsize": listed.length,
  },
    h("span", { class: "sign", "aria-hidden": "true" }, signOf(badge)),
    h("bdi", { class: "id" }, id || "(no id)"),
    h("span", { class: "score" }, score === null ? "" : score.toFixed(2)),
    h("span", { class: "of quiet" }, badge.name, flagged > 0 && `, ${flagged} to look at`));
}

/** Brings a row of the list into view. @param {number} row */
function reveal(row) {
  const at = listed.indexOf(row);
  if (at < 0) return;
  const top = at * ROW_HEIGHT;
  if (top < list.scrollTop) list.scrollTop = top;
  else if (top + ROW_HEIGHT > list.scrollTop + list.clientHeight)
    list.scrollTop = top + ROW_HEIGHT - list.clientHeight;
}

/** The row some steps from the one shown, among those listed that will do; undefined at an end.
 * @param {1 | -1} step @param {(row: number) => boolean} [willDo] */
function rowFrom(step, willDo = () => true) {
  let at = listed.indexOf(shownRow);
  if (at < 0) at = step > 0 ? -1 : listed.length;
  do at += step;
  while (listed[at] !== undefined && !willDo(listed[at]));
  return listed[at];
}

/** Fills a choice with what there is to choose, and hides it where there is no choice.
 * @param {string} id @param {string[]} names @param {(number: number) => boolean} occurs */
function offer(id, names, occurs) {
  const select = /** @type {HTMLSelectElement} */ (byId(id));
  const numbers = [...names.keys()].filter(occurs);
  for (const number of numbers) select.append(new Option(names[number] || "(none)", String(number)));
  byId(`${id}-field`).hidden = numbers.length < 2;
}

/** Shows in the controls what is wanted. */
function showWanted() {
  for (const [name, value] of Object.entries(wanted)) {
    const control = /** @type {HTMLInputElement} */ (byId(name));
    if (name === "look") control.checked = value === NEEDS_A_LOOK;
    else if (control) control.value = value;
  }
}

const coarseSeen = new Set(index.map((row) => row.coarse));
offer("model", about.models, () => true);
offer("detector", about.detectors, () => true);
offer("coarse", about.coarse, (number) => coarseSeen.has(number));
offer("label", about.badges.map((badge) => badge.name), (number) =>
  index.some((row) => row.labels & (1 << number)));
