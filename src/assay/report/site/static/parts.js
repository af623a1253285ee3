// @ts-check
// What all views of the site are made of.
"use strict";

/** An element of a drawing. @param {string} name @param {Attributes} [attributes] @param {Child[]} children */
function s(name, attributes = {}, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);
}

/** @param {number} share @param {number} [digits] */
const percent = (share, digits = 1) => `${(100 * share).toFixed(digits)}\u202f%`;
/** @param {Estimate} estimate */
const interval = ({ low, high }) => (low === null || high === null ? "no interval" : `${(100 * low).toFixed(1)}–${(100 * high).toFixed(1)}`);
/** @param {Estimate} estimate */
const inWords = (estimate) =>
  estimate.value === null ? `undefined, n=${grouped.format(estimate.n)}` : `${percent(estimate.value)}, ${interval(estimate)}, n=${grouped.format(estimate.n)}`;

/** How people’s labels were pooled, if a judge is people. @param {number} judge */
const pooled = (judge) => (board().gold && board().judges[judge].kind === "person" ? `; ${board().gold}` : "");

/** What a response is in a count, by its letter. @type {Record<string, Badge>} */
const CLASSES = {
  h: { name: "hallucinated", tone: "contradicting", symbol: "✖", meaning: "The judge finds something that the source does not support, and that counts at this level." },
  f: { name: "faithful", tone: "explicitly-supported", symbol: "✔", meaning: "The judge finds nothing that counts at this level." },
  r: { name: "refused", tone: "no-fact", symbol: "·", meaning: "The LLM did not answer, or its reply is empty." },
  i: { name: "invalid", tone: "out-dependent", symbol: "◐", meaning: "A judge says that it is no answer to the task." },
  x: { name: "failed", tone: "no-verdict", symbol: "∅", meaning: "The judge has no verdict on it." },
  u: { name: "uncounted", tone: "no-verdict", symbol: "–", meaning: "It is in no count: the judge did not look at it, it is a second response, or its source is not compared." },
};
/** @param {string} name */
const letterOf = (name) => Object.keys(CLASSES).find((each) => CLASSES[each].name === name) ?? "";

/** A heading with what there is to say of it. @param {string} title @param {Child[]} more */
const heading = (title, ...more) => h("div", { class: "heading" }, h("h2", { tabindex: -1 }, title), ...more);

/** A table that may be wider than the window. @param {string} label @param {HTMLElement} table */
const scrolled = (label, table) => h("div", { class: "card wide", role: "region", "aria-label": label, tabindex: 0 }, table);

/** What may be wider than its frame. @param {string} label @param {HTMLElement} table */
const wide = (label, table) => h("div", { class: "wide", role: "region", "aria-label": label, tabindex: 0 }, table);

/** A chart in a frame. @param {string} title @param {string} about @param {Child[]} content */
const figure = (title, about, ...content) =>
  h("figure", { class: "card" }, h("figcaption", {}, title, h("span", { class: "quiet" }, about)), ...content);

/** A cell that says what it is where a narrow window has no heads. @param {string} head @param {Child[]} content */
const named = (head, ...content) => h("td", { "data-head": content.some((each) => each !== "") ? head : null }, ...content);

/** A choice among names. @param {string} name @param {string} label @param {[value: string, text: string][]} options @param {string} chosen */
function choice(name, label, options, chosen) {
  const select = h("select", { name }, ...options.map(([value, text]) => h("option", { value, selected: value === chosen }, text)));
  return h("label", {}, h("span", {}, label), select);
}

/** A head that sorts its column. @param {string} id @param {string} title @param {State} state @param {string} [more] */
function sorter(id, title, state, more = "") {
  const [by, order] = (state.sort ?? "").split(".");
  const sorted = by === id ? (order === "down" ? "descending" : "ascending") : "none";
  return h("th", { scope: "col", "aria-sort": sorted, class: `of-${id}` },
    h("button", { type: "button", class: "sort", "data-sort": id }, title), more && h("span", { class: "ends", "aria-hidden": "true" }, ...more.split("|").map((each) => h("span", {}, each))));
}

/** Puts rows in the order of a column; what is undefined stays at the end.
 * @template T @param {T[]} rows @param {(row: T) => string | number | null} value @param {boolean} down */
function ordered(rows, value, down) {
  const sign = down ? -1 : 1;
  return rows.map((row) => ({ row, key: value(row) })).sort(({ key: a }, { key: b }) => {
    if (a === null || b === null) return Number(a === null) - Number(b === null);
    return sign * (typeof a === "string" ? a.localeCompare(String(b), "en", { numeric: true }) : a - Number(b));
  }).map(({ row }) => row);
}

const none = () => h("td", {}, h("span", { class: "quiet" }, "–"));

/** The cell of a value, by the format of its column. @type {Record<string, (value: any) => HTMLElement>} */
const CELLS = {
  count: (value) => h("td", {}, value ? grouped.format(value) : h("span", { class: "quiet" }, "0")),
  share: (value) => (value === null ? none() : h("td", {}, percent(value))),
  mean: (value) => (value === null ? none() : h("td", {}, grouped.format(Math.round(value)))),
  /** @param {Estimate | null} found */
  figure: (found) => {
    if (!found || found.value === null) return none();
    const { value, low, high } = found;
    return h("td", {}, h("b", {}, value.toFixed(3)), low !== null && high !== null && h("span", { class: "quiet interval" }, `${low.toFixed(3)}–${high.toFixed(3)}`));
  },
  text: (value) => h("td", {}, value ?? "–"),
};

/** What a row is sorted by in a column. @param {Column} column @param {Cells} row @returns {string | number | null} */
function sortKey({ name, format }, row) {
  const value = row[name];
  if (value === null || typeof value !== "object") return format === "name" ? board().models[value] : value;
  return format === "place" ? value.rank : (value.rate ?? value).value;
}
