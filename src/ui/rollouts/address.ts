// The Rollouts screen as an address: "#/rollouts?step=12&prompt=1&completion=4&token=6", so that any token can
// be linked to. Places count from 1, as on the page. Anything unreadable in an address is left out, never guessed.
import type { Selection } from "../store/selection.ts";

export type RolloutSelection = Pick<Selection, "step" | "promptIndex" | "trajectoryIndex" | "tokenIndex">;

function whole(text: string | null): number | null {
  return text !== null && /^\d{1,9}$/.test(text) ? Number(text) : null;
}

/** The index of a place that counts from 1. */
function place(text: string | null): number | null {
  const number = whole(text);
  return number === null || number === 0 ? null : number - 1;
}

/** The selection an address names; without a step it follows the newest one. */
export function selectionFrom(query: URLSearchParams): RolloutSelection {
  return {
    step: whole(query.get("step")),
    promptIndex: place(query.get("prompt")) ?? 0,
    trajectoryIndex: place(query.get("completion")) ?? 0,
    tokenIndex: place(query.get("token")),
  };
}

/** The address of a selection; what is at its default is left out. */
export function queryOf(selection: RolloutSelection): URLSearchParams {
  const query = new URLSearchParams();
  if (selection.step !== null) query.set("step", String(selection.step));
  if (selection.promptIndex !== 0) query.set("prompt", String(selection.promptIndex + 1));
  if (selection.trajectoryIndex !== 0) query.set("completion", String(selection.trajectoryIndex + 1));
  if (selection.tokenIndex !== null) query.set("token", String(selection.tokenIndex + 1));
  return query;
}
