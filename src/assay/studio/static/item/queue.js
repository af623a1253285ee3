// Changes that are not saved yet, kept in the browser until the server has them.
//
// Each tab has a queue of its own. A queue whose tab is gone, because it was closed or has crashed,
// is taken over by the next tab that opens the same work.

/** @import { Change, Kind } from "./types.js" */

/** @typedef {{id: string, kind: Kind, changes: Change[], field: string}} Entry */

const PREFIX = "assay.work";

/** A name that nobody else has; `crypto.randomUUID` exists only in secure contexts. */
export function freshId() {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** The queue of one tab for one work. */
export class Queue {
  /** @param {number} work @param {string} tab @param {number} base */
  constructor(work, tab, base) {
    this.key = `${PREFIX}.${work}.${tab}`;
    this.base = base;
    /** @type {Entry[]} */
    this.entries = [];
    /** Whether the browser keeps it; without, a reload would lose what is not saved. */
    this.isKept = true;
  }

  /** The queue of this tab, with whatever tabs that are gone left behind.
   * @param {number} work
   * @param {number} base the version that the page shows
   */
  static async open(work, base) {
    const tab = await claimTab(work);
    const queue = new Queue(work, tab, base);
    for (const key of await abandoned(work, queue.key)) {
      const left = read(key);
      localStorage.removeItem(key);
      if (!left?.entries.length) continue;
      queue.base = Math.min(queue.base, left.base);
      queue.entries.push(...left.entries);
    }
    queue.keep();
    return queue;
  }

  /** Writes it down; nothing to save leaves nothing behind. */
  keep() {
    try {
      if (this.entries.length) localStorage.setItem(this.key, JSON.stringify({ base: this.base, entries: this.entries }));
      else localStorage.removeItem(this.key);
      this.isKept = true;
    } catch {
      this.isKept = false;
    }
  }

  /** @param {Kind} kind @param {Change[]} changes @param {string} field */
  add(kind, changes, field) {
    const last = this.entries.at(-1);
    if (field && last && last.field === field) last.changes = changes;
    else this.entries.push({ id: freshId(), kind, changes, field });
    this.keep();
  }

  /** Nothing more is typed into the last entry. */
  seal() {
    const last = this.entries.at(-1);
    if (last) last.field = "";
  }
}

/** @param {string} key @returns {{base: number, entries: Entry[]} | null} */
function read(key) {
  try {
    const found = JSON.parse(localStorage.getItem(key) ?? "null");
    return Array.isArray(found?.entries) && Number.isInteger(found.base) ? found : null;
  } catch {
    return null;
  }
}

/** The name of this tab, which a reload keeps; a copied tab gets one of its own.
 * @param {number} work
 */
async function claimTab(work) {
  const kept = sessionStorage.getItem("assay.tab");
  const tab = kept && (await hold(`${PREFIX}.${work}.${kept}`)) ? kept : freshId();
  if (tab !== kept) {
    sessionStorage.setItem("assay.tab", tab);
    await hold(`${PREFIX}.${work}.${tab}`);
  }
  return tab;
}

/** Holds a lock as long as the page lives; the browser gives it back even after a crash.
 * @param {string} name
 * @returns {Promise<boolean>}
 */
function hold(name) {
  if (!navigator.locks) return Promise.resolve(true);
  return new Promise((resolve) => {
    void navigator.locks.request(name, { ifAvailable: true }, (lock) => {
      resolve(lock !== null);
      return lock ? new Promise(() => {}) : undefined;
    });
  });
}

/** The queues of this work that no living tab holds.
 * @param {number} work @param {string} own
 */
async function abandoned(work, own) {
  const held = (await navigator.locks?.query())?.held ?? [];
  const alive = new Set(held.map((lock) => lock.name));
  const keys = Object.keys(localStorage).filter((key) => key.startsWith(`${PREFIX}.${work}.`));
  return keys.filter((key) => key === own || !alive.has(key));
}
