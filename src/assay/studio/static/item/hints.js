// The line under the labels: how label and answers stand to each other, and what to do next.

/** @import { Unit } from "./types.js" */
/** @import { SentencePanel } from "./sentence.js" */
import { button, h } from "./dom.js";
import { canFill } from "./problems.js";
import { AMBIGUOUS } from "./tree.js";
import { answersOf, labelOf } from "./units.js";

export const LOOK_UP = "The last question stays open: somebody has to look it up.";

/** @param {SentencePanel} panel @param {Unit} unit @param {string} follows the label that the answers lead to */
export function hintFor(panel, unit, follows) {
  const { space } = panel;
  const menu = space.menus.sentences;
  const chosen = labelOf(unit);
  const answers = answersOf(unit);
  if (!menu || !space.mayEdit) return "";
  if (follows && chosen && follows !== chosen) return h("span", { class: "clash" }, "Your answers lead to ", h("b", {}, menu.title(follows)), ".");
  if (follows) return `${menu.title(follows)} follows from your answers.`;
  if (!chosen) return answers.several_readings ? "Say what each reading means (v), and answer its questions." : "Answer the questions, or choose a label.";
  if (chosen === AMBIGUOUS) {
    const add = (answers.senses ?? []).length < 2 && button("Add readings", () => panel.addReading(), { "data-key": "hint-readings", hint: "r" });
    return h("span", {}, "Each reading needs its meaning and its answers. ", add);
  }
  if (canFill(space, unit)) return h("span", {}, "Chosen directly. ", button("Fill in the answers", () => panel.imply(), { "data-key": "imply", hint: "i" }));
  return `${menu.title(chosen)} is chosen. ${LOOK_UP}`;
}
