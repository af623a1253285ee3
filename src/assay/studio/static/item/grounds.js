// What a verdict rests on: the reason, passages of the source, and evidence outside it.

/** @import { External, Span, Unit } from "./types.js" */
/** @import { RelatedPassages } from "./related.js" */
/** @import { Workspace } from "./workspace.js" */
import { ApiError, send } from "../api.js";
import { button, byId, capital, fill, h, say, shorten } from "./dom.js";
import { paint } from "./paint.js";
import { evidenceOf, externalOf, saysNothingFound, united } from "./units.js";

/** Shared by sentences and marks. */
export class Grounds {
  /** @param {Workspace} space @param {RelatedPassages} related */
  constructor(space, related) {
    this.space = space;
    this.related = related;
    this.note = /** @type {HTMLTextAreaElement} */ (byId("note"));
    this.nothing = /** @type {HTMLInputElement} */ (byId("nothing"));
    this.address = /** @type {HTMLInputElement} */ (byId("address"));
    this.note.addEventListener("input", () => this.#with((unit) => space.change(unit, { note: this.note.value }, "note")));
    this.note.addEventListener("blur", () => space.saver?.flush());
    this.nothing.addEventListener("change", () => this.toggleNothing());
    const attach = byId("attach");
    attach.addEventListener("mousedown", (event) => event.preventDefault()); // the selection stays
    attach.addEventListener("click", () => this.attach());
    byId("external").addEventListener("submit", (event) => {
      event.preventDefault();
      void this.#fetch();
    });
    space.addEventListener("select", () => this.draw());
    space.draft.addEventListener("change", () => this.draw());
    space.caret.addEventListener("picked", () => this.#drawAttach());
    space.addEventListener("passage", () => this.#drawAttach());
  }

  draw() {
    const unit = this.space.current;
    byId("grounds").hidden = !unit || !this.space.view.work;
    this.#paint(unit);
    if (!unit) return;
    const isFixed = !this.space.mayEdit;
    const note = unit.verdict?.note ?? "";
    if (this.note.value !== note) this.note.value = note;
    this.note.readOnly = isFixed;
    byId("no-passage").hidden = unit.kind === "span";
    this.nothing.checked = saysNothingFound(unit);
    this.nothing.disabled = isFixed;
    fill(byId("evidence"), evidenceOf(unit).map((span, k) => this.#drawEvidence(unit, span, k)));
    fill(byId("links"), externalOf(unit).map((link, k) => this.#drawLink(unit, link, k)));
    this.address.disabled = isFixed;
    this.#drawAttach();
  }

  /** What would be attached: the words selected in the source, or the related passage somebody went to. */
  get #offered() {
    return this.space.caret.picked(this.space.source) ?? (this.related.isAttached ? null : this.related.current);
  }

  /** Attaches what is selected in the source, or the related passage that somebody went to. */
  attach() {
    const offered = this.#offered;
    if (!offered) return say("Select words in the source first, or go to a related passage with n.");
    this.#with((unit) => {
      const span = this.space.source.quote(offered.start, offered.end);
      const attributes = { ...unit.verdict?.attributes, nothing_found: null };
      this.space.change(unit, { evidence: united([...evidenceOf(unit), span]), attributes });
      this.space.caret.forget(this.space.source, offered.end);
      byId("evidence").scrollIntoView({ block: "nearest" });
      say(`Attached: ${span.text}`);
    });
  }

  toggleNothing() {
    this.#with((unit) => this.space.change(unit, { attributes: { ...unit.verdict?.attributes, nothing_found: saysNothingFound(unit) ? null : true } }));
  }

  /** @param {(unit: Unit) => void} act */
  #with(act) {
    const unit = this.space.current;
    if (unit) act(unit);
    else say("Choose a sentence or a mark first.");
  }

  #drawAttach() {
    const { source, current, mayEdit } = this.space;
    const offered = this.#offered;
    const attach = /** @type {HTMLButtonElement} */ (byId("attach"));
    attach.disabled = !offered || !mayEdit || !current;
    fill(byId("attach-what"), offered ? `“${shorten(source.points.slice(offered.start, offered.end), 60)}”` : "Select words in the source, or go to a related passage with n.");
  }

  /** @param {Unit} unit @param {Span} span @param {number} k */
  #drawEvidence(unit, span, k) {
    return h("li", {}, h("span", { class: "letter", "aria-hidden": "true" }, `E${k + 1}`),
      h("button", { type: "button", class: "quote", "data-key": `evidence-${k}`, title: "Show it in the source", onclick: () => this.space.source.reveal(span.start, span.end) }, h("q", { dir: "auto" }, shorten(span.text, 220))),
      button("✕", () => this.space.change(unit, { evidence: evidenceOf(unit).filter((_, at) => at !== k) }), { class: "plain", "aria-label": `Remove evidence ${k + 1}`, "data-key": `evidence-remove-${k}`, disabled: !this.space.mayEdit }));
  }

  /** @param {Unit} unit @param {External} link @param {number} k */
  #drawLink(unit, link, k) {
    return h("li", {}, h("div", { class: "link" },
      h("a", { href: /^https?:\/\//i.test(link.address) ? link.address : null, target: "_blank", rel: "noreferrer noopener", dir: "auto" }, link.title || link.address),
      h("p", { class: "quiet" }, link.digest
        ? [h("a", { href: `/snapshots/${encodeURIComponent(link.digest)}`, target: "_blank", rel: "noopener" }, "Snapshot"), ` of ${(link.time ?? "").slice(0, 16).replace("T", " ")}, ${shorten(link.digest, 12)}`]
        : "Without a snapshot")),
      button("✕", () => this.space.change(unit, { external: externalOf(unit).filter((_, at) => at !== k) }), { class: "plain", "aria-label": `Remove link ${k + 1}`, "data-key": `link-remove-${k}`, disabled: !this.space.mayEdit }));
  }

  /** Has the server fetch the address; the link is kept even where it cannot be fetched. */
  async #fetch() {
    const unit = this.space.current;
    const written = this.address.value.trim();
    const address = /^[a-z]+:/i.test(written) || !written ? written : `https://${written}`;
    const told = byId("external-told");
    if (!unit || !address) return;
    told.textContent = "Fetching a snapshot …";
    try {
      const { problem, external } = await send("POST", this.space.path("/external"), { address });
      const link = kept(external);
      const now = this.space.draft.unit(unit.id);
      if (now) this.space.change(now, { external: [...externalOf(now).filter((each) => each.address !== link.address), link] });
      told.textContent = problem ? `The link is kept. ${capital(problem)}.` : "The link and a snapshot are kept.";
      this.address.value = "";
    } catch (error) {
      told.textContent = error instanceof ApiError ? `${capital(error.message)}.` : String(error);
    }
    told.scrollIntoView({ block: "nearest" });
  }

  /** @param {Unit | null} unit */
  #paint(unit) {
    const { source, draft } = this.space;
    const own = unit ? evidenceOf(unit) : [];
    const others = [...draft.units.values()].filter((each) => each.id !== unit?.id).flatMap(evidenceOf);
    paint("faint", source, others);
    paint("evidence", source, own);
    source.tag(own.map((span, k) => ({ point: span.start, text: `E${k + 1}`, class: "evidence-tag" })));
  }
}

/** @param {External} link @returns {External} the fields that a verdict may have, without empty ones */
function kept({ address, title, time, digest, quote }) {
  return { address, ...Object.fromEntries(Object.entries({ title, time, digest, quote }).filter(([, value]) => value)) };
}
