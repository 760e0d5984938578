// A run as it leaves the lab, wherever it is: what it recorded, the conversations that were written down, and when it
// began; and how its numbers and texts stand in tables, reports and files.

import type { Catalog } from "../protocol/catalog.ts";
import type { RunConfig } from "../protocol/config.ts";
import type { ModelFile } from "../protocol/messages.ts";
import { isRecord } from "../protocol/problems.ts";
import type { StepRecord } from "../protocol/records.ts";
import { messagesRead } from "../rl/tools/chatMessages.ts";
import type { RunRecords } from "../rl/verdict/history.ts";

/** Of the package that writes it. */
export const VERSION = "0.1.0";

export interface WrittenRun extends RunRecords {
  readonly runId: string;
  /** What it trains on and how, as people read it. */
  readonly subject: string;
  /** Seconds since 1970. */
  readonly begun: number;
  /** The same as ISO 8601 writes it. */
  readonly begunAt: string;
  /** Lines of trajectories.jsonl with their messages read; null where none are written down. */
  readonly conversations: readonly unknown[] | null;
}

/** The titles of a run's task and of what trains it; the id of a task that the catalog does not have, such as one of the user's own. */
export function subjectOf({ task, kind, algorithm }: RunConfig, { tasks, algorithms }: Pick<Catalog, "tasks" | "algorithms">): string {
  const titleOf = (entries: readonly { readonly id: string; readonly title: string }[], id: string) =>
    entries.find((entry) => entry.id === id)?.title ?? id;
  return `${titleOf(tasks, task)}, ${kind === "supervised" ? "supervised" : titleOf(algorithms, algorithm)}`;
}

/** A line of trajectories.jsonl with its messages read. */
export function conversationOf(line: unknown): unknown {
  return isRecord(line) && Array.isArray(line.messages) ? { ...line, messages: messagesRead(line.messages, "messages") } : line;
}

/** A line of metrics.jsonl. */
export function metricsLine({ step, metrics }: StepRecord): Readonly<Record<string, number>> {
  return { step, ...metrics };
}

/** Values as lines of JSON. */
export function jsonLines(values: readonly unknown[]): string {
  return values.map((value) => `${JSON.stringify(value)}\n`).join("");
}

/** A number with three digits that matter; "-" where there is none. */
export function short(value: number | null | undefined): string {
  return value === null || value === undefined || !Number.isFinite(value) ? "-" : String(Number(value.toPrecision(3)));
}

/** A share in percent with one decimal. */
export function percent(share: number | null | undefined): string {
  return share === null || share === undefined || !Number.isFinite(share) ? "-" : `${(100 * share).toFixed(1)} %`;
}

interface Said {
  readonly role: string;
  readonly content: string;
  readonly agent?: string;
  readonly toolCalls?: readonly { readonly name: string; readonly arguments: unknown }[];
  readonly toolCallProblems?: readonly string[];
}

/** Who says a message, and what: its text, its calls as "name({...})", and what is wrong with calls that could not be read. */
export function saidText({ role, agent, content, toolCalls = [], toolCallProblems = [] }: Said): readonly [speaker: string, text: string] {
  const calls = toolCalls.map((call) => `${call.name}(${JSON.stringify(call.arguments)})`);
  const problems = toolCallProblems.map((problem) => `[${problem}]`);
  return [agent ?? role, [content.trim(), ...calls, ...problems].filter(Boolean).join(" ")];
}

export function textFile(name: string, text: string): ModelFile {
  return { name, bytes: new TextEncoder().encode(text) };
}
