// @ts-check
// What the reader does: moving, choosing, looking for words; and the address that leads back to it.

let storing = 0;
let asked = 0;
/** @type {number} the row that the address names by its id; -1 for none */
let namedRow = -1;

/** Shows the response of a row. @param {number} row @param {number} [unit] the worst unless given */
async function show(row, unit) {
  const turn = ++asked;
  shownRow = row;
  reveal(row);
  draw();
  store();
  const { response: given, source } = await readResponse(row);
  if (turn !== asked) return; // something else was asked for meanwhile
  showResponse(row, given, source);
  if (unit !== undefined) choose(unit);
  store();
}

/** Keeps what is shown in the address; not at once, since browsers limit how often that may be. */
function store() {
  clearTimeout(storing);
  storing = setTimeout(() => {
    if ("answer" in document.body.dataset) return; // a reload would ask for the address, and lose the answer
    if (byId("missing")) return; // the address names what is not here, and its link must lead away from it
    const kept = Object.entries(wanted).filter(([name, value]) => value && value !== (name === "sort" ? "row" : ""));
    const address = new URLSearchParams(kept);
    const isNamed = shownRow >= 0 && shownRow === namedRow;
    if (isNamed) address.set("id", index[shownRow].id);
    else if (shownRow >= 0) address.set("row", String(shownRow + 1));
    if (chosen && !(isNamed && chosen === response?.worst)) address.set("unit", String(chosen));
    if (`#${address}` !== location.hash) history.replaceState(null, "", `#${address}`);
  }, 120);
}

/** Shows what the address asks for, or else the first response. */
function restore() {
  const address = new URLSearchParams(location.hash.slice(1));
  for (const name of /** @type {(keyof typeof wanted)[]} */ (Object.keys(wanted)))
    wanted[name] = address.get(name) ?? (name === "sort" ? "row" : "");
  showWanted();
  found = null;
  relist();
  const id = address.get("id");
  namedRow = id === null ? -1 : index.findIndex((each) => each.id === id);
  const row = id !== null ? namedRow : address.has("row") ? Number(address.get("row")) - 1 : listed[0];
  if (wanted.q) research(() => {});
  if (row === undefined) return;
  if (index[row]) show(row, Number(address.get("unit")) || undefined);
  else showMissing(id ?? `row ${address.get("row")}`);
}

/** Says that there is no response that the address asks for. @param {string} name */
function showMissing(name) {
  asked++;
  clearTimeout(storing);
  response = null;
  shownRow = -1;
  chosen = 0;
  draw();
  article.replaceChildren(h("p", { id: "missing", role: "status" }, "This page has no response ", h("b", {}, bdi(name)), ". ", h("a", { href: "#" }, "Show the first one")));
}

/** Shows the first response listed unless the one shown is listed. */
function settle() {
  if (listed.length && !listed.includes(shownRow)) show(listed[0]);
}

/** Shows the first response listed. */
function openFirst() {
  if (listed.length) show(listed[0]);
}

/** Takes over what the reader wants to see listed.
 * @param {Partial<typeof wanted>} change @param {() => void} [then] what is done when it is listed */
function want(change, then = settle) {
  const words = wanted.q;
  Object.assign(wanted, change);
  showWanted();
  if (wanted.q !== words) {
    research(then);
    highlight();
  } else relist();
  list.scrollTop = 0;
  draw();
  if (wanted.q === words) then();
  store();
}

/** Goes to the next unit of the response shown that will do. @param {1 | -1} step @param {(unit: UnitView) => unknown} willDo */
function nextUnit(step, willDo) {
  const numbers = all(".unit[role]").map((each) => Number(each.dataset.unit));
  let at = numbers.indexOf(chosen);
  if (at < 0 && step < 0) at = numbers.length;
  do at += step;
  while (numbers[at] && !willDo(/** @type {PageResponse} */ (response).units[numbers[at] - 1]));
  if (numbers[at]) focusUnit(numbers[at]);
  return numbers[at];
}

/** @param {number} number */
function focusUnit(number) {
  choose(number);
  byId(`u${number}`)?.focus({ preventScroll: true });
  byId(`u${number}`)?.scrollIntoView({ block: "nearest" });
  store();
}

/** Goes to the next unit that needs a look, here or in another response. @param {1 | -1} step */
async function nextFlagged(step) {
  /** @param {UnitView} unit */
  const isFlagged = (unit) => unit.flagged;
  if (response && nextUnit(step, isFlagged)) return;
  const row = rowFrom(step, (each) => index[each].flagged > 0);
  if (row === undefined) return;
  await show(row, 0);
  nextUnit(step, isFlagged);
}

