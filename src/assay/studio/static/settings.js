// The settings of a project: what an import brought in, and what it could not read.
import { tell } from "/static/base.js";

const form = /** @type {HTMLFormElement} */ (document.getElementById("import-form"));
form.addEventListener("answered", (event) => {
  const { items, problems = [], unread = problems.length } = /** @type {CustomEvent} */ (event).detail;
  const rows = unread === 1 ? "1 row" : `${unread} rows`;
  tell(form, `Imported ${items} items.${unread ? ` ${rows} could not be used:` : ""}`, unread ? "bad" : "good");
  const place = /** @type {HTMLElement} */ (form.querySelector("[data-problems]"));
  const list = document.createElement("ul");
  for (const { where, message } of problems) {
    const line = document.createElement("li");
    line.textContent = `${where}: ${message}`;
    list.append(line);
  }
  place.replaceChildren(list);
});
