// What all parts of the page share: the item, the draft, the two texts, and what is selected.

/** @import { Change, Guide, ItemView, Kind, Unit, Verdict } from "./types.js" */
/** @import { Saver } from "./saving.js" */
import { countWhile } from "../offsets.js";
import { Caret } from "./caret.js";
import { seenBy } from "./differing.js";
import { byId, say } from "./dom.js";
import { Draft } from "./draft.js";
import { menusOf } from "./menus.js";
import { Pane } from "./pane.js";
import { fullTree } from "./tree.js";
import { endOf, labelsOf, placesOf, startOf, withVerdict } from "./units.js";

/** Emits `select` when another unit is selected and `mode` when sentences or spans come to the fore. */
export class Workspace extends EventTarget {
  /** @param {string} path of the item in the API @param {ItemView} view @param {Guide} guide */
  constructor(path, view, guide) {
    super();
    this.root = path;
    this.view = view;
    this.guide = guide;
    this.menus = menusOf(guide);
    this.tree = fullTree(guide);
    const { source, response } = view.example;
    this.source = new Pane(byId("source"), "source", source.text, source.passages);
    this.response = new Pane(byId("response"), "response", response.text);
    this.caret = new Caret([this.source, this.response]);
    this.draft = new Draft(view.work?.units ?? seenBy(view), view.work?.problems ?? {});
    /** @type {Saver | null} */
    this.saver = null;
    /** @type {"sentence" | "span"} */
    this.mode = this.menus.sentences ? "sentence" : "span";
    /** @type {Record<"sentence" | "span", string>} */
    this.chosen = { sentence: "", span: "" };
    this.draft.addEventListener("change", () => this.#keepSelection());
  }

  /** The address of something of this item in the API.
   * @param {string} [below]
   * @param {Record<string, string | number>} [parameters]
   */
  path(below = "", parameters = {}) {
    const { purpose } = this.view;
    const all = { ...parameters, ...(purpose && purpose !== "real" ? { purpose } : {}) };
    const query = new URLSearchParams(Object.entries(all).map(([name, value]) => [name, String(value)])).toString();
    return `${this.root}${below}${query && `?${query}`}`;
  }

  get mayEdit() {
    return this.view.may.edit && this.view.work !== null;
  }

  /** The unit that the panel is about. */
  get current() {
    return this.draft.unit(this.chosen[this.mode]);
  }

  /** The menu of a unit's labels. @param {Unit} unit */
  menuFor(unit) {
    return unit.kind === "span" ? this.menus.spans : this.menus.sentences;
  }

  /** @param {string} id @param {{reveal?: boolean, quiet?: boolean}} [options] */
  select(id, { reveal = true, quiet = false } = {}) {
    const unit = this.draft.unit(id);
    if (unit && (unit.kind === "sentence" || unit.kind === "span")) this.setMode(unit.kind);
    const isSame = this.chosen[this.mode] === id;
    this.chosen[this.mode] = id;
    if (unit && reveal) {
      this.response.reveal(startOf(unit), endOf(unit));
      this.caret.forget(this.response, startOf(unit));
    }
    if (isSame) return;
    this.dispatchEvent(new CustomEvent("select"));
    if (unit && !quiet) this.#announce(unit);
  }

  /** The next unit, or the one before. @param {1 | -1} step */
  move(step) {
    const units = this.draft.of(this.mode);
    const at = units.findIndex((unit) => unit.id === this.chosen[this.mode]);
    const next = units[at < 0 ? (step > 0 ? 0 : units.length - 1) : at + step];
    if (next) this.select(next.id);
    else say(step > 0 ? "That was the last one." : "That is the first one.");
  }

  /** @param {"sentence" | "span"} mode */
  setMode(mode) {
    if (mode === this.mode || !(mode === "span" ? this.menus.spans : this.menus.sentences)) return;
    this.mode = mode;
    this.dispatchEvent(new CustomEvent("mode"));
    this.dispatchEvent(new CustomEvent("select"));
  }

  /** The sentence at a place of the response. @param {number} point */
  sentenceAt(point) {
    const sentences = this.draft.of("sentence");
    const before = countWhile(sentences.length, (k) => startOf(sentences[k]) <= point);
    const found = sentences[Math.max(before - 1, 0)];
    const next = sentences[before];
    return found && point > endOf(found) && next ? next : found ?? null;
  }

  /** The innermost mark at a place of the response. @param {number} point */
  markAt(point) {
    const around = this.draft.of("span").filter((unit) => placesOf(unit).some(({ start, end }) => start <= point && point < end));
    return around.sort((a, b) => endOf(a) - startOf(a) - (endOf(b) - startOf(b)))[0] ?? null;
  }

  /** Changes parts of a unit's verdict. @param {Unit} unit @param {Verdict} parts @param {string} [field] */
  change(unit, parts, field = "") {
    this.edit("edit", [{ id: unit.id, unit: withVerdict(unit, parts) }], field && `${unit.id}.${field}`);
  }

  /** @param {Kind} kind @param {Change[]} changes @param {string} [field] */
  edit(kind, changes, field = "") {
    if (this.mayEdit) this.draft.edit(kind, changes, field);
    else say("This cannot be changed.");
  }

  /** A unit that is gone leaves the selection to its neighbour. */
  #keepSelection() {
    const units = this.draft.of(this.mode);
    if (this.current || !units.length) return;
    this.chosen[this.mode] = this.mode === "sentence" ? units[0].id : "";
    this.dispatchEvent(new CustomEvent("select"));
  }

  /** @param {Unit} unit */
  #announce(unit) {
    const units = this.draft.of(this.mode);
    const titles = labelsOf(unit).map((name) => this.menuFor(unit)?.title(name) ?? name);
    const noun = unit.kind === "span" ? "Mark" : "Sentence";
    say(`${noun} ${units.indexOf(unit) + 1} of ${units.length}, ${titles.join(" and ") || "no label yet"}: ${unit.text}`);
  }
}