/** @param {1 | -1} step */
function nextRow(step) {
  const row = rowFrom(step);
  if (row !== undefined) show(row);
}

/** The order after the one that is wanted. */
function nextOrder() {
  const orders = Object.keys(ORDERS);
  return orders[(orders.indexOf(wanted.sort) + 1) % orders.length];
}

/** @type {Record<string, () => unknown>} */
const KEYS = {
  j: () => nextRow(1),
  k: () => nextRow(-1),
  ArrowDown: () => nextRow(1),
  ArrowUp: () => nextRow(-1),
  ArrowRight: () => nextUnit(1, () => true),
  ArrowLeft: () => nextUnit(-1, () => true),
  n: () => nextFlagged(1),
  p: () => nextFlagged(-1),
  s: () => want({ sort: nextOrder() }),
  "/": () => byId("q").focus(),
  "?": () => /** @type {HTMLDialogElement} */ (byId("help")).showModal(),
  Escape: () => (choose(0), store()),
};

document.addEventListener("keydown", (event) => {
  const target = /** @type {HTMLElement} */ (event.target);
  if (event.ctrlKey || event.metaKey || event.altKey || target.closest("dialog")) return;
  if (target.closest("input[type=search], select")) {
    if (event.key === "Escape" && target.id === "q") list.focus();
    if (event.key === "Enter" && target.id === "q") {
      clearTimeout(typing);
      want({ q: /** @type {HTMLInputElement} */ (target).value }, openFirst);
    }
    return;
  }
  const isUnit = target.closest(".unit[role]");
  if (isUnit && (event.key === "Enter" || event.key === " ")) focusUnit(Number(target.dataset.unit));
  else if (!KEYS[event.key] || (event.key.startsWith("Arrow") && target.closest(".source .text"))) return;
  else KEYS[event.key]();
  event.preventDefault();
});

document.addEventListener("click", (event) => {
  const target = /** @type {Element} */ (event.target);
  const row = target.closest("[data-row]");
  if (row) show(Number(row.getAttribute("data-row")));
  const label = target.closest("button[data-label]")?.getAttribute("data-label");
  if (label) want({ label: wanted.label === label ? "" : label });
  const rank = target.closest("[data-rank]");
  if (rank) scrollToEvidence(Number(rank.getAttribute("data-rank")), true);
  const written = target.closest("[data-written]");
  if (written) written.setAttribute("aria-pressed", String(written.closest(".source")?.classList.toggle("as-written")));
  const unit = target.closest(".unit");
  if (unit && getSelection()?.isCollapsed) focusUnit(Number(unit.getAttribute("data-unit")));
  if (target.closest("[data-unchooses]")) KEYS.Escape();
  const opens = target.closest("[data-opens]")?.getAttribute("data-opens");
  if (opens) /** @type {HTMLDialogElement} */ (byId(opens)).showModal();
  if (target.matches("dialog, [data-closes]")) target.closest("dialog")?.close(); // or its backdrop
});

// The passage of the source under the pointer outlines the units that it is evidence for.
article.addEventListener("pointerover", (event) => {
  const numbers = /** @type {Element} */ (event.target).closest(".segment")?.getAttribute("data-for")?.split(" ") ?? [];
  for (const piece of all(".unit")) piece.classList.toggle("related", numbers.includes(piece.dataset.unit ?? ""));
});

let typing = 0;
byId("controls").addEventListener("input", (event) => {
  const control = /** @type {HTMLInputElement} */ (event.target);
  const value = control.type === "checkbox" ? (control.checked ? NEEDS_A_LOOK : "") : control.value;
  if (control.id !== "q") return want({ [control.id]: value });
  clearTimeout(typing);
  typing = setTimeout(() => want({ q: value }), 150);
});

let drawing = 0;
list.addEventListener("scroll", () => {
  cancelAnimationFrame(drawing);
  drawing = requestAnimationFrame(draw);
});
new ResizeObserver(draw).observe(list);
addEventListener("hashchange", restore);

// Paper shows what is said of every unit of the response.
addEventListener("beforeprint", () =>
  byId("panel")?.replaceChildren(...(response?.units ?? []).flatMap((unit, at) => details(at + 1, unit))));
addEventListener("afterprint", () => choose(chosen));

restore();
