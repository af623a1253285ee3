// Remarks about an item, in the discussion and wherever others may be seen.

/** @import { Comment } from "./types.js" */
/** @import { Workspace } from "./workspace.js" */
import { send } from "../api.js";
import { localTime } from "../times.js";
import { byId, countOf, fill, h, shorten } from "./dom.js";

/** Those about the unit that is selected come first, then those about the whole item. */
export class Comments {
  /** @param {Workspace} space */
  constructor(space) {
    this.space = space;
    /** @type {Comment[]} */
    this.all = space.view.comments;
    this.field = /** @type {HTMLTextAreaElement} */ (byId("comment"));
    byId("comments").hidden = !this.isOpen;
    if (!this.isOpen) return;
    byId("sentence").before(byId("comments")); // near what it is about, not below everything
    /** @type {HTMLDetailsElement} */ (byId("comments-box")).open = this.all.length > 0;
    space.addEventListener("select", () => this.draw());
    byId("comment-form").addEventListener("submit", (event) => {
      event.preventDefault();
      void this.#send();
    });
  }

  /** Whether there is anything to discuss, or already was. */
  get isOpen() {
    return this.space.view.stage === "discuss" || this.all.length > 0;
  }

  draw() {
    if (!this.isOpen) return;
    const id = this.space.current?.id ?? "";
    const own = this.all.filter((comment) => comment.unit === id || !comment.unit);
    const elsewhere = this.all.filter((comment) => !own.includes(comment));
    byId("comments-count").textContent = this.all.length ? countOf(this.all.length, "remark") : "No remarks yet";
    fill(byId("comments-list"), [...own, ...elsewhere].map((comment) => h("li", {},
      h("p", { class: "quiet" }, h("b", {}, comment.author), " ", h("time", { datetime: comment.at }, localTime(comment.at)), " about ", this.#about(comment.unit)),
      h("p", { class: "text", dir: "auto" }, comment.text))));
    this.field.placeholder = id ? "A remark about this one …" : "A remark about the item …";
  }

  /** What a remark is about, and the way there. @param {string} id */
  #about(id) {
    const { draft, current } = this.space;
    const unit = draft.unit(id);
    if (!unit) return "the item";
    const noun = unit.kind === "span" ? "mark" : "sentence";
    const name = `${noun} ${draft.of(noun === "mark" ? "span" : "sentence").indexOf(unit) + 1}`;
    return current?.id === id ? `this ${noun}` : h("button", { type: "button", class: "plain", onclick: () => this.space.select(id) }, name);
  }

  async #send() {
    const text = this.field.value.trim();
    if (!text) return;
    try {
      const found = await send("POST", this.space.path("/comments"), { unit: this.space.current?.id ?? "", text });
      this.field.value = "";
      this.all = found.comments;
      this.draw();
    } catch (error) {
      byId("comments-told").textContent = `Not sent: ${shorten(/** @type {Error} */ (error).message, 200)}`;
    }
  }
}
