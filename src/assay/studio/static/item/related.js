// The passages of the source that have most to do with what is selected, and the way through them.

/** @import { Related } from "./types.js" */
/** @import { Workspace } from "./workspace.js" */
import { get } from "../api.js";
import { byId, say } from "./dom.js";
import { paint } from "./paint.js";
import { endOf, evidenceOf, placesOf, startOf } from "./units.js";

const LEVELS = 5;
const WEAK = 0.4; // where nothing matters more than this, nothing is painted in full
const SETTLED = 120; // milliseconds: somebody who runs through the sentences asks for none of them

/** Lights up what the selection is about. */
export class RelatedPassages {
  /** @type {Map<string, Related[]>} */
  #known = new Map();
  #timer = 0;
  #key = "";
  #isShown = true;

  /** @param {Workspace} space */
  constructor(space) {
    this.space = space;
    /** @type {Related[]} in the order of the source */
    this.found = [];
    this.at = -1;
    space.addEventListener("select", () => this.#follow());
    space.caret.addEventListener("picked", () => this.#follow());
    space.draft.addEventListener("change", () => this.#tell());
    byId("related-previous").addEventListener("click", () => this.jump(-1));
    byId("related-next").addEventListener("click", () => this.jump(1));
    byId("related-toggle").addEventListener("click", () => this.toggle());
  }

  /** The passage that somebody went to last. @returns {Related | null} */
  get current() {
    return this.found[this.at] ?? null;
  }

  toggle() {
    this.#isShown = !this.#isShown;
    byId("related-toggle").setAttribute("aria-pressed", String(this.#isShown));
    say(this.#isShown ? "Related passages are shown." : "Related passages are hidden.");
    this.#draw();
  }

  /** The next passage in the source, or the one before. @param {1 | -1} step */
  jump(step) {
    const { found } = this;
    if (!found.length) return say("There is no related passage.");
    this.at = this.at < 0 ? (step > 0 ? this.#best() : found.length - 1) : (this.at + step + found.length) % found.length;
    const passage = found[this.at];
    this.space.source.reveal(passage.start, passage.end);
    paint("current-passage", this.space.source, [passage]);
    this.space.caret.forget(this.space.source, passage.start); // the caret comes along
    this.#tell();
    this.space.dispatchEvent(new CustomEvent("passage"));
    say(`Related passage ${describe(found, this.at)}: ${passage.text}. Press e to attach it.`);
  }

  /** The first jump goes to the passage that has most to do with it. */
  #best() {
    const weights = this.found.map(({ weight }) => weight);
    return weights.indexOf(Math.max(...weights));
  }

  /** What is selected: words of the response, or a sentence, or a mark. */
  #wanted() {
    const picked = this.space.caret.picked(this.space.response);
    const unit = this.space.current;
    if (picked && (this.space.mode === "span" || !unit)) return { start: picked.start, end: picked.end };
    return unit && placesOf(unit).length ? { start: startOf(unit), end: endOf(unit) } : null;
  }

  #follow() {
    const wanted = this.#wanted();
    const key = wanted ? `${wanted.start}-${wanted.end}` : "";
    if (key === this.#key) return;
    this.#key = key;
    this.at = -1; // what was found for something else is not offered any more
    this.space.dispatchEvent(new CustomEvent("passage"));
    clearTimeout(this.#timer);
    const known = this.#known.get(key);
    if (known || !wanted) this.#show(known ?? []);
    else this.#timer = setTimeout(() => void this.#ask(key, wanted), SETTLED);
  }

  /** @param {string} key @param {{start: number, end: number}} wanted */
  async #ask(key, { start, end }) {
    byId("related-told").textContent = "Looking …";
    try {
      /** @type {Related[]} */
      const passages = await get(this.space.path("/related", { start, end }));
      this.#known.set(key, [...passages].sort((a, b) => a.start - b.start));
      if (key === this.#key) this.#show(this.#known.get(key) ?? []);
    } catch {
      if (key !== this.#key) return;
      this.#key = ""; // the next selection asks again
      this.#show([]);
      byId("related-told").textContent = "Not available now";
    }
  }

  /** @param {Related[]} found */
  #show(found) {
    this.found = found;
    this.at = -1;
    this.#draw();
    this.#bringIntoView();
    this.space.dispatchEvent(new CustomEvent("passage"));
  }

  /** Scrolls to the strongest passage where none can be seen; the focus stays where it is. */
  #bringIntoView() {
    const { source, caret } = this.space;
    if (!this.#isShown || !this.found.length || source.scroll === document.activeElement) return;
    const best = this.found[this.#best()];
    if (!this.found.some(({ start, end }) => source.isInView(start, end))) source.reveal(best.start, best.end);
    if (!caret.picked(source)) caret.forget(source, best.start);
  }

  #draw() {
    const { source } = this.space;
    const shown = this.#isShown ? this.found : [];
    const most = Math.max(...shown.map(({ weight }) => weight), WEAK);
    const level = (/** @type {Related} */ { weight }) => Math.min(LEVELS, Math.max(1, Math.ceil((LEVELS * weight) / most)));
    for (let each = 1; each <= LEVELS; each += 1) paint(`related-${each}`, source, shown.filter((passage) => level(passage) === each));
    paint("current-passage", source, []);
    source.tick(shown.map((passage, k) => ({
      start: passage.start, end: passage.end, class: `level-${level(passage)}`, title: describe(this.found, k),
      onclick: () => { this.at = k - 1; this.jump(1); },
    })));
    this.#tell();
  }

  #tell() {
    const { found, at } = this;
    const place = byId("related-told");
    place.title = at < 0 ? "" : describe(found, at);
    place.textContent = !found.length ? "None" : at < 0 ? `${found.length} found` : `${at + 1} of ${found.length}${this.isAttached ? ", attached" : ""}`;
    for (const id of ["related-previous", "related-next"]) /** @type {HTMLButtonElement} */ (byId(id)).disabled = !found.length;
  }

  /** Whether the passage that somebody went to is evidence already. */
  get isAttached() {
    const { current } = this;
    const unit = this.space.current;
    return current !== null && unit !== null && evidenceOf(unit).some(({ start, end }) => start === current.start && end === current.end);
  }
}

/** @param {Related[]} found @param {number} at */
export function describe(found, at) {
  const { weight, reasons } = found[at];
  const strongest = weight === Math.max(...found.map((each) => each.weight)) ? ", the strongest" : "";
  const why = reasons.length ? `; found by ${reasons.join(", ")}` : "";
  return `${at + 1} of ${found.length}${strongest}, weight ${Math.round(100 * weight)} %${why}`;
}
