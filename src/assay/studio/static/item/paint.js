// Spans painted by the CSS Custom Highlight API: no element is added to the texts.

/** @import { Pane } from "./pane.js" */
/** @import { Menu } from "./menus.js" */
import { h } from "./dom.js";
import { toneOf } from "./menus.js";

export const DEEPEST = 3; // lines below one another; deeper ones share the last

/** What lies above what; a line is always seen, whatever ground is painted. */
const LAYERS = ["faint", "related", "detector", "evidence", "current", "picked", "label"];

/** @param {string} name */
const layerOf = (name) => Math.max(LAYERS.findIndex((layer) => name.startsWith(layer)), 0);

/** Paints places of a pane under a name that the style sheet knows.
 * @param {string} name
 * @param {Pane} pane
 * @param {{start: number, end: number}[]} places
 */
export function paint(name, pane, places) {
  const ranges = places.filter(({ start, end }) => end > start).map(({ start, end }) => pane.shown.staticRange(start, end));
  if (!ranges.length) {
    CSS.highlights.delete(name);
    return;
  }
  const highlight = new Highlight(...ranges);
  highlight.priority = layerOf(name);
  CSS.highlights.set(name, highlight);
}

/** The name under which a label is painted, at a depth of nesting.
 * @param {string} label @param {number} depth
 */
export const labelPaint = (label, depth = 0) => `label-${label.replace(/\./g, "-") || "none"}-${Math.min(depth, DEEPEST)}`;

/** Writes the lines of all labels into a style sheet, from the tones that the style sheets give them.
 * @param {Menu[]} menus
 */
export function styleLabels(menus) {
  const sheet = new CSSStyleSheet();
  document.adoptedStyleSheets.push(sheet);
  const write = () => {
    const probe = document.body.appendChild(h("span", { hidden: true }));
    const rules = menus.flatMap((menu) => menu.labels).flatMap(({ name }) => {
      probe.className = toneOf(name);
      const style = getComputedStyle(probe);
      const [line, weight, ink] = ["--under", "--weight", "--tone-ink"].map((each) => style.getPropertyValue(each).trim());
      const shownLine = line === "none" || !line ? "dotted" : line;
      const thickness = Number.parseFloat(weight) ? weight : "1px";
      return [...Array(DEEPEST + 1).keys()].map((depth) =>
        `::highlight(${labelPaint(name, depth)}) { text-decoration: underline ${shownLine} ${thickness} ${ink}; text-underline-offset: ${3 + 5 * depth}px; }`);
    });
    probe.remove();
    sheet.replaceSync(rules.join("\n"));
  };
  write();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", write);
}
