// What every page does: sign out, and forms that speak to the API.
import { send } from "/static/api.js";

/** Says what went wrong beside a form, or that it went well.
 * @param {HTMLElement} form
 * @param {string} message
 * @param {"good" | "bad"} tone
 */
export function tell(form, message, tone) {
  let place = /** @type {HTMLElement | null} */ (form.querySelector("[data-told]"));
  if (!place) {
    place = document.createElement("p");
    place.dataset.told = "";
    place.setAttribute("role", "status");
    form.append(place);
  }
  place.className = `notice ${tone}`;
  place.textContent = message;
}

/** Opens what holds a field that is to blame, by its name in the answer. @param {HTMLFormElement} form @param {string} name */
export function showField(form, name) {
  const place = name && form.querySelector(`details[data-fields~="${CSS.escape(name)}"]`);
  if (place instanceof HTMLDetailsElement) place.open = true;
}

/** The fields of a form as a JSON value: numbers and checkboxes as such, lists for repeated names.
 * @param {HTMLFormElement} form
 * @returns {Record<string, unknown>}
 */
export function valueOf(form) {
  /** @type {Record<string, unknown>} */
  const value = {};
  for (const field of form.elements) {
    const input = /** @type {HTMLInputElement} */ (field);
    if (!input.name || input.disabled) continue;
    if (input.dataset.list !== undefined) {
      const list = /** @type {string[]} */ (value[input.name] ??= []);
      if (input.checked) list.push(input.value);
    } else if (input.type === "checkbox") value[input.name] = input.checked;
    else if (input.type === "radio") { if (input.checked) value[input.name] = input.value; }
    else if (input.type === "number") { if (input.value !== "") value[input.name] = input.valueAsNumber; }
    else if (!(input.dataset.optional !== undefined && input.value === "")) value[input.name] = input.value;
  }
  return value;
}

/** Sends a form as JSON, or as it is where it has a file, and goes on as the form says.
 *
 * `data-api` is the method and the path; afterwards the page goes to `data-then`, in which
 * `{name}` stands for a field of the answer, or says `data-done`.
 * @param {HTMLFormElement} form
 */
async function submit(form) {
  const [method, path] = String(form.dataset.api).split(" ");
  const buttons = [...form.querySelectorAll("button")];
  for (const button of buttons) button.disabled = true;
  try {
    const body = form.querySelector("input[type=file]") ? new FormData(form) : valueOf(form);
    const answer = /** @type {Record<string, unknown>} */ (await send(method, path, body)) ?? {};
    form.dispatchEvent(new CustomEvent("answered", { detail: answer, bubbles: true }));
    const then = form.dataset.then;
    if (then === "reload") location.reload();
    else if (then) location.assign(then.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(String(answer[name]))));
    else if (form.dataset.done) tell(form, form.dataset.done, "good");
  } catch (error) {
    const { message, field = "" } = /** @type {Error & {field?: string}} */ (error);
    tell(form, message, "bad");
    showField(form, field);
  } finally {
    for (const button of buttons) button.disabled = false;
  }
}

document.addEventListener("submit", (event) => {
  const form = /** @type {HTMLFormElement} */ (event.target);
  if (form.dataset.api === undefined) return;
  event.preventDefault();
  const question = form.dataset.confirm;
  if (question && !confirm(question)) return;
  void submit(form);
});

document.addEventListener("click", async (event) => {
  const button = /** @type {HTMLElement} */ (event.target).closest("[data-sign-out]");
  if (!button) return;
  await send("DELETE", "/api/session");
  location.assign("/login");
});
