// @ts-check
// What all views are made of. Texts enter the page as texts, and nothing in them hides or turns others.
"use strict";

/** @typedef {Node | string | number | null | undefined | false} Child */
/** @typedef {Record<string, string | number | boolean | null | undefined>} Attributes */

// Controls (but tab and line feed), marks that turn the order of letters around, separators and
// characters without a width. Joiners between letters that need them, or between emoji, stay.
const HARMFUL = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|\p{Surrogate}/gu;

/** A text as a page may show it. @param {string} text */
function spelled(text) {
  return text.replaceAll("\r\n", "\n").replace(HARMFUL, (found, at, whole) => {
    const joins = /[\u200c\u200d]/.test(found) && [at - 1, at + 1].every((place) => whole.charCodeAt(place) > 0x2ff);
    return joins ? found : `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}

/** @param {Element} element @param {Attributes} attributes @param {Child[]} children */
function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, String(value));
  }
  for (const child of children) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : spelled(String(child)));
  }
}

/** An element. @param {string} name @param {Attributes} [attributes] @param {Child[]} children */
function h(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  fill(element, attributes, children);
  return element;
}

/** An element of a drawing. @param {string} name @param {Attributes} [attributes] @param {Child[]} children */
function s(name, attributes = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  fill(element, attributes, children);
  return element;
}

/** A name of any script, which turns nothing beside it. @param {string} name */
const bdi = (name) => h("bdi", {}, name || "(no name)");

const grouped = new Intl.NumberFormat("en");
/** @param {number} share @param {number} [digits] */
const percent = (share, digits = 1) => `${(100 * share).toFixed(digits)}\u202f%`;
/** @param {Estimate} estimate */
const interval = ([, , low, high]) => (low === null || high === null ? "no interval" : `${(100 * low).toFixed(1)}–${(100 * high).toFixed(1)}`);
/** @param {Estimate} estimate */
const inWords = (estimate) =>
  estimate[0] === null ? `undefined, n=${grouped.format(estimate[1])}` : `${percent(estimate[0])}, ${interval(estimate)}, n=${grouped.format(estimate[1])}`;
/** @param {number} count @param {string} noun */
const counted = (count, noun) => `${grouped.format(count)} ${noun}${count === 1 ? "" : "s"}`;

/** How people’s labels were pooled, if a judge is people. @param {number} judge */
const pooled = (judge) => (board().gold && board().judges[judge].kind === "person" ? `; ${board().gold}` : "");

/** What a response is in a count, by its letter. @type {Record<string, Badge>} */
const CLASSES = {
  h: { name: "hallucinated", tone: "contradicting", sign: "✖", meaning: "The judge finds something that the source does not support, and that counts at this level." },
  f: { name: "faithful", tone: "explicitly-supported", sign: "✔", meaning: "The judge finds nothing that counts at this level." },
  r: { name: "refused", tone: "no-fact", sign: "·", meaning: "The LLM did not answer, or its reply is empty." },
  i: { name: "invalid", tone: "out-dependent", sign: "◐", meaning: "A judge says that it is no answer to the task." },
  x: { name: "failed", tone: "no-verdict", sign: "∅", meaning: "The judge has no verdict on it." },
  u: { name: "uncounted", tone: "no-verdict", sign: "–", meaning: "It is in no count: the judge did not look at it, it is a second response, or its source is not compared." },
};
/** @param {string} name */
const letterOf = (name) => Object.keys(CLASSES).find((each) => CLASSES[each].name === name) ?? "";

/** A label or a class with its sign, which U+FE0E keeps from being an emoji. @param {Badge} badge */
const chip = (badge) =>
  h("span", { class: `chip tone-${badge.tone}`, title: badge.meaning }, h("span", { class: "sign", "aria-hidden": "true" }, `${badge.sign}\uFE0E`), ` ${badge.name}`);

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
