// The settings of a project: what an import brought in, and what it could not read.
import { showField, tell } from "/static/base.js";

/** @param {number} count @param {string} noun */
const countOf = (count, noun) => `${count} ${noun}${count === 1 ? "" : "s"}`;

const form = /** @type {HTMLFormElement} */ (document.getElementById("import-form"));
form.addEventListener("answered", (event) => {
  const { added, judgements, known, refused, problems } = /** @type {CustomEvent} */ (event).detail;
  const more = [known && `${countOf(known, "row")} known before.`, refused && `${countOf(refused, "row")} could not be used:`];
  const brought = judgements && !added ? countOf(judgements, "judgement") : countOf(added, "item");
  tell(form, [`Imported ${brought}.`, ...more].filter(Boolean).join(" "), refused ? "bad" : "good");
  const place = /** @type {HTMLElement} */ (form.querySelector("[data-problems]"));
  const list = document.createElement("ul");
  for (const { where, message, field } of problems) {
    const line = document.createElement("li");
    line.textContent = `${where}: ${message}`;
    list.append(line);
    showField(form, field);
  }
  place.replaceChildren(list);
  form.append(place);  // below what was told of it
});
