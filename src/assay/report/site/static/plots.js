// @ts-check
// Drawings. Their numbers stand beside them as text, so no colour or shape is the only sign.
"use strict";

/** All responses of an LLM in one bar, a part for each label.
 * @param {{badge: Badge, count: number}[]} parts */
function stack(parts) {
  const total = parts.reduce((sum, { count }) => sum + count, 0);
  let start = 0;
  return s("svg", { class: "stack", "aria-hidden": "true" }, ...parts.map(({ badge, count }) => {
    const [x, width] = [(100 * start) / total, (100 * count) / total];
    start += count;
    return s("g", { class: `tone-${badge.tone}` },
      s("title", {}, `${badge.name} ${grouped.format(count)} (${percent(count / total)})`),
      s("rect", { x: `${x.toFixed(3)}%`, width: `${width.toFixed(3)}%`, height: "100%" }),
      width > 6 && s("text", { x: `${(x + width / 2).toFixed(2)}%`, y: "50%" }, signOf(badge)));
  }));
}

/** A line for each LLM: its interval on a common scale. @param {Ranking} ranking */
function forest(ranking) {
  const end = endOf(ranking.standings.map(({ rate }) => rate));
  const rows = ranking.standings.map(({ model, rate, hallucinated, judged }) => {
    const name = board().models[model];
    const value = rate.value === null ? h("span", { class: "quiet" }, "undefined") : h("b", {}, percent(rate.value));
    const count = h("a", { class: "number", href: elsewhere({ view: "examples", model: name, class: "hallucinated" }) }, `${grouped.format(hallucinated)} / ${grouped.format(judged)}`);
    return h("tr", {}, h("th", { scope: "row" }, bdi(name)), h("td", { class: "drawn" }, whisker(rate, end)), h("td", {}, value),
      h("td", { class: "quiet" }, interval(rate)), h("td", {}, judged ? count : "0 / 0"));
  });
  const ticks = [0, 0.25, 0.5, 0.75, 1].map((share) => h("span", {}, percent(share * end, end < 0.1 ? 1 : 0)));
  return h("table", { class: "forest" },
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "LLM"), h("th", { scope: "col", "aria-label": "Interval" }, h("span", { class: "ends", "aria-hidden": "true" }, ...ticks)),
      h("th", { scope: "col" }, "Rate"), h("th", { scope: "col" }, "95 %"), h("th", { scope: "col" }, "Count"))),
    h("tbody", {}, ...rows));
}

const [LEFT, RIGHT, TOP, BOTTOM] = [44, 410, 14, 190];

/** Rates by length: a line with intervals for each series, over equal steps.
 * @param {string} title @param {string[]} steps @param {{name: string, rates: Estimate[], tone: string}[]} series */
function lines(title, steps, series) {
  const end = endOf(series.flatMap(({ rates }) => rates));
  /** @param {number} at */
  const across = (at) => LEFT + ((at + 0.5) * (RIGHT - LEFT)) / steps.length;
  /** @param {number} share */
  const up = (share) => BOTTOM - (Math.min(share, end) / end) * (BOTTOM - TOP);
  const grid = [0, 0.5, 1].map((share) => [
    s("line", { class: "grid", x1: LEFT, x2: RIGHT, y1: up(share * end), y2: up(share * end) }),
    s("text", { x: LEFT - 6, y: up(share * end) + 4, "text-anchor": "end" }, percent(share * end, end < 0.1 ? 1 : 0)),
  ]).flat();
  const names = steps.map((step, at) => s("text", { x: across(at), y: BOTTOM + 18, "text-anchor": "middle" }, step));
  const sizes = steps.map((_, at) => s("text", { x: across(at), y: BOTTOM + 33, "text-anchor": "middle" }, `n=${grouped.format(series[0].rates[at].n)}`));
  const drawn = series.map(({ rates, tone }, number) => {
    const shift = series.length > 1 ? 9 * number - 4.5 : 0;
    const known = rates.flatMap(({ value, low, high }, at) => (value === null ? [] : [{ x: across(at) + shift, value, low, high }]));
    return s("g", { class: `series ${tone}` },
      s("path", { class: "curve", d: known.map(({ x, value }, at) => `${at ? "L" : "M"}${x.toFixed(1)} ${up(value).toFixed(1)}`).join("") }),
      ...known.map(({ x, low, high }) => low !== null && high !== null && s("line", { class: "reach", x1: x, x2: x, y1: up(low), y2: up(high) })),
      ...known.map(({ x, value }) => s("circle", { cx: x, cy: up(value), r: 4 })));
  });
  return s("svg", { class: "plot", viewBox: "0 0 420 230", role: "img", "aria-label": title }, ...grid, ...names, ...sizes, ...drawn);
}

/** A table whose cells have a ground of some depth: a share between 0 and 1.
 * @param {string} corner @param {Child[]} columns @param {{name: Child, cells: {content: Child[], depth: number | null, mark?: string}[]}[]} rows */
function heat(corner, columns, rows) {
  return h("table", { class: "heat" },
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, corner), ...columns.map((each) => h("th", { scope: "col" }, each)))),
    h("tbody", {}, ...rows.map(({ name, cells }) => h("tr", {}, h("th", { scope: "row" }, name), ...cells.map(({ content, depth, mark }) => {
      const cell = h("td", { class: `cell ${depth === null ? "none" : ""} ${mark ?? ""}` }, ...content);
      if (depth !== null) cell.style.setProperty("--depth", depth.toFixed(3));
      return cell;
    })))));
}

/** Numbers of a drawing, folded away. @param {string[]} heads @param {Child[][]} rows */
const numbers = (heads, rows) =>
  h("details", {}, h("summary", {}, "Numbers"), wide("Numbers", h("table", { class: "numbers" },
    h("thead", {}, h("tr", {}, ...heads.map((each) => h("th", { scope: "col" }, each)))),
    h("tbody", {}, ...rows.map(([first, ...others]) => h("tr", {}, h("th", { scope: "row" }, first), ...others.map((each) => h("td", {}, each))))))));
