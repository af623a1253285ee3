// Guidelines and labels to look up, and what was right after a training example.

/** @import { Guide, Mark } from "./types.js" */
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

/** Each unit beside the gold, once somebody who was trained may see it. @param {Workspace} space */
export async function drawFeedback(space) {
  const { view } = space;
  if (view.purpose === "real" || !view.work || view.may.edit) return;
  const training = await get(`/api/projects/${view.project.slug}/training`);
  /** @type {{position: number, marks: Mark[]}[]} */
  const exercises = view.purpose === "quiz" ? training.quiz.exercises : training.exercises;
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
