// The Rollouts screen as an address: "#/rollouts?step=12&prompt=0&trajectory=3&token=5", so that any
// token can be linked to. Anything unreadable in an address is left out, never guessed.
import type { Selection } from "../store/selection.ts";

export type RolloutSelection = Pick<Selection, "step" | "promptIndex" | "trajectoryIndex" | "tokenIndex">;

function whole(text: string | null): number | null {
  return text !== null && /^\d{1,9}$/.test(text) ? Number(text) : null;
}

/** The selection an address names; without a step it follows the newest one. */
export function selectionFrom(query: URLSearchParams): RolloutSelection {
  return {
    step: whole(query.get("step")),
    promptIndex: whole(query.get("prompt")) ?? 0,
    trajectoryIndex: whole(query.get("trajectory")) ?? 0,
    tokenIndex: whole(query.get("token")),
  };
}

/** The address of a selection; what is at its default is left out. */
export function queryOf(selection: RolloutSelection): URLSearchParams {
  const query = new URLSearchParams();
  if (selection.step !== null) query.set("step", String(selection.step));
  if (selection.promptIndex !== 0) query.set("prompt", String(selection.promptIndex));
  if (selection.trajectoryIndex !== 0) query.set("trajectory", String(selection.trajectoryIndex));
  if (selection.tokenIndex !== null) query.set("token", String(selection.tokenIndex));
  return query;
}
