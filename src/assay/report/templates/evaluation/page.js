// @ts-check
// Sorts the table, and lists the examples behind a number. All examples are in the page already.

/** @param {string} selector @param {ParentNode} [inside] */
const find = (selector, inside = document) =>
  /** @type {HTMLElement} */ (inside.querySelector(selector));

const examples = JSON.parse(find("#examples").textContent ?? "{}");
const badges = /** @type {Badge[]} */ (examples.badges);
const items = /** @type {ListedItem[]} */ (byName(examples.items));
const verdicts = /** @type {ListedVerdict[]} */ (byName(examples.rows));
const sheet = find("#sheet");
const list = find(".list", sheet);

/** @type {HTMLElement | null} */
let opened = null;

/** A copy of a template's only element.
 * @param {string} id */
function copy(id) {
  const template = /** @type {HTMLTemplateElement} */ (find(id));
  return /** @type {HTMLElement} */ (template.content.firstElementChild?.cloneNode(true));
}

/** @param {ListedVerdict} verdict */
function line({ item, predicted, wrong, score, note }) {
  const { example, model, gold, text } = items[item];
  const element = copy("#row");
  const plain = { example, model, text, note, score: score === null ? "" : score.toFixed(3) };
  for (const [name, value] of Object.entries(plain)) {
    find(`[data-field="${name}"]`, element).textContent = spelled(value);
  }
  find('[data-field="gold"]', element).append(chip(badges[gold]));
  const said = find('[data-field="predicted"]', element);
  said.append(chip(badges[predicted]));
  if (wrong) said.append(copy("#flag"));
  return element;
}

/** How far a score lies from undecided; what has none comes last.
 * @param {ListedVerdict} verdict */
const sureness = ({ score }) => (score === null ? -1 : Math.abs(score - 0.5));

/** Lists the examples behind a number.
 * @param {HTMLElement} number */
function open(number) {
  const places = number.dataset.rows ? number.dataset.rows.split(" ").map(Number) : [];
  const rows = places.map((place) => verdicts[place]);
  const isGold = "gold" in number.dataset;
  if (!isGold) rows.sort((a, b) => sureness(b) - sureness(a));
  list.classList.toggle("gold", isGold);
  find("tbody", list).replaceChildren(...rows.map(line));
  find("#sheet-heading").textContent = number.dataset.words ?? "";
  tell(rows.length, Number(number.dataset.count), !isGold && rows.some(({ score }) => score !== null));
  close(false);
  opened = number;
  number.setAttribute("aria-expanded", "true");
  sheet.hidden = false;
  find(".scroll", sheet).scrollTo(0, 0);
  find("#sheet-heading").focus({ preventScroll: true });
  number.scrollIntoView({ block: "nearest" });
}

/** @param {number} shown @param {number} count @param {boolean} sorted */
function tell(shown, count, sorted) {
  const more = count > shown ? ` and ${grouped.format(count - shown)} more` : "";
  const order = sorted && shown > 1 ? ", the surest first" : "";
  find("#sheet-count").textContent = `${grouped.format(shown)} listed${more}${order}`;
}

/** @param {boolean} back whether the focus returns to the number */
function close(back) {
  sheet.hidden = true;
  opened?.setAttribute("aria-expanded", "false");
  if (back) opened?.focus({ preventScroll: true });
  opened = null;
}

/** Sorts the table by a column; what is undefined stays at the end.
 * @param {HTMLElement} button */
function sort(button) {
  const head = /** @type {HTMLTableCellElement} */ (button.closest("th"));
  const first = button.dataset.first === "falling" ? "descending" : "ascending";
  const other = first === "ascending" ? "descending" : "ascending";
  const wanted = head.ariaSort === first ? other : first;
  for (const each of head.parentElement?.children ?? []) each.ariaSort = "none";
  head.ariaSort = wanted;
  const body = find(".board tbody");
  const rows = /** @type {HTMLTableRowElement[]} */ ([...body.children]);
  const sign = wanted === "ascending" ? 1 : -1;
  body.append(...rows.sort((a, b) => compare(a.cells[head.cellIndex], b.cells[head.cellIndex], sign)));
}

/** @param {HTMLElement} first @param {HTMLElement} second @param {number} sign */
function compare(first, second, sign) {
  const [a, b] = [first.dataset.value ?? "", second.dataset.value ?? ""];
  if (!a || !b) return Number(!a) - Number(!b);
  const difference = Number(a) - Number(b);
  return sign * (Number.isNaN(difference) ? a.localeCompare(b, "en") : difference);
}

/** Unfolds the detector that a link leads to.
 * @param {string} hash */
function unfold(hash) {
  const named = document.getElementById(hash.slice(1));
  if (named instanceof HTMLDetailsElement) {
    named.open = true;
    named.scrollIntoView();
  }
}

/** Moves to the next number of a matrix in the direction of an arrow key.
 * @param {HTMLElement} number @param {string} key */
function move(number, key) {
  const cell = /** @type {HTMLTableCellElement | null} */ (number.closest("td"));
  const row = /** @type {HTMLTableRowElement | null} */ (cell?.parentElement);
  const rows = row ? [...(row.parentElement?.children ?? [])] : [];
  const [down, right] = STEPS[key];
  let [y, x] = [row ? rows.indexOf(row) : 0, cell?.cellIndex ?? 0];
  for (;;) {
    [y, x] = [y + down, x + right];
    const next = rows[y]?.children[x];
    if (!next) return;
    const found = /** @type {HTMLElement | null} */ (next.querySelector(".number"));
    if (found) return found.focus();
  }
}

/** @type {Record<string, [down: number, right: number]>} */
const STEPS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

document.addEventListener("click", (event) => {
  const target = event.target instanceof Element ? event.target : null;
  const number = /** @type {HTMLElement | null} */ (target?.closest(".number"));
  if (number) return number === opened ? close(true) : open(number);
  const head = /** @type {HTMLElement | null} */ (target?.closest(".sort"));
  if (head) sort(head);
  const link = /** @type {HTMLAnchorElement | null} */ (target?.closest("a[href]"));
  if (link) unfold(link.hash);
});

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const target = event.target instanceof HTMLElement ? event.target : null;
  if (event.key === "Escape" && !sheet.hidden) close(true);
  if (event.key in STEPS && target?.matches(".matrix .number")) {
    event.preventDefault();
    move(target, event.key);
  }
});

find("#close").addEventListener("click", () => close(true));
addEventListener("hashchange", () => unfold(location.hash));
addEventListener("beforeprint", () => {
  for (const folded of document.querySelectorAll("details")) folded.open = true;
});
for (const number of document.querySelectorAll(".number")) {
  number.setAttribute("title", number.getAttribute("data-words") ?? "");
}
unfold(location.hash);
