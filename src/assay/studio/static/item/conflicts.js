// The dialog for a unit that was changed here and elsewhere: both versions, and a choice.

/** @import { Unit } from "./types.js" */
/** @import { Conflict } from "./rebasing.js" */
/** @import { Menu } from "./menus.js" */
import { h, shorten } from "./dom.js";
import { evidenceOf, externalOf, labelsOf, saysNothingFound } from "./units.js";

/** Nothing is closed without a choice for every unit.
 * @param {Conflict[]} conflicts
 * @param {(unit: Unit) => Menu | null} menuFor
 * @returns {Promise<Map<string, "mine" | "theirs">>}
 */
export function askAbout(conflicts, menuFor) {
  return new Promise((resolve) => {
    /** @type {Map<string, "mine" | "theirs">} */
    const choices = new Map();
    const done = h("button", { type: "submit", class: "button primary", disabled: true }, "Keep what I chose");
    const choose = (/** @type {string} */ id, /** @type {"mine" | "theirs"} */ which) => {
      choices.set(id, which);
      done.disabled = choices.size < conflicts.length;
    };
    const dialog = h("dialog", { class: "conflict", "aria-labelledby": "conflict-title", oncancel: (/** @type {Event} */ event) => event.preventDefault() },
      h("h2", { id: "conflict-title" }, "Changed here and elsewhere"),
      h("p", { class: "lead" }, "These were also changed in another tab or on another machine. Choose which version stays; nothing has been overwritten."),
      h("form", { onsubmit: (/** @type {Event} */ event) => { event.preventDefault(); dialog.close(); dialog.remove(); resolve(choices); } },
        conflicts.map((conflict) => drawConflict(conflict, menuFor, choose)), h("p", { class: "actions" }, done)));
    document.body.append(dialog);
    dialog.showModal();
  });
}

/**
 * @param {Conflict} conflict
 * @param {(unit: Unit) => Menu | null} menuFor
 * @param {(id: string, which: "mine" | "theirs") => void} choose
 */
function drawConflict({ id, mine, theirs }, menuFor, choose) {
  const text = (mine ?? theirs)?.text ?? id;
  const option = (/** @type {"mine" | "theirs"} */ which, /** @type {string} */ title, /** @type {Unit | null} */ unit) =>
    h("label", { class: "version panel" }, h("span", { class: "choice" }, h("input", { type: "radio", name: `conflict-${id}`, value: which, onchange: () => choose(id, which) }), " ", h("b", {}, title)), drawVersion(unit, menuFor));
  return h("fieldset", { class: "both" }, h("legend", {}, h("q", { dir: "auto" }, shorten(text, 160))),
    h("div", { class: "versions" }, option("mine", "Here", mine), option("theirs", "Elsewhere", theirs)));
}

/** @param {Unit | null} unit @param {(unit: Unit) => Menu | null} menuFor */
function drawVersion(unit, menuFor) {
  if (!unit) return h("p", { class: "quiet" }, "Removed.");
  const menu = menuFor(unit);
  const labels = labelsOf(unit);
  const evidence = evidenceOf(unit);
  return h("div", { class: "said" },
    h("p", {}, labels.length ? labels.map((name) => menu?.chip(name) ?? name) : menu?.chip("") ?? null),
    unit.verdict?.note ? h("p", { class: "text", dir: "auto" }, unit.verdict.note) : h("p", { class: "quiet" }, "No reason given."),
    evidence.length > 0 && h("ul", {}, evidence.map((span) => h("li", {}, h("q", { dir: "auto" }, shorten(span.text, 120))))),
    externalOf(unit).map((each) => h("p", { class: "quiet" }, each.title || each.address)),
    saysNothingFound(unit) && h("p", { class: "quiet" }, "The source has nothing on it."),
    h("p", { class: "quiet" }, "Text: ", h("q", { dir: "auto" }, shorten(unit.text, 120))));
}
