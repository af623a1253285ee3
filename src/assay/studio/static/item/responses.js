// The response as it is drawn: lines and letters of labels, what is selected, what a click means.

/** @import { Unit } from "./types.js" */
/** @import { Picked } from "./caret.js" */
/** @import { Tag } from "./pane.js" */
/** @import { Workspace } from "./workspace.js" */
import { depths } from "./marks.js";
import { toneOf } from "./menus.js";
import { labelPaint, paint } from "./paint.js";
import { labelOf, labelsOf, placesOf, startOf } from "./units.js";

/** Paints the units of the response. */
export class ResponseView {
  /** @type {Set<string>} */
  #painted = new Set();

  /** @param {Workspace} space */
  constructor(space) {
    this.space = space;
    space.addEventListener("select", () => this.#drawCurrent());
    space.addEventListener("mode", () => this.draw());
    space.draft.addEventListener("change", () => this.draw());
    space.response.scroll.addEventListener("mouseup", () => this.#click());
  }

  /** A click without a selection means the sentence, or the innermost mark, at that place. */
  #click() {
    const { space } = this;
    const selection = getSelection();
    if (!selection?.isCollapsed) return;
    const place = space.response.shown.covered(selection);
    if (!place) return;
    const unit = space.mode === "sentence" ? space.sentenceAt(place.start) : space.markAt(place.start);
    space.select(unit?.id ?? "", { reveal: false });
  }

  draw() {
    const { space } = this;
    /** @type {Map<string, {start: number, end: number}[]>} */
    const places = new Map();
    /** @type {Tag[]} */
    const tags = [];
    const add = (/** @type {Unit} */ unit, /** @type {number} */ depth) => {
      const name = labelPaint(labelOf(unit), depth);
      if (labelOf(unit)) places.set(name, [...(places.get(name) ?? []), ...placesOf(unit)]);
    };
    if (space.mode === "sentence") {
      space.draft.of("sentence").forEach((unit, k) => {
        add(unit, 0);
        tags.push(this.#tag(unit, String(k + 1), space.menus.sentences?.letter(labelOf(unit)) ?? ""));
      });
    } else {
      const marks = space.draft.of("span");
      const deep = depths(marks);
      for (const mark of marks) {
        add(mark, deep.get(mark.id) ?? 0);
        tags.push(this.#tag(mark, "", labelsOf(mark).map((name) => space.menus.spans?.letter(name)).join("+")));
      }
    }
    for (const name of this.#painted) if (!places.has(name)) CSS.highlights.delete(name);
    for (const [name, where] of places) paint(name, space.response, where);
    this.#painted = new Set(places.keys());
    space.response.tag(joinTags(tags));
    this.#drawCurrent();
  }

  #drawCurrent() {
    const unit = this.space.current;
    paint("current", this.space.response, unit ? placesOf(unit) : []);
  }

  /** @param {Unit} unit @param {string} number @param {string} letter @returns {Tag} */
  #tag(unit, number, letter) {
    const label = labelOf(unit);
    return { point: startOf(unit), text: [number, label && letter].filter(Boolean).join(" "), class: label ? toneOf(label) : "none" };
  }
}

/** Marks that begin at the same word share one tag. @param {Tag[]} tags @returns {Tag[]} */
function joinTags(tags) {
  /** @type {Map<number, Tag>} */
  const joined = new Map();
  for (const tag of tags) {
    const other = joined.get(tag.point);
    joined.set(tag.point, other ? { ...other, text: `${other.text} ${tag.text}` } : tag);
  }
  return [...joined.values()];
}
