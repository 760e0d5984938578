// Code that whoever sits here has read and allowed to run, by its whole text: a single letter more is other code. This
// browser remembers the newest of it.
import type { CommandBody } from "../../protocol/commands.ts";
import { recall, remember } from "../store/remembered.ts";

const KEY = "rollout-lab-read-code";
const MOST_KEPT = 50;

function recalled(): readonly string[] {
  try {
    const list: unknown = JSON.parse(recall(KEY) ?? "[]");
    return Array.isArray(list) ? list.filter((each) => typeof each === "string") : [];
  } catch {
    // Something else wrote there: nothing was read then.
    return [];
  }
}

let read: readonly string[] | null = null;

/** All of it, oldest first. */
export function sourcesRead(): readonly string[] {
  read ??= recalled();
  return read;
}

/** What an engine is told before a run: the code that may run, of which one that was started anew knows nothing. */
export function codeAllowed({ type }: CommandBody): readonly CommandBody[] {
  const sources = type === "start" || type === "continue" ? sourcesRead() : [];
  return sources.length > 0 ? [{ type: "allow-code", sources: [...sources] }] : [];
}

/** Remembers code as read: because it was shown and allowed, or because it was typed here. */
export function markRead(sources: readonly string[]): void {
  read = [...sourcesRead().filter((each) => !sources.includes(each)), ...sources].slice(-MOST_KEPT);
  remember(KEY, JSON.stringify(read));
}
