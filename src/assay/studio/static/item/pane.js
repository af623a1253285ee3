// One of the two texts: few nodes, a layer of small tags over it, and a view of the whole beside it.

/** @import { Child } from "./dom.js" */
import { CodePoints, ShownText, paragraphs } from "../offsets.js";
import { h } from "./dom.js";

/** @typedef {{point: number, text: string, class: string, title?: string}} Tag */
/** @typedef {{start: number, end: number, class: string, title: string, onclick: () => void}} Tick */

const TAG_LETTER = 7; // pixels, about; tags that begin close together stand side by side
const TAG_ROOM = 9;

const isCalm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

/** A text that scrolls by itself. Every character of it stands in exactly one text node. */
export class Pane {
  /** @type {Tag[]} */
  #tags = [];
  /** @type {Tick[]} */
  #ticks = [];

  /**
   * @param {HTMLElement} root the section that the template has for it
   * @param {"source" | "response"} side
   * @param {string} text
   * @param {{name: string, start: number, end: number}[]} [passages]
   */
  constructor(root, side, text, passages = []) {
    this.side = side;
    this.root = root;
    const { words, shown } = drawWords(text, passages);
    this.shown = shown;
    this.points = shown.points;
    this.layer = h("div", { class: "layer", "aria-hidden": "true" });
    this.caret = h("div", { class: "caret", "aria-hidden": "true", hidden: true });
    this.sheet = h("div", { class: "sheet" }, words, this.layer, this.caret);
    this.scroll = h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": side === "source" ? "The source" : "The response" }, this.sheet);
    this.overview = h("div", { class: "overview", "aria-hidden": "true" });
    root.append(h("div", { class: "frame" }, this.scroll, this.overview));
    new ResizeObserver(() => this.#place()).observe(this.sheet);
  }

  /** @param {number} start @param {number} end */
  quote(start, end) {
    return { start, end, text: this.points.slice(start, end) };
  }

  /** Whether some of a place can be read without scrolling. @param {number} start @param {number} end */
  isInView(start, end) {
    const box = this.shown.range(start, end).getBoundingClientRect();
    const view = this.scroll.getBoundingClientRect();
    return box.bottom > view.top + 12 && box.top < view.bottom - 12;
  }

  /** Scrolls so that a place can be read; nothing moves where it is in view already.
   * @param {number} start @param {number} end
   */
  reveal(start, end) {
    const box = this.shown.range(start, end).getBoundingClientRect();
    const view = this.scroll.getBoundingClientRect();
    const room = Math.min(48, view.height / 6);
    if (box.top >= view.top + room && box.bottom <= view.bottom - room) return;
    const isLong = box.height > view.height - 2 * room;
    const shift = isLong ? room : (view.height - box.height) / 3;
    this.scroll.scrollTo({ top: this.scroll.scrollTop + box.top - view.top - shift, behavior: isCalm() ? "auto" : "smooth" });
  }

  /** Where a caret at a place is drawn, from the corner of the sheet.
   *
   * At the end of a line that is only wrapped, that is the beginning of the next one.
   * @param {number} point
   */
  boxAt(point) {
    const sheet = this.sheet.getBoundingClientRect();
    const here = this.shown.range(point, point).getClientRects()[0];
    const next = this.#letterBox(point);
    const isWrapped = here && next && next.top > here.bottom - 2;
    const box = (isWrapped ? next : here ?? next) ?? this.shown.place(point)[0].parentElement?.getBoundingClientRect() ?? sheet;
    return { left: box.left - sheet.left, top: box.top - sheet.top, height: here ?? next ? box.height : 20 };
  }

  /** The box of the letter at a place. @param {number} point @returns {DOMRect | undefined} */
  #letterBox(point) {
    const boxes = this.shown.range(point, Math.min(point + 1, this.points.length)).getClientRects();
    return [...boxes].find(({ width }) => width > 0) ?? boxes[0];
  }

  /** Small signs above the words where something begins.
   * @param {Tag[]} tags
   */
  tag(tags) {
    this.#tags = tags;
    this.#placeTags();
  }

  /** Places of note beside the scroll bar.
   * @param {Tick[]} ticks
   */
  tick(ticks) {
    this.#ticks = ticks;
    this.#placeTicks();
  }

  #place() {
    this.#placeTags();
    this.#placeTicks();
    this.sheet.dispatchEvent(new CustomEvent("placed"));
  }

  #placeTags() {
    const boxes = this.#tags.map((tag) => this.boxAt(tag.point)); // measured first: one layout
    /** @type {Map<number, number>} the end of the last tag of each line */
    const ends = new Map();
    const drawn = this.#tags.map((tag, k) => {
      const element = h("span", { class: `tag ${tag.class}`, title: tag.title }, tag.text);
      const line = Math.round(boxes[k].top);
      const left = Math.max(boxes[k].left, ends.get(line) ?? 0);
      ends.set(line, left + TAG_LETTER * tag.text.length + TAG_ROOM);
      element.style.left = `${left}px`;
      element.style.top = `${boxes[k].top}px`;
      return element;
    });
    this.layer.replaceChildren(...drawn);
  }

  #placeTicks() {
    const whole = this.sheet.getBoundingClientRect();
    const boxes = this.#ticks.map((tick) => this.shown.range(tick.start, tick.end).getBoundingClientRect());
    const drawn = this.#ticks.map((tick, k) => {
      const element = h("button", { type: "button", tabindex: "-1", class: `tick ${tick.class}`, title: tick.title, onclick: tick.onclick });
      element.style.top = `${(100 * (boxes[k].top - whole.top)) / Math.max(whole.height, 1)}%`;
      element.style.height = `${(100 * boxes[k].height) / Math.max(whole.height, 1)}%`;
      return element;
    });
    this.overview.replaceChildren(...drawn);
  }
}

/** A block for each line of the text, and the names of passages between them.
 * @param {string} text @param {{name: string, start: number, end: number}[]} passages
 */
function drawWords(text, passages) {
  const points = new CodePoints(text);
  const names = new Map(passages.map(({ name, start }) => [points.toUnits(start), name]));
  const words = h("div", { class: "words" });
  /** @type {Text[]} */
  const nodes = [];
  /** @type {Child[]} */
  const blocks = [];
  let start = 0;
  for (const part of paragraphs(text, passages.flatMap((each) => [points.toUnits(each.start), points.toUnits(each.end)]))) {
    const name = names.get(start);
    if (name) blocks.push(h("h3", { class: "passage", "data-name": name, "aria-label": name }));
    const node = document.createTextNode(part);
    nodes.push(node);
    blocks.push(h("p", { dir: "auto" }, node));
    start += part.length;
  }
  if (!nodes.length) {
    nodes.push(document.createTextNode(""));
    blocks.push(h("p", {}, nodes[0]));
  }
  words.append(...blocks.filter((each) => each instanceof Node));
  return { words, shown: new ShownText(text, nodes) };
}
