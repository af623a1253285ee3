// The panel of marked spans: labels, several where needed, and the list with what is nested in what.

/** @import { Unit } from "./types.js" */
/** @import { Workspace } from "./workspace.js" */
import { button, byId, countOf, fill, h, say, shorten } from "./dom.js";
import { toneOf } from "./menus.js";
import { endOf, labelsOf, nextId, placesOf, startOf, withVerdict } from "./units.js";

/** How deep each mark lies inside others. @param {Unit[]} marks in order @returns {Map<string, number>} */
export function depths(marks) {
  /** @type {Map<string, number>} */
  const found = new Map();
  /** @type {{end: number, depth: number}[]} those that are still open, and the line that each has */
  let open = [];
  for (const mark of marks) {
    open = open.filter(({ end }) => end > startOf(mark));
    const taken = new Set(open.map(({ depth }) => depth));
    let depth = 0;
    while (taken.has(depth)) depth += 1;
    found.set(mark.id, depth);
    open.push({ end: endOf(mark), depth });
  }
  return found;
}

/** The smallest other mark around a place. @param {Unit[]} marks @param {number} start @param {number} end @param {string} id */
export function parentOf(marks, start, end, id) {
  const around = marks.filter((mark) => mark.id !== id && startOf(mark) <= start && end <= endOf(mark) && endOf(mark) - startOf(mark) > end - start);
  return around.sort((a, b) => endOf(a) - startOf(a) - (endOf(b) - startOf(b)))[0]?.id ?? "";
}

/** What is marked in the response. */
export class MarksPanel {
  /** @param {Workspace} space */
  constructor(space) {
    this.space = space;
    space.addEventListener("select", () => this.draw());
    space.addEventListener("mode", () => this.draw());
    space.draft.addEventListener("change", () => this.draw());
    space.caret.addEventListener("picked", () => this.#drawMenu());
  }

  draw() {
    const { space } = this;
    byId("marks").hidden = space.mode !== "span";
    if (space.mode !== "span" || !space.menus.spans) return;
    this.#drawMenu();
    const marks = space.draft.of("span");
    byId("marks-count").textContent = marks.length ? countOf(marks.length, "mark") : this.space.mayEdit ? "Nothing is marked: that means consistent" : "Nothing is marked: consistent";
    fill(byId("marks-list"), marks.map((mark) => this.#drawMark(mark, marks)));
  }

  /** @param {number} number from 1, as the keys are */
  chooseNumber(number) {
    const label = this.space.menus.spans?.labels[number - 1];
    if (label) this.choose(label.name);
  }

  /** Marks the selection with a label, or gives it to the mark that is chosen, or takes it away.
   * @param {string} name
   */
  choose(name) {
    const { space } = this;
    const picked = this.#fresh();
    if (picked) return this.#add(picked.start, picked.end, name);
    const mark = space.current;
    if (!mark) return say("Select words in the response first.");
    const labels = labelsOf(mark);
    this.#setLabels(mark, labels.includes(name) ? labels.filter((each) => each !== name) : [...labels, name]);
  }

  /** Removes the mark that is chosen. */
  remove() {
    const mark = this.space.current;
    if (mark?.kind !== "span") return;
    const inside = this.space.draft.of("span").filter((each) => each.parent === mark.id);
    const moved = inside.map((each) => ({ id: each.id, unit: placed(each, mark.parent ?? "") }));
    this.space.edit("edit", [{ id: mark.id, unit: null }, ...moved]);
    say("Mark removed.");
  }

  /** Gives the mark the place that is selected, or adds it to its places. @param {boolean} isAdded */
  place(isAdded) {
    const { space } = this;
    const mark = space.current;
    const picked = space.caret.picked(space.response);
    if (!mark || !picked) return say("Choose a mark and select words in the response first.");
    const spans = isAdded ? [...placesOf(mark), picked].map(({ start, end }) => space.response.quote(start, end)) : [space.response.quote(picked.start, picked.end)];
    spans.sort((a, b) => a.start - b.start);
    const parent = parentOf(space.draft.of("span"), spans[0].start, spans[spans.length - 1].end, mark.id);
    const { start: _, end: __, spans: ___, ...rest } = mark;
    const where = spans.length === 1 ? { start: spans[0].start, end: spans[0].end } : { spans };
    space.edit("edit", [{ id: mark.id, unit: placed({ ...rest, ...where, text: spans.map(({ text }) => text).join(" … ") }, parent) }]);
  }

  /** The selection in the response, unless it is just the place of the mark that is chosen. */
  #fresh() {
    const { space } = this;
    const picked = space.caret.picked(space.response);
    const isOwn = picked && space.current && placesOf(space.current).some(({ start, end }) => start === picked.start && end === picked.end);
    return isOwn ? null : picked;
  }

  /** @param {number} start @param {number} end @param {string} name */
  #add(start, end, name) {
    const { space } = this;
    const marks = space.draft.of("span");
    const same = marks.find((mark) => placesOf(mark).length === 1 && startOf(mark) === start && endOf(mark) === end);
    if (same) {
      space.select(same.id, { reveal: false });
      return this.#setLabels(same, [...new Set([...labelsOf(same), name])]);
    }
    const id = nextId(space.draft.used, "p");
    const unit = placed({ id, kind: "span", text: space.response.points.slice(start, end), start, end }, parentOf(marks, start, end, id));
    const inside = marks.filter((mark) => start <= startOf(mark) && endOf(mark) <= end && (mark.parent ?? "") === (unit.parent ?? ""));
    space.edit("edit", [{ id, unit: withVerdict(unit, { label: name }) }, ...inside.map((mark) => ({ id: mark.id, unit: placed(mark, id) }))]);
    space.select(id, { reveal: false });
    space.caret.forget(space.response, end);
  }

  /** @param {Unit} mark @param {string[]} names */
  #setLabels(mark, names) {
    const menu = this.space.menus.spans;
    if (!menu) return;
    const specific = names.filter((name) => !names.some((other) => menu.byName.get(other)?.parent === name));
    this.space.change(mark, { label: menu.worst(specific) || null, interpretations: specific.length > 1 ? specific.map((label) => ({ label })) : [] });
  }

