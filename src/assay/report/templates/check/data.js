// @ts-check
// What the page knows: sums and index at once, records of responses when they are looked at.

/** @param {string} id */
const readJson = (id) => JSON.parse(byId(id).textContent || "null");

/** @type { {count: number, data: string, noun: string, threshold: number | null, score: string, badges: Badge[], coarse: string[], models: string[], detectors: string[], questions: string[], blocks: [number, number][]}} */
const about = readJson("about");
/** @type {IndexRow[]} */
const index = byName(readJson("index"));
/** @type {Map<number, PageResponse[]>} the blocks read last */
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

/** @param {number} number @returns {Promise<PageResponse[]>} */
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
 * @param {number} row @returns {Promise<{response: PageResponse, source: PageSource}>} */
async function readResponse(row) {
  const at = blockOf(row, 0);
  const response = (await keepBlock(at))[row - about.blocks[at][0]];
  const from = blockOf(response.source, 1);
  const shown = (await keepBlock(from)).flatMap((each) => each.shown ?? []);
  return { response, source: shown[response.source - about.blocks[from][1]] };
}

/** The rows whose id, response or source contains some words; tells of them as they are found.
 * @param {string} words @param {AbortSignal} signal @param {(found: Set<number>, isDone: boolean) => void} tell */
async function search(words, signal, tell) {
  const wanted = words.toLowerCase();
  /** @param {string} text */
  const contains = (text) => text.toLowerCase().includes(wanted);
  /** @type {Set<number>} */
  const found = new Set();
  /** @type {boolean[]} */
  const sources = [];
  let [row, rest] = [0, performance.now()];
  for (let number = 0; number < about.blocks.length; number++) {
    for (const { source, text, shown } of await readBlock(number)) {
      if (shown) sources.push(contains(shown.text));
      if (sources[source] || contains(text) || contains(index[row].id)) found.add(row);
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
