// How long somebody has been active: the page is visible, and something was done a minute ago at most.

import { send } from "../api.js";

const IDLE = 60_000;
const BEAT = 30_000;

/** Counts seconds, and tells the server from time to time. */
export class Activity {
  #last = Date.now();
  #counted = Date.now();

  /** @param {number} work @param {number} seconds that are known so far */
  constructor(work, seconds) {
    this.path = `/api/work/${work}/seconds`;
    this.seconds = seconds;
    this.sent = seconds;
    for (const kind of ["pointerdown", "pointermove", "keydown", "wheel", "scroll"]) {
      addEventListener(kind, () => this.#touch(), { passive: true, capture: true });
    }
    document.addEventListener("visibilitychange", () => this.#count());
    addEventListener("pagehide", () => this.#tell(true));
    setInterval(() => this.#tell(false), BEAT);
  }

  /** The whole seconds until now. */
  get total() {
    this.#count();
    return Math.floor(this.seconds);
  }

  #touch() {
    this.#count();
    this.#last = Date.now();
  }

  /** Adds the time since the last count that lies within a minute of the last input. */
  #count() {
    const now = Date.now();
    const until = Math.min(now, this.#last + IDLE);
    if (!document.hidden) this.seconds += Math.max(0, until - this.#counted) / 1000;
    this.#counted = now;
  }

  /** @param {boolean} isLeaving */
  #tell(isLeaving) {
    const seconds = this.total;
    if (seconds === this.sent) return;
    this.sent = seconds;
    send("POST", this.path, { seconds }, { keepalive: isLeaving }).catch(() => {});
  }
}
