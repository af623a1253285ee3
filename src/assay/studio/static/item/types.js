// The shapes that the API speaks in; nothing here runs.

/** @typedef {{start: number, end: number, text: string}} Span */
/** @typedef {{address: string, quote?: string, title?: string, time?: string, digest?: string}} External */
/** @typedef {"states_fact" | "several_readings" | "entailed" | "explicit" | "contradicted" | "entailed_with_knowledge"} Question */
/** @typedef {Partial<Record<Question, boolean | null>> & {senses?: Sense[]}} Answers */
/** @typedef {{meaning: string, answers: Answers}} Sense */
/** @typedef {string | {taxonomy: string, label: string}} LabelName */
/** @typedef {{label: LabelName, meaning?: string}} Interpretation */
/**
 * @typedef {object} Verdict
 * @property {LabelName | null} [label]
 * @property {number | null} [score]
 * @property {number | null} [confidence]
 * @property {string} [note]
 * @property {Span[]} [evidence]
 * @property {Span[]} [marks] words of the response, of a detector
 * @property {External[]} [external]
 * @property {Answers | null} [answers]
 * @property {Interpretation[]} [interpretations]
 * @property {{nothing_found?: boolean | null, [name: string]: unknown} | null} [attributes]
 */
/**
 * @typedef {object} Unit
 * @property {string} id
 * @property {string} kind
 * @property {string} text
 * @property {number | null} [start]
 * @property {number | null} [end]
 * @property {Span[]} [spans]
 * @property {string} [parent]
 * @property {Verdict | null} [verdict]
 * @property {{reason: string, detail?: string} | null} [failure]
 */

/** @typedef {{questions: Question[], message: string, missing?: string | null}} Problem */
/** @typedef {Record<string, Problem[]>} Problems */
/** @typedef {{id: string, unit: Unit | null}} Change */
/** @typedef {"edit" | "split" | "merge" | "undo" | "redo"} Kind */

/** @typedef {{question: Question, yes: Tree | string, no: Tree | string}} Tree */
/** @typedef {{name: string, title: string, meaning: string, example: string, coarse: string, parent: string, rank: number}} Label */
/** @typedef {{name: string, title?: string, labels: Label[]}} Taxonomy */
/**
 * @typedef {object} Guide
 * @property {"sentences" | "spans" | "both"} mode
 * @property {Taxonomy[]} taxonomies
 * @property {Tree} tree
 * @property {Record<string, {text: string, definition: string, example: string}>} questions
 * @property {string} guidelines
 */

/** @typedef {{author: string, kind: "person" | "detector", stage: string, at: string, units: Unit[]}} Other */
/** @typedef {{id: number, unit: string, author: string, at: string, text: string}} Comment */
/** @typedef {{id: number, stage: string, state: string, version: number, seconds: number, units: Unit[], problems: Problems}} Work */
/**
 * @typedef {object} ItemView
 * @property {{slug: string, name: string, mode: string, k: number, show_detectors: boolean, show_model: boolean, needs_quiz: boolean}} project
 * @property {number} position
 * @property {number} count
 * @property {string} purpose
 * @property {string} state
 * @property {string} stage
 * @property {{id: string, source: {text: string, passages: {name: string, start: number, end: number}[]}, response: {text: string, model?: string | null}, question: string, task: string}} example
 * @property {Work | null} work
 * @property {Other[]} others
 * @property {Comment[]} comments
 * @property {number | null} previous
 * @property {number | null} next
 * @property {{edit: boolean, submit: boolean, reopen: boolean, hold: boolean}} may
 */
/** @typedef {{text: string, label: string | null, gold: string, is_right: boolean, is_near: boolean, unit: Unit | null}} Mark */
/** @typedef {{start: number, end: number, text: string, weight: number, reasons: string[]}} Related */

export {};
