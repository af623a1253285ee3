// The queue of adjudication: any item can be opened by its number.
import { send } from "/static/api.js";
import { tell } from "/static/base.js";

const form = /** @type {HTMLFormElement} */ (document.getElementById("any-item"));
form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const position = /** @type {HTMLInputElement} */ (form.elements.namedItem("position")).value;
  const project = location.pathname.replace(/\/adjudication$/, "");
  try {
    await send("POST", `/api${project}/adjudication/${position}`, {});
    location.assign(`${project}/items/${position}`);
  } catch (error) {
    tell(form, /** @type {Error} */ (error).message, "bad");
  }
});
