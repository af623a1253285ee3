// @ts-check
// Choosing a sentence lights its evidence and shows its details. Everything is in the page
// already; this only moves classes, attributes and the focus.

/** @typedef {HTMLElement} Unit a sentence, or another part of a response, that can be chosen */

const BAR_HEIGHT = 64;

const units = /** @type {Unit[]} */ ([...document.querySelectorAll(".unit[role]")]);
const flagged = units.filter((unit) => "flagged" in unit.dataset);
const order = new Map(units.map((unit, index) => [unit, index]));
const place = /** @type {HTMLOutputElement} */ (document.querySelector("#place"));
const next = /** @type {HTMLButtonElement} */ (document.querySelector("#next"));
const calm = matchMedia("(prefers-reduced-motion: reduce)");

/** @type {Unit | null} */
let current = null;
let pinned = false;
/** @type {Element[]} */
let related = [];

/** @param {Element} element */
const exampleOf = (element) => /** @type {HTMLElement} */ (element.closest(".example"));

/** @param {Unit} unit */
const detailOf = (unit) =>
  /** @type {HTMLElement} */ (document.getElementById(unit.id.replace("u", "d")));

/** All pieces of a unit, which may stand in several places.
 * @param {Unit} unit */
const piecesOf = (unit) => exampleOf(unit).querySelectorAll(`[data-unit="${unit.dataset.unit}"]`);

/** The segments of the source that are evidence for a unit, in order.
 * @param {Unit} unit */
const evidenceOf = (unit) => [
  ...exampleOf(unit).querySelectorAll(`.segment[data-for~="${unit.dataset.unit}"]`),
];

/** The unit that an element of the response belongs to.
 * @param {EventTarget | null} target
 * @returns {Unit | null} */
function unitAt(target) {
  const piece = target instanceof Element ? target.closest(".unit") : null;
  const number = piece?.getAttribute("data-unit");
  return piece && exampleOf(piece).querySelector(`[role][data-unit="${number}"]`);
}

/** Lights a unit's evidence and shows its details, in the place of what was shown before.
 * @param {Unit | null} unit */
function choose(unit) {
  if (unit === current) return;
  if (current) mark(current, false);
  current = unit;
  if (unit) {
    mark(unit, true);
    bringIntoView(evidenceOf(unit)[0]);
  }
  tellPlace();
}

/** @param {Unit} unit @param {boolean} on */
function mark(unit, on) {
  if (!on) pin(false);
  for (const piece of piecesOf(unit)) piece.classList.toggle("current", on);
  for (const segment of evidenceOf(unit)) segment.classList.toggle("lit", on);
  exampleOf(unit).classList.toggle("chosen", on);
  detailOf(unit).hidden = !on;
  detailOf(unit).parentElement?.scrollTo(0, 0);
}

/** Keeps the current choice whatever the pointer passes over, or stops keeping it.
 * @param {boolean} on */
function pin(on) {
  pinned = on && current !== null;
  if (!current) return;
  for (const piece of piecesOf(current)) piece.classList.toggle("pinned", pinned);
  current.setAttribute("aria-pressed", String(pinned));
  detailOf(current).classList.toggle("pinned", pinned);
}

function tellPlace() {
  const at = current ? flagged.indexOf(current) + 1 : 0;
  const noun = flagged.length === 1 ? "problem" : "problems";
  const total = `${flagged.length || "No"} ${noun}`;
  place.textContent = at ? `${at} of ${total}` : total;
}

/** Scrolls a source to a segment, unless it is to be seen already.
 * @param {Element | undefined} segment */
function bringIntoView(segment) {
  const pane = segment?.closest(".text");
  if (!segment || !pane) return;
  const inside = segment.getBoundingClientRect();
  const around = pane.getBoundingClientRect();
  if (inside.top >= around.top && inside.bottom <= around.bottom) return;
  const top = pane.scrollTop + inside.top - around.top - pane.clientHeight / 4;
  pane.scrollTo({ top, behavior: calm.matches ? "auto" : "smooth" });
}

