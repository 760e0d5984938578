// The Rollouts screen as an address: "#/rollouts?step=12&prompt=1&completion=4&token=6", so that any token can
// be linked to. Places count from 1, as on the page. Anything unreadable in an address is left out, never guessed.
// A link that was copied says the settings of the run as well, as the Train screen's address says them.
import type { Selection } from "./selection.ts";

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

const OWN: ReadonlySet<string> = new Set(["step", "prompt", "completion", "token", "phase", "from", "to", "section"]);

/** What an address of this screen, of Explain, of Customize or of the prompts over time says of the run's settings; empty where it says nothing of them. */
export function settingsIn(query: URLSearchParams): URLSearchParams {
  return new URLSearchParams([...query].filter(([name]) => !OWN.has(name)));
}

/** The address of a place, with the settings of its run. */
export function linkQuery(settings: URLSearchParams, place: URLSearchParams): URLSearchParams {
  return new URLSearchParams([...settings, ...place]);
}

/** What a selection names in words: "step 12, prompt 2, completion 4, token 6"; null where it names no step. */
export function selectionText({ step, promptIndex, trajectoryIndex, tokenIndex }: RolloutSelection): string | null {
  if (step === null) return null;
  const token = tokenIndex === null ? "" : `, token ${tokenIndex + 1}`;
  return `step ${step}, prompt ${promptIndex + 1}, completion ${trajectoryIndex + 1}${token}`;
}
