// @ts-check
// Texts with marks: the units of a response in the tones of their labels, the evidence in a source.
"use strict";

/** What a judge says of the whole response. @param {JudgementView} judgement */
const wholeOf = (judgement) => judgement.whole ?? judgement.units.find(({ kind }) => kind === "response");

/** A response with its units in the tones of their labels. @param {string} text @param {UnitView[]} units */
const responseText = (text, units) => h("div", { class: "text response-text", dir: "auto" }, ...responsePieces(text, units).map(({ words, unit, number }) => {
  if (!unit) return words[0];
  const badge = board().badges[unit.badge];
  return h("span", { class: `unit tone-${badge.tone}`, "data-unit": number, title: badge.name, role: "button", tabindex: 0, "aria-label": `${badge.name}: ${words.join("")}` },
    h("span", { class: "tag", "aria-hidden": "true" }, `${signOf(badge)} `),
    ...words.map((run, at) => (at % 2 ? h("mark", { class: "marked", title: "The source does not bear this out, as far as the judge can tell." }, run) : run)));
}));

/** A source with the evidence of all units marked; what HTML hides is not shown. @param {PageSource} source @param {UnitView[]} units */
const sourceText = (source, units) => h("div", { class: "text source-text", dir: "auto", role: "region", tabindex: 0, "aria-label": "Source" }, ...sourceSegments(source, units).map(({ text, seen, marks }) =>
  (marks.length ? h("mark", { class: "segment", "data-units": [...new Set(marks.map(({ unit }) => unit))].join(" ") }, seen ?? text) : seen ?? text)));

/** What a score without a label counts as. @param {number} score */
const readAs = (score) => (score < board().faithful_from ? `below ${board().faithful_from}: read as unfaithful` : `${board().faithful_from} or more: read as faithful`);

/** Whether people give several labels to a unit. @param {UnitView} unit */
const isDisputed = ({ badge, who, people = [] }) => new Set([...(who ? [badge] : []), ...people.map((each) => each.badge)]).size > 1;

/** What each person says of a unit. @param {UnitView} unit */
function peopleLine(unit) {
  if (!unit.people) return null;
  if (unit.people.every(({ badge, note }) => badge === unit.badge && !note)) {
    return h("p", { class: "people" }, h("span", {}, ...unit.people.flatMap(({ who }, at) => [at ? ", " : "", h("b", {}, bdi(who))]), unit.people.length > 1 ? " give the same label" : " gives the same label"));
  }
  return h("div", { class: "people" }, isDisputed(unit) && h("p", { class: "disputed" }, "People differ"),
    h("ul", {}, ...unit.people.map((each) => h("li", {}, h("b", {}, bdi(each.who)), " ", chip(board().badges[each.badge]), each.note && h("span", { class: "note", dir: "auto" }, ` ${each.note}`)))));
}

/** What is said of one unit. @param {UnitView} unit @param {number} number @param {SiteRow} row @param {PageSource | null} source */
function unitCard(unit, number, row, source) {
  const badge = board().badges[unit.badge];
  const card = h("li", { class: `said tone-${badge.tone}`, "data-card": number },
    h("p", { class: "what" }, chip(badge), unit.who && h("b", {}, bdi(unit.who)), unit.kind === "response" && h("span", { class: "quiet" }, "whole response"), unit.failure && h("span", { class: "quiet" }, ...failureWords(unit.failure)), unit.score !== undefined && h("span", { class: "quiet" }, `score ${unit.score.toFixed(2)}`),
      unit.score !== undefined && badge.name === "score only" && h("span", { class: "quiet" }, readAs(unit.score)),
      unit.confidence !== undefined && h("span", { class: "quiet" }, `confidence ${unit.confidence.toFixed(2)}`), unit.kind !== "response" && unit.kind !== "sentence" && h("span", { class: "quiet" }, unit.kind)),
    unit.kind !== "response" && h("blockquote", { dir: "auto" }, cut(wording(unit, row.text ?? ""), 600)),
    ...[unit.note, unit.explanation].map((each) => each && h("p", { class: "note", dir: "auto" }, each)),
    unit.correction && h("p", { class: "note" }, h("b", {}, "Better: "), unit.correction),
    unit.interpretations && h("ul", { class: "plain-list" }, ...unit.interpretations.map(({ badge: label, meaning }) => h("li", {}, h("b", {}, board().badges[label].name), ` if it means: ${meaning}`))),
    unit.answers && h("dl", { class: "answers" }, ...answered(unit, board().questions).filter(({ letter }) => letter !== "-").map(({ question, answer }) => h("div", {}, h("dt", {}, question), h("dd", {}, answer)))),
    source && unit.quotes && h("ul", { class: "quotes" }, ...unit.quotes.map((quote) => h("li", {}, h("button", { type: "button", class: "quote", "data-unit": number, dir: "auto" }, `“${cut(quoted(source, quote), 400)}”`)))),
    unit.cited && h("p", { class: "note" }, h("b", {}, "Quotes what the source does not contain: "), unit.cited),
    ...(unit.external ?? []).map((each) => h("p", { class: "note" }, h("b", {}, "From outside the source: "), ...outside(each).flatMap((part) => [part, " "]))),
    unit.failure?.reply && h("pre", { class: "reply" }, replyOf(unit.failure)), peopleLine(unit));
  return card;
}

/** The beginning of a text. @param {string} text @param {number} most */
const cut = (text, most) => (text.length > most ? `${text.slice(0, most)}…` : text);
