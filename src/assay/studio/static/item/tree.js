// The decision tree as data: which question comes next, and which label follows.

/** @import { Answers, Guide, Interpretation, Question, Tree } from "./types.js" */

/** @typedef {{question: Question, answer: boolean | null}} Step */
/** @typedef {{steps: Step[], open: Question | null, label: string, interpretations: Interpretation[]}} Way */

const READINGS = "several_readings";
export const AMBIGUOUS = "ambiguous";

/** @param {Tree | string} tree @param {string} question @returns {boolean} */
const asks = (tree, question) =>
  typeof tree !== "string" && (tree.question === question || asks(tree.yes, question) || asks(tree.no, question));

/** The tree with the question about readings, which is asked of every sentence that states a fact.
 * @param {Guide} guide
 * @returns {Tree}
 */
export function fullTree(guide) {
  const { tree } = guide;
  if (asks(tree, READINGS) || !guide.questions[READINGS] || typeof tree.yes === "string") return tree;
  return { ...tree, yes: { question: READINGS, yes: AMBIGUOUS, no: tree.yes } };
}

/** How far the answers lead: the questions asked, the open one, and the label at the end.
 * @param {Tree} tree
 * @param {Answers} answers
 * @param {boolean} [isReading] one reading of a sentence has no readings of its own
 * @returns {Way}
 */
export function walk(tree, answers, isReading = false) {
  /** @type {Step[]} */
  const steps = [];
  /** @type {Tree | string} */
  let node = tree;
  while (typeof node !== "string") {
    const { question } = node;
    if (question === READINGS && isReading) {
      node = node.no;
      continue;
    }
    const answer = answers[question] ?? null;
    steps.push({ question, answer });
    if (answer === null) return { steps, open: question, label: "", interpretations: [] };
    if (question === READINGS && answer) return { steps, open: null, ...ofReadings(tree, answers) };
    node = answer ? node.yes : node.no;
  }
  return { steps, open: null, label: node, interpretations: [] };
}

/** Ambiguous, unless all readings lead to the same label; no label before all have one.
 * @param {Tree} tree @param {Answers} answers
 */
function ofReadings(tree, answers) {
  const senses = answers.senses ?? [];
  const labels = senses.map((sense) => walk(tree, sense.answers, true).label);
  if (senses.length < 2 || labels.includes("")) return { label: "", interpretations: [] };
  const interpretations = senses.map((sense, k) => ({ label: labels[k], meaning: sense.meaning }));
  return { label: new Set(labels).size === 1 ? labels[0] : AMBIGUOUS, interpretations };
}

/** The answers on the way to a label, with those given kept where the way is silent.
 *
 * That outside knowledge does not support a sentence is for somebody to look up: it stays open.
 * @param {Tree} tree @param {string} label
 * @returns {Answers}
 */
function answersFor(tree, label) {
  /** @type {Answers} */
  const answers = {};
  for (const [question, answer] of pathTo(tree, label) ?? []) {
    if (question !== "entailed_with_knowledge" || answer) answers[question] = answer;
  }
  return answers;
}

/** The answers that were given, and for open questions those that a label implies.
 * @param {Tree} tree @param {Answers} answers @param {string} label
 * @returns {Answers}
 */
export function implied(tree, answers, label) {
  const given = Object.entries(answers).filter(([, answer]) => answer !== null);
  return { ...answersFor(tree, label), ...Object.fromEntries(given) };
}

/** @param {Tree | string} node @param {string} label @returns {[Question, boolean][] | null} */
function pathTo(node, label) {
  if (typeof node === "string") return node === label ? [] : null;
  for (const answer of [true, false]) {
    const rest = pathTo(answer ? node.yes : node.no, label);
    if (rest) return [[node.question, answer], ...rest];
  }
  return null;
}

/** The answers with one given, or taken back; those that no longer lie on the way are dropped.
 * @param {Tree} tree @param {Answers} answers @param {Question} question @param {boolean | null} answer
 * @param {boolean} [isReading]
 * @returns {Answers}
 */
export function answered(tree, answers, question, answer, isReading = false) {
  const given = { ...answers, [question]: answer };
  /** @type {Answers} */
  const kept = {};
  for (const step of walk(tree, given, isReading).steps) {
    if (step.answer !== null) kept[step.question] = step.answer;
  }
  if (isReading && Object.keys(kept).length) kept[READINGS] = false;
  if (given.senses?.length) kept.senses = given.senses;
  return kept;
}
