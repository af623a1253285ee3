// Where people differ about a response, and what a finished item was settled on.

/** @import { ItemView, Other, Unit } from "./types.js" */
/** @import { Workspace } from "./workspace.js" */
import { endOf, labelsOf, placesOf, startOf } from "./units.js";

const DECIDING = ["audit", "adjudicate", "review"]; // the first that there is has the last word

/** The units of somebody that stand where a unit stands; the same place first of all.
 * @param {Unit[]} units @param {Unit} unit
 */
export function matching(units, unit) {
  const same = units.filter((each) => each.kind === unit.kind && startOf(each) === startOf(unit) && endOf(each) === endOf(unit));
  if (same.length) return same;
  return units.filter((each) => each.kind !== "response" && placesOf(each).some((one) => placesOf(unit).some((other) => one.start < other.end && other.start < one.end)));
}

/** @param {Unit[]} units */
const labelled = (units) => [...new Set(units.flatMap(labelsOf))].sort().join(" ");

/** Whether people, the reader among them, gave a unit different labels. @param {Workspace} space @param {Unit} unit */
export function isDisputed({ view }, unit) {
  const people = view.others.filter(({ kind }) => kind === "person");
  const said = people.map(({ units }) => labelled(matching(units, unit)));
  return people.length > 0 && new Set([...said, ...(view.work ? [labelled([unit])] : [])]).size > 1;
}

/** What somebody who only looks at an item sees of it: the last word on it, or what all agree on.
 * @param {ItemView} view
 * @returns {Unit[]}
 */
export function seenBy({ others, state }) {
  const people = others.filter(({ kind }) => kind === "person");
  const deciding = state === "done" ? DECIDING.map((stage) => latest(people, stage)).find((each) => each !== null) : null;
  const units = (deciding ?? people[0] ?? others[0])?.units ?? [];
  return units.filter(({ kind }) => kind === "sentence" || kind === "span").flatMap((unit) => {
    if (deciding || people.every((each) => labelled(matching(each.units, unit)) === labelled([unit]))) return [unit];
    const { verdict: _, failure: __, ...bare } = unit;
    return unit.kind === "sentence" ? [bare] : [];
  });
}

/** @param {Other[]} people @param {string} stage @returns {Other | null} */
const latest = (people, stage) => people.filter((each) => each.stage === stage).sort((a, b) => (a.at < b.at ? 1 : -1))[0] ?? null;
