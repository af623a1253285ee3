// Two tabs with the same work: each tells the other what it has saved.

/** @import { ItemView } from "./types.js" */
/** @import { Workspace } from "./workspace.js" */
import { get } from "../api.js";

/** @param {Workspace} space @param {number} work @returns {(version: number) => void} tells the others */
export function joinTabs(space, work) {
  const channel = new BroadcastChannel(`assay.work.${work}`);
  const refresh = async () => {
    const { saver } = space;
    if (!saver?.isDone) return; // its next save finds out
    /** @type {ItemView | null} */
    const view = await get(space.path()).catch(() => null);
    if (view?.work) saver.refresh(view.work.units, view.work.version, view.work.problems);
  };
  channel.addEventListener("message", (event) => {
    if (event.data > (space.saver?.version ?? 0)) void refresh();
  });
  return (version) => channel.postMessage(version);
}
