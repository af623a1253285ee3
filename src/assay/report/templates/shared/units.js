// @ts-check
// Units on every page: where they stand, what they rest on, and why one has no verdict.
// Their types are the classes of assay/report/pages/views.py; a field has the same name here.
"use strict";

/** @typedef { {words: string[], unit?: UnitView, number: number, isFirst: boolean}} Piece words of a response; every other run, from the second, is underlined */
/** @typedef { {unit: number, rank: number}} Mark evidence for the unit of that number; rank 0 is the best */
/** @typedef { {text: string, seen?: string, marks: Mark[], gap?: number}} Segment of a source; `seen` where that is not its text, or a gap of some characters */

/** A text in runs of some lengths. @param {string} text @param {number[]} [lengths] */
function runsOf(text, lengths) {
  let at = 0;
  return lengths ? lengths.map((length) => text.slice(at, (at += length))) : [text];
}

/** The words of a unit. @param {UnitView} unit @param {string} text of the response */
const wording = ({ text: own, places = [] }, text) =>
  own ?? places.map(([start, end]) => text.slice(start, end)).join(" … ");

/** A response in order, cut at the places of its units. @param {string} text @param {UnitView[]} units @returns {Piece[]} */
function responsePieces(text, units) {
  const places = units.flatMap((unit, at) => (unit.places ?? []).map(([start, end], place) =>
    ({ start, end, unit, number: at + 1, isFirst: place === 0 && !unit.text })));
  let position = 0;
  const found = places.sort((a, b) => a.start - b.start).flatMap(({ start, end, ...piece }) => {
    const before = { words: [text.slice(position, start)], number: 0, isFirst: false };
    position = end;
    return [before, { ...piece, words: runsOf(text.slice(start, end), piece.unit.runs) }];
  });
  return [...found, { words: [text.slice(position)], number: 0, isFirst: false }].filter(({ words }) => words.join(""));
}

/** A source in order, cut wherever evidence, or what is not seen as written, begins or ends.
 * @param {PageSource} source @param {Pick<UnitView, "quotes">[]} units @returns {Segment[]} */
function sourceSegments({ text, edits = [], gaps = [] }, units) {
  const marks = units.flatMap(({ quotes = [] }, at) => quotes.flatMap(({ at: place }, rank) =>
    (place ? [{ start: place[0], end: place[1], unit: at + 1, rank }] : [])));
  const borders = [0, text.length, ...marks.flatMap(({ start, end }) => [start, end]), ...edits.flatMap(({ at }) => at), ...gaps.map(({ at }) => at)];
  const ends = [...new Set(borders)].sort((a, b) => a - b);
  const opening = Map.groupBy(marks, ({ start }) => start);
  const seen = new Map(edits.map((edit) => [edit.at[0], edit.seen ?? ""]));
  const left = new Map(gaps.map(({ at, characters }) => [at, characters]));
  let open = /** @type {typeof marks} */ ([]);
  return ends.flatMap((start, place) => {
    const gap = left.has(start) ? [{ text: "", marks: [], gap: left.get(start) }] : [];
    if (place === ends.length - 1) return gap;
    open = [...open.filter(({ end }) => end > start), ...(opening.get(start) ?? [])];
    const held = open.toSorted((a, b) => a.unit - b.unit || a.rank - b.rank);
    return [...gap, { text: text.slice(start, ends[place + 1]), seen: seen.get(start), marks: held }];
  });
}

/** What is seen of a passage of evidence. @param {PageSource} source @param {Quote} quote */
const quoted = (source, quote) =>
  quote.text ?? sourceSegments(source, [{ quotes: [quote] }]).filter(({ marks }) => marks.length).map(({ text, seen }) => seen ?? text).join("");

/** Why there is no verdict. @param {FailureView} failure */
const failureWords = ({ words, reason }) => [words, h("span", { class: "quiet" }, ` (${reason})`)];

/** What the model replied that could not be read. @param {FailureView} failure */
const replyOf = ({ reply, cut }) => reply && `${reply}${cut ? `… ${counted(cut, "more character")}` : ""}`;

/** Evidence from outside, with a link where its address is safe to open. @param {ExternalView} external @returns {Child[]} */
const outside = ({ address, link, title, quote }) => [
  link ? h("a", { href: link, target: "_blank", rel: "noreferrer noopener" }, title ?? address) : h("span", {}, title && `${title}, `, h("span", { class: "quiet" }, address)),
  quote && h("q", { dir: "auto" }, quote),
];

/** The questions of the decision tree with their answers and a letter for each. @param {UnitView} unit @param {string[]} questions */
const answered = ({ answers = "" }, questions) => [...answers].map((letter, at) =>
  ({ letter, question: questions[at], answer: { y: "yes", n: "no", Y: "yes, from memory", N: "no, from memory" }[letter] ?? "not asked" }));
