// The panel of a sentence: its label, the questions that lead to it, and its readings.

/** @import { Answers, Question, Sense, Unit } from "./types.js" */
/** @import { Workspace } from "./workspace.js" */
import { button, byId, fill, h, say } from "./dom.js";
import { LOOK_UP, hintFor } from "./hints.js";
import { toneOf } from "./menus.js";
import { drawQuestions } from "./questions.js";
import { answered, implied, walk } from "./tree.js";
import { answersOf, labelOf } from "./units.js";

/** The decision tree of the sentence that is selected. */
export class SentencePanel {
  /** @type {Set<string>} */
  #unfolded = new Set();
  /** @type {number | null} the reading that is drawn as the one that keys answer */
  #drawn = null;
  #written = "";
  #isShowing = false;

  /** @param {Workspace} space */
  constructor(space) {
    this.space = space;
    space.addEventListener("select", () => {
      this.#isShowing = false;
      this.draw();
    });
    space.draft.addEventListener("change", () => this.draw());
    space.draft.addEventListener("problems", () => this.draw());
    byId("readings").addEventListener("focusin", () => this.#followFocus());
    const body = /** @type {HTMLElement} */ (byId("sentence").parentElement);
    for (const kind of ["wheel", "pointerdown"]) body.addEventListener(kind, () => (this.#isShowing = false), { passive: true });
    new ResizeObserver(() => this.#isShowing && this.#showAsked()).observe(body); // the foot grew
  }

  /** The sentence that the panel is about. @returns {Unit | null} */
  get unit() {
    return this.space.mode === "sentence" ? this.space.current : null;
  }

  draw() {
    const { unit, space } = this;
    byId("sentence").hidden = !unit || !space.view.work; // whoever only looks has nothing to say
    if (!unit || !space.view.work || !space.menus.sentences) return;
    const way = walk(space.tree, answersOf(unit));
    this.#drawLabels(unit, way.label);
    this.#drawQuestions(unit);
    this.#drawReadings(unit);
  }

  /** Answers the question that is open. @param {boolean} answer */
  answerNext(answer) {
    const { unit } = this;
    if (!unit) return;
    const reading = this.#activeReading(unit);
    const senses = answersOf(unit).senses ?? [];
    const way = reading === null ? walk(this.space.tree, answersOf(unit)) : walk(this.space.tree, senses[reading].answers, true);
    if (!way.open) return say("Every question is answered. Backspace takes the last answer back.");
    this.#answer(unit, reading, way.open, answer);
    this.#showAsked();
  }

  /** Scrolls to the open question, and keeps it in view until somebody scrolls. */
  #showAsked() {
    const asked = byId("sentence").querySelector(".asked");
    asked?.scrollIntoView({ block: "nearest" });
    this.#isShowing = asked !== null;
    return this.#isShowing;
  }

  /** Takes the last answer back. */
  takeBack() {
    const { unit } = this;
    if (!unit) return;
    const given = walk(this.space.tree, answersOf(unit)).steps.filter((step) => step.answer !== null);
    const last = given.at(-1);
    if (last) this.#answer(unit, null, last.question, null);
  }

  /** @param {number} number from 1, as the keys are */
  chooseNumber(number) {
    const label = this.space.menus.sentences?.labels[number - 1];
    if (this.unit && label) this.#choose(this.unit, label.name);
  }

  addReading() {
    const { unit } = this;
    if (!unit) return;
    const answers = answersOf(unit);
    const senses = [...(answers.senses ?? []), { meaning: "", answers: {} }];
    while (senses.length < 2) senses.push({ meaning: "", answers: {} });
    this.#set(unit, { ...answers, states_fact: true, several_readings: true, senses });
    const fields = byId("readings").querySelectorAll("textarea");
    (answers.senses?.length ? fields[fields.length - 1] : fields[0])?.focus();
  }

  /** To the meaning of a reading: the first without one, otherwise the next. */
  writeMeaning() {
    const fields = [...byId("readings").querySelectorAll("textarea")];
    if (!fields.length) return say("There are no readings. r adds them.");
    const empty = fields.find(({ value }) => !value.trim());
    const last = fields.findIndex((field) => field.dataset.key === this.#written);
    const field = empty ?? fields[(last + 1) % fields.length];
    this.#written = field.dataset.key ?? "";
    field.focus();
  }

  /** @param {Unit} unit @param {string} name */
  #choose(unit, name) {
    const label = labelOf(unit) === name ? null : name;
    this.space.change(unit, { label });
    say(label ? `Label: ${this.space.menus.sentences?.title(name)}` : "Label removed");
  }

  /** @param {Unit} unit @param {string} follows */
  #drawLabels(unit, follows) {
    const menu = this.space.menus.sentences;
    if (!menu) return;
    const chosen = labelOf(unit);
    fill(byId("labels"), menu.labels.map((label, k) =>
      h("button", { type: "button", class: `label ${toneOf(label.name)}`, "data-key": `label-${label.name}`, "aria-pressed": String(chosen === label.name), title: label.meaning, disabled: !this.space.mayEdit, onclick: () => this.#choose(unit, label.name) },
        h("kbd", { "aria-hidden": "true" }, k + 1), h("b", { class: "letter", "aria-hidden": "true" }, menu.letter(label.name)), h("span", { class: "title" }, label.title),
        h("span", { class: "follows", "aria-hidden": "true" }, follows === label.name ? "⇐" : ""))));
    fill(byId("follows"), hintFor(this, unit, follows));
  }

  /** Gives the answers that lead to the label that was chosen; goes to the question that it cannot answer. */
  imply() {
    const { unit } = this;
    if (!unit || !labelOf(unit)) return say("Choose a label first.");
    this.#set(unit, implied(this.space.tree, answersOf(unit), labelOf(unit)));
    say(this.#showAsked() ? `The answers are filled in. ${LOOK_UP}` : "The answers are filled in.");
  }

  /** @param {Unit} unit */
  #drawQuestions(unit) {
    const wrong = new Set((this.space.draft.problems[unit.id] ?? []).flatMap((problem) => (problem.missing ? [] : problem.questions)));
    fill(byId("questions"), drawQuestions({
      way: walk(this.space.tree, answersOf(unit)), guide: this.space.guide, key: "q", isActive: true,
      isFixed: !this.space.mayEdit, wrong, unfolded: this.#unfolded,
      answer: (question, answer) => this.#answer(unit, null, question, answer),
    }));
  }

  /** @param {Unit} unit */
  #drawReadings(unit) {
    const answers = answersOf(unit);
    const place = byId("readings");
    place.hidden = !answers.several_readings && !answers.senses?.length;
    if (place.hidden) return place.replaceChildren();
    const senses = answers.senses ?? [];
    const active = this.#activeReading(unit);
    this.#drawn = active;
    if (place.querySelectorAll("textarea").length !== senses.length || place.dataset.unit !== unit.id) {
      place.dataset.unit = unit.id;
      fill(place, senses.map((_, k) => this.#drawCard(k)), button("Add a reading", () => this.addReading(), { hint: "r", disabled: !this.space.mayEdit }));
    }
    for (const [k, sense] of senses.entries()) this.#refreshCard(unit, sense, k, k === active);
  }

  /** @param {number} k */
  #drawCard(k) {
    const meaning = (/** @type {Event} */ event) => this.#setSense(k, { meaning: /** @type {HTMLTextAreaElement} */ (event.target).value }, `meaning-${k}`);
    return h("section", { class: "reading", "data-reading": k, "aria-label": `Reading ${k + 1}` },
      h("header", {}, h("h4", {}, `Reading ${k + 1}`), h("span", { class: "reading-label" }), button("Remove", () => this.#removeSense(k), { class: "plain", disabled: !this.space.mayEdit })),
      h("textarea", { rows: 2, "data-key": `meaning-${k}`, dir: "auto", placeholder: "In this reading, it means … (key v)", "aria-label": `What reading ${k + 1} means`, readonly: !this.space.mayEdit, oninput: meaning, onblur: () => this.space.saver?.flush() }),
      h("div", { class: "reading-questions" }));
  }

  /** @param {Unit} unit @param {Sense} sense @param {number} k @param {boolean} isActive */
  #refreshCard(unit, sense, k, isActive) {
    const card = /** @type {HTMLElement} */ (byId("readings").querySelector(`[data-reading="${k}"]`));
    const field = /** @type {HTMLTextAreaElement} */ (card.querySelector("textarea"));
    if (field.value !== sense.meaning) field.value = sense.meaning;
    const way = walk(this.space.tree, sense.answers, true);
    fill(/** @type {HTMLElement} */ (card.querySelector(".reading-label")), this.space.menus.sentences?.chip(way.label));
    fill(/** @type {HTMLElement} */ (card.querySelector(".reading-questions")), drawQuestions({
      way, guide: this.space.guide, key: `r${k}`, isActive, isFixed: !this.space.mayEdit, wrong: new Set(), unfolded: this.#unfolded,
      answer: (question, answer) => this.#answer(unit, k, question, answer),
    }));
  }

  #followFocus() {
    const { unit } = this;
    if (unit && this.#activeReading(unit) !== this.#drawn) this.#drawReadings(unit);
  }

  /** The reading that `y` and `u` answer: the one with the focus, or the first with an open question.
   * @param {Unit} unit @returns {number | null}
   */
  #activeReading(unit) {
    const answers = answersOf(unit);
    if (!answers.several_readings || !answers.senses?.length) return null;
    const focused = document.activeElement?.closest("[data-reading]");
    if (focused) return Number(/** @type {HTMLElement} */ (focused).dataset.reading);
    const open = answers.senses.findIndex((sense) => walk(this.space.tree, sense.answers, true).open);
    return open < 0 ? null : open;
  }

  /** @param {Unit} unit @param {number | null} reading @param {Question} question @param {boolean | null} answer */
  #answer(unit, reading, question, answer) {
    const { tree } = this.space;
    const answers = answersOf(unit);
    if (reading !== null) {
      const sense = answers.senses?.[reading];
      if (sense) this.#setSense(reading, { answers: answered(tree, sense.answers, question, answer, true) });
      return;
    }
    const now = answered(tree, answers, question, answer);
    if (question === "several_readings") {
      if (answer && !now.senses?.length) now.senses = [{ meaning: "", answers: {} }, { meaning: "", answers: {} }];
      if (!answer) delete now.senses;
    }
    this.#set(unit, now);
  }

  /** @param {number} k @param {Partial<Sense>} parts @param {string} [field] */
  #setSense(k, parts, field = "") {
    const { unit } = this;
    if (!unit) return;
    const answers = answersOf(unit);
    this.#set(unit, { ...answers, senses: (answers.senses ?? []).map((sense, at) => (at === k ? { ...sense, ...parts } : sense)) }, field);
  }

  /** @param {number} k */
  #removeSense(k) {
    const { unit } = this;
    if (unit) this.#set(unit, { ...answersOf(unit), senses: (answersOf(unit).senses ?? []).filter((_, at) => at !== k) });
  }

  /** New answers; the label goes along with them unless it was chosen against them.
   * @param {Unit} unit @param {Answers} answers @param {string} [field]
   */
  #set(unit, answers, field = "") {
    const { tree, menus } = this.space;
    const before = walk(tree, answersOf(unit)).label;
    const way = walk(tree, answers);
    const chosen = labelOf(unit);
    const label = !chosen || chosen === before ? way.label || null : chosen;
    this.space.change(unit, { answers, label, interpretations: way.interpretations }, field);
    if (!field && label && label !== chosen) say(`It follows: ${menus.sentences?.title(label)}`);
    else if (!field && way.open) say(this.space.guide.questions[way.open]?.text ?? way.open);
  }
}
