// @ts-check
// The judges: how they differ on the same responses, how alike they rank, and how good they are.
"use strict";

/** Counts and ranks by each judge. @param {Bias} bias */
function biasTable(bias) {
  const known = new Map(bias.cells.map((each) => [`${bias.judges.indexOf(each.judge)} ${each.model}`, each]));
  const models = [...new Set(bias.cells.map(({ model }) => model))];
  const places = ordered(models, (model) => known.get(`0 ${model}`)?.rank ?? null, false);
  const most = Math.max(1, ...bias.cells.map(({ hallucinated, n }) => hallucinated / Math.max(1, n)));
  const rows = places.map((model) => ({
    name: bdi(board().models[model]),
    cells: bias.judges.map((judge, at) => {
      const cell = known.get(`${at} ${model}`);
      if (!cell) return { content: [h("span", { class: "quiet" }, "–")], depth: null };
      const { hallucinated, n, rank, own } = cell;
      const href = address({ view: "examples", judge, level: board().levels[bias.level].name, model: board().models[model], class: "hallucinated", among: "all" });
      return {
        content: [hallucinated ? h("a", { class: "number", href }, grouped.format(hallucinated)) : "0", h("span", { class: "share-of" }, `of ${grouped.format(n)}, rank ${rank}`),
          own ? h("span", { class: "own" }, "own LLM") : null],
        depth: hallucinated / Math.max(1, n) / most,
        mark: own ? "is-own" : "",
      };
    }),
  }));
  const owns = bias.cells.some(({ own }) => own);
  return figure("The same responses by every judge", `${counted(bias.responses, "response")} that all of them judged; hallucinated, and the rank that follows`,
    wide("The same responses by every judge", heat("LLM", bias.judges.map(bdi), rows)),
    owns && h("p", { class: "small" }, "A frame marks what a judge says of responses that its own LLM wrote."));
}

/** How alike judges rank. @param {number} level */
function correlationTable(level) {
  const found = board().correlations.filter((each) => each.level === level);
  if (!found.length) return null;
  const names = board().judges.map(({ name }) => name);
  const used = names.map((_, at) => at).filter((at) => found.some((each) => each.first === at || each.second === at));
  const rows = used.map((row) => ({
    name: bdi(names[row]),
    cells: used.map((column) => {
      if (row === column) return { content: [h("span", { class: "quiet" }, "·")], depth: null };
      const pair = found.find((each) => (each.first === row && each.second === column) || (each.first === column && each.second === row));
      const value = pair && (row < column ? pair.kendall : pair.spearman);
      if (!value || value.value === null) return { content: [h("span", { class: "quiet" }, value ? `undefined, n=${value.n}` : "–")], depth: null };
      const reach = value.low === null || value.high === null ? "" : `${value.low.toFixed(2)}${value.low < 0 ? " to " : "–"}${value.high.toFixed(2)}`;
      return { content: [h("b", {}, value.value.toFixed(2)), h("span", { class: "share-of" }, `${reach}`), h("span", { class: "share-of" }, `n=${value.n}`)], depth: Math.max(0, value.value) };
    }),
  }));
  return figure("How alike judges rank the LLMs", "above the diagonal Kendall’s tau, below it Spearman’s rho, with 95 % intervals, which are symmetric and rough: noise makes rankings less alike than the true rates would; n LLMs", wide("How alike judges rank the LLMs", heat("Judge", used.map((at) => bdi(names[at])), rows)));
}

/** The judges measured against people. @param {Detectors} report @param {State} state */
function detectorTable(report, state) {
  const [by, order] = (state.sort ?? "").split(".");
  const column = report.columns.find(({ name }) => name === by);
  const rows = column ? ordered(report.evaluations, (row) => sortKey(column, row), order === "down") : report.evaluations;
  return scrolled(`Judges measured on ${report.unit}s`, h("table", { class: "board measures" },
    h("thead", {}, h("tr", {}, ...report.columns.map(({ name, title }) => sorter(name, title, state)))),
    h("tbody", {}, ...rows.map((row) => h("tr", {}, ...report.columns.map((each) => (each.format === "judge" ? judgeCell(row[each.name], report.best) : CELLS[each.format](row[each.name]))))))));
}

