// All sentences at a glance: one small button each, with its number, its letter and its tone.

/** @import { Unit } from "./types.js" */
/** @import { Workspace } from "./workspace.js" */
import { isDisputed } from "./differing.js";
import { byId, h, shorten } from "./dom.js";
import { toneOf } from "./menus.js";
import { labelOf } from "./units.js";

/** A list box: the arrow keys move in it, and each option says its label. */
export class Strip {
  /** @param {Workspace} space */
  constructor(space) {
    this.space = space;
    this.place = byId("strip");
    /** @type {Map<string, HTMLElement>} */
    this.options = new Map();
    this.order = "";
    space.addEventListener("select", () => this.draw());
    space.addEventListener("mode", () => this.draw());
    space.draft.addEventListener("change", () => this.draw());
    space.draft.addEventListener("problems", () => this.draw());
    this.place.addEventListener("click", (event) => {
      const option = /** @type {HTMLElement} */ (event.target).closest("[data-unit]");
      if (option) space.select(String(/** @type {HTMLElement} */ (option).dataset.unit));
    });
  }

  draw() {
    const sentences = this.space.draft.of("sentence");
    const order = sentences.map(({ id }) => id).join(" ");
    this.place.hidden = this.space.mode !== "sentence" || !sentences.length;
    if (order !== this.order) {
      this.order = order;
      this.options = new Map(sentences.map((unit) => [unit.id, h("span", { role: "option", id: `option-${unit.id}`, "data-unit": unit.id })]));
      this.place.replaceChildren(...this.options.values());
    }
    sentences.forEach((unit, k) => this.#refresh(unit, k));
    const chosen = this.space.chosen.sentence;
    this.place.setAttribute("aria-activedescendant", chosen ? `option-${chosen}` : "");
    const done = sentences.filter((unit) => labelOf(unit)).length;
    const told = this.space.view.work ? `${done} of ${sentences.length} labelled` : this.space.view.state === "done" ? "Done" : "";
    byId("done").textContent = this.space.mode === "sentence" && sentences.length ? told : "";
  }

  /** @param {Unit} unit @param {number} k */
  #refresh(unit, k) {
    const option = this.options.get(unit.id);
    const menu = this.space.menus.sentences;
    if (!option || !menu) return;
    const label = labelOf(unit);
    const isWrong = label !== "" && (this.space.draft.problems[unit.id] ?? []).length > 0;
    const isChosen = this.space.chosen.sentence === unit.id;
    const differ = isDisputed(this.space, unit);
    const key = `${k} ${label} ${isWrong} ${isChosen} ${differ} ${unit.text}`;
    if (option.dataset.drawn === key) return;
    option.dataset.drawn = key;
    option.className = `${label ? toneOf(label) : "none"}${isWrong ? " wrong" : ""}`;
    option.setAttribute("aria-selected", String(isChosen));
    option.setAttribute("aria-label", `Sentence ${k + 1}, ${label ? menu.title(label) : "no label yet"}${isWrong ? ", something is missing" : ""}${differ ? ", people differ" : ""}`);
    option.title = `${differ ? "People differ: " : ""}${shorten(unit.text, 140)}`;
    option.replaceChildren(String(k + 1), h("b", {}, label ? menu.letter(label) : ""), ...(isWrong ? [h("i", {}, "!")] : []), ...(differ ? [h("i", { class: "differ" }, "≠")] : []));
    if (isChosen) option.scrollIntoView({ block: "nearest" });
  }
}
