// One table of all keys: what they do, and the cheat sheet that says so.

import { byId, fill, h, isTyping } from "./dom.js";

/**
 * @typedef {object} Shortcut
 * @property {string[]} keys as `nameOfKey` writes them
 * @property {string} does
 * @property {string} group
 * @property {(event: KeyboardEvent) => void} run
 * @property {boolean} [inText] also while somebody types
 * @property {"sentence" | "span"} [mode] only while these are judged
 * @property {boolean} [isLeftOut] whether the project has no use for it
 * @property {() => boolean} [when]
 */

/** `Ctrl+Shift+z`, `ArrowUp`, `?`: letters are small, and Shift counts only where it is no part of the sign.
 * @param {KeyboardEvent} event
 */
export function nameOfKey(event) {
  const isLetter = /^\p{L}$/u.test(event.key);
  const key = isLetter ? event.key.toLowerCase() : event.key;
  const shift = event.shiftKey && (isLetter || event.key.length > 1) ? "Shift+" : "";
  return `${event.ctrlKey || event.metaKey ? "Ctrl+" : ""}${event.altKey ? "Alt+" : ""}${shift}${key}`;
}

/** @param {Shortcut[]} shortcuts @param {() => string} mode @param {(event: KeyboardEvent) => boolean} moveCaret */
export function listen(shortcuts, mode, moveCaret) {
  document.addEventListener("keydown", (event) => {
    if (event.isComposing || document.querySelector("dialog[open]")) return;
    const typing = isTyping(event.target);
    if (!typing && moveCaret(event)) return event.preventDefault();
    const name = nameOfKey(event);
    const found = shortcuts.find((each) => each.keys.includes(name) && fits(each, mode()) && (!typing || each.inText) && (each.when?.() ?? true));
    if (!found) return;
    event.preventDefault();
    found.run(event);
  });
}

/** @param {Shortcut} shortcut @param {string} mode */
const fits = (shortcut, mode) => !shortcut.isLeftOut && (!shortcut.mode || shortcut.mode === mode);

/** @type {Record<string, string>} */
const SHOWN = { ArrowUp: "↑", ArrowDown: "↓", ArrowLeft: "←", ArrowRight: "→", Escape: "Esc", Delete: "Del", " ": "Space" };

/** @param {string} name */
const drawKeys = (name) => name.split(/(?<=.)\+(?=.)/).flatMap((key, k) => [k ? "+" : "", h("kbd", {}, SHOWN[key] ?? key)]);

/** Digits as a range. @param {string[]} keys */
const shortList = (keys) => (keys.length > 3 ? [`${keys[0]}–${keys[keys.length - 1]}`] : keys);

/** Writes the cheat sheet. @param {Shortcut[]} shortcuts @param {string} mode */
export function drawCheatSheet(shortcuts, mode) {
  const more = [
    { group: "Selecting text", keys: ["ArrowLeft", "ArrowRight"], does: "Move the caret by a letter; with Ctrl by a word" },
    { group: "Selecting text", keys: ["Shift+ArrowRight"], does: "Extend the selection; also by words, lines and paragraphs" },
    { group: "Selecting text", keys: ["Home", "End"], does: "To the ends of the line; with Ctrl of the text" },
  ];
  const all = [...shortcuts.filter((each) => fits(each, mode)), ...more];
  const groups = [...new Set(all.map(({ group }) => group))];
  fill(byId("keys-list"), groups.map((group) => h("section", {}, h("h3", {}, group),
    h("dl", {}, all.filter((each) => each.group === group).map(({ keys, does }) =>
      h("div", {}, h("dt", {}, shortList(keys).flatMap((key, k) => [k ? " " : "", ...drawKeys(key)])), h("dd", {}, does)))))));
}
