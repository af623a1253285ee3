// Making elements: texts are only ever text, and handlers are functions, as the page's policy wants.

/** @typedef {Node | string | number | null | undefined | false} Child */

/** An element; `on...` attributes are handlers, false and null leave an attribute out.
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag
 * @param {Record<string, unknown>} [attributes]
 * @param {...(Child | Child[])} children
 * @returns {HTMLElementTagNameMap[T]}
 */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name.slice(2), /** @type {EventListener} */ (value));
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, String(value));
  }
  element.append(...shown(children));
  return element;
}

/** @param {(Child | Child[])[]} children @returns {(Node | string)[]} */
const shown = (children) =>
  children.flat().flatMap((child) =>
    child === null || child === undefined || child === false ? [] : [child instanceof Node ? child : String(child)]);

/** The element of that id, which the template promises.
 * @param {string} id
 */
export function byId(id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no #${id}`);
  return found;
}

/** New contents for an element. Whatever has the focus keeps it, by its `data-key`.
 * @param {HTMLElement} element
 * @param {...(Child | Child[])} children
 */
export function fill(element, ...children) {
  const active = document.activeElement;
  const key = active && element.contains(active) ? /** @type {HTMLElement} */ (active).dataset.key : undefined;
  element.replaceChildren(...shown(children));
  if (key) /** @type {HTMLElement | null} */ (element.querySelector(`[data-key="${CSS.escape(key)}"]`))?.focus({ preventScroll: true });
}

/** A button with its key beside it.
 * @param {string} name
 * @param {(event: Event) => void} onclick
 * @param {Record<string, unknown> & {hint?: string}} [attributes]
 */
export function button(name, onclick, { hint, ...attributes } = {}) {
  return h("button", { type: "button", class: "button small", onclick, ...attributes }, name, hint && h("kbd", { "aria-hidden": "true" }, hint));
}

/** Something for screen readers, spoken when they are free.
 * @param {string} message
 */
export function say(message) {
  byId("said").textContent = message;
}

/** Whether keys pressed there are text.
 * @param {EventTarget | null} target
 */
export function isTyping(target) {
  return target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement
    || (target instanceof HTMLInputElement && !["checkbox", "radio", "button"].includes(target.type));
}

/** @param {number} count @param {string} noun */
export const countOf = (count, noun) => `${count} ${noun}${count === 1 ? "" : "s"}`;

/** At most so many characters, cut at a word.
 * @param {string} text @param {number} most
 */
export function shorten(text, most) {
  if (text.length <= most) return text;
  const cut = text.lastIndexOf(" ", most);
  return `${text.slice(0, cut > most / 2 ? cut : most)}…`;
}
