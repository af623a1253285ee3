// What was changed elsewhere, and our own changes on top of it.

/** @import { Change, Unit } from "./types.js" */
/** @import { Entry } from "./queue.js" */
import { fold } from "./draft.js";
import { isSame, nextId } from "./units.js";

/** @typedef {{id: string, mine: Unit | null, theirs: Unit | null}} Conflict */
/**
 * @typedef {object} Rebased
 * @property {Map<string, Unit>} saved what the server has
 * @property {Entry[]} entries ours, without those that had arrived after all
 * @property {number} count how many entries were looked at
 * @property {Set<string>} elsewhere the units that somebody else changed
 * @property {Conflict[]} conflicts the units that both changed, differently
 */

/** A change that equals our next one is ours: it was saved, and only the answer got lost.
 * @param {Map<string, Unit>} saved
 * @param {Entry[]} ours
 * @param {Change[][]} theirs every change since the version that we know
 * @param {Iterable<string>} used ids that are taken
 * @returns {Rebased}
 */
export function rebase(saved, ours, theirs, used) {
  let entries = [...ours];
  let now = saved;
  /** @type {Set<string>} */
  const elsewhere = new Set();
  for (const changes of theirs) {
    if (entries.length && isSame(sortedById(changes), sortedById(entries[0].changes))) entries.shift();
    else for (const { id } of changes) elsewhere.add(id);
    now = fold(now, changes);
  }
  const added = new Set([...elsewhere].filter((id) => !saved.has(id) && now.get(id)?.kind === "span"));
  entries = renamed(entries, added, [...used, ...now.keys()]);
  const wanted = fold(now, entries.flatMap((entry) => entry.changes));
  const touched = new Set(entries.flatMap((entry) => entry.changes.map(({ id }) => id)));
  const conflicts = [...touched].filter((id) => elsewhere.has(id)).map((id) => ({ id, mine: wanted.get(id) ?? null, theirs: now.get(id) ?? null }));
  return { saved: now, entries, count: ours.length, elsewhere, conflicts: conflicts.filter(({ mine, theirs: other }) => !isSame(mine, other)) };
}

/** Our entries after the person chose. Where theirs stays, a cut or a join of ours goes as a whole.
 * @param {Entry[]} entries
 * @param {Map<string, "mine" | "theirs">} choices
 * @returns {Entry[]}
 */
export function settle(entries, choices) {
  const isTheirs = (/** @type {Change} */ { id }) => choices.get(id) === "theirs";
  return entries.flatMap((entry) => {
    if (!entry.changes.some(isTheirs)) return [entry];
    if (entry.changes.length > 1 && entry.kind !== "edit") return [];
    const kept = entry.changes.filter((change) => !isTheirs(change));
    return kept.length ? [{ ...entry, changes: kept }] : [];
  });
}

/** Marks that two tabs made under the same id are two marks: ours gets the next free one.
 * @param {Entry[]} entries @param {Set<string>} added @param {string[]} used
 */
function renamed(entries, added, used) {
  /** @type {Map<string, string>} */
  const names = new Map();
  for (const id of added) {
    const isOurs = entries.some((entry) => entry.changes.some((change) => change.id === id && change.unit));
    if (isOurs) names.set(id, nextId([...used, ...names.values()], "p"));
  }
  const name = (/** @type {string} */ id) => names.get(id) ?? id;
  return entries.map((entry) => ({
    ...entry,
    changes: entry.changes.map(({ id, unit }) => ({
      id: name(id),
      unit: unit && { ...unit, id: name(unit.id), ...(unit.parent ? { parent: name(unit.parent) } : {}) },
    })),
  }));
}

/** @param {Change[]} changes */
const sortedById = (changes) => [...changes].sort((a, b) => a.id.localeCompare(b.id));
