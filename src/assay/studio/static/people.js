// Accounts and invitations.
import { send } from "/static/api.js";

const told = /** @type {HTMLElement} */ (document.querySelector("#told"));
const dialog = /** @type {HTMLDialogElement} */ (document.querySelector("#password-dialog"));

/** Changes an account; the page then shows what became of it, or says why nothing did.
 * @param {HTMLElement} row
 * @param {{role?: string, is_active?: boolean, password?: string}} change
 */
async function changePerson(row, change) {
  try {
    await send("PATCH", `/api/people/${encodeURIComponent(String(row.dataset.person))}`, change);
    location.reload();
  } catch (error) {
    told.hidden = false;
    told.className = "notice bad";
    told.textContent = /** @type {Error} */ (error).message;
    const role = /** @type {HTMLSelectElement} */ (row.querySelector("[data-role]"));
    for (const option of role.options) option.selected = option.defaultSelected;
  }
}

/** Asks for a new password of somebody.
 * @param {HTMLElement} row
 */
function askPassword(row) {
  const field = /** @type {HTMLInputElement} */ (dialog.querySelector("#password"));
  /** @type {HTMLElement} */ (dialog.querySelector("[data-name]")).textContent = String(row.dataset.person);
  field.value = "";
  dialog.returnValue = "";
  dialog.addEventListener("close", () => {
    if (dialog.returnValue === "set") void changePerson(row, { password: field.value });
  }, { once: true });
  dialog.showModal();
}

for (const row of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-person]"))) {
  row.addEventListener("change", (event) => {
    const role = /** @type {HTMLSelectElement} */ (event.target);
    void changePerson(row, { role: role.value });
  });
  row.addEventListener("click", (event) => {
    const button = /** @type {HTMLElement} */ (event.target).closest("button");
    if (button?.dataset.active) void changePerson(row, { is_active: button.dataset.active === "true" });
    else if (button) askPassword(row);
  });
}

document.querySelector("#invitation")?.addEventListener("answered", (event) => {
  const { token } = /** @type {CustomEvent<{token: string}>} */ (event).detail;
  const address = /** @type {HTMLInputElement} */ (document.querySelector("#address"));
  address.value = `${location.origin}/invitation/${encodeURIComponent(token)}`;
  const isHere = ["localhost", "127.0.0.1", "[::1]"].includes(location.hostname);
  /** @type {HTMLElement} */ (document.querySelector("#only-here")).hidden = !isHere;
  /** @type {HTMLElement} */ (document.querySelector("#link")).hidden = false;
  address.focus();
  address.select();
});

document.querySelector("[data-copy]")?.addEventListener("click", () => {
  const address = /** @type {HTMLInputElement} */ (document.querySelector("#address"));
  address.select();
  void navigator.clipboard?.writeText(address.value);
});
