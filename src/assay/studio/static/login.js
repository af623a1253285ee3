// The page to sign in at: by name and password, or by the key that the studio printed.
import { send } from "/static/api.js";

const form = /** @type {HTMLFormElement} */ (document.querySelector("#login"));
const told = /** @type {HTMLElement} */ (document.querySelector("#keyed"));

/** Where to go once signed in: a place of this studio, never another site.
 * @returns {string}
 */
function destination() {
  const wanted = new URLSearchParams(location.search).get("next") ?? "/";
  const place = new URL(wanted, location.origin);
  return place.origin === location.origin && !place.pathname.startsWith("//") ? place.pathname : "/";
}

/** Signs in with the key in the address, which is taken out of it first. */
async function useKey() {
  const key = new URLSearchParams(location.hash.slice(1)).get("key");
  if (!key) return;
  history.replaceState(null, "", "/login");
  form.hidden = true;
  told.hidden = false;
  try {
    await send("POST", "/api/session/key", { key });
    location.replace("/");
  } catch (error) {
    told.className = "notice bad";
    told.textContent = /** @type {Error} */ (error).message;
    form.hidden = false;
  }
}

form.dataset.then = destination();
void useKey();
