// The keys of this page, by what they are for.

/** @import { Shortcut } from "./keys.js" */
/** @import { Workspace } from "./workspace.js" */
/** @import { SentencePanel } from "./sentence.js" */
/** @import { MarksPanel } from "./marks.js" */
/** @import { Grounds } from "./grounds.js" */
/** @import { RelatedPassages } from "./related.js" */
/** @import { Detectors } from "./detectors.js" */
/** @import { Submitting } from "./submit.js" */
import { merge, split } from "./boundaries.js";
import { byId, say } from "./dom.js";
import { endOf, startOf } from "./units.js";

/** @typedef {{sentence: SentencePanel, marks: MarksPanel, grounds: Grounds, related: RelatedPassages, detectors: Detectors, submitting: Submitting}} Parts */

/** @param {string} id */
const open = (id) => /** @type {HTMLDialogElement} */ (byId(id)).showModal();

/** @param {Workspace} space @param {Parts} parts @returns {Shortcut[]} */
export function shortcutsOf(space, { sentence, marks, grounds, related, detectors, submitting }) {
  const digits = (/** @type {number} */ count) => [...Array(count).keys()].map((k) => String(k + 1));
  const numbered = (/** @type {KeyboardEvent} */ event) => Number(event.key);
  return [
    { group: "Moving", keys: ["j", "ArrowDown"], does: "Next sentence or mark", run: () => space.move(1) },
    { group: "Moving", keys: ["k", "ArrowUp"], does: "Previous sentence or mark", run: () => space.move(-1) },
    { group: "Moving", keys: ["n"], does: "Next related passage", run: () => related.jump(1) },
    { group: "Moving", keys: ["p"], does: "Previous related passage", run: () => related.jump(-1) },
    { group: "Moving", keys: ["x"], does: "Into the source, at the related passage, and back", run: () => cross(space) },
    { group: "Moving", keys: ["t"], does: "Between sentences and marks", run: () => space.setMode(space.mode === "span" ? "sentence" : "span"), isLeftOut: !(space.menus.sentences && space.menus.spans) },
    { group: "Sentences", keys: ["y"], does: "Answer the open question with yes", run: () => sentence.answerNext(true), mode: "sentence" },
    { group: "Sentences", keys: ["u"], does: "Answer it with no", run: () => sentence.answerNext(false), mode: "sentence" },
    { group: "Sentences", keys: ["Backspace"], does: "Take the last answer back", run: () => sentence.takeBack(), mode: "sentence" },
    { group: "Sentences", keys: digits(space.menus.sentences?.labels.length ?? 0), does: "Choose a label directly", run: (event) => sentence.chooseNumber(numbered(event)), mode: "sentence" },
    { group: "Sentences", keys: ["i"], does: "Fill in the answers that the chosen label implies", run: () => sentence.imply(), mode: "sentence" },
    { group: "Sentences", keys: ["r"], does: "Add a reading", run: () => sentence.addReading(), mode: "sentence" },
    { group: "Sentences", keys: ["v"], does: "Write what a reading means", run: () => sentence.writeMeaning(), mode: "sentence" },
    { group: "Sentences", keys: ["s"], does: "Split the sentence at the caret", run: () => splitHere(space), mode: "sentence" },
    { group: "Sentences", keys: ["m"], does: "Merge with the next sentence", run: () => mergeNext(space), mode: "sentence" },
    { group: "Marks", keys: digits(space.menus.spans?.labels.length ?? 0), does: "Mark the selection, or change the labels of the mark", run: (event) => marks.chooseNumber(numbered(event)), mode: "span" },
    { group: "Marks", keys: ["="], does: "Move the mark to the selection", run: () => marks.place(false), mode: "span" },
    { group: "Marks", keys: ["+"], does: "Add the selection to the mark", run: () => marks.place(true), mode: "span" },
    { group: "Marks", keys: ["Delete", "Backspace"], does: "Remove the mark", run: () => marks.remove(), mode: "span" },
    { group: "Reasons", keys: ["e"], does: "Attach the selection in the source, or the related passage", run: () => grounds.attach() },
    { group: "Reasons", keys: ["0"], does: "The source has nothing on it", run: () => grounds.toggleNothing(), mode: "sentence" },
    { group: "Reasons", keys: ["w"], does: "Write the reason", run: () => grounds.note.focus() },
    { group: "Reasons", keys: ["o"], does: "Link outside evidence", run: () => grounds.address.focus() },
    { group: "The page", keys: ["d"], does: "Show what detectors said", run: () => void detectors.toggle() },
    { group: "The page", keys: ["l"], does: "Show or hide related passages", run: () => related.toggle() },
    { group: "The page", keys: ["Ctrl+z"], does: "Undo", run: () => undo(space), inText: true },
    { group: "The page", keys: ["Ctrl+Shift+z", "Ctrl+y"], does: "Redo", run: () => redo(space), inText: true },
    { group: "The page", keys: ["Ctrl+Enter"], does: "Submit", run: () => void submitting.submit(), inText: true },
    { group: "The page", keys: ["Escape"], does: "Back to the response", run: () => space.response.scroll.focus({ preventScroll: true }), inText: true },
    { group: "The page", keys: ["g"], does: "Guidelines and labels", run: () => open("guide") },
    { group: "The page", keys: ["?"], does: "These keys", run: () => open("keys") },
  ];
}

/** @param {Workspace} space */
export function undo(space) {
  say(space.draft.undo() ? "Undone." : "There is nothing to undo.");
}

/** @param {Workspace} space */
export function redo(space) {
  say(space.draft.redo() ? "Done again." : "There is nothing to redo.");
}

/** @param {Workspace} space */
function cross(space) {
  const pane = document.activeElement === space.response.scroll ? space.source : space.response;
  pane.scroll.focus({ preventScroll: true });
}

/** @param {Workspace} space */
export function splitHere(space) {
  const { response, draft } = space;
  const at = space.caret.pointIn(response);
  const unit = draft.of("sentence").find((each) => startOf(each) < at && at < endOf(each));
  const changes = unit && split(unit, at, response.points, draft.used);
  if (!changes) return say("Put the caret inside a sentence of the response first.");
  space.edit("split", changes);
  space.select(changes[0].id, { reveal: false });
  say("Split in two.");
}

/** @param {Workspace} space */
export function mergeNext(space) {
  const sentences = space.draft.of("sentence");
  const at = sentences.findIndex((unit) => unit.id === space.current?.id);
  const [first, second] = [sentences[at], sentences[at + 1]];
  if (!first || !second || !space.menus.sentences) return say("There is no sentence after it.");
  space.edit("merge", merge(first, second, space.response.points, space.menus.sentences));
  space.select(first.id, { reveal: false });
  say("Merged with the next sentence.");
}
