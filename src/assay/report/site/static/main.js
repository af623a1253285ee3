// @ts-check
// Shows what the address says, and turns what the reader does into another address.
"use strict";

/** @type {Record<string, (state: State, place: HTMLElement) => void | Promise<void>>} */
const SHOW = { ranking: showRanking, charts: showCharts, judges: showJudges, examples: showExamples, method: showMethod };
let shownView = "";
let turns = 0;

/** The choices above all views. @param {State} state */
function controls(state) {
  const all = board();
  const form = byId("controls");
  const tasks = [...new Set(all.rankings.map(({ task }) => task))].filter(Boolean);
  /** @type {(false | HTMLElement)[]} */
  const fields = [
    choice("judge", "Judge", all.judges.map(({ name }) => [name, name]), all.judges[judgeOf(state)].name),
    (all.levels.length > 1) && choice("level", "Counts as hallucinated", all.levels.map(({ name, title }) => [name, title]), all.levels[levelOf(state)].name),
    tasks.length > 1 && choice("task", "Task", [["", "all tasks"], ...tasks.map((name) => /** @type {[string, string]} */ ([name, name]))], state.task ?? ""),
  ];
  form.replaceChildren(...fields.filter((each) => each instanceof Node));
  form.hidden = state.view === "method";
}

/** Says which name of the address is not known here. @param {State} state */
function complain(state) {
  const all = board();
  const unknown = [
    state.judge !== undefined && !all.judges.some(({ name }) => name === state.judge) && `judge ${state.judge}`,
    state.level !== undefined && !all.levels.some(({ name }) => name === state.level) && `level ${state.level}`,
    state.task && !all.tasks.includes(state.task) && `task ${state.task}`,
  ].filter(Boolean);
  byId("notice").hidden = !unknown.length;
  byId("notice").textContent = unknown.length ? spelled(`There is no ${unknown.join(" and no ")} here.`) : "";
}

/** Shows what the address says. */
function render() {
  const state = current();
  const isNew = state.view !== shownView;
  delete document.documentElement.dataset.ready;
  byId("views").replaceChildren(...Object.entries(VIEWS).map(([view, title]) => h("a", { href: elsewhere({ view }), "aria-current": view === state.view ? "page" : null }, title)));
  document.documentElement.dataset.view = state.view;
  const warnings = document.querySelector(".warnings");
  if (warnings instanceof HTMLDetailsElement && isNew && (shownView || state.view !== "ranking")) warnings.open = state.view === "method";
  controls(state);
  complain(state);
  document.title = state.view === "ranking" ? board().title : `${VIEWS[/** @type {keyof VIEWS} */ (state.view)]} – ${board().title}`;
  const main = byId("main");
  const focus = document.activeElement instanceof HTMLElement ? keyOf(document.activeElement) : "";
  const place = isNew ? h("section", {}) : /** @type {HTMLElement} */ (main.firstElementChild);
  if (isNew) main.replaceChildren(place);
  const done = SHOW[state.view](state, place);
  const turn = (turns += 1);
  if (done instanceof Promise) done.then(() => turn === turns && settle(focus), (error) => place.replaceChildren(heading(VIEWS[/** @type {keyof VIEWS} */ (state.view)]), h("p", { class: "empty" }, `${error.message}.`)));
  else settle(focus);
  if (isNew && shownView) {
    scrollTo(0, 0);
    main.focus({ preventScroll: true });
  }
  shownView = state.view;
}

/** What a control is, so that the same one has the focus after it was drawn anew. @param {HTMLElement} element */
function keyOf(element) {
  if (element.id && element.id !== "main") return `#${CSS.escape(element.id)}`;
  for (const name of ["data-sort", "data-compare", "name"]) {
    const value = element.getAttribute(name);
    if (value) return `${element.localName}[${name}="${CSS.escape(value)}"]`;
  }
  return element.matches(".line") ? ".line[aria-current]" : element.matches(".tab") ? ".tab[aria-current]" : element.matches(".verdict") ? ".verdict[aria-current]" : "";
}

/** Gives back the focus, and says that all is there. @param {string} key */
function settle(key) {
  document.documentElement.dataset.ready = location.hash;
  const found = key && document.querySelector(key);
  if (found instanceof HTMLElement && found !== document.activeElement) found.focus({ preventScroll: true });
}

addEventListener("hashchange", render);
document.addEventListener("change", (event) => {
  const field = event.target;
  if (field instanceof HTMLSelectElement) location.hash = changed({ [field.name]: field.value, page: "", id: "" });
});
document.addEventListener("input", (event) => {
  const field = event.target;
  if (!(field instanceof HTMLInputElement) || field.id !== "q") return;
  const { selectionStart, selectionEnd } = field;
  go({ q: field.value });
  const again = /** @type {HTMLInputElement} */ (byId("q"));
  again.setSelectionRange(selectionStart, selectionEnd);
});
document.addEventListener("submit", (event) => event.preventDefault());
document.addEventListener("click", (event) => {
  const target = event.target instanceof Element ? event.target : null;
  const button = /** @type {HTMLElement | null} */ (target?.closest("[data-sort], [data-compare], [data-unit], #skip"));
  if (!button) return;
  const { sort, compare, unit } = button.dataset;
  if (sort !== undefined) current().view === "ranking" ? sortBy(sort) : sortPlain(sort);
  else if (compare !== undefined) go({ compare: current().compare === compare ? "" : compare });
  else if (unit !== undefined) light(unit);
  else byId("main").focus();
});
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || !(event.target instanceof HTMLElement)) return;
  if ((event.key === "Enter" || event.key === " ") && event.target.matches(".unit")) {
    event.preventDefault();
    light(event.target.dataset.unit ?? "");
  } else if ((event.key === "j" || event.key === "k") && current().view === "examples" && !event.target.matches("input, select")) stepTo(event.key === "j" ? 1 : -1);
});
addEventListener("beforeprint", () => {
  for (const folded of document.querySelectorAll("details")) folded.open = true;
});

/** Sorts the table of judges. @param {string} id */
function sortPlain(id) {
  const [by, order] = (current().sort ?? "").split(".");
  go({ sort: `${id}.${by === id && order === "down" ? "up" : "down"}` });
}

/** Marks what is wider than its frame, until it is scrolled to its end. @param {Element} frame */
function markWide(frame) {
  frame.classList.toggle("more", frame.scrollLeft + frame.clientWidth < frame.scrollWidth - 2);
}

// What is not on the screen has no size yet; the observer tells when it gets one.
const sizes = new ResizeObserver((found) => {
  for (const frame of new Set(found.map(({ target }) => target.closest(".wide")))) if (frame) markWide(frame);
});
new MutationObserver(() => {
  sizes.disconnect();
  for (const each of document.querySelectorAll(".wide, .wide > table")) sizes.observe(each);
}).observe(byId("main"), { childList: true, subtree: true });
document.addEventListener("scroll", ({ target }) => {
  if (target instanceof Element && target.matches(".wide")) markWide(target);
}, { capture: true, passive: true });

render();