  #drawMenu() {
    const menu = this.space.menus.spans;
    if (!menu || this.space.mode !== "span") return;
    const picked = this.#fresh();
    const mark = this.space.current;
    const chosen = picked || !mark ? [] : labelsOf(mark);
    fill(byId("mark-what"), picked ? ["Mark ", h("q", { dir: "auto" }, shorten(this.space.response.points.slice(picked.start, picked.end), 90)), " as:"]
      : mark ? ["Labels of ", h("q", { dir: "auto" }, shorten(mark.text, 90))] : "Select words in the response, then choose a label.");
    fill(byId("mark-labels"), menu.labels.map((label, k) =>
      h("button", { type: "button", class: `label ${toneOf(label.name)}${label.parent ? " nested" : ""}`, "data-key": `mark-${label.name}`, "aria-pressed": String(chosen.includes(label.name)), title: label.meaning, disabled: !this.space.mayEdit,
        onmousedown: (/** @type {Event} */ event) => event.preventDefault(), onclick: () => this.choose(label.name) },
        h("kbd", { "aria-hidden": "true" }, k + 1), h("b", { class: "letter", "aria-hidden": "true" }, menu.letter(label.name)), h("span", { class: "title" }, label.title))));
    const isFixed = !mark || !this.space.mayEdit;
    const hasPlace = Boolean(mark && picked);
    const keep = (/** @type {Event} */ event) => event.preventDefault();
    fill(byId("mark-actions"),
      button("Move to the selection", () => this.place(false), { disabled: isFixed || !hasPlace, onmousedown: keep, hint: "=", "data-key": "mark-move" }),
      button("Add the selection", () => this.place(true), { disabled: isFixed || !hasPlace, onmousedown: keep, hint: "+", "data-key": "mark-add" }),
      button("Remove", () => this.remove(), { disabled: isFixed, hint: "Del", "data-key": "mark-remove" }));
  }

  /** @param {Unit} mark @param {Unit[]} marks */
  #drawMark(mark, marks) {
    const { space } = this;
    const menu = space.menus.spans;
    const level = Math.min(nesting(mark, marks), 5);
    const problems = space.draft.problems[mark.id] ?? [];
    return h("li", { class: `level-${level}` },
      h("button", { type: "button", class: "mark", "data-key": `list-${mark.id}`, "aria-current": space.chosen.span === mark.id ? "true" : null, onclick: () => space.select(mark.id) },
        h("span", { class: "letters" }, labelsOf(mark).map((name) => h("b", { class: `chip ${toneOf(name)}`, title: menu?.title(name) }, menu?.letter(name)))),
        h("span", { class: "what", dir: "auto" }, shorten(mark.text, 110)),
        problems.length > 0 && h("span", { class: "flag", title: problems.map(({ message }) => message).join("\n") }, "!")));
  }
}

/** @param {Unit} mark @param {Unit[]} marks */
function nesting(mark, marks) {
  let level = 0;
  const seen = new Set([mark.id]);
  for (let parent = mark.parent; parent && !seen.has(parent); parent = marks.find((each) => each.id === parent)?.parent) {
    seen.add(parent);
    level += 1;
  }
  return level;
}

/** The mark inside another, or in none. @param {Unit} mark @param {string} parent @returns {Unit} */
function placed(mark, parent) {
  const { parent: _, ...rest } = mark;
  return parent ? { ...rest, parent } : rest;
}
