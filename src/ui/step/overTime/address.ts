// The same prompts over time as an address: "#/time?prompt=2&from=0&to=120". Steps that are left out are the first
// that was recorded, and the newest, which is followed while the run goes on. It names no run, as Rollouts' does not.
import { hashOf } from "../../engine/route.ts";

export interface TimePlace {
  /** Which of the fixed prompts. */
  readonly prompt: number;
  /** The step that is compared; null is the first. */
  readonly from: number | null;
  /** The step that is shown; null follows the newest. */
  readonly to: number | null;
}

function whole(text: string | null): number | null {
  return text !== null && /^\d{1,9}$/.test(text) ? Number(text) : null;
}

/** The place that an address names; what cannot be read is left out, never guessed. */
export function timePlace(query: URLSearchParams): TimePlace {
  return { prompt: Math.max(0, (whole(query.get("prompt")) ?? 1) - 1), from: whole(query.get("from")), to: whole(query.get("to")) };
}

/** The address of a place; what is at its default is left out. */
export function timeQuery({ prompt, from, to }: TimePlace): URLSearchParams {
  const query = new URLSearchParams();
  if (prompt !== 0) query.set("prompt", String(prompt + 1));
  if (from !== null) query.set("from", String(from));
  if (to !== null) query.set("to", String(to));
  return query;
}

/** A link to a step of the first prompt; null is the newest. */
export function timeHref(to: number | null): string {
  return hashOf("time", timeQuery({ prompt: 0, from: null, to }));
}
