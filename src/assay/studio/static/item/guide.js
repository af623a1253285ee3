// Guidelines and labels to look up, and what was right after a training example.

/** @import { Guide, ItemView, Mark } from "./types.js" */
/** @import { Workspace } from "./workspace.js" */
import { get } from "../api.js";
import { byId, fill, h } from "./dom.js";
import { Menu } from "./menus.js";

/** @param {Guide} guide */
export function drawGuide(guide) {
  fill(byId("guide-text"),
    guide.guidelines && h("section", {}, h("h3", {}, "Guidelines of this project"), h("p", { class: "text", dir: "auto" }, guide.guidelines)),
    guide.taxonomies.map((taxonomy) => {
      const menu = new Menu(taxonomy);
      return h("section", {}, h("h3", {}, taxonomy.title ?? taxonomy.name), h("dl", { class: "meanings" }, taxonomy.labels.map((label) =>
        h("div", {}, h("dt", {}, menu.chip(label.name)), h("dd", {}, label.meaning, label.example && h("p", { class: "text example", dir: "auto" }, label.example))))));
    }));
}

/** @typedef {{position: number, state: string, marks: Mark[]}} Exercise */

/** The way on from an exercise that is done: the next open one, or the page with the quiz and its result.
 * @param {ItemView} view @param {Exercise[]} exercises
 */
function drawOnward({ purpose, position, project }, exercises) {
  const open = exercises.filter(({ state }) => state !== "submitted").map((each) => each.position);
  const next = open.find((each) => each > position) ?? open[0];
  const link = /** @type {HTMLAnchorElement} */ (byId("onward"));
  const root = `/projects/${project.slug}`;
  link.href = next ? `${root}/items/${next}?purpose=${purpose}` : `${root}/training`;
  const name = purpose === "quiz" ? (next ? "Next question" : "To the result") : next ? "Next example" : "On to the quiz";
  fill(link, name, " ", h("kbd", { "aria-hidden": "true" }, "Ctrl ⏎"));
  link.hidden = false;
  byId("read-only").hidden = true;
}

/** Each unit beside the gold, once somebody who was trained may see it. @param {Workspace} space */
export async function drawFeedback(space) {
  const { view } = space;
  if (view.purpose === "real" || !view.work || view.may.edit) return;
  const training = await get(`/api/projects/${view.project.slug}/training`);
  /** @type {Exercise[]} */
  const exercises = view.purpose === "quiz" ? training.quiz.exercises : training.exercises;
  drawOnward(view, exercises);
  const marks = exercises.find(({ position }) => position === view.position)?.marks ?? [];
  byId("feedback").hidden = !marks.length;
  const menus = [space.menus.sentences, space.menus.spans].filter((menu) => menu !== null);
  const chip = (/** @type {string} */ name) => menus.find((menu) => menu.byName.has(name))?.chip(name) ?? h("span", { class: "chip" }, name || "no label");
  const right = marks.filter((each) => each.is_right).length;
  byId("feedback-told").textContent = `${right} of ${marks.length} right`;
  fill(byId("feedback-list"), marks.map((each) => h("li", { class: each.is_right ? "right" : "off" },
    h("p", {}, h("b", {}, each.is_right ? "✓ Right" : each.is_near ? "≈ Nearly" : "✕ Not quite"), " ", h("q", { dir: "auto" }, each.text)),
    h("p", {}, "Yours: ", chip(each.label ?? ""), " Expected: ", chip(each.gold)),
    each.unit?.verdict?.note && h("p", { class: "text", dir: "auto" }, each.unit.verdict.note))));
}
