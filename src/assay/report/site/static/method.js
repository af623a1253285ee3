// @ts-check
// How the numbers were made.
"use strict";

const COUNTED = {
  apart: "counted apart, in no rate", unfaithful: "counted as hallucinated", judged: "counted as the judge says",
};

/** @param {State} state @param {HTMLElement} place */
function showMethod(state, place) {
  const all = board();
  /** @param {string} word @returns {string} */
  const said = (word) => /** @type {Record<string, string>} */ (COUNTED)[word] ?? word;
  const scored = all.judges.flatMap(({ name, scored }) => (scored ? [name] : []));
  /** @type {[string, Child[]][]} */
  const facts = [
    ["Data", [bdi(all.dataset)]], ["Digest of the data", [h("code", {}, all.digest || "none")]],
    ["LLMs, responses", [`${grouped.format(all.models.length)}, ${grouped.format(all.rows.reduce((sum, each) => sum + each, 0))}`]],
    ["Rate", ["hallucinated ÷ judged. A refusal, an invalid response and a failure of the judge are no verdicts."]],
    ...(scored.length ? /** @type {[string, Child[]][]} */ ([["Scores", [`a score without a label is faithful from ${all.faithful_from} upwards (${scored.join(", ")})`]]]) : []),
    ...(all.gold ? /** @type {[string, Child[]][]} */ ([["People’s labels", [`${all.gold}. Whatever rests on people’s labels depends on this, the rates by ${all.judges.flatMap(({ name, kind }) => (kind === "person" ? [name] : [])).join(", ")}, corrected rates and the figures of detectors`]]]) : []),
    ["Refusals", [`${said(all.counting.refusals)}. ${all.refusal}`]], ["Invalid responses", [said(all.counting.invalid)]],
    ["Sources compared", [all.common ? "only those on which every LLM has a verdict" : "all that an LLM has a verdict on; see its coverage"]],
    ["Intervals", [`95 %: the middle of ${grouped.format(all.replicates)} bootstrap replicates that draw whole sources, for all LLMs at once, seed ${all.seed}. With fewer than 30 sources, and where that interval would end at the rate itself, as where no response or every one is hallucinated, Wilson’s interval, or Jeffreys’ over sources where a source has several responses. Of rank correlations, the value ± how far 95 % of the replicates lie from it`]],
    ["Differences", ["on the sources that both LLMs were judged on: McNemar’s test for clustered data, significant where p < 0.05 after Holm’s correction, over all pairs for their number, over the comparisons with one LLM where others are compared with it"]],
    ["★", ["not distinguishable from the lowest rate: no significant difference from it, corrected over the comparisons with it"]],
    ["Rank ranges", ["95 %: from 1 + the number of LLMs that are significantly better to the number of those that are not significantly worse, corrected over the comparisons with this LLM. With few sources every rank is possible. An LLM with ★ may be first, one that differs from the lowest rate may not"]],
    ["Not in the intervals", ["intervals and rank ranges tell what other sources might have given; errors of a judge are in none of them but the corrected rate’s, errors and disagreement of annotators in none at all"]],
    ["Corrected rate", [`where people labelled some of the responses that a detector judged, but not all: the detector’s rate on the others plus people’s rate on the labelled ones minus the detector’s there, weighted as the labels of all LLMs suggest (prediction-powered inference, PPI++), clustered by source. It holds if the labelled responses are a random part; LLMs with labelled responses to fewer than ${all.fewest_labelled} sources have none. Ranks are of the rates as judged`]],
    ["Made with", [`Assay ${all.version}`]],
    ["Downloads", [h("a", { href: "board.json", download: true }, "board.json"), ", ", h("a", { href: "board.csv", download: true }, "board.csv")]],
  ];
  const levels = scrolled("Levels", h("table", { class: "board listed" },
    h("thead", {}, h("tr", {}, ...["Level", "Counts as hallucinated", "Labels of", "Reading", "Meaning"].map((each) => h("th", { scope: "col" }, each)))),
    h("tbody", {}, ...all.levels.flatMap((level) => (level.readings.length ? level.readings : [{ menu: "binary", name: "as they are", meaning: "binary labels and scores need no reading" }]).map(({ menu, name, meaning }, at) =>
      h("tr", {}, at ? h("td", {}) : h("th", { scope: "row" }, level.name), named("Counts", at ? "" : level.title), named("Labels of", menu), named("Reading", h("code", {}, name)), named("Meaning", meaning)))))));
  const labels = scrolled("Labels", h("table", { class: "board listed" },
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Label"), h("th", { scope: "col" }, "Meaning"))),
    h("tbody", {}, ...[...Object.values(CLASSES), ...all.badges].map((badge) => h("tr", {}, h("td", {}, chip(badge)), h("td", {}, badge.meaning))))));
  place.replaceChildren(
    heading("Method"),
    h("dl", { class: "card facts-list" }, ...facts.map(([name, text]) => h("div", {}, h("dt", {}, name), h("dd", {}, ...text)))),
    h("h3", { class: "part" }, "Levels"), levels, h("h3", { class: "part" }, "Classes and labels"), labels);
}
