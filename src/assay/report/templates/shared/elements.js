// @ts-check
// What all pages are made of. Texts enter a page as texts, and nothing in them hides or turns others.
"use strict";

/** @typedef {Node | string | number | null | undefined | false} Child */
/** @typedef {Record<string, unknown>} Attributes */

/** @template {HTMLElement} [T=HTMLElement] @param {string} id @returns {T} */
const byId = (id) => /** @type {T} */ (document.getElementById(id));

// Controls (but tab and line feed), marks that turn the order of letters around, separators and
// characters without a width. Joiners between letters that need them, or between emoji, stay.
const HARMFUL = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|\p{Surrogate}/gu;

/** A text as a page may show it. @param {string} text */
function spelled(text) {
  return text.replace(/\r\n?/g, "\n").replace(HARMFUL, (found, at, whole) => {
    const joins = /[\u200c\u200d]/.test(found) && [at - 1, at + 1].every((place) => whole.charCodeAt(place) > 0x2ff);
    return joins ? found : `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}

/** @template {Element} T @param {T} element @param {Attributes} attributes @param {Child[]} children */
function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, String(value));
  }
  for (const child of children) {
    if (child === null || child === undefined || child === false || child === "") continue;
    element.append(child instanceof Node ? child : spelled(String(child)));
  }
  return element;
}

/** An element. @param {string} name @param {Attributes} [attributes] @param {Child[]} children */
const h = (name, attributes = {}, ...children) => fill(document.createElement(name), attributes, children);

/** A name of any script, which turns nothing beside it. @param {string} name */
const bdi = (name) => h("bdi", {}, name || "(no name)");

const grouped = new Intl.NumberFormat("en");

/** @param {number} count @param {string} noun */
function counted(count, noun) {
  const many = noun.endsWith("y") ? `${noun.slice(0, -1)}ies` : `${noun}s`;
  return `${grouped.format(count)} ${count === 1 ? noun : many}`;
}

/** The sign of a label or a class, which U+FE0E keeps from being an emoji. @param {Badge} badge */
const signOf = ({ symbol }) => `${symbol}\uFE0E`;

/** A label or a class with its sign. @param {Badge} badge */
const chip = (badge) =>
  h("span", { class: `chip tone-${badge.tone}`, title: badge.meaning }, h("span", { class: "sign", "aria-hidden": "true" }, signOf(badge)), ` ${badge.name}`);

/** Things that come as rows under the names of their fields. @template T @param {[string[], ...unknown[][]]} table @returns {T[]} */
const byName = ([names, ...rows]) =>
  rows.map((row) => /** @type {T} */ (Object.fromEntries(names.map((name, at) => [name, row[at]]))));
