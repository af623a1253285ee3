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
    if (typeof value === "function") Object.assign(element, { [name]: value }); // a property, so that `fill` can hand it on
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

/** @type {("onclick" | "onchange" | "oninput" | "onblur" | "ontoggle" | "onmousedown")[]} */
const HANDLERS = ["onclick", "onchange", "oninput", "onblur", "ontoggle", "onmousedown"];

/** New contents for an element, put into the nodes that are there already wherever these can show them.
 *
 * A control that is being clicked or typed into is changed and never replaced, so that nothing is
 * lost when something is saved meanwhile. What has the focus keeps it, by its `data-key`.
 * @param {HTMLElement} element
 * @param {...(Child | Child[])} children
 */
export function fill(element, ...children) {
  const active = document.activeElement;
  const key = active && element.contains(active) ? /** @type {HTMLElement} */ (active).dataset.key : undefined;
  become(element, shown(children).map((child) => (typeof child === "string" ? document.createTextNode(child) : child)));
  if (!key || active?.isConnected) return;
  /** @type {HTMLElement | null} */ (element.querySelector(`[data-key="${CSS.escape(key)}"]`))?.focus({ preventScroll: true });
}

/** @param {Element} element @param {Node[]} wanted */
function become(element, wanted) {
  const there = [...element.childNodes];
  wanted.forEach((node, k) => {
    const old = there[k];
    if (!old) element.append(node);
    else if (!canShow(old, node)) old.replaceWith(node);
    else if (old instanceof Element) take(/** @type {HTMLElement} */ (old), /** @type {HTMLElement} */ (node));
    else if (old.nodeValue !== node.nodeValue) old.nodeValue = node.nodeValue;
  });
  for (const old of there.slice(wanted.length)) old.remove();
}

/** @param {Node} old @param {Node} node */
const canShow = (old, node) => old.nodeName === node.nodeName
  && (!(old instanceof HTMLElement && node instanceof HTMLElement) || old.dataset.key === node.dataset.key);

/** Makes an element look and act like another. @param {HTMLElement} old @param {HTMLElement} node */
function take(old, node) {
  for (const { name } of [...old.attributes]) if (!node.hasAttribute(name)) old.removeAttribute(name);
  for (const { name, value } of node.attributes) if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  for (const name of HANDLERS) old[name] = /** @type {any} */ (node[name]);
  if (old instanceof HTMLInputElement && node instanceof HTMLInputElement) old.checked = node.checked;
  become(old, [...node.childNodes]);
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

/** @param {string} text */
export const capital = (text) => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;

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
