// The labels of a project: their order, their letters, and the keys that choose them.

/** @import { Guide, Label, Taxonomy } from "./types.js" */
import { h } from "./dom.js";

export const TREE_MENU = "gray7";

/** One closed menu of labels. */
export class Menu {
  /** @param {Taxonomy} taxonomy */
  constructor(taxonomy) {
    this.labels = taxonomy.labels;
    this.byName = new Map(taxonomy.labels.map((label) => [label.name, label]));
    this.letters = letters(taxonomy.labels);
  }

  /** @param {string} name */
  title(name) {
    return this.byName.get(name)?.title ?? name;
  }

  /** A letter of its own for every label: colour is never the only sign.
   * @param {string} name
   */
  letter(name) {
    return this.letters.get(name) ?? "·";
  }

  /** @param {string} name */
  rank(name) {
    return this.byName.get(name)?.rank ?? Number.MAX_SAFE_INTEGER;
  }

  /** Whether the first is less faithful; a missing label is no label at all.
   * @param {string} first @param {string} second
   */
  isWorse(first, second) {
    return this.rank(first) < this.rank(second);
  }

  /** The least faithful of some labels; of equal ones the more specific.
   * @param {string[]} names
   */
  worst(names) {
    const depth = (/** @type {string} */ name) => (this.byName.get(name)?.parent ? 0 : 1);
    return [...names].sort((a, b) => this.rank(a) - this.rank(b) || depth(a) - depth(b))[0] ?? "";
  }

  /** A label as it is shown everywhere: its letter, its title, its tone.
   * @param {string} name
   */
  chip(name) {
    if (!name) return h("span", { class: "chip none" }, "No label yet");
    return h("span", { class: `chip ${toneOf(name)}` }, h("b", { class: "letter", "aria-hidden": "true" }, this.letter(name)), " ", this.title(name));
  }
}

/** The class that gives a label its colours and its line.
 * @param {string} name
 */
export const toneOf = (name) => `tone-${name.replace(/\./g, "-")}`;

/** @param {Label[]} labels @returns {Map<string, string>} */
function letters(labels) {
  /** @type {Map<string, string>} */
  const found = new Map();
  for (const label of labels) {
    const own = (label.name.split(".").pop() ?? "?")[0];
    const base = label.parent ? `${found.get(label.parent) ?? ""}${own.toLowerCase()}` : own.toUpperCase();
    found.set(label.name, [...found.values()].includes(base) ? `${base}${found.size}` : base);
  }
  return found;
}

/** The menus of sentences and of spans; the one that a project does not use is null.
 * @param {Guide} guide
 * @returns {{sentences: Menu | null, spans: Menu | null}}
 */
export function menusOf(guide) {
  const tree = guide.taxonomies.find((each) => each.name === TREE_MENU);
  const marks = guide.taxonomies.find((each) => each.name !== TREE_MENU);
  return {
    sentences: guide.mode !== "spans" && tree ? new Menu(tree) : null,
    spans: guide.mode !== "sentences" && marks ? new Menu(marks) : null,
  };
}
