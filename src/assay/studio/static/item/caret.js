// A caret in a text that is only read: arrow keys move it, Shift extends the selection.
//
// The browser itself knows about graphemes, words, lines and directions of writing; it only has to
// be asked to move its selection, and told to stay in the pane.

/** @import { Pane } from "./pane.js" */

/** @typedef {{pane: Pane, start: number, end: number, point: number}} Picked */

/** @type {Record<string, [string, string, string]>} key: direction, unit, unit with Ctrl */
const MOVES = {
  ArrowLeft: ["left", "character", "word"],
  ArrowRight: ["right", "character", "word"],
  ArrowUp: ["backward", "line", "paragraph"],
  ArrowDown: ["forward", "line", "paragraph"],
  Home: ["backward", "lineboundary", "documentboundary"],
  End: ["forward", "lineboundary", "documentboundary"],
};

/** The caret of both panes. Emits `picked` whenever the selection in one of them changes. */
export class Caret extends EventTarget {
  /** @param {Pane[]} panes */
  constructor(panes) {
    super();
    this.panes = panes;
    /** @type {Map<Pane, Picked>} the last selection in each */
    this.last = new Map();
    document.addEventListener("selectionchange", () => this.#read());
    for (const pane of panes) {
      pane.scroll.addEventListener("focus", () => this.#enter(pane));
      pane.scroll.addEventListener("blur", () => (pane.caret.hidden = true));
      pane.scroll.addEventListener("mousedown", (event) => event.button === 0 && !event.shiftKey && getSelection()?.removeAllRanges()); // otherwise selected text would be dragged
      pane.sheet.addEventListener("placed", () => this.#draw(pane));
    }
  }

  /** What is selected in a pane, also when the focus is elsewhere by now; without space at its ends.
   * @param {Pane} pane
   * @returns {Picked | null} null where no word is selected
   */
  picked(pane) {
    const last = this.last.get(pane);
    if (!last || last.end <= last.start) return null;
    const text = pane.points.slice(last.start, last.end);
    const start = last.start + text.length - text.trimStart().length; // a space is one unit
    const end = last.end - (text.length - text.trimEnd().length);
    return end > start ? { ...last, start, end } : null;
  }

  /** @param {Pane} pane */
  pointIn(pane) {
    return this.last.get(pane)?.point ?? 0;
  }

  /** The selection of a pane goes; its caret will be here when somebody comes back.
   * @param {Pane} pane @param {number} point
   */
  forget(pane, point) {
    if (pane.sheet.contains(getSelection()?.focusNode ?? null)) return this.put(pane, point);
    const picked = { pane, start: point, end: point, point };
    this.last.set(pane, picked);
    this.dispatchEvent(new CustomEvent("picked", { detail: picked }));
  }

  /** Puts the caret somewhere, or selects up to another place.
   * @param {Pane} pane @param {number} start @param {number} [end]
   */
  put(pane, start, end = start) {
    const [anchor, from] = pane.shown.place(start);
    const [focus, to] = pane.shown.place(end, end > start);
    getSelection()?.setBaseAndExtent(anchor, from, focus, to);
    this.#read();
  }

  /** Whether the key was one of the caret's.
   * @param {Pane} pane @param {KeyboardEvent} event
   */
  move(pane, event) {
    const move = MOVES[event.key];
    const selection = getSelection();
    if (!move || !selection || event.altKey || event.metaKey) return false;
    if (!pane.sheet.contains(selection.focusNode)) this.#enter(pane);
    const [direction, unit, larger] = move;
    const { anchorNode, anchorOffset, focusNode, focusOffset } = selection;
    selection.modify(event.shiftKey ? "extend" : "move", direction, event.ctrlKey ? larger : unit);
    const isInside = pane.shown.numbers.has(/** @type {Node} */ (selection.focusNode));
    if (!isInside && anchorNode && focusNode) {
      if (larger === "documentboundary" && event.ctrlKey) {
        const end = direction === "forward" ? pane.points.length : 0;
        const [node, offset] = pane.shown.place(end, true);
        if (event.shiftKey) selection.setBaseAndExtent(anchorNode, anchorOffset, node, offset);
        else selection.collapse(node, offset);
      } else selection.setBaseAndExtent(anchorNode, anchorOffset, focusNode, focusOffset);
    }
    this.#read();
    const point = this.pointIn(pane);
    pane.reveal(point, point);
    return true;
  }

  /** @param {Pane} pane */
  #enter(pane) {
    const selection = getSelection();
    if (!selection || pane.sheet.contains(selection.focusNode)) return this.#draw(pane);
    const last = this.last.get(pane);
    this.put(pane, last?.start ?? 0, last?.end ?? last?.start ?? 0);
  }

  #read() {
    const selection = getSelection();
    const pane = this.panes.find((each) => each.sheet.contains(selection?.focusNode ?? null));
    const covered = pane?.shown.covered(selection);
    if (!pane || !selection || !covered) return;
    const atEnd = covered.start !== covered.end && !isBackward(selection);
    const point = atEnd ? covered.end : covered.start;
    const before = this.last.get(pane);
    if (before?.start === covered.start && before.end === covered.end && before.point === point) return this.#draw(pane);
    const picked = { pane, ...covered, point };
    this.last.set(pane, picked);
    this.#draw(pane);
    this.dispatchEvent(new CustomEvent("picked", { detail: picked }));
  }

  /** @param {Pane} pane */
  #draw(pane) {
    const last = this.last.get(pane);
    pane.caret.hidden = document.activeElement !== pane.scroll || !last;
    if (!last || pane.caret.hidden) return;
    const box = pane.boxAt(last.point);
    pane.caret.style.left = `${box.left}px`;
    pane.caret.style.top = `${box.top}px`;
    pane.caret.style.height = `${box.height}px`;
  }
}

/** @param {Selection} selection */
function isBackward(selection) {
  if (!selection.anchorNode || !selection.focusNode) return false;
  const range = new Range();
  range.setStart(selection.anchorNode, selection.anchorOffset);
  return range.comparePoint(selection.focusNode, selection.focusOffset) < 0;
}
