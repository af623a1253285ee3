// @ts-check
// Texts with marks: the units of a response in the tones of their labels, the evidence in a source.
"use strict";

/** @typedef {[start: number, end: number]} Place */
/** @typedef {object} Outcome
 * @property {number} badge @property {number} [score] @property {number} [confidence]
 * @property {string} [note] @property {string} [failure] @property {string} [reply] */
/** Who says what, of the same unit. @typedef {Outcome & {who: string}} Said */
/** @typedef {object} UnitOnly
 * @property {string} id @property {string} kind @property {Place[]} [spans] @property {string} [text]
 * @property {string} [parent] @property {Place[]} [evidence] @property {Place[]} [marks] @property {string} [cited]
 * @property {string} [explanation] @property {string} [correction] @property {string} [who] @property {Said[]} [people]
 * @property {[question: string, answer: string][]} [answers]
 * @property {[label: string, meaning: string][]} [readings]
 * @property {{address: string, title?: string, quote?: string}[]} [external] */
/** @typedef {Outcome & UnitOnly} Unit */
/** @typedef {{units: Unit[], whole?: Outcome}} Judgement */
/** @typedef {{id: string, text?: string, source: [block: number, at: number], question?: string, said: (Judgement | null)[]}} Row */
/** @typedef {{id: string, text: string, passages?: [name: string, start: number, end: number][], edits?: [start: number, end: number, seen: string][]}} Source */

/** What a judge says of the whole response. @param {Judgement} judgement @returns {Outcome | undefined} */
const wholeOf = (judgement) => judgement.whole ?? judgement.units.find(({ kind }) => kind === "response");

// What colours the text first; units of a later kind are coloured where they overlap no other.
const FIRST = ["sentence", "span", "inconsistency", "claim", "relation"];

/** Which ranges of the response are coloured, and by which unit. @param {Unit[]} units */
function placed(units) {
  /** @type {{start: number, end: number, unit: number}[]} */
  const taken = [];
  const order = units.map((unit, at) => ({ unit, at })).filter(({ unit }) => unit.spans && FIRST.includes(unit.kind) && !(unit.text && /claim|relation/.test(unit.kind)))
    .sort((a, b) => FIRST.indexOf(a.unit.kind) - FIRST.indexOf(b.unit.kind));
  let sorted = /** @type {Place[]} */ ([]);
  for (const { unit, at } of order) {
    const ranges = (unit.spans ?? []).filter(([start, end]) => start < end);
    if (!ranges.every((range) => isFree(range, sorted))) continue;
    taken.push(...ranges.map(([start, end]) => ({ start, end, unit: at })));
    const last = sorted.at(-1)?.[1] ?? 0;
    const inOrder = ranges.every(([start], place) => start >= (place ? ranges[place - 1][1] : last));
    sorted.push(...ranges);
    if (!inOrder) sorted = sorted.toSorted((a, b) => a[0] - b[0]);
  }
  return taken.sort((a, b) => a.start - b.start);
}

/** @param {Place} wanted @param {Place[]} taken in order */
function isFree([start, end], taken) {
  let [low, high] = [0, taken.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (taken[middle][1] <= start) low = middle + 1;
    else high = middle;
  }
  return low === taken.length || end <= taken[low][0];
}

/** A part of a response, with the words underlined that a judge marks in it. @param {string} text @param {Place} part @param {Place[]} [marks] in order */
function marked(text, [start, end], marks = []) {
  const found = [];
  let position = start;
  for (const [first, last] of marks) {
    const [from, to] = [Math.max(first, position), Math.min(last, end)];
    if (from >= to) continue;
    found.push(text.slice(position, from), h("mark", { class: "marked", title: "The source does not bear this out, as far as the judge can tell." }, text.slice(from, to)));
    position = to;
  }
  return [...found, text.slice(position, end)];
}

/** A response with its units in the tones of their labels. @param {string} text @param {Unit[]} units */
function responseText(text, units) {
  const found = h("div", { class: "text response-text", dir: "auto" });
  let position = 0;
  for (const { start, end, unit } of placed(units)) {
    if (start > position) found.append(spelled(text.slice(position, start)));
    const badge = board().badges[units[unit].badge];
    found.append(h("span", { class: `unit tone-${badge.tone}`, "data-unit": unit, title: badge.name, role: "button", tabindex: 0, "aria-label": `${badge.name}: ${text.slice(start, end)}` },
      h("span", { class: "tag", "aria-hidden": "true" }, `${badge.sign}\uFE0E `), ...marked(text, [start, end], units[unit].marks)));
    position = end;
  }
  if (position < text.length) found.append(spelled(text.slice(position)));
  return found;
}

