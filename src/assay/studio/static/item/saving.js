// Saves every change at once and in order, one request at a time, through whatever goes wrong.

/** @import { Change, Kind, Problems, Unit } from "./types.js" */
/** @import { Entry, Queue } from "./queue.js" */
/** @import { Conflict } from "./rebasing.js" */
import { ApiError, renewToken, send } from "../api.js";
import { Draft, fold } from "./draft.js";
import { rebase, settle } from "./rebasing.js";
import { isSame } from "./units.js";

/** @typedef {"saved" | "saving" | "offline" | "signed-out" | "conflict"} Status */

const TYPING = 400; // milliseconds after the last letter
const SHORTEST_WAIT = 500;
const LONGEST_WAIT = 30_000;

/**
 * @typedef {object} Callbacks
 * @property {(status: Status, waiting: number) => void} show
 * @property {(message: string, tone: "care" | "bad") => void} tell
 * @property {(conflicts: Conflict[]) => Promise<Map<string, "mine" | "theirs">>} choose
 * @property {(version: number) => void} saved
 */

/** Between the draft and the server. */
export class Saver {
  #isSending = false;
  #wait = 0; // the timer of the next attempt
  #timer = 0; // the timer of what is being typed
  #pause = SHORTEST_WAIT;

  /**
   * @param {number} work
   * @param {Draft} draft
   * @param {Queue} queue
   * @param {Callbacks} callbacks
   */
  constructor(work, draft, queue, callbacks) {
    this.path = `/api/work/${work}/changes`;
    this.draft = draft;
    this.queue = queue;
    this.callbacks = callbacks;
    /** @type {Map<string, Unit>} what the server has */
    this.saved = new Map(draft.units);
    /** @type {Status} */
    this.status = "saved";
    draft.addEventListener("edit", (event) => this.#take(/** @type {CustomEvent} */ (event).detail));
    addEventListener("online", () => this.#again(0));
    addEventListener("focus", () => this.status !== "saved" && this.#again(0));
    addEventListener("pagehide", () => this.#leave());
    document.addEventListener("visibilitychange", () => document.hidden && this.flush());
    if (queue.entries.length) {
      draft.replace(fold(this.saved, queue.entries.flatMap((entry) => entry.changes)), new Set());
      void this.#pump();
    }
  }

  get version() {
    return this.queue.base;
  }

  /** Whether the server has everything. */
  get isDone() {
    return this.queue.entries.length === 0;
  }

  /** Sends now what was typed. */
  flush() {
    this.draft.seal();
    this.queue.seal();
    void this.#pump();
  }

  /** Resolves once everything is saved, or raises where it cannot be now. */
  async finish() {
    this.flush();
    while (!this.isDone) {
      if (!["saved", "saving"].includes(this.status)) throw new Error("not everything is saved yet");
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
  }

  /** Takes over what another tab has saved, if there is nothing of our own to save.
   * @param {Unit[]} units @param {number} version @param {Problems} problems
   */
  refresh(units, version, problems) {
    if (!this.isDone || this.#isSending || version <= this.version) return;
    const before = this.saved;
    this.queue.base = version;
    this.saved = new Map(units.map((unit) => [unit.id, unit]));
    const ids = [...before.keys(), ...this.saved.keys()];
    this.draft.replace(new Map(this.saved), new Set(ids.filter((id) => !isSame(before.get(id), this.saved.get(id)))));
    this.draft.learn(problems);
  }

  /** @param {{kind: Kind, changes: Change[], field: string}} edit */
  #take({ kind, changes, field }) {
    const last = this.queue.entries.at(-1);
    const isBeingSent = this.#isSending && this.queue.entries.length === 1;
    if (last && (last.field !== field || isBeingSent)) this.queue.seal();
    this.queue.add(kind, changes, field);
    this.#show(this.status === "saved" ? "saving" : this.status);
    clearTimeout(this.#timer);
    if (field) this.#timer = setTimeout(() => this.flush(), TYPING);
    else void this.#pump();
  }

  /** Sends entry after entry. The last one waits while somebody types into its field. */
  async #pump() {
    while (!this.#isSending && this.status !== "conflict") {
      const [entry, ...later] = this.queue.entries;
      if (!entry) return this.#show("saved");
      if (entry.field && !later.length) return;
      this.#isSending = true;
      clearTimeout(this.#wait);
      if (this.status === "saved") this.#show("saving");
      try {
        this.#landed(entry, await this.#post(entry));
      } catch (error) {
        if (!(await this.#failed(entry, error))) return;
      } finally {
        this.#isSending = false;
      }
    }
  }

  /** @param {Entry} entry @param {boolean} [keepalive] */
  #post(entry, keepalive = false) {
    return send("POST", this.path, { base: this.queue.base, kind: entry.kind, changes: entry.changes, id: entry.id }, { keepalive });
  }

  /** @param {Entry} entry @param {{version: number, problems: Problems}} answer */
  #landed(entry, { version, problems }) {
    this.saved = fold(this.saved, entry.changes);
    this.queue.entries.shift();
    this.queue.base = version;
    this.queue.keep();
    this.#pause = SHORTEST_WAIT;
    this.draft.learn({ ...Object.fromEntries(entry.changes.map(({ id }) => [id, []])), ...problems });
    this.callbacks.saved(version);
    this.#show(this.isDone ? "saved" : "saving");
  }

  /** Whether to go on at once. @param {Entry} entry @param {unknown} error */
  async #failed(entry, error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.status === 409) return this.#merge(error.body);
    if (error.status === 401 || error.code === "token") return this.#signIn();
    if (error.isPassing) {
      this.#show("offline");
      this.#again(this.#pause);
      this.#pause = Math.min(this.#pause * 2, LONGEST_WAIT);
      return false;
    }
    this.queue.entries = this.queue.entries.filter((each) => each !== entry);
    this.queue.keep();
    this.#recompute(new Set(entry.changes.map(({ id }) => id)));
    this.callbacks.tell(`This change could not be saved and was taken back: ${error.message}`, "bad");
    return true;
  }

  /** @param {{version: number, changes: {changes: Change[]}[]}} body */
  async #merge(body) {
    this.queue.seal();
    const found = rebase(this.saved, this.queue.entries, body.changes.map((each) => each.changes), this.draft.used);
    let { entries } = found;
    if (found.conflicts.length) {
      this.#show("conflict");
      entries = settle(entries, await this.callbacks.choose(found.conflicts));
      this.#show("saving");
    } else if (found.elsewhere.size) {
      this.callbacks.tell("Changes made elsewhere were added; yours are kept.", "care");
    }
    this.saved = found.saved;
    this.queue.entries = [...entries, ...this.queue.entries.slice(found.count)];
    this.queue.base = body.version;
    this.queue.keep();
    this.#recompute(found.elsewhere);
    return true;
  }

  /** Goes on with the token of the session that holds now, or waits until somebody signs in. */
  async #signIn() {
    const isIn = await renewToken().catch(() => false);
    if (isIn) return true;
    this.#show("signed-out");
    this.#again(4_000);
    return false;
  }

  /** @param {Set<string>} elsewhere */
  #recompute(elsewhere) {
    this.draft.replace(fold(this.saved, this.queue.entries.flatMap((entry) => entry.changes)), elsewhere);
  }

  /** @param {number} milliseconds */
  #again(milliseconds) {
    clearTimeout(this.#wait);
    this.#wait = setTimeout(() => void this.#pump(), milliseconds);
  }

  /** The page goes away: the first change still travels; all are kept in the browser anyway. */
  #leave() {
    this.queue.seal();
    this.queue.keep();
    const [entry] = this.queue.entries;
    if (entry && !this.#isSending) this.#post(entry, true).catch(() => {});
  }

  /** @param {Status} status */
  #show(status) {
    this.status = status;
    this.callbacks.show(status, this.queue.entries.length);
  }
}
