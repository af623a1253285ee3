// @ts-check
// What the site shows is all in its address, and its data come in pieces: scripts that call `piece`.
"use strict";

/** @typedef {{value: number | null, n: number, low: number | null, high: number | null}} Estimate */
/** A column of a table: how its cells are drawn is known by its format; one that is optional is there only if some row
 * has a value. @typedef {{name: string, title: string, format: string, meaning: string, optional: boolean}} Column */
/** The cells of a row by the names of its columns. @typedef {Record<string, any>} Cells */
/** @typedef {{name: string, reference: string, kind: "person" | "detector" | "vote", taxonomies: string[], model: string,
 *   own: string[], own_by: "" | "model" | "version", scored: boolean}} Judge */
/** @typedef {{name: string, title: string, readings: {menu: string, name: string, meaning: string}[]}} Level */
/** An LLM in a ranking: the cells of the board's columns; those named here are drawn elsewhere, too.
 * @typedef {Cells & {model: number, starred: boolean, rank: {rank: number, low: number | null, high: number | null} | null, rate: Estimate,
 *   hallucinated: number, judged: number}} Standing */
/** Row i of `differs` has 1 for each LLM that differs from the i-th, 0 for one that does not, ? for one that
 * cannot be compared with it; `pairs` are corrected all together.
 * @typedef {{judge: number, level: number, task: string, sources: number, standings: Standing[], differs: string[],
 *   pairs: {all: number, compared: number, differ: number}, shared: [fewest: number, most: number] | null}} Ranking */
/** @typedef {{judge: number, model: number, labels: {badge: number, count: number}[], failed: number}} Distribution */
/** @typedef {{side: "source" | "response", ends: number[], overall: Estimate[], models: {model: number, rates: Estimate[]}[]}} LengthRates */
/** @typedef {{judge: string, model: number, hallucinated: number, n: number, rank: number, own: boolean}} BiasCell */
/** @typedef {{level: number, responses: number, judges: string[], cells: BiasCell[]}} Bias */
/** @typedef {{unit: string, reading: string, level: string, best: string[], columns: Column[], evaluations: Cells[],
 *   errors: {name: string, labels: {badge: number, judged: number, wrong: number}[]}[]}} Detectors */
/** @typedef {object} Board
 * @property {string} title @property {string} dataset @property {string} digest
 * @property {string} version @property {string} site
 * @property {string[]} models @property {number[]} rows @property {string[]} tasks
 * @property {Judge[]} judges @property {Level[]} levels @property {Column[]} columns @property {Ranking[]} rankings
 * @property {Distribution[]} distributions
 * @property {{judge: number, level: number, rates: LengthRates[]}[]} lengths
 * @property {{first: number, second: number, level: number, kendall: Estimate, spearman: Estimate}[]} correlations
 * @property {Bias[]} bias @property {Detectors[]} detectors
 * @property {Badge[]} badges @property {string[]} questions
 * @property {string} gold how people's labels were pooled
 * @property {string[]} warnings @property {{invalid: string, refusals: string}} counting @property {string} refusal
 * @property {boolean} common @property {number} replicates @property {number} seed
 * @property {number} faithful_from @property {number} fewest_labelled */

/** What the address says; a name that is not there is empty. @typedef {Record<string, string>} State */

/** @type {Map<string, unknown>} */
const arrived = new Map();
/** @type {Map<string, Promise<unknown>>} */
const asked = new Map();
const MOST_KEPT = 80;

/** Takes a piece; every file under data/ calls this. @param {string} name @param {unknown} value */
function piece(name, value) {
  arrived.set(name, value);
}

/** The board, which the page loads before anything asks for it. */
const board = () => /** @type {Board} */ (arrived.get("board"));

/** A piece, loaded unless it is there; the oldest ones are forgotten.
 * @param {string} name @returns {Promise<unknown>} */
function load(name) {
  const known = asked.get(name);
  if (known) return known;
  const coming = new Promise((done, fail) => {
    const script = document.createElement("script");
    script.src = `data/${name}.js?${board().site}`;
    script.onload = () => {
      script.remove();
      if (arrived.has(name)) done(arrived.get(name));
      else fail(new Error(`data/${name}.js is damaged`));
      arrived.delete(name);
    };
    script.onerror = () => {
      script.remove();
      asked.delete(name);
      fail(new Error(`data/${name}.js could not be loaded`));
    };
    document.head.append(script);
  });
  asked.set(name, coming);
  if (asked.size > MOST_KEPT) asked.delete(/** @type {string} */ (asked.keys().next().value));
  return coming;
}

/** What is being shown, so that what arrives late for something else is dropped. */
let showing = "";

const VIEWS = { ranking: "Ranking", charts: "Charts", judges: "Judges", examples: "Examples", method: "Method" };
const SHARED = ["judge", "level", "task"];

let [knownHash, known] = ["", /** @type {State} */ ({ view: "ranking" })];

/** What the address says now. @returns {State} */
function current() {
  if (location.hash === knownHash) return known;
  const found = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
  if (!Object.hasOwn(VIEWS, found.view ?? "")) found.view = "ranking";
  [knownHash, known] = [location.hash, found];
  return found;
}

/** The address of a state. @param {State} state */
function address(state) {
  const kept = Object.entries(state).filter(([name, value]) => value !== "" && !(name === "view" && value === "ranking"));
  return `#${new URLSearchParams(kept)}`;
}

/** The address of the present state with some changes. @param {State} changes */
const changed = (changes) => address({ ...current(), ...changes });

/** The address of another view, by the same judge, at the same level, in the same task.
 * @param {State} changes */
function elsewhere(changes) {
  const now = current();
  return address({ ...Object.fromEntries(SHARED.map((name) => [name, now[name] ?? ""])), ...changes });
}

/** Shows a state that is reached by no link, in the place of the present one. @param {State} changes */
function go(changes) {
  history.replaceState(null, "", changed(changes));
  render();
}

/** The number of the one with a name; the first where there is none. @param {{name: string}[]} all @param {string | undefined} name */
const numbered = (all, name) => Math.max(0, all.findIndex((each) => each.name === name));

/** @param {State} state */
const judgeOf = (state) => (state.judge === undefined ? board().rankings[0]?.judge ?? 0 : numbered(board().judges, state.judge));
/** @param {State} state */
const levelOf = (state) => (state.level === undefined ? board().rankings[0]?.level ?? 0 : numbered(board().levels, state.level));

/** The ranking by a judge at a level in a task, if there is one.
 * @param {number} judge @param {number} level @param {string} task */
const rankingBy = (judge, level, task) =>
  board().rankings.find((each) => each.judge === judge && each.level === level && each.task === task);

/** The ranking of a state. @param {State} state */
const rankingOf = (state) => rankingBy(judgeOf(state), levelOf(state), state.task ?? "");
