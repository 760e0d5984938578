// A rollout out of a row of columns, each with its role: the way in which most programs and people write them.
import { showValue } from "../../protocol/problems.ts";
import type { MessageRecord } from "../../protocol/records.ts";
import type { TraceRole } from "../../protocol/rollouts/traces.ts";
import { leftOpen } from "../../rl/table/leftOpen.ts";
import { type FoundRow, TraceError, valueText } from "../containers/container.ts";
import type { FormReading } from "../forms/form.ts";
import { type FoundPart, type FoundRollout, numberOf, type Said, stopOf } from "../rollout.ts";
import { areMessages, messagesOf } from "../text/messages.ts";
import { type Rendered, renderedAnswer, renderedPrompt, type Stretch } from "../text/renderedText.ts";
import { saidWords, stretchesOf, wordTokens } from "../text/spoken.ts";
import { type Cells, idsOfRow, saidInIds } from "./idsOfRow.ts";
import type { Columns, FoundColumn } from "./roles.ts";

interface Turn {
  readonly messages: readonly MessageRecord[];
  readonly stretches: readonly Stretch[];
  /** False where a template closes turns and this one is open. */
  readonly isClosed: boolean | null;
}

/** Text or messages of a column as a turn. @param split how rendered text is read @param role of text that is not rendered */
function turnOf(
  [{ name }, value]: readonly [FoundColumn, unknown],
  split: (text: string) => Rendered | null,
  role: "user" | "assistant",
  { seen }: FormReading,
): Turn {
  if (Array.isArray(value)) {
    const messages = messagesOf(value, name);
    return { messages, stretches: stretchesOf(messages), isClosed: null };
  }
  if (typeof value !== "string") throw new TraceError(`${name} must be text or a list of messages, got ${valueText(value)}`);
  const rendered = split(value);
  if (rendered) seen.templates.add(rendered.title);
  if (rendered && rendered.messages.length > 0) return rendered;
  return { messages: [{ role, content: value }], stretches: [{ text: value, isSampled: role === "assistant" }], isClosed: null };
}

/** One list of messages as what was asked and what was said from the first turn of the assistant on. */
function splitMessages(messages: readonly MessageRecord[]): readonly [readonly MessageRecord[], readonly MessageRecord[]] {
  const first = messages.findIndex(({ role }) => role === "assistant");
  return first < 0 ? [messages, []] : [messages.slice(0, first), messages.slice(first)];
}

const NOTHING: Turn = { messages: [], stretches: [], isClosed: null };
const turn = (messages: readonly MessageRecord[]): Turn => ({ messages, stretches: stretchesOf(messages), isClosed: null });

function turnsOf(cells: Cells, reading: FormReading): readonly [Turn, Turn] {
  const prompt = cells.get("prompt");
  const completion = cells.get("completion");
  const messages = cells.get("messages");
  const all = messages && areMessages(messages[1]) ? messagesOf(messages[1], messages[0].name) : [];
  // Beside an answer of their own, messages are what was asked.
  const [asked, said] = completion ? [all, []] : splitMessages(all);
  const opening = prompt && prompt[1] !== null ? turnOf(prompt, renderedPrompt, "user", reading) : turn(asked);
  if (completion && completion[1] !== null) return [opening, turnOf(completion, renderedAnswer, "assistant", reading)];
  if (!messages && !completion && !cells.has("answer-ids")) throw new TraceError("must have a completion or messages");
  return [opening, messages ? turn(said) : NOTHING];
}

/** What prompts that are equal have equal. */
function promptKey(cells: Cells, opening: Turn): string {
  const value = cells.get("prompt")?.[1];
  if (typeof value === "string") return value;
  return opening.messages.length > 0 ? JSON.stringify(opening.messages) : JSON.stringify(cells.get("prompt-ids")?.[1] ?? []);
}

/** What rollouts of one group have alike. Numbers that a double cannot hold are helped by the prompts. */
function groupKey(group: string | null, cells: Cells, opening: Turn, { seen }: FormReading): string {
  if (group === null) return promptKey(cells, opening);
  const [column, value] = cells.get("group") ?? [];
  if (typeof value !== "number" || Number.isSafeInteger(value) || !Number.isInteger(value)) return `id ${group}`;
  seen.notes.add(`${column?.name} has numbers above 2^53, which are not told apart here: groups are by them and by equal prompts.`);
  return `id ${group} ${promptKey(cells, opening)}`;
}

const textsOf = (opening: Turn, answer: Turn) => ({
  opening: opening.messages,
  messages: answer.messages,
  text: answer.stretches.map(({ text }) => text).join(""),
});

function saidOf(opening: Turn, answer: Turn): Said {
  const { sampled, ...tokens } = wordTokens(answer.stretches);
  const { sampled: _, ...prompt } = wordTokens(opening.stretches);
  return { ...textsOf(opening, answer), prompt, answer: tokens, sampled, channels: {} };
}

const text = (value: unknown): string =>
  value === null || value === undefined ? "" : typeof value === "string" ? value : showValue(value, 200);

/** The numbers and names of a row by the roles of its columns. */
export function factsOf(row: FoundRow, columns: Columns) {
  const cells = new Map<TraceRole, readonly [FoundColumn, unknown]>();
  const parts: FoundPart[] = [];
  for (const cell of columns.cells(row)) {
    const [column, value] = cell;
    if (column.role === "part") parts.push({ name: column.part, value: numberOf(value), weight: column.weight });
    else if (column.role !== "other") cells.set(column.role, cell);
  }
  const cellOf = (role: TraceRole) => cells.get(role)?.[1] ?? null;
  const success = numberOf(cellOf("success"));
  const group = cellOf("group");
  const facts = {
    step: numberOf(cellOf("step")),
    reward: numberOf(cellOf("reward")),
    advantage: numberOf(cellOf("advantage")),
    parts,
    answer: text(cellOf("answer")),
    stopReason: stopOf(cellOf("stop")),
    success: success === null ? null : success > 0.5,
    group: group === null ? null : String(group),
    exampleId: group === null ? "" : String(group),
  };
  return { cells, facts };
}

/**
 * A rollout of a row. Throws a TraceError that names the column in the way.
 * @param keepsMarks whether answers have the marks of their template where prompts have them, so that one without its last was cut off
 */
export function flatRollout(row: FoundRow, reading: FormReading, keepsMarks = false): FoundRollout {
  const { cells, facts } = factsOf(row, reading.columns);
  const [opening, answer] = turnsOf(cells, reading);
  const ids = idsOfRow(cells, answer.messages.length > 0, reading);
  reading.seen.tokens.add(ids ? "ids" : "words");
  const hasMarks = keepsMarks && opening.isClosed !== null;
  const stopReason = facts.stopReason ?? (hasMarks ? (answer.isClosed ? "completed" : "max-tokens") : null);
  return {
    ...facts,
    group: groupKey(facts.group, cells, opening, reading),
    stopReason,
    leftOpen: leftOpen(textsOf(opening, answer).text),
    length: ids ? ids.sampled.reduce((sum, flag) => sum + flag, 0) : saidWords(answer.stretches),
    said: (decoder) => (ids ? saidInIds(ids, textsOf(opening, answer), decoder) : saidOf(opening, answer)),
  };
}
