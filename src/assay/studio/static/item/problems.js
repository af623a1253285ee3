// What is wrong with a unit and what it still lacks, in words: the first in red, the second in one calm line.

/** @import { Problem, Unit } from "./types.js" */
/** @import { Workspace } from "./workspace.js" */
import { capital, countOf } from "./dom.js";
import { implied } from "./tree.js";
import { answersOf, isSame, labelOf } from "./units.js";

/** @type {Record<string, string>} */
const NEEDED = {
  source: "a passage (e) or the tick that there is none (0)",
  external: "a link (o)",
  reason: "a reason (w)",
  meaning: "what each reading means (v)",
};

/** A problem as a sentence, with titles for the names of labels.
 * @param {Problem} problem @param {Workspace} space
 */
export function sentenceOf({ message, missing }, { menus }) {
  const labels = [...(menus.sentences?.labels ?? []), ...(menus.spans?.labels ?? [])];
  const label = labels.find(({ name }) => message.startsWith(`${name} `));
  const words = label ? `${label.title}${message.slice(label.name.length)}` : message;
  const way = missing === "source" ? ", or the tick at “The source has nothing on it” (key 0)" : "";
  return `${capital(words)}${way}.`;
}

/** Answers that contradict each other or the label; everything else is only not there yet.
 * @param {Problem[]} problems
 */
export const contradictionsIn = (problems) => problems.filter(({ missing }) => !missing || !(missing in NEEDED || ["answer", "label"].includes(missing)));

/** What is still to be done for a unit, in one line. @param {Workspace} space @param {Unit} unit @param {Problem[]} problems */
export function stillNeeded(space, unit, problems) {
  const open = problems.filter(({ missing }) => missing === "answer").length;
  const needed = Object.keys(NEEDED).filter((name) => problems.some(({ missing }) => missing === name)).map((name) => NEEDED[name]);
  const isSpan = unit.kind === "span";
  return [
    open > 0 && `${countOf(open, "answer")} ${open === 1 ? "is" : "are"} still open${canFill(space, unit) ? `: press i to fill ${open === 1 ? "it" : "them"} in` : ""}.`,
    needed.length > 0 && `Needed: ${isSpan ? "a reason (w), a passage (e) or a link (o)" : needed.join(", ")}.`,
  ].filter(Boolean).join(" ");
}

/** Whether the chosen label says how some open question is answered. @param {Workspace} space @param {Unit} unit */
export function canFill(space, unit) {
  const answers = answersOf(unit);
  const label = labelOf(unit);
  return label !== "" && !answers.senses?.length && !isSame(implied(space.tree, answers, label), answers);
}
