// The columns that every table of rollouts has, in the order in which they stand: a registry. Parts of the reward come behind them by name.
import type { GroupRecord, StopReason, TrajectoryRecord } from "../../protocol/records.ts";
import type { TableColumn } from "../../protocol/rollouts/rolloutTable.ts";
import { leftOpen } from "./leftOpen.ts";

/** How an answer that was cut off is called in the column of ends. */
export const CUT_OFF = "cut off at the limit of tokens";

/** A column with how it is read off an answer. */
interface ReadColumn extends TableColumn {
  readonly read: (answer: TrajectoryRecord, group: GroupRecord, trajectoryIndex: number) => number | string | null;
}

const STOPS: Readonly<Record<StopReason, string>> = {
  completed: "ended by itself",
  "max-tokens": CUT_OFF,
  "max-turns": "out of turns",
  "max-calls": "out of calls",
  "max-context": "out of context",
  "parse-error": "could not be read",
  "env-error": "environment failed",
};

function number(id: string, title: string, read: ReadColumn["read"]): ReadColumn {
  return { id, title, kind: "number", read };
}

function word(id: string, title: string, read: ReadColumn["read"]): ReadColumn {
  return { id, title, kind: "word", read };
}

/** Letters of a form that are shown. */
const MOST = 60;
/** Of long texts the beginning and the end tell the form. */
const EDGE = 400;

/** "\boxed{97}" and "\boxed{3}" are both "\boxed{0}": what stands behind a backslash is part of the form. */
export function answerForm(text: string): string {
  const ends = text.length > 2 * EDGE ? `${text.slice(0, EDGE)} … ${text.slice(-EDGE)}` : text;
  const form = ends
    .normalize("NFC")
    .replace(/\\?\p{L}[\p{L}\p{M}'’-]*/gu, (word) => (word.startsWith("\\") ? word : "a"))
    .replace(/\d+(?:[.,]\d+)*/g, "0")
    .replace(/\s+/g, " ")
    .trim()
    // A sentence is one word of the form, and so is a row of numbers.
    .replace(/\ba(?:[ ,;:]+a\b)+/g, "a …")
    .replace(/\b0(?:[ ,;]+0\b)+/g, "0 …");
  if (form === "") return text === "" ? "(empty)" : "(blank)";
  return form.length <= MOST ? form : `${form.slice(0, MOST / 2)} … ${form.slice(-MOST / 2)}`;
}

/** Results of tools that say of themselves that they failed. */
const FAILED = /^\s*(?:error|exception|traceback|failed)\b|"error"\s*:/i;

function hasToolError({ messages, report }: TrajectoryRecord): boolean {
  const calls = report?.turns.flatMap((turn) => turn.calls ?? []) ?? [];
  return (
    calls.some(({ failed }) => failed) ||
    messages.some(({ toolCallProblems = [] }) => toolCallProblems.length > 0) ||
    messages.some(({ role, content }) => role === "tool" && FAILED.test(content))
  );
}

export const TABLE_COLUMNS: readonly ReadColumn[] = [
  number("step", "Step", (_, { step }) => step),
  number("prompt", "Prompt", (_, { promptIndex }) => promptIndex + 1),
  number("answer", "Answer", (_, __, trajectoryIndex) => trajectoryIndex + 1),
  number("reward", "Reward", ({ reward }) => reward),
  number("advantage", "Advantage", ({ advantage }) => advantage),
  number("length", "Tokens", ({ sampled }) => sampled.reduce((sum, one) => sum + one, 0)),
  number("turns", "Turns", ({ messages }) => messages.filter(({ role }) => role === "assistant").length),
  word("right", "Right", ({ success }) => (success === null ? null : success ? "right" : "wrong")),
  word("stop", "How it ended", ({ stopReason }) => stopReason && STOPS[stopReason]),
  word("open", "Left open at its end", ({ text, isBare }) => (isBare ? null : (leftOpen(text) ?? "nothing"))),
  word("tool-error", "Tool error", (answer) => (hasToolError(answer) ? "yes" : "no")),
  word("form", "Form", ({ text }) => answerForm(text)),
];

/** Id of the column of a part of the reward. */
export const partColumn = (name: string): string => `part:${name}`;
