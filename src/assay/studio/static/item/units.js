// Units and their verdicts as values: nothing here changes what it is given.

/** @import { Answers, External, Interpretation, LabelName, Span, Unit, Verdict } from "./types.js" */

/** Where a unit stands in the response.
 * @param {Unit} unit
 * @returns {{start: number, end: number}[]}
 */
export function placesOf(unit) {
  if (typeof unit.start === "number" && typeof unit.end === "number") return [{ start: unit.start, end: unit.end }];
  return unit.spans ?? [];
}

/** @param {Unit} unit */
export const startOf = (unit) => placesOf(unit)[0]?.start ?? Number.MAX_SAFE_INTEGER;

/** @param {Unit} unit */
export const endOf = (unit) => placesOf(unit).at(-1)?.end ?? -1;

/** Longer ones first where they begin together, so that what is nested comes after.
 * @param {Unit} a @param {Unit} b
 */
export const inOrder = (a, b) => startOf(a) - startOf(b) || endOf(b) - endOf(a) || a.id.localeCompare(b.id);

/** @param {LabelName | null | undefined} label */
export const nameOf = (label) => (typeof label === "string" ? label : label?.label ?? "");

/** The name of a unit's label, or nothing.
 * @param {Unit | null | undefined} unit
 */
export const labelOf = (unit) => nameOf(unit?.verdict?.label);

/** All labels that a mark was given; a sentence has one, and its readings have theirs.
 * @param {Unit} unit
 */
export function labelsOf(unit) {
  if (unit.kind !== "span") return [labelOf(unit)].filter(Boolean);
  const several = (unit.verdict?.interpretations ?? []).map((each) => nameOf(each.label));
  return several.length ? several : [labelOf(unit)].filter(Boolean);
}

/** @param {Unit} unit @returns {Span[]} */
export const evidenceOf = (unit) => unit.verdict?.evidence ?? [];

/** @param {Unit} unit @returns {External[]} */
export const externalOf = (unit) => unit.verdict?.external ?? [];

/** @param {Unit} unit @returns {Answers} */
export const answersOf = (unit) => unit.verdict?.answers ?? {};

/** The attributes of a verdict that people give, by name; the others are of programs. */
export const GIVEN_ATTRIBUTES = ["nothing_found"];

/** @param {Unit} unit */
export const saysNothingFound = (unit) => unit.verdict?.attributes?.nothing_found === true;

/** The unit with other parts of its verdict; what is empty is left out, as the API writes it.
 * @param {Unit} unit
 * @param {Verdict} parts
 * @returns {Unit}
 */
export function withVerdict(unit, parts) {
  const verdict = { ...unit.verdict, ...parts };
  const kept = Object.entries(verdict).filter(([, value]) => !isEmpty(value));
  const { verdict: _, ...rest } = unit;
  return kept.length ? { ...rest, verdict: Object.fromEntries(kept) } : rest;
}

/** @param {unknown} value */
function isEmpty(value) {
  if (value === null || value === undefined || value === "") return true;
  if (Array.isArray(value)) return value.length === 0;
  return typeof value === "object" && Object.values(value).every((each) => each === null || each === undefined || (Array.isArray(each) && !each.length));
}

/** The next id of this letter that no unit has had.
 * @param {Iterable<string>} ids
 * @param {"s" | "p"} letter
 */
export function nextId(ids, letter) {
  let highest = 0;
  for (const id of ids) {
    const found = /^[sp](\d{1,9})$/.exec(id);
    if (found && id[0] === letter) highest = Math.max(highest, Number(found[1]));
  }
  return `${letter}${highest + 1}`;
}

/** Spans without repetitions, in the order of the text.
 * @param {Span[]} spans
 */
export function united(spans) {
  const unique = new Map(spans.map((span) => [`${span.start}-${span.end}`, span]));
  return [...unique.values()].sort((a, b) => a.start - b.start || a.end - b.end);
}

/** Whether two values would be the same JSON, in whatever order their fields are.
 * @param {unknown} a @param {unknown} b
 * @returns {boolean}
 */
export function isSame(a, b) {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object") return (a ?? null) === (b ?? null);
  const first = /** @type {Record<string, unknown>} */ (a ?? {});
  const second = /** @type {Record<string, unknown>} */ (b ?? {});
  return [...new Set([...Object.keys(first), ...Object.keys(second)])].every((key) => {
    const [one, other] = [first[key], second[key]];
    return isEmpty(one) && isEmpty(other) ? true : isSame(one, other);
  });
}
