// Whether everything is saved, and what else the person should know.

/** @import { Status } from "./saving.js" */
import { button, byId, capital, countOf, fill, h } from "./dom.js";

/** @param {Status} status @param {number} waiting @param {boolean} isKept whether the browser keeps what waits */
export function showStatus(status, waiting, isKept) {
  const place = byId("saved");
  const kept = isKept ? "kept here" : "not kept: leave this tab open";
  const words = {
    saved: "Saved",
    saving: "Saving …",
    offline: `Offline: ${countOf(waiting, "change")} ${kept}`,
    "signed-out": `Signed out: ${countOf(waiting, "change")} ${kept}`,
    conflict: "Changed elsewhere",
  }[status];
  if (place.dataset.status !== status || place.textContent !== words) {
    place.dataset.status = status;
    place.textContent = words;
  }
  byId("signed-out").hidden = status !== "signed-out";
}

/** A notice at the foot of the page, until somebody closes it.
 * @param {string} message @param {"care" | "bad" | "good"} tone
 */
export function tell(message, tone) {
  const notice = h("p", { class: `notice ${tone}` }, h("span", {}, capital(message)), button("✕", () => notice.remove(), { class: "plain", "aria-label": "Close" }));
  byId("notices").append(notice);
  if (tone !== "bad") setTimeout(() => notice.remove(), 8_000);
}

/** The page cannot be shown at all. @param {string} message */
export function showFailure(message) {
  fill(byId("item"), h("p", { class: "notice bad", role: "alert" }, message));
}
