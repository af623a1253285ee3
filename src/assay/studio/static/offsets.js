// Places in a text: code points in the API, UTF-16 units in JavaScript, nodes in the page.
// The only module that converts between them. Every conversion takes O(log n).

/** Code points and UTF-16 units of one text, by an index of its characters beyond the BMP. */
export class CodePoints {
  /** @param {string} text */
  constructor(text) {
    this.text = text;
    /** @type {number[]} where the pairs of surrogates begin, in UTF-16 units */
    this.pairs = [];
    const found = /[\ud800-\udbff][\udc00-\udfff]/g;
    while (found.exec(text)) this.pairs.push(found.lastIndex - 2);
    this.length = text.length - this.pairs.length;
  }

  /** @param {number} point code points from the start */
  toUnits(point) {
    const at = Math.min(Math.max(point, 0), this.length);
    // The pair of number k begins at code point pairs[k] - k.
    return at + countWhile(this.pairs.length, (k) => this.pairs[k] - k < at);
  }

  /** A place inside a pair belongs to the character: before it, or after it where `up`.
   * @param {number} unit UTF-16 units from the start
   * @param {boolean} [up]
   */
  fromUnits(unit, up = false) {
    const at = Math.min(Math.max(unit, 0), this.text.length);
    const before = countWhile(this.pairs.length, (k) => this.pairs[k] < at);
    const isInside = before > 0 && this.pairs[before - 1] + 1 === at;
    return at - before + (isInside && up ? 1 : 0);
  }

  /** @param {number} start @param {number} end both in code points */
  slice(start, end) {
    return this.text.slice(this.toUnits(start), this.toUnits(end));
  }
}

/** How many of the first numbers satisfy a condition that holds up to some number.
 * @param {number} length
 * @param {(index: number) => boolean} holds
 */
export function countWhile(length, holds) {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Where lines end, so that each paragraph keeps its own line break: CRLF, LF, CR, and Unicode's.
 * @param {string} text
 * @param {number[]} [also] further places to cut at, in UTF-16 units
 * @returns {string[]} the parts, which joined are the text
 */
export function paragraphs(text, also = []) {
  const cuts = new Set(also);
  const breaks = /\r\n|[\n\r\u2028\u2029]/g;
  while (breaks.exec(text)) cuts.add(breaks.lastIndex);
  cuts.delete(0);
  cuts.delete(text.length);
  const places = [0, ...[...cuts].sort((a, b) => a - b), text.length];
  return text ? places.slice(1).map((end, k) => text.slice(places[k], end)) : [];
}

/** A text that is shown in text nodes, in order and without anything left out. */
export class ShownText {
  /**
   * @param {string} text
   * @param {Text[]} nodes whose contents joined are the text
   */
  constructor(text, nodes) {
    this.points = new CodePoints(text);
    this.nodes = nodes;
    /** @type {number[]} where each node begins, in UTF-16 units */
    this.starts = [];
    /** @type {Map<Node, number>} */
    this.numbers = new Map();
    let start = 0;
    for (const node of nodes) {
      this.numbers.set(node, this.starts.length);
      this.starts.push(start);
      start += node.length;
    }
    if (start !== text.length) throw new Error("the nodes do not hold the text");
  }

  /** The node and the place in it. A place between two nodes is the start of the second, or where
   * `atEnd`, the end of the first.
   * @param {number} point
   * @param {boolean} [atEnd]
   * @returns {[Text, number]}
   */
  place(point, atEnd = false) {
    const unit = this.points.toUnits(point);
    const before = countWhile(this.starts.length, (k) => (atEnd ? this.starts[k] < unit : this.starts[k] <= unit));
    const number = Math.max(before - 1, 0);
    return [this.nodes[number], unit - this.starts[number]];
  }

  /** @param {number} start @param {number} end */
  range(start, end) {
    const range = new Range();
    range.setStart(...this.place(start));
    range.setEnd(...this.place(end, end > start));
    return range;
  }

  /** A range that costs nothing while the page changes, for painting.
   * @param {number} start @param {number} end
   */
  staticRange(start, end) {
    const [startContainer, startOffset] = this.place(start);
    const [endContainer, endOffset] = this.place(end, end > start);
    return new StaticRange({ startContainer, startOffset, endContainer, endOffset });
  }

  /** The code point at a place of the page; one outside the text is its nearest end.
   * @param {Node} container
   * @param {number} offset
   * @param {boolean} [up] of a place inside a pair of surrogates: after the character
   */
  point(container, offset, up = false) {
    const number = this.numbers.get(container);
    if (number !== undefined) return this.points.fromUnits(this.starts[number] + offset, up);
    const place = new Range();
    place.setStart(container, offset);
    const before = countWhile(this.nodes.length, (k) => place.comparePoint(this.nodes[k], 0) < 0);
    return this.points.fromUnits(this.starts[before] ?? this.points.text.length);
  }

  /** What a selection covers of this text, or null where it touches none of it.
   * @param {Selection | null} selection
   * @returns {{start: number, end: number} | null}
   */
  covered(selection) {
    if (!selection?.rangeCount || !this.nodes.length) return null;
    const range = selection.getRangeAt(0);
    const root = new Range();
    root.setStart(this.nodes[0], 0);
    const last = this.nodes[this.nodes.length - 1];
    root.setEnd(last, last.length);
    const isBefore = range.compareBoundaryPoints(Range.START_TO_END, root) < 0;
    const isAfter = range.compareBoundaryPoints(Range.END_TO_START, root) > 0;
    if (isBefore || isAfter) return null;
    const start = this.point(range.startContainer, range.startOffset);
    return { start, end: Math.max(start, this.point(range.endContainer, range.endOffset, true)) };
  }
}
