// What is missing, where to find it, and handing the work in.

/** @import { Problems } from "./types.js" */
/** @import { Activity } from "./activity.js" */
/** @import { Workspace } from "./workspace.js" */
import { ApiError, send } from "../api.js";
import { byId, countOf, fill, h, say, shorten } from "./dom.js";
import { contradictionsIn, sentenceOf, stillNeeded } from "./problems.js";
import { tell } from "./status.js";

/** @type {Record<string, string>} where something that is missing is written */
const FIELDS = { meaning: "#readings textarea:placeholder-shown", reason: "#note", external: "#address" };

/** The foot of the panel. */
export class Submitting {
  #isBusy = false;

  /** @param {Workspace} space @param {Activity | null} activity */
  constructor(space, activity) {
    this.space = space;
    this.activity = activity;
    const { may } = space.view;
    byId("submit").hidden = !may.submit;
    byId("skip").hidden = !may.submit || space.view.purpose !== "real" || space.view.stage === "adjudicate";
    byId("hold").hidden = !may.hold;
    byId("reopen").hidden = !may.reopen;
    byId("read-only").hidden = space.mayEdit || may.reopen;
    byId("read-only").textContent = space.view.work ? "This cannot be changed now." : space.view.state === "done" ? "This item is done." : "You only look at this item.";
    byId("begin").hidden = space.view.work !== null || space.view.stage !== "adjudicate" || space.view.state !== "adjudication";
    byId("begin").addEventListener("click", () => void this.#begin());
    byId("submit").addEventListener("click", () => void this.submit());
    byId("skip").addEventListener("click", () => void this.#act("skip"));
    byId("hold").addEventListener("click", () => void this.#act("hold"));
    byId("reopen").addEventListener("click", () => void this.#act("reopen"));
    space.addEventListener("select", () => this.draw());
    space.draft.addEventListener("change", () => this.draw());
    space.draft.addEventListener("problems", () => this.draw());
  }

  /** Units with problems, in the order of the response; what concerns no unit comes first. */
  get #wrong() {
    const { draft } = this.space;
    const known = [...draft.of("sentence"), ...draft.of("span")];
    const units = known.map((unit, k) => ({ id: unit.id, text: unit.text, name: unit.kind === "span" ? "Mark" : `Sentence ${k + 1}`, problems: draft.problems[unit.id] ?? [] }));
    return [{ id: "response", text: "", name: "The response", problems: draft.problems.response ?? [] }, ...units].filter(({ problems }) => problems.length);
  }

  draw() {
    const unit = this.space.current;
    const problems = unit?.verdict && this.space.mayEdit ? this.space.draft.problems[unit.id] ?? [] : [];
    const needed = unit ? stillNeeded(this.space, unit, problems) : "";
    fill(byId("problems"), contradictionsIn(problems).map((problem) => h("li", {}, sentenceOf(problem, this.space))), needed && h("li", { class: "calm" }, needed));
    const count = this.space.mayEdit ? this.#wrong.length : 0;
    byId("to-settle").textContent = count ? `${count} to finish` : "";
  }

  /** Hands the work in; where that was done already, goes on. */
  async submit() {
    const { space } = this;
    const onward = /** @type {HTMLAnchorElement} */ (byId("onward"));
    if (!space.view.may.submit && !onward.hidden) return onward.click();
    if (this.#isBusy || !space.view.may.submit || !space.saver || !space.view.work) return;
    this.#isBusy = true;
    if (!(await this.#meansNothing())) {
      this.#isBusy = false;
      return;
    }
    try {
      await space.saver.finish();
      const body = { base: space.saver.version, seconds: this.activity?.total ?? 0 };
      this.#leave(await send("POST", `/api/work/${space.view.work.id}/submit`, body));
    } catch (error) {
      if (error instanceof ApiError && error.code === "incomplete") this.#list(error.body.problems);
      else tell(`Not submitted: ${/** @type {Error} */ (error).message}`, "bad");
    } finally {
      this.#isBusy = false;
    }
  }

  /** Asks once whether marking nothing was meant: it says that the response is consistent. @returns {Promise<boolean>} */
  #meansNothing() {
    const { menus, draft } = this.space;
    if (menus.sentences || draft.of("span").length) return Promise.resolve(true);
    const dialog = /** @type {HTMLDialogElement} */ (byId("nothing-marked"));
    dialog.returnValue = "";
    dialog.showModal();
    return new Promise((resolve) => dialog.addEventListener("close", () => resolve(dialog.returnValue === "submit"), { once: true }));
  }

  /** @param {Problems} problems */
  #list(problems) {
    const { draft } = this.space;
    draft.learn({ ...Object.fromEntries(Object.keys(draft.problems).map((id) => [id, []])), ...problems });
    const dialog = /** @type {HTMLDialogElement} */ (byId("unfinished"));
    const wrong = this.#wrong;
    byId("unfinished-title").textContent = `Not submitted yet: ${countOf(wrong.length, "thing")} to finish`;
    fill(byId("unfinished-list"), wrong.map(({ id, text, name, problems: found }) => h("li", {},
      h("button", { type: "button", class: "jump", onclick: () => { dialog.close(); this.#goTo(id, found[0].missing ?? ""); } },
        h("b", {}, name), text && h("q", { dir: "auto" }, shorten(text, 90))),
      h("ul", {}, found.map((problem) => h("li", {}, sentenceOf(problem, this.space)))))));
    dialog.showModal();
    say(`${countOf(wrong.length, "thing")} to finish before it can be submitted.`);
  }

  /** To the unit, and into the field that is missing. @param {string} id @param {string} missing */
  #goTo(id, missing) {
    this.space.select(id);
    const field = FIELDS[missing] ? document.querySelector(FIELDS[missing]) : null;
    (field instanceof HTMLElement ? field : this.space.response.scroll).focus({ preventScroll: field === null });
  }

  /** On to the next item, or to where the next one is chosen. @param {{next?: number | null, position?: number | null}} answer */
  #leave({ next = null, position = next }) {
    const { project, purpose, stage } = this.space.view;
    const root = `/projects/${project.slug}`;
    if (purpose === "training") location.reload(); // it now shows what was expected
    else if (stage === "adjudicate") location.assign(`${root}/adjudication`);
    else if (position) location.assign(`${root}/items/${position}${location.search}`);
    else location.assign(purpose === "quiz" ? `${root}/training` : root);
  }

  /** Takes the item for adjudication; it begins with what all agree on. */
  async #begin() {
    const { project, position } = this.space.view;
    try {
      await send("POST", `/api/projects/${project.slug}/adjudication/${position}`, { author: "" });
      location.reload();
    } catch (error) {
      tell(/** @type {Error} */ (error).message, "bad");
    }
  }

  /** @param {"skip" | "hold" | "reopen"} action */
  async #act(action) {
    const { work } = this.space.view;
    if (!work) return;
    try {
      await this.space.saver?.finish();
      const answer = await send("POST", `/api/work/${work.id}/${action}`);
      if (action === "skip") this.#leave(answer);
      else if (action === "hold") this.#leave(await send("POST", `/api/projects/${this.space.view.project.slug}/next`));
      else location.reload();
    } catch (error) {
      tell(/** @type {Error} */ (error).message, "bad");
    }
  }
}
