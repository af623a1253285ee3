// The units as the person sees them now, and the way back: undo and redo over every edit.

/** @import { Change, Kind, Problems, Unit } from "./types.js" */
import { inOrder } from "./units.js";

/** @typedef {{before: Change[], after: Change[], field: string}} Past */

/** @param {Iterable<[string, Unit]>} units @param {Change[]} changes @returns {Map<string, Unit>} */
export function fold(units, changes) {
  const folded = new Map(units);
  for (const { id, unit } of changes) {
    if (unit) folded.set(id, unit);
    else folded.delete(id);
  }
  return folded;
}

/** Emits `edit` for each change to be saved, and `change` with the ids whenever something differs. */
export class Draft extends EventTarget {
  /** @param {Unit[]} units @param {Problems} problems */
  constructor(units, problems) {
    super();
    /** @type {Map<string, Unit>} */
    this.units = new Map(units.map((unit) => [unit.id, unit]));
    this.problems = problems;
    /** @type {Set<string>} every id that was ever used, so that none comes back as another unit */
    this.used = new Set(this.units.keys());
    /** @type {Past[]} */
    this.past = [];
    /** @type {Past[]} */
    this.future = [];
    /** @type {Map<string, Unit[]>} by kind, until something changes */
    this.sorted = new Map();
  }

  /** The units of a kind in the order of the response.
   * @param {"sentence" | "span"} kind
   */
  of(kind) {
    let units = this.sorted.get(kind);
    if (!units) {
      units = [...this.units.values()].filter((unit) => unit.kind === kind).sort(inOrder);
      this.sorted.set(kind, units);
    }
    return units;
  }

  /** @param {string} id */
  unit(id) {
    return this.units.get(id) ?? null;
  }

  /** A change by the person; typing into the same field again is one step on the way back.
   * @param {Kind} kind
   * @param {Change[]} changes
   * @param {string} [field] the text field it comes from
   */
  edit(kind, changes, field = "") {
    const before = changes.map(({ id }) => ({ id, unit: this.unit(id) }));
    const last = this.past.at(-1);
    if (field && last?.field === field) last.after = changes;
    else this.past.push({ before, after: changes, field });
    this.future = [];
    this.#apply(kind, changes, field);
  }

  /** The next letter typed into a field is a step of its own. */
  seal() {
    const last = this.past.at(-1);
    if (last) last.field = "";
  }

  undo() {
    const step = this.past.pop();
    if (!step) return false;
    this.future.push({ ...step, field: "" });
    this.#apply("undo", step.before, "");
    return true;
  }

  redo() {
    const step = this.future.pop();
    if (!step) return false;
    this.past.push(step);
    this.#apply("redo", step.after, "");
    return true;
  }

  /** What the server has now, and what is not saved yet on top of it.
   * @param {Map<string, Unit>} units
   * @param {Set<string>} elsewhere the units that changed elsewhere: the way back ends before them
   */
  replace(units, elsewhere) {
    const touches = (/** @type {Past} */ step) => step.after.some(({ id }) => elsewhere.has(id));
    this.past = this.past.filter((step) => !touches(step));
    this.future = this.future.filter((step) => !touches(step));
    const ids = new Set([...this.units.keys(), ...units.keys()]);
    this.units = units;
    this.#changed([...ids]);
  }

  /** @param {Problems} problems of the units that were saved; those without any come as empty */
  learn(problems) {
    this.problems = { ...this.problems, ...problems };
    this.dispatchEvent(new CustomEvent("problems"));
  }

  /** @param {Kind} kind @param {Change[]} changes @param {string} field */
  #apply(kind, changes, field) {
    this.units = fold(this.units, changes);
    this.#changed(changes.map(({ id }) => id));
    this.dispatchEvent(new CustomEvent("edit", { detail: { kind, changes, field } }));
  }

  /** @param {string[]} ids */
  #changed(ids) {
    this.sorted.clear();
    for (const id of ids) this.used.add(id);
    this.dispatchEvent(new CustomEvent("change", { detail: { ids } }));
  }
}
