// Opens an item: fetches it and the guide, and puts the parts of the page together.

/** @import { Guide, ItemView } from "./types.js" */
import { get } from "../api.js";
import { Activity } from "./activity.js";
import { Comments } from "./comments.js";
import { askAbout } from "./conflicts.js";
import { Detectors } from "./detectors.js";
import { isDisputed } from "./differing.js";
import { byId } from "./dom.js";
import { Grounds } from "./grounds.js";
import { drawFeedback, drawGuide } from "./guide.js";
import { drawCheatSheet, listen } from "./keys.js";
import { MarksPanel } from "./marks.js";
import { Others } from "./others.js";
import { paint, styleLabels } from "./paint.js";
import { Queue } from "./queue.js";
import { RelatedPassages } from "./related.js";
import { ResponseView } from "./responses.js";
import { Saver } from "./saving.js";
import { SentencePanel } from "./sentence.js";
import { mergeNext, redo, shortcutsOf, splitHere, undo } from "./shortcuts.js";
import { showFailure, showStatus, tell } from "./status.js";
import { Strip } from "./strip.js";
import { Submitting } from "./submit.js";
import { joinTabs } from "./tabs.js";
import { Workspace } from "./workspace.js";

const STAGES = { training: "Training", quiz: "Quiz", annotate: "Annotation", discuss: "Discussion", review: "Review", adjudicate: "Adjudication" };

async function start() {
  const { api = "", purpose = "", project = "" } = byId("item").dataset;
  /** @type {[ItemView, Guide]} */
  const [view, guide] = await Promise.all([get(`${api}?purpose=${purpose}`), get(`/api/projects/${project}/guide`)]);
  const space = new Workspace(api, view, guide);
  styleLabels([space.menus.sentences, space.menus.spans].filter((menu) => menu !== null));
  drawHead(space);
  drawGuide(guide);
  void drawFeedback(space);
  const parts = await build(space);
  connect(space, parts);
  const units = space.draft.of(space.mode);
  const first = units.find((unit) => isDisputed(space, unit)) ?? units.find((unit) => !unit.verdict?.label) ?? units[0];
  if (first) space.select(first.id, { quiet: true });
  space.response.scroll.focus({ preventScroll: true });
  document.documentElement.dataset.ready = "";
}

/** @param {Workspace} space */
async function build(space) {
  const { work } = space.view;
  const response = new ResponseView(space);
  const strip = new Strip(space);
  const sentence = new SentencePanel(space);
  const marks = new MarksPanel(space);
  const related = new RelatedPassages(space);
  const grounds = new Grounds(space, related);
  const detectors = new Detectors(space);
  const others = new Others(space);
  const comments = new Comments(space);
  const activity = work && space.mayEdit ? new Activity(work.id, work.seconds) : null;
  const submitting = new Submitting(space, activity);
  if (work && space.mayEdit) await startSaving(space, work.id, work.version);
  else byId("saved").hidden = true; // nothing is saved where nothing can be changed
  for (const part of [response, strip, sentence, marks, grounds, detectors, others, comments, submitting]) part.draw();
  return { sentence, marks, grounds, related, detectors, submitting };
}

/** @param {Workspace} space @param {number} work @param {number} version */
async function startSaving(space, work, version) {
  const queue = await Queue.open(work, version);
  const told = joinTabs(space, work);
  space.saver = new Saver(work, space.draft, queue, {
    show: (status, waiting) => showStatus(status, waiting, queue.isKept),
    tell,
    choose: (conflicts) => askAbout(conflicts, (unit) => space.menuFor(unit)),
    saved: told,
  });
  showStatus(space.saver.status, queue.entries.length, queue.isKept);
}

/** Keys and buttons. @param {Workspace} space @param {import("./shortcuts.js").Parts} parts */
function connect(space, parts) {
  const shortcuts = shortcutsOf(space, parts);
  drawCheatSheet(shortcuts, space.mode);
  space.addEventListener("mode", () => drawCheatSheet(shortcuts, space.mode));
  listen(shortcuts, () => space.mode, (event) => {
    const pane = [space.source, space.response].find((each) => each.scroll === event.target);
    const isVertical = event.key === "ArrowUp" || event.key === "ArrowDown";
    const goesThroughSentences = pane === space.response && space.mode === "sentence" && isVertical && !event.shiftKey && !event.ctrlKey;
    return pane !== undefined && !goesThroughSentences && space.caret.move(pane, event);
  });
  /** @type {Record<string, () => void>} */
  const actions = {
    undo: () => undo(space),
    redo: () => redo(space),
    split: () => splitHere(space),
    merge: () => mergeNext(space),
    "open-keys": () => /** @type {HTMLDialogElement} */ (byId("keys")).showModal(),
    "open-guide": () => /** @type {HTMLDialogElement} */ (byId("guide")).showModal(),
    "mode-sentence": () => space.setMode("sentence"),
    "mode-span": () => space.setMode("span"),
  };
  for (const [id, act] of Object.entries(actions)) {
    byId(id).addEventListener("mousedown", (event) => event.preventDefault()); // the selection and the focus stay
    byId(id).addEventListener("click", act);
  }
  for (const button of document.querySelectorAll("dialog [data-close]")) {
    button.addEventListener("click", () => button.closest("dialog")?.close());
  }
  const refresh = () => {
    /** @type {HTMLButtonElement} */ (byId("undo")).disabled = !space.draft.past.length;
    /** @type {HTMLButtonElement} */ (byId("redo")).disabled = !space.draft.future.length;
    for (const mode of ["sentence", "span"]) byId(`mode-${mode}`).setAttribute("aria-pressed", String(space.mode === mode));
    byId("boundaries").hidden = space.mode !== "sentence" || !space.mayEdit;
  };
  for (const kind of ["change", "problems"]) space.draft.addEventListener(kind, refresh);
  space.addEventListener("mode", refresh);
  space.caret.addEventListener("picked", () => {
    for (const pane of [space.source, space.response]) paint(`picked-${pane.side}`, pane, [space.caret.picked(pane)].filter((each) => each !== null));
  });
  refresh();
}

/** @param {Workspace} space */
function drawHead(space) {
  const { view, menus } = space;
  byId("where").textContent = `Item ${view.position} of ${view.count}`;
  byId("stage").textContent = STAGES[/** @type {keyof typeof STAGES} */ (view.stage)] ?? view.stage;
  for (const [id, position] of /** @type {[string, number | null][]} */ ([["previous", view.previous], ["next", view.next]])) {
    const link = /** @type {HTMLAnchorElement} */ (byId(id));
    if (position) link.href = location.pathname.replace(/\d+$/, String(position)) + location.search;
    else link.setAttribute("aria-disabled", "true");
  }
  byId("modes").hidden = !(menus.sentences && menus.spans);
  byId("asked").textContent = view.example.question;
  byId("asked-line").hidden = !view.example.question;
  byId("model").textContent = view.example.response.model ?? "";
  byId("detectors-toggle").hidden = view.purpose === "quiz" || (!view.project.show_detectors && view.stage !== "adjudicate");
}

start().catch((error) => {
  console.error(error);
  showFailure(`The item cannot be shown: ${error.message}`);
});
