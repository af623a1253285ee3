// The page of a project: the next item opens where there is one.
import { tell } from "/static/base.js";

const form = /** @type {HTMLFormElement} */ (document.getElementById("next"));
form?.addEventListener("answered", (event) => {
  const { position, reason, code } = /** @type {CustomEvent} */ (event).detail;
  if (position) location.assign(`${location.pathname}/items/${position}`);
  else if (code === "quiz") location.assign(`${location.pathname}/training`);
  else tell(form, reason || "There is nothing to do for you at the moment.", "good");
});