/** A source with the evidence of all units marked; what HTML hides is not shown. @param {Source} source @param {Unit[]} units */
function sourceText(source, units) {
  const marks = units.flatMap(({ evidence = [] }, unit) => evidence.map(([start, end]) => ({ start, end, unit })));
  const edits = source.edits ?? [];
  const borders = new Set([0, source.text.length, ...marks.flatMap(({ start, end }) => [start, end]), ...edits.flatMap(([start, end]) => [start, end])]);
  const ends = [...borders].sort((a, b) => a - b);
  const opening = Map.groupBy(marks, ({ start }) => start);
  const seen = new Map(edits.map(([start, end, shown]) => [start, { end, shown }]));
  const found = h("div", { class: "text source-text", dir: "auto", role: "region", tabindex: 0, "aria-label": "Source" });
  let open = /** @type {{start: number, end: number, unit: number}[]} */ ([]);
  for (let at = 0; at < ends.length - 1; at += 1) {
    const start = ends[at];
    open = [...open.filter(({ end }) => end > start), ...(opening.get(start) ?? [])];
    const edit = seen.get(start);
    while (edit && ends[at + 1] < edit.end) at += 1;
    const text = edit ? edit.shown : source.text.slice(start, ends[at + 1]);
    if (open.length) found.append(h("mark", { class: "segment", "data-units": [...new Set(open.map(({ unit }) => unit))].join(" ") }, text));
    else found.append(spelled(text));
  }
  return found;
}

/** What a score without a label counts as. @param {number} score */
const readAs = (score) => (score < board().faithful_from ? `below ${board().faithful_from}: read as unfaithful` : `${board().faithful_from} or more: read as faithful`);

/** Whether people give several labels to a unit. @param {Unit} unit */
const isDisputed = ({ badge, who, people = [] }) => new Set([...(who ? [badge] : []), ...people.map((each) => each.badge)]).size > 1;

/** What each person says of a unit. @param {Unit} unit */
function peopleLine(unit) {
  if (!unit.people) return null;
  if (unit.people.every(({ badge, note }) => badge === unit.badge && !note)) {
    return h("p", { class: "people" }, h("span", {}, ...unit.people.flatMap(({ who }, at) => [at ? ", " : "", h("b", {}, bdi(who))]), unit.people.length > 1 ? " give the same label" : " gives the same label"));
  }
  return h("div", { class: "people" }, isDisputed(unit) && h("p", { class: "disputed" }, "People differ"),
    h("ul", {}, ...unit.people.map((each) => h("li", {}, h("b", {}, bdi(each.who)), " ", chip(board().badges[each.badge]), each.note && h("span", { class: "note", dir: "auto" }, ` ${each.note}`)))));
}

/** What is said of one unit. @param {Unit} unit @param {number} number @param {Row} row @param {Source | null} source */
function unitCard(unit, number, row, source) {
  const badge = board().badges[unit.badge];
  const words = unit.text ?? (unit.spans ?? []).map(([start, end]) => (row.text ?? "").slice(start, end)).join(" … ");
  const reason = unit.failure && board().reasons.find(([name]) => name === unit.failure)?.[1];
  const card = h("li", { class: `said tone-${badge.tone}`, "data-card": number },
    h("p", { class: "what" }, chip(badge), unit.who && h("b", {}, bdi(unit.who)), unit.kind === "response" && h("span", { class: "quiet" }, "whole response"), unit.failure && h("span", { class: "quiet" }, `${reason ?? ""} (${unit.failure})`), unit.score !== undefined && h("span", { class: "quiet" }, `score ${unit.score.toFixed(2)}`),
      unit.score !== undefined && badge.name === "score only" && h("span", { class: "quiet" }, readAs(unit.score)),
      unit.confidence !== undefined && h("span", { class: "quiet" }, `confidence ${unit.confidence.toFixed(2)}`), unit.kind !== "response" && unit.kind !== "sentence" && h("span", { class: "quiet" }, unit.kind)),
    unit.kind !== "response" && h("blockquote", { dir: "auto" }, cut(words, 600)),
    ...[unit.note, unit.explanation].map((each) => each && h("p", { class: "note", dir: "auto" }, each)),
    unit.correction && h("p", { class: "note" }, h("b", {}, "Better: "), unit.correction),
    unit.readings && h("ul", { class: "plain-list" }, ...unit.readings.map(([label, meaning]) => h("li", {}, h("b", {}, label), ` if it means: ${meaning}`))),
    unit.answers && h("dl", { class: "answers" }, ...unit.answers.map(([question, answer]) => h("div", {}, h("dt", {}, question), h("dd", {}, answer)))),
    source && unit.evidence && h("ul", { class: "quotes" }, ...unit.evidence.map(([start, end]) => h("li", {}, h("button", { type: "button", class: "quote", "data-unit": number, dir: "auto" }, `“${cut(source.text.slice(start, end), 400)}”`)))),
    unit.cited && h("p", { class: "note" }, h("b", {}, "Quotes what the source does not contain: "), unit.cited),
    ...(unit.external ?? []).map((each) => h("p", { class: "note" }, h("b", {}, "From outside the source: "), /^https?:\/\//i.test(each.address) ? h("a", { href: each.address, rel: "noopener noreferrer" }, each.title || each.address) : each.title || each.address, each.quote ? ` “${each.quote}”` : "")),
    unit.reply && h("pre", { class: "reply" }, unit.reply), peopleLine(unit));
  return card;
}

/** The beginning of a text. @param {string} text @param {number} most */
const cut = (text, most) => (text.length > most ? `${text.slice(0, most)}…` : text);
