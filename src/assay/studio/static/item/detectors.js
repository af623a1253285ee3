// What detectors said: chosen one by one, beside the unit that is selected and in both texts.

/** @import { Unit } from "./types.js" */
/** @import { Workspace } from "./workspace.js" */
import { get } from "../api.js";
import { byId, fill, h, say } from "./dom.js";
import { matching } from "./differing.js";
import { drawSaid } from "./others.js";
import { paint } from "./paint.js";
import { evidenceOf, labelOf, placesOf } from "./units.js";

/** Off until somebody asks for it, so that nobody is led by a machine unawares. */
export class Detectors {
  /** @type {{name: string, units: Unit[]}[] | null} */
  #all = null;
  /** @type {Set<string>} */
  #chosen = new Set();

  /** @param {Workspace} space */
  constructor(space) {
    this.space = space;
    this.isShown = false;
    byId("detectors-toggle").addEventListener("click", () => void this.toggle());
    space.addEventListener("select", () => this.draw());
  }

  async toggle() {
    if (/** @type {HTMLButtonElement} */ (byId("detectors-toggle")).hidden) return;
    this.isShown = !this.isShown;
    byId("detectors-toggle").setAttribute("aria-pressed", String(this.isShown));
    if (this.isShown && !this.#all) {
      try {
        this.#all = await get(this.space.path("/detectors"));
        this.#chosen = new Set(this.#all?.map(({ name }) => name));
      } catch (error) {
        say(/** @type {Error} */ (error).message);
        this.#all = null;
      }
    }
    say(this.isShown ? "What detectors said is shown." : "What detectors said is hidden.");
    this.draw();
    if (this.isShown) byId("detectors").scrollIntoView({ block: "nearest" });
  }

  draw() {
    const { space } = this;
    const place = byId("detectors");
    place.hidden = !this.isShown;
    const shown = this.isShown ? (this.#all ?? []).filter(({ name }) => this.#chosen.has(name)) : [];
    const unit = space.current;
    const said = shown.map(({ name, units }) => ({ name, units: unit ? matching(units, unit) : [] }));
    paint("detector-evidence", space.source, said.flatMap(({ units }) => units.flatMap(evidenceOf)));
    paint("detector-doubt", space.response, shown.flatMap(({ units }) => units.filter((each) => this.#isDoubt(each)).flatMap((each) => each.verdict?.marks ?? placesOf(each))));
    if (!this.isShown) return;
    byId("detectors-legend").hidden = !this.#all?.length;
    fill(byId("detectors-list"), this.#all?.length ? this.#all.map(({ name }) => this.#drawChoice(name)) : h("p", { class: "quiet" }, "No detector has judged this item."));
    fill(byId("detectors-said"), said.map(({ name, units }) => drawSaid(space, { author: name, kind: "detector" }, units)));
  }

  /** @param {string} name */
  #drawChoice(name) {
    const change = () => {
      if (!this.#chosen.delete(name)) this.#chosen.add(name);
      this.draw();
    };
    return h("label", { class: "choice" }, h("input", { type: "checkbox", checked: this.#chosen.has(name), "data-key": `detector-${name}`, onchange: change }), name);
  }

  /** @param {Unit} unit */
  #isDoubt(unit) {
    const label = labelOf(unit);
    const coarse = this.space.guide.taxonomies.flatMap(({ labels }) => labels).find(({ name }) => name === label)?.coarse;
    return ["unfaithful", "contradiction", "neutral"].includes(coarse ?? label) || (!label && typeof unit.verdict?.score === "number" && unit.verdict.score < 0.5);
  }
}
