// What is typed into fields and is not taken over yet. It outlives the field and a reload of the tab, so that another
// screen, a reload or one wrong line loses nothing. Every field has a name of its own for that; its text comes back
// where the field still holds what it held then.
import { orElse } from "../../protocol/problems.ts";
import { recallHere, rememberHere } from "./remembered.ts";

const KEY = "rollout-lab-typing";
/** Texts of fields that nobody has come back to are forgotten, the oldest first. */
const MOST_KEPT = 20;

type Typing = readonly [field: string, typed: string, value: string];

function kept(): readonly Typing[] {
  // Something else may have written there: nothing was typed then.
  const list: unknown = orElse(() => JSON.parse(recallHere(KEY) ?? "[]"), []);
  return Array.isArray(list)
    ? list.filter((each) => Array.isArray(each) && each.length === 3 && each.every((part) => typeof part === "string"))
    : [];
}

/** What was being typed into a field that holds this value; null for nothing. */
export function typingIn(field: string | undefined, value: string): string | null {
  return kept().find(([name, , held]) => name === field && held === value)?.[1] ?? null;
}

/** Keeps what is being typed into a field, or forgets it where that is null. */
export function keepTyping(field: string | undefined, typed: string | null, value: string): void {
  if (field === undefined) return;
  const others = kept().filter(([name]) => name !== field);
  rememberHere(KEY, JSON.stringify((typed === null ? others : [...others, [field, typed, value]]).slice(-MOST_KEPT)));
}
