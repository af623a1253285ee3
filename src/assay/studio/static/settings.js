// The settings of a project: what an import brought in, and what it could not read.
import { tell } from "/static/base.js";

const form = /** @type {HTMLFormElement} */ (document.getElementById("import-form"));
form.addEventListener("answered", (event) => {
  const { added, known, judgements, refused, problems } = /** @type {CustomEvent} */ (event).detail;
  const rows = refused === 1 ? "1 row" : `${refused} rows`;
  const before = known ? `, ${known} were there before` : "";
  const told = `Imported ${added} items with ${judgements} judgements${before}.`;
  tell(form, told + (refused ? ` ${rows} could not be used:` : ""), refused ? "bad" : "good");
  const place = /** @type {HTMLElement} */ (form.querySelector("[data-problems]"));
  const list = document.createElement("ul");
  for (const { where, message } of problems) {
    const line = document.createElement("li");
    line.textContent = `${where}: ${message}`;
    list.append(line);
  }
  place.replaceChildren(list);
});