/** Gives a unit the focus; the rest follows from that.
 * @param {Unit | undefined} unit */
function moveTo(unit) {
  if (!unit) return;
  unit.focus({ preventScroll: true });
  unit.scrollIntoView({ block: "nearest" });
}

/** Where moving starts: the unit chosen or in focus, or else just before the first in view. */
function position() {
  const from = current ?? unitAt(document.activeElement);
  if (from) return /** @type {number} */ (order.get(from));
  const isBelowBar = (/** @type {Unit} */ unit) =>
    exampleOf(unit).getBoundingClientRect().bottom > BAR_HEIGHT;
  return units.findIndex(isBelowBar) - 0.5;
}

/** Goes to the nearest of some units on the way, and from the last on to the first.
 * @param {Unit[]} among @param {1 | -1} step */
function move(among, step) {
  const at = position();
  const ahead = among.filter((unit) => (/** @type {number} */ (order.get(unit)) - at) * step > 0);
  const nearest = step > 0 ? 0 : -1;
  moveTo(ahead.at(nearest) ?? among.at(nearest));
}

/** @type {Record<string, () => void>} */
const ANYWHERE = {
  j: () => move(units, 1),
  k: () => move(units, -1),
  n: () => move(flagged, 1),
  N: () => move(flagged, -1),
  Escape: () => (pinned ? pin(false) : choose(null)),
};

/** @type {Record<string, () => void>} */
const ON_A_UNIT = {
  ArrowRight: () => move(units, 1),
  ArrowDown: () => move(units, 1),
  ArrowLeft: () => move(units, -1),
  ArrowUp: () => move(units, -1),
  Enter: () => pin(!pinned),
  " ": () => pin(!pinned),
};

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const action = ANYWHERE[event.key] ?? (unitAt(event.target) ? ON_A_UNIT[event.key] : undefined);
  if (!action) return;
  event.preventDefault();
  if (unitAt(event.target) && event.key in ON_A_UNIT) choose(unitAt(event.target));
  action();
});

document.addEventListener("focusin", (event) => {
  const unit = unitAt(event.target);
  if (!unit) return;
  exampleOf(unit).querySelector('.unit[tabindex="0"]')?.setAttribute("tabindex", "-1");
  unit.tabIndex = 0;
  choose(unit);
});

// Not pointerover, which also comes when a text is scrolled under a pointer that rests.
document.addEventListener("pointermove", (event) => {
  if (event.pointerType === "touch") return;
  const unit = unitAt(event.target);
  if (unit && !pinned) choose(unit);
  relate(event.target);
});

document.addEventListener("click", (event) => {
  const quote = event.target instanceof Element ? event.target.closest(".quote") : null;
  if (quote) showQuote(/** @type {HTMLElement} */ (quote));
  const unit = unitAt(event.target);
  if (!unit || !getSelection()?.isCollapsed) return;
  const wasPinned = pinned && unit === current;
  choose(unit);
  pin(!wasPinned);
  moveTo(unit);
});

/** @param {HTMLElement} quote */
function showQuote(quote) {
  const start = quote.dataset.at;
  bringIntoView(exampleOf(quote).querySelector(`[data-start="${start}"]`) ?? undefined);
}

/** Outlines the units that the passage under the pointer is evidence for.
 * @param {EventTarget | null} target */
function relate(target) {
  for (const piece of related) piece.classList.remove("related");
  const segment = target instanceof Element ? target.closest(".segment") : null;
  const numbers = segment?.getAttribute("data-for")?.split(" ") ?? [];
  const selector = numbers.map((number) => `[data-unit="${number}"]`).join();
  related = segment ? [...exampleOf(segment).querySelectorAll(selector)] : [];
  for (const piece of related) piece.classList.add("related");
}

next.addEventListener("click", () => move(flagged, 1));
next.hidden = flagged.length === 0;
// The sums are known last, so they are written last; they are read first.
document.querySelector("main")?.before(/** @type {Node} */ (document.querySelector("#summary")));
tellPlace();

addEventListener("beforeprint", () => {
  for (const folded of document.querySelectorAll("details")) folded.open = true;
});
