// The questions of the decision tree, one after the other, each with what it means.

/** @import { Answers, Guide, Question } from "./types.js" */
/** @import { Way } from "./tree.js" */
import { h } from "./dom.js";

/**
 * @typedef {object} Asking
 * @property {Way} way
 * @property {Guide} guide
 * @property {string} key tells these questions from those of another reading
 * @property {boolean} isActive whether `y` and `u` answer here
 * @property {boolean} isFixed whether nothing can be changed
 * @property {Set<string>} wrong the questions that some problem names
 * @property {Set<string>} unfolded the explanations that are open
 * @property {(question: Question, answer: boolean | null) => void} answer
 */

/** @param {Asking} asking */
export function drawQuestions(asking) {
  return h("ol", { class: "questions" }, asking.way.steps.map(({ question, answer }) => drawQuestion(asking, question, answer)));
}

/** @param {Asking} asking @param {Question} question @param {boolean | null} answer */
function drawQuestion(asking, question, answer) {
  const about = asking.guide.questions[question] ?? { text: question, definition: "", example: "" };
  const key = `${asking.key}-${question}`;
  const isOpen = asking.isActive && answer === null;
  const classes = [isOpen && "asked", asking.wrong.has(question) && "wrong"].filter(Boolean).join(" ");
  return h("li", { class: classes, "data-question": question },
    explanation(asking, question, about, key),
    h("span", { class: "answers", role: "group", "aria-labelledby": key },
      choice(asking, question, true, answer, isOpen), choice(asking, question, false, answer, isOpen)));
}

/** @param {Asking} asking @param {Question} question @param {boolean} value @param {boolean | null} given @param {boolean} isOpen */
function choice(asking, question, value, given, isOpen) {
  const isGiven = given === value;
  return h("button", {
    type: "button",
    class: "answer",
    "data-key": `${asking.key}-${question}-${value}`,
    "aria-pressed": String(isGiven),
    disabled: asking.isFixed,
    onclick: () => asking.answer(question, isGiven ? null : value),
  }, h("span", { class: "sign", "aria-hidden": "true" }, isGiven ? "✓" : ""), value ? "Yes" : "No", isOpen && h("kbd", { "aria-hidden": "true" }, value ? "y" : "u"));
}

/** The question; it unfolds to what it means.
 * @param {Asking} asking @param {Question} question @param {{text: string, definition: string, example: string}} about @param {string} id
 */
function explanation(asking, question, about, id) {
  const isOpen = asking.unfolded.has(question);
  return h("details", { open: isOpen, ontoggle: (/** @type {Event} */ event) => {
    if (/** @type {HTMLDetailsElement} */ (event.currentTarget).open) asking.unfolded.add(question);
    else asking.unfolded.delete(question);
  } },
    h("summary", { "data-key": `${asking.key}-${question}-why`, title: "What this asks" }, h("span", { id }, about.text)),
    about.definition && h("p", {}, about.definition),
    about.example && h("p", { class: "example" }, h("b", {}, "For example. "), about.example));
}
