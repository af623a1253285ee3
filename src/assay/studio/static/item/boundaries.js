// Sentences cut in two and joined, with what was said of them kept.

/** @import { Change, Unit, Verdict } from "./types.js" */
/** @import { CodePoints } from "../offsets.js" */
/** @import { Menu } from "./menus.js" */
import { endOf, evidenceOf, externalOf, labelOf, nextId, saysNothingFound, startOf, united } from "./units.js";

const isSpace = (/** @type {string} */ character) => /\s/u.test(character);

/** The sentence cut at a place: both parts keep the verdict, the first keeps the id.
 * @param {Unit} unit
 * @param {number} at in code points of the response
 * @param {CodePoints} text of the response
 * @param {Iterable<string>} ids that are taken
 * @returns {Change[] | null} null where one part would be empty
 */
export function split(unit, at, text, ids) {
  let [end, start] = [at, at];
  while (end > startOf(unit) && isSpace(text.slice(end - 1, end))) end -= 1;
  while (start < endOf(unit) && isSpace(text.slice(start, start + 1))) start += 1;
  if (end <= startOf(unit) || start >= endOf(unit)) return null;
  const first = moved(unit, startOf(unit), end, text);
  const second = { ...moved(unit, start, endOf(unit), text), id: nextId(ids, "s") };
  return [{ id: first.id, unit: first }, { id: second.id, unit: second }];
}

/** Two sentences as one, under the first's id, with the less faithful of their verdicts.
 * @param {Unit} first
 * @param {Unit} second
 * @param {CodePoints} text
 * @param {Menu} menu
 * @returns {Change[]}
 */
export function merge(first, second, text, menu) {
  const whole = moved(first, startOf(first), endOf(second), text);
  const verdict = joined(first, second, menu);
  const { verdict: _, ...bare } = whole;
  return [{ id: first.id, unit: verdict ? { ...bare, verdict } : bare }, { id: second.id, unit: null }];
}

/** @param {Unit} first @param {Unit} second @param {Menu} menu @returns {Verdict | null} */
function joined(first, second, menu) {
  const [worse, other] = menu.isWorse(labelOf(second), labelOf(first)) ? [second, first] : [first, second];
  if (!worse.verdict && !other.verdict) return null;
  const notes = [first.verdict?.note, second.verdict?.note].filter(Boolean);
  const evidence = united([...evidenceOf(first), ...evidenceOf(second)]);
  const external = [...new Map([...externalOf(first), ...externalOf(second)].map((each) => [each.address, each])).values()];
  /** @type {Verdict} */
  const verdict = { ...(worse.verdict ?? other.verdict) };
  if (notes.length) verdict.note = [...new Set(notes)].join("\n");
  if (evidence.length) verdict.evidence = evidence;
  if (external.length) verdict.external = external;
  if (evidence.length && saysNothingFound(worse)) delete verdict.attributes;
  return verdict;
}

/** @param {Unit} unit @param {number} start @param {number} end @param {CodePoints} text @returns {Unit} */
const moved = (unit, start, end, text) => ({ ...unit, start, end, text: text.slice(start, end) });
