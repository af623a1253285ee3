// @ts-check
// The view of charts: intervals, labels, lengths, judges and tasks side by side.
"use strict";

/** The distributions of a judge, in the order of a ranking. @param {number} judge @param {Ranking} ranking */
function labelsBy(judge, ranking) {
  const places = new Map(ranking.standings.map(({ model }, at) => [model, at]));
  return board().distributions.filter((each) => each.judge === judge && places.has(each.model))
    .sort((a, b) => (places.get(a.model) ?? 0) - (places.get(b.model) ?? 0));
}

/** @param {number} judge @param {Ranking} ranking */
function labelChart(judge, ranking) {
  const all = labelsBy(judge, ranking);
  if (!all.length) return null;
  const used = [...new Set(all.flatMap(({ labels }) => labels.map(({ badge }) => badge)))];
  if (used.length < 3) return null; // two labels are what the rates say
  const fails = all.some(({ failed }) => failed);
  const none = CLASSES.x;
  const legend = h("ul", { class: "counts" }, ...used.map((each) => h("li", {}, chip(board().badges[each]))), fails && h("li", {}, chip(none)));
  const rows = all.map(({ model, labels, failed }) => {
    const parts = used.map((each) => ({ number: each, badge: board().badges[each], count: labels.find(({ badge }) => badge === each)?.count ?? 0 }));
    const name = board().models[model];
    const drawn = [...parts, { number: -1, badge: none, count: failed }].filter(({ count }) => count);
    return { name, drawn, counts: [...parts.map(({ number, count }) => ({ count, href: elsewhere({ view: "examples", model: name, task: "", label: board().badges[number].name }) })), ...(fails ? [{ count: failed, href: elsewhere({ view: "examples", model: name, task: "", class: "failed" }) }] : [])] };
  });
  return figure("Labels of each LLM", `as ${board().judges[judge].name} gives them, all tasks, in the order of the ranking`, legend,
    h("table", { class: "forest" }, h("tbody", {}, ...rows.map(({ name, drawn }) => h("tr", {}, h("th", { scope: "row" }, bdi(name)), h("td", { class: "whole" }, stack(drawn)))))),
    numbers(["LLM", ...used.map((each) => board().badges[each].name), ...(fails ? ["no verdict"] : [])],
      rows.map(({ name, counts }) => [bdi(name), ...counts.map(({ count, href }) => (count ? h("a", { class: "number", href }, grouped.format(count)) : "0"))])));
}

/** The parts of a length, in words. @param {number[]} ends */
const steps = (ends) => ends.map((end, at) => {
  if (at === 0) return `≤ ${grouped.format(end)}`;
  if (at === ends.length - 1) return `> ${grouped.format(ends[at - 1])}`;
  const [from, to] = [ends[at - 1] + 1, end].map((each) => grouped.format(each));
  return from === to ? to : `${from}–${to}`;
});

/** @param {State} state @param {number} judge @param {number} level */
function lengthCharts(state, judge, level) {
  const found = board().lengths.find((each) => each.judge === judge && each.level === level);
  return (found?.rates ?? []).map((rates) => {
    const chosen = board().models.indexOf(state.model ?? "");
    const own = rates.models.find(({ model }) => model === chosen)?.rates;
    const series = [{ name: "all LLMs", rates: rates.overall, tone: "first" }, ...(own ? [{ name: board().models[chosen], rates: own, tone: "second" }] : [])];
    const title = `By length of the ${rates.side}`;
    const legend = h("p", { class: "legend-line" }, ...series.map(({ name, tone }) => h("span", { class: `series-name ${tone}` }, bdi(name))));
    return figure(title, "words, in up to five parts cut at the quintiles; n responses, 95 % intervals", legend, lines(title, steps(rates.ends), series),
      numbers(["Words", ...series.map(({ name }) => name)], steps(rates.ends).map((step, at) => [step, ...series.map((each) => inWords(each.rates[at]))])));
  });
}

/** The standings of a ranking that have a rate, by LLM. @param {Ranking | undefined} ranking */
const byModel = (ranking) => new Map((ranking?.standings ?? []).filter(({ rate }) => rate.value !== null).map((row) => [row.model, row]));

/** Ranks by each judge, best first by the chosen one. @param {Ranking} ranking */
function rankTable(ranking) {
  const columns = board().judges.map((_, judge) => byModel(rankingBy(judge, ranking.level, ranking.task)));
  if (columns.filter(({ size }) => size).length < 2) return null;
  const rows = ranking.standings.map(({ model }) => ({
    name: bdi(board().models[model]),
    cells: columns.map((column) => {
      const row = column.get(model);
      if (!row || !row.rank) return { content: [h("span", { class: "quiet" }, "–")], depth: null };
      return { content: [h("b", { title: inWords(row.rate) }, row.rank.rank)], depth: column.size > 1 ? (row.rank.rank - 1) / (column.size - 1) : 0 };
    }),
  }));
  return figure("Rank by judge", "darker is further down; – where a judge has no verdict on an LLM",
    wide("Rank by judge", heat("LLM", board().judges.map(({ name }) => bdi(name)), rows)));
}

/** Rates in each task. @param {Ranking} ranking */
function taskTable(ranking) {
  const columns = board().tasks.map((task) => byModel(rankingBy(ranking.judge, ranking.level, task)));
  if (columns.filter(({ size }) => size).length < 2) return null;
  const end = endOf(columns.flatMap((column) => [...column.values()].map(({ rate }) => rate)));
  const rows = ranking.standings.map(({ model }) => ({
    name: bdi(board().models[model]),
    cells: columns.map((column, at) => {
      const row = column.get(model);
      const value = row?.rate.value ?? null;
      if (!row || value === null) return { content: [h("span", { class: "quiet" }, "–")], depth: null };
      const href = elsewhere({ view: "examples", model: board().models[model], task: board().tasks[at], class: "hallucinated" });
      return { content: [h("a", { class: "number", href, title: inWords(row.rate) }, percent(value)), h("span", { class: "share-of" }, `${grouped.format(row.hallucinated)} / ${grouped.format(row.judged)}`)], depth: value / end };
    }),
  }));
  return figure("Tasks side by side", "hallucination rate in each task; darker is higher", wide("Tasks side by side", heat("LLM", board().tasks.map((task) => bdi(task)), rows)));
}

/** @param {State} state @param {HTMLElement} place */
function showCharts(state, place) {
  const ranking = rankingOf(state);
  if (!ranking) return place.replaceChildren(heading("Charts"), nothing(state));
  const lengths = lengthCharts(state, ranking.judge, ranking.level);
  /** @type {[string, string][]} */
  const models = [["", "none"], ...board().models.map((name) => /** @type {[string, string]} */ ([name, name]))];
  place.replaceChildren(...[
    heading("Charts", h("span", { class: "quiet" }, `by ${board().judges[ranking.judge].name}, level ${board().levels[ranking.level].title}${ranking.task ? `, ${ranking.task}` : ""}${pooled(ranking.judge)}`)),
    figure("Rates with their intervals", "95 %, resampling whole sources", forest(ranking)),
    labelChart(ranking.judge, ranking),
    lengths.length > 0 && h("div", { class: "row-head" }, h("h3", {}, "Rates by length"), choice("model", "Beside all LLMs, show", models, state.model ?? "")),
    lengths.length > 0 && h("div", { class: "pair" }, ...lengths),
    taskTable(ranking),
    rankTable(ranking),
  ].filter((each) => each instanceof Node));
}
