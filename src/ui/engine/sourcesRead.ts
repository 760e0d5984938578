// Code that whoever sits here has read and allowed to run, by its whole text: a single letter more is other code. This
// browser remembers the newest of it. Code that came by a link, a file or a saved run is shown first, and waits for an answer.

import type { CommandBody } from "../../protocol/commands.ts";
import { codeIn } from "../../protocol/config/customRewards.ts";
import { orElse } from "../../protocol/problems.ts";
import { useDialog } from "../kit/dialog/dialogStore.ts";
import { recall, remember } from "../kit/remembered.ts";
import { useDraft } from "./store/draft/draftStore.ts";

const KEY = "rollout-lab-read-code";
const MOST_KEPT = 50;

function recalled(): readonly string[] {
  // Something else may have written there: nothing was read then.
  const list: unknown = orElse(() => JSON.parse(recall(KEY) ?? "[]"), []);
  return Array.isArray(list) ? list.filter((each) => typeof each === "string") : [];
}

/** Remembers these beside what was allowed before. */
function keep(sources: readonly string[]): readonly string[] {
  const kept = [...sourcesRead().filter((each) => !sources.includes(each)), ...sources].slice(-MOST_KEPT);
  remember(KEY, JSON.stringify(kept));
  return kept;
}

let read: readonly string[] | null = null;

/** All of it, oldest first. */
export function sourcesRead(): readonly string[] {
  read ??= recalled();
  return read;
}

/** What was typed since the page was opened: every text on the way, which only this page knows. */
const typed = new Set<string>();

/** Notes what somebody has just typed, who has thereby read it. */
export function noteTyped(source: string): void {
  typed.add(source);
}

/** What was typed and stands in the draft is known after a reload too: there every text on the way, one in the place of the other. */
useDraft.subscribe(({ draft }, { draft: before }) => {
  if (draft === before) return;
  const written = codeIn(draft.edits).flatMap(({ source }) => (typed.has(source) ? [source] : []));
  if (written.length > 0) keep(written);
});

/** Whether a text may run here. */
export function isRead(source: string): boolean {
  return typed.has(source) || sourcesRead().includes(source);
}

/** The code that a command brings by itself. */
function codeOf(body: CommandBody): readonly string[] {
  const brought = "config" in body ? body.config : "settings" in body ? body.settings : null;
  if (body.type === "try-reward") return [body.reward.source];
  return brought ? codeIn(brought).map(({ source }) => source) : [];
}

/** Commands about a save, whose code nobody here has in hand. */
const OF_SAVES: ReadonlySet<CommandBody["type"]> = new Set(["continue", "fork", "otherwise"] as const);

/** What an engine is told before a command that runs code: which of it may, since one that was started anew knows nothing. */
export function codeAllowed(body: CommandBody): readonly CommandBody[] {
  const sources = [...new Set([...codeOf(body).filter(isRead), ...(OF_SAVES.has(body.type) ? sourcesRead() : [])])];
  return sources.length > 0 ? [{ type: "allow-code", sources }] : [];
}

/** Remembers code as read: because it was shown and allowed, or because a run was started with what was typed here. */
export function markRead(sources: readonly string[]): void {
  read = keep(sources);
  useDialog.setState(({ reads }) => ({ reads: reads + 1 }));
}

/** Resolves once all code of the configurations may run; rejects where its reader says no. */
export async function untilRead(...configs: readonly Parameters<typeof codeIn>[0][]): Promise<void> {
  const bySource = new Map(configs.flatMap(codeIn).map((code) => [code.source, code]));
  const unread = [...bySource.values()].filter(({ source }) => !isRead(source));
  if (unread.length > 0) {
    useDialog.getState().code.answer(false);
    const isAllowed = await new Promise<boolean>((resolve) => useDialog.setState({ code: { unread, answer: resolve } }));
    useDialog.setState({ code: { unread: [], answer: () => {} } });
    if (!isAllowed) throw new Error("the configuration's own code was not allowed to run");
  }
  // Of what was typed here too: it is known when the page is opened again.
  if (bySource.size > 0) markRead([...bySource.keys()]);
}