/** @param {string} name @param {string[]} best */
const judgeCell = (name, best) =>
  h("th", { scope: "row" }, bdi(name), best.includes(name) && h("span", { class: "mark-alike", title: "the best balanced accuracy, or not distinguishable from it" }, " ★"));

/** Where judges go wrong. @param {Detectors} report */
function errorTable(report) {
  if (!report.errors.length) return null;
  const used = [...new Set(report.errors.flatMap(({ labels }) => labels.map(({ badge }) => badge)))];
  const rows = report.errors.map(({ name, labels }) => {
    const all = labels.reduce((sum, { wrong }) => sum + wrong, 0);
    return {
      name: bdi(name),
      cells: used.map((badge) => {
        const found = labels.find((each) => each.badge === badge);
        if (!found) return { content: [h("span", { class: "quiet" }, "–")], depth: null };
        const { judged, wrong } = found;
        return { content: [h("b", {}, grouped.format(wrong)), h("span", { class: "share-of" }, all ? `${percent(wrong / all, 0)} of its errors` : "no error"), h("span", { class: "share-of" }, `${percent(judged ? wrong / judged : 0, 0)} of ${grouped.format(judged)}`)], depth: all ? wrong / all : 0 };
      }),
    };
  });
  return figure("Where judges go wrong", "errors by the label that people gave: a share of all its errors, and of all that have the label", wide("Where judges go wrong", heat("Judge", used.map((badge) => chip(board().badges[badge])), rows)));
}

const KNOWN_BY = { "": "", model: "", version: " (another version)" };

/** The ranked LLMs that a judge asks itself, or else what it asks. @param {Judge} judge @returns {Child[]} */
const ownOf = ({ model, own, own_by }) => (own.length ? [bdi(own.join(", ")), KNOWN_BY[own_by]] : [model ? bdi(model) : "–"]);

/** Lets the browser answer whatever came meanwhile. */
function breathe() {
  return new Promise((done) => setTimeout(done));
}

/** Makes one part after the other, so that the page answers in between. @param {State} state @param {HTMLElement} place */
async function showJudges(state, place) {
  const level = levelOf(state);
  const head = heading("Judges", h("span", { class: "quiet" }, `level ${board().levels[level].title}${board().gold && `; ${board().gold}`}`));
  const wanted = (showing = address(state));
  const list = scrolled("Judges", h("table", { class: "board listed" },
    h("thead", {}, h("tr", {}, ...["Judge", "Kind", "Labels", "Its LLM", "Opened as"].map((each) => h("th", { scope: "col" }, each)))),
    h("tbody", {}, ...board().judges.map((each) => h("tr", {}, h("th", { scope: "row" }, bdi(each.name)), named("Kind", { person: "people", detector: "detector", vote: "vote of the others" }[each.kind]),
      named("Labels", each.taxonomies.join(", ") || "–", each.scored && ` (scores, faithful from ${board().faithful_from})`), named("Its LLM", ...ownOf(each)), named("Opened as", h("code", {}, each.reference)))))));
  if (!place.firstElementChild) place.replaceChildren(head, list);
  const makers = [
    ...board().bias.filter((each) => each.level === level).map((each) => () => [biasTable(each)]),
    () => [correlationTable(level)],
    ...board().detectors.flatMap((report) => [
      () => [h("h3", { class: "part" }, `Measured against people, on ${report.unit}s`), h("p", { class: "small" }, `${report.reading}. ${report.level ? `Measured at level ${report.level}` : "Measured by this reading"}, whichever level is chosen above. ★ the best balanced accuracy, and those not distinguishable from it.`), detectorTable(report, state)],
      () => [errorTable(report)]]),
  ];
  const parts = [];
  for (const make of makers) {
    await breathe();
    if (showing !== wanted) return;
    parts.push(...make().filter((each) => each instanceof Node));
  }
  place.replaceChildren(head, list, ...parts);
}
