// What others said of the unit that is selected: discussion, review and adjudication.

/** @import { Other, Unit, Verdict } from "./types.js" */
/** @import { Workspace } from "./workspace.js" */
import { button, byId, countOf, fill, h, say, shorten } from "./dom.js";
import { isDisputed, matching } from "./differing.js";
import { paint } from "./paint.js";
import { parentOf } from "./marks.js";
import { GIVEN_ATTRIBUTES, endOf, evidenceOf, externalOf, labelsOf, nextId, placesOf, startOf } from "./units.js";

/** @type {Record<string, string>} */
const STAGES = { annotate: "annotation", discuss: "discussion", adjudicate: "adjudication", imported: "came with the data" };

/** Everybody who may be seen, side by side. */
export class Others {
  /** @param {Workspace} space */
  constructor(space) {
    this.space = space;
    byId("others").hidden = !space.view.others.length;
    if (!space.view.others.length) return;
    byId("sentence").before(byId("others")); // it is what this stage is about
    space.addEventListener("select", () => this.draw());
    space.addEventListener("mode", () => this.draw());
    space.draft.addEventListener("change", () => this.draw());
  }

  draw() {
    const { space } = this;
    if (!space.view.others.length) return;
    const unit = space.current;
    byId("others-told").textContent = this.#told(unit);
    fill(byId("others-said"), space.view.others.map((other) => {
      const units = unit ? matching(other.units, unit) : space.mode === "span" ? other.units.filter(({ kind }) => kind === "span") : [];
      return drawSaid(space, other, units, space.mayEdit ? (theirs) => take(space, theirs) : null);
    }));
  }

  /** @param {Unit | null} unit */
  #told(unit) {
    const units = this.space.draft.of(this.space.mode);
    if (this.space.view.others.filter(({ kind }) => kind === "person").length + (this.space.view.work ? 1 : 0) < 2) return "";
    const count = units.filter((each) => isDisputed(this.space, each)).length;
    if (!count) return units.length ? "People agree on all of it." : "";
    const noun = this.space.mode === "span" ? "mark" : "sentence";
    const here = unit && isDisputed(this.space, unit) ? "≠ People differ here. " : unit ? `People agree on this ${noun}. ` : "";
    return `${here}They differ on ${count} of ${countOf(units.length, noun)}, signed ≠.`;
  }
}

/** One author's opinions of a unit.
 * @param {Workspace} space
 * @param {{author: string, kind: string, stage?: string}} other
 * @param {Unit[]} units
 * @param {((unit: Unit) => void) | null} [onTake]
 */
export function drawSaid(space, other, units, onTake = null) {
  return h("section", { class: "opinion", "data-author": other.author, "aria-label": other.author },
    h("h4", {}, other.author, h("span", { class: "quiet" }, other.kind === "detector" ? " detector" : other.stage ? ` ${STAGES[other.stage] ?? other.stage}` : "")),
    units.length ? units.map((unit) => drawOpinion(space, unit, onTake)) : h("p", { class: "quiet" }, space.mode === "span" ? "Nothing is marked here." : "Nothing is said of it."));
}

/** @param {Workspace} space @param {Unit} unit @param {((unit: Unit) => void) | null} onTake */
function drawOpinion(space, unit, onTake) {
  const menu = space.menuFor(unit);
  const verdict = unit.verdict ?? {};
  const isElsewhere = !space.current || startOf(unit) !== startOf(space.current) || endOf(unit) !== endOf(space.current);
  const show = (/** @type {{start: number, end: number}} */ span) => () => {
    space.source.reveal(span.start, span.end);
    paint("picked", space.source, [span]);
  };
  return h("div", { class: "said" },
    h("p", { class: "labels-said" }, labelsOf(unit).map((name) => menu?.byName.has(name) ? menu.chip(name) : h("span", { class: "chip" }, name)),
      typeof verdict.score === "number" && h("span", { class: "quiet number" }, ` ${verdict.score.toFixed(2)} faithful`),
      onTake && unit.verdict && !isOwn(space, unit) && button("Take this one", () => onTake(unit), { class: "button small take", "data-key": `take-${unit.id}` })),
    isElsewhere && h("p", { class: "quiet" }, h("q", { dir: "auto" }, shorten(unit.text, 120))),
    unit.failure && h("p", { class: "quiet" }, `No verdict: ${unit.failure.reason}`),
    verdict.note && h("p", { class: "text", dir: "auto" }, verdict.note),
    unit.kind === "sentence" && (verdict.interpretations ?? []).map((each) => h("p", {}, menu?.chip(typeof each.label === "string" ? each.label : each.label.label), " ", each.meaning)),
    evidenceOf(unit).length > 0 && h("ul", { class: "quotes" }, evidenceOf(unit).map((span) => h("li", {}, h("button", { type: "button", class: "quote", onclick: show(span) }, h("q", { dir: "auto" }, shorten(span.text, 160)))))),
    externalOf(unit).map((link) => h("p", { class: "quiet" }, link.title || link.address)),
    verdict.attributes?.nothing_found === true && h("p", { class: "quiet" }, "Says that the source has nothing on it."));
}

/** Whether one has said the same oneself; in the discussion there is nothing to take over then.
 * @param {Workspace} space @param {Unit} theirs
 */
function isOwn({ current, view }, theirs) {
  return view.stage === "discuss" && current !== null && labelsOf(current).join() === labelsOf(theirs).join();
}

/** Makes somebody's opinion one's own: of the sentence, or as a mark at the same place.
 * @param {Workspace} space @param {Unit} theirs
 */
function take(space, theirs) {
  const verdict = ofPerson(theirs.verdict ?? {});
  const own = theirs.kind === "sentence" ? space.current : space.draft.of("span").find((mark) => startOf(mark) === startOf(theirs) && endOf(mark) === endOf(theirs));
  if (own) space.edit("edit", [{ id: own.id, unit: { ...own, verdict } }]);
  else if (theirs.kind === "span") {
    const id = nextId(space.draft.used, "p");
    const { failure: _, parent: __, ...rest } = theirs;
    const parent = parentOf(space.draft.of("span"), startOf(theirs), endOf(theirs), id);
    space.edit("edit", [{ id, unit: { ...rest, id, verdict, ...(parent ? { parent } : {}) } }]);
    space.select(id);
  }
  say("Taken over.");
}

/** A person gives a label and reasons, no scores. @param {Verdict} verdict @returns {Verdict} */
function ofPerson({ label, note, evidence, external, answers, interpretations, attributes }) {
  const given = GIVEN_ATTRIBUTES.map((name) => [name, attributes?.[name]]).filter(([, value]) => value);
  const kept = given.length ? Object.fromEntries(given) : null;
  return Object.fromEntries(Object.entries({ label, note, evidence, external, answers, interpretations, attributes: kept }).filter(([, value]) => value !== undefined && value !== null));
}
