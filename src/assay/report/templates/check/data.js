// @ts-check
// What the page knows: sums and index at once, records of responses when they are looked at.

/** @typedef { {name: string, tone: string, sign: string, meaning: string}} Badge */
/** @typedef { {passage?: string, text?: string}} Quote */
/** @typedef { {address: string, link?: string, title?: string, quote?: string}} External */
/** @typedef {string | string[]} Runs a text; every other run, from the second, is underlined */
/**
 * @typedef {object} Unit a sentence, or another part of a response, with what was said of it
 * @property {string} kind
 * @property {number} badge
 * @property {string} stance
 * @property {1} [flagged]
 * @property {1} [marked] the detector marked what is underlined; otherwise the evidence lacks it
 * @property {Runs} [text] where it does not stand in the response
 * @property {string[]} [words]
 * @property {number[]} [parts]
 * @property {number} [score]
 * @property {number} [confidence]
 * @property {string} [note]
 * @property {Quote[]} [quotes] the best first
 * @property {string} [answers]
 * @property {[number, string][]} [readings]
 * @property {External[]} [external]
 * @property {string} [reason] why there is no verdict
 * @property {string} [reply]
 * @property {number} [more]
 */
/**
 * @typedef {object} Response
 * @property {number} source
 * @property {(number | (number | string)[])[]} cuts lengths of segments, each with what it is evidence for; before the length, what is seen of one that is not seen as written
 * @property {[Runs, number?, 1?][]} pieces
 * @property {Unit[]} units
 * @property {number[]} [listed]
 * @property {number} worst
 * @property {string} [question]
 * @property {string} [language]
 * @property {[number, number][]} tally
 * @property {number} counted
 * @property {number} judged
 * @property {string} noun
 * @property {number} characters
 * @property {number} read
 * @property {number} seen of the characters of the source
 */
/** @typedef {[id: string, badge: number, score: number | null, coarse: number, labels: number, flagged: number, model: number, detector: number]} Row */

/** @template {HTMLElement} [T=HTMLElement] @param {string} id @returns {T} */
const byId = (id) => /** @type {T} */ (document.getElementById(id));

/** @param {string} id */
const readJson = (id) => JSON.parse(byId(id).textContent || "null");

/** @type { {count: number, data: string, noun: string, threshold: number | null, score: string, badges: Badge[], coarse: string[], models: string[], detectors: string[], questions: string[], blocks: [number, number][]}} */
const about = readJson("about");
/** @type {Row[]} */
const index = readJson("index");
/** @type {Map<number, [Response, string?][]>} the blocks read last */
const blocks = new Map();

/** The last place of a sorted list whose value is not above another.
 * @param {number} value @param {0 | 1} column */
function blockOf(value, column) {
  let [low, high] = [0, about.blocks.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (about.blocks[middle][column] <= value) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Whether a block has arrived: the page is read from its beginning to its end.
 * @param {number} number */
const hasArrived = (number) =>
  document.readyState !== "loading" || byId(`b${number + 1}`) !== null;

/** @param {number} number @returns {Promise<[Response, string?][]>} */
async function readBlock(number) {
  while (!hasArrived(number)) await new Promise((done) => setTimeout(done, 20));
  return blocks.get(number) ?? JSON.parse(byId(`b${number}`).textContent || "[]");
}

/** @param {number} number */
async function keepBlock(number) {
  const block = await readBlock(number);
  blocks.delete(number);
  blocks.set(number, block);
  if (blocks.size > 8) blocks.delete(/** @type {number} */ (blocks.keys().next().value));
  return block;
}

/** A response and what is shown of its source.
 * @param {number} row @returns {Promise<{response: Response, source: string}>} */
async function readResponse(row) {
  const at = blockOf(row, 0);
  const [response] = (await keepBlock(at))[row - about.blocks[at][0]];
  const from = blockOf(response.source, 1);
  const texts = (await keepBlock(from)).filter((each) => each.length > 1);
  return { response, source: texts[response.source - about.blocks[from][1]][1] ?? "" };
}

/** @param {Runs} runs */
const join = (runs) => (Array.isArray(runs) ? runs.join("") : runs);

/** The rows whose id, response or source contains some words; tells of them as they are found.
 * @param {string} words @param {AbortSignal} signal @param {(found: Set<number>, isDone: boolean) => void} tell */
async function search(words, signal, tell) {
  const wanted = words.toLowerCase();
  /** @param {string | undefined} text */
  const contains = (text) => text !== undefined && text.toLowerCase().includes(wanted);
  /** @type {Set<number>} */
  const found = new Set();
  /** @type {boolean[]} */
  const sources = [];
  let [row, rest] = [0, performance.now()];
  for (let number = 0; number < about.blocks.length; number++) {
    for (const [response, source] of await readBlock(number)) {
      if (source !== undefined) sources.push(contains(source));
      const said = response.pieces.map(([runs]) => join(runs)).join("");
      if (sources[response.source] || contains(said) || contains(index[row][0])) found.add(row);
      row++;
    }
    if (performance.now() - rest > 12) {
      tell(found, false);
      await new Promise((done) => setTimeout(done));
      rest = performance.now();
    }
    if (signal.aborted) return;
  }
  tell(found, true);
}

/** An element. A text is never read as markup.
 * @param {string} tag @param {Record<string, unknown>} [attributes]
 * @param {...(Node | string | false | null | undefined)} children */
function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(.../** @type {(Node | string)[]} */ (children.filter(Boolean)));
  return element;
}

/** @param {Badge} badge */
const chip = (badge) =>
  h("span", { class: `chip tone-${badge.tone}`, title: badge.meaning },
    h("span", { class: "sign", "aria-hidden": "true" }, badge.sign), ` ${badge.name}`);

/** @param {number} number @param {string} noun */
function countOf(number, noun) {
  const many = noun.endsWith("y") ? `${noun.slice(0, -1)}ies` : `${noun}s`;
  return `${number.toLocaleString("en")} ${number === 1 ? noun : many}`;
}
