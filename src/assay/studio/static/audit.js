// The audit of labels: a decision, and where the label is wrong, the right one with its evidence.
import { get, send } from "/static/api.js";
import { tell } from "/static/base.js";

/** Where a quotation stands in the source, in code points.
 * @param {string} path
 * @param {string} quote
 */
async function evidenceOf(path, quote) {
  const { example } = await get(path);
  const place = example.source.text.indexOf(quote);
  if (place < 0) throw new Error("The source does not say this word for word.");
  const start = [...example.source.text.slice(0, place)].length;
  return { start, end: start + [...quote].length, text: quote };
}

/** @param {HTMLFormElement} form */
async function decide(form) {
  const fields = new FormData(form);
  const decision = String(fields.get("decision"));
  /** @type {Record<string, unknown>} */
  const body = { decision, note: fields.get("note") };
  if (decision === "incorrect") {
    const quote = String(fields.get("evidence") ?? "");
    const address = String(fields.get("address") ?? "");
    body.revision = {
      label: fields.get("label"),
      evidence: quote ? [await evidenceOf(String(form.dataset.source), quote)] : [],
      external: address ? [{ address }] : [],
      nothing_found: fields.get("nothing_found") === "on",
      error: fields.get("error"),
    };
  }
  await send("POST", String(form.dataset.path), body);
}

/** Shows the source when it is asked for, and takes words from it as evidence.
 * @param {HTMLFormElement} form
 */
function offerSource(form) {
  const place = /** @type {HTMLDetailsElement} */ (form.querySelector("details.source"));
  const text = /** @type {HTMLElement} */ (place.querySelector(".text"));
  place.addEventListener("toggle", async () => {
    if (!place.open || text.textContent) return;
    const { example } = await get(String(form.dataset.source));
    text.textContent = example.source.text;
  });
  place.querySelector("[data-take]")?.addEventListener("click", () => {
    const selected = getSelection();
    if (!selected || !text.contains(selected.anchorNode) || !String(selected).trim()) return;
    const field = /** @type {HTMLInputElement} */ (form.elements.namedItem("evidence"));
    field.value = String(selected).trim();
  });
}

for (const form of /** @type {NodeListOf<HTMLFormElement>} */ (document.querySelectorAll("form.decision"))) {
  offerSource(form);
  form.addEventListener("change", () => {
    const revision = /** @type {HTMLElement} */ (form.querySelector(".revision"));
    revision.hidden = new FormData(form).get("decision") !== "incorrect";
  });
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    try {
      await decide(form);
      location.reload();
    } catch (error) {
      tell(form, /** @type {Error} */ (error).message, "bad");
    }
  });
}
