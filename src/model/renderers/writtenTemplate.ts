// A conversation as a chat template in Jinja writes it, with placeholders for whatever was said: so marks come from the
// template alone, and text of users that reads like a mark stays text. The template sees what it may act on beside the
// roles: white space around a text, the marks of a thought in what an assistant says, and the shape of calls.
import { InputError } from "../../protocol/problems.ts";
import type { Message, ToolSpec } from "../../rl/types.ts";
import { readTemplate } from "./jinja.ts";
import { mark, type Segment, spokenMarks, spokenSegments, text } from "./segments.ts";
import type { Mark, Tokenizer } from "./tokenizer.ts";

// Private characters, which no template holds.
const OPEN = "\uE000";
const CLOSE = "\uE001";
const HIDDEN = /\uE000(\d+)\uE001/g;
const THOUGHT = /(<\/?think>)/;
const WORD_CHARACTER = /[\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control}]/u;

/** What stands in a placeholder's place, between the characters beside it. */
type Hidden = (before: string, after: string) => readonly Segment[];

/** What a template wrote. */
export interface Written {
  readonly text: string;
  /** Behind the last placeholder of each message; null where the template shows none of it. */
  endOf(message: number): number | null;
  /** A stretch of the text as segments. */
  segments(from: number, to?: number): readonly Segment[];
}

/** How calls are shown to a template: their arguments as an object, or as JSON text, as some templates join them. */
export type ArgumentsForm = "object" | "text";

/** How a conversation is to be written. */
export interface WriteOptions {
  readonly opensTurn: boolean;
  readonly tools?: readonly ToolSpec[];
  readonly calls: ArgumentsForm;
}

/** Tools as templates expect them; nothing where there are none, since some templates ask whether there are any. */
const offered = (tools: readonly ToolSpec[]) =>
  tools.length === 0 ? {} : { tools: tools.map((tool) => ({ type: "function", function: tool })) };

/** Writes conversations by a template. @param names what the template may name, such as `bos_token`. Throws where it cannot be read. */
export function templateWriter(tokenizer: Tokenizer, source: string, names: Readonly<Record<string, string>>) {
  const template = readTemplate(source);
  const marks = tokenizer.marks.toSorted((a, b) => b.content.length - a.content.length);
  const spoken = spokenMarks(tokenizer);

  return function write(messages: readonly Message[], { opensTurn, tools = [], calls }: WriteOptions): Written {
    const hidden: { readonly message: number; readonly show: Hidden }[] = [];
    const shown = messages.map((message, i) =>
      shownMessage(message, calls, spoken, (show) => {
        hidden.push({ message: i, show });
        return `${OPEN}${hidden.length - 1}${CLOSE}`;
      }),
    );
    const written = template({ ...names, messages: shown, add_generation_prompt: opensTurn, ...offered(tools) });
    return {
      text: written,
      endOf(message) {
        let end: number | null = null;
        for (const found of written.matchAll(HIDDEN))
          if (hidden[Number(found[1])]?.message === message) end = found.index + found[0].length;
        return end;
      },
      segments(from, to = written.length) {
        const segments: Segment[] = [];
        let begin = from;
        for (const found of written.matchAll(HIDDEN)) {
          const end = found.index + found[0].length;
          if (found.index < from || end > to) continue;
          segments.push(...templateSegments(written, begin, found.index, marks));
          segments.push(...(hidden[Number(found[1])]?.show(written[found.index - 1] ?? "", written[end] ?? "") ?? []));
          begin = end;
        }
        return [...segments, ...templateSegments(written, begin, to, marks)];
      },
    };
  };
}

type Hide = (show: Hidden) => string;

function shownText(content: string, hide: Hide, segments: (core: string) => readonly Segment[]): string {
  const core = content.trim();
  if (core === "") return content;
  const from = content.indexOf(core);
  return `${content.slice(0, from)}${hide(() => segments(core))}${content.slice(from + core.length)}`;
}

/** A value of a call, its texts hidden: as JSON writes them where they stand in quotes. */
function shownValue(value: unknown, hide: Hide): unknown {
  if (typeof value === "string")
    return value === ""
      ? value
      : hide((before, after) => [text(before === '"' && after === '"' ? JSON.stringify(value).slice(1, -1) : value)]);
  if (Array.isArray(value)) return value.map((each) => shownValue(each, hide));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [shownValue(key, hide), shownValue(each, hide)]));
}

function shownMessage({ role, content, toolCalls, toolCallId }: Message, calls: ArgumentsForm, spoken: readonly string[], hide: Hide) {
  const id = toolCallId === undefined ? {} : { tool_call_id: toolCallId };
  if (role !== "assistant") return { role, content: shownText(content, hide, (core) => [text(core)]), ...id };
  const parts = content
    .split(THOUGHT)
    .map((part) => (THOUGHT.test(part) ? part : shownText(part, hide, (core) => spokenSegments(core, spoken))));
  if (!toolCalls?.length) return { role, content: parts.join("") };
  const tool_calls = toolCalls.map((call) => {
    const given = shownValue(call.arguments, hide);
    const name = shownValue(call.name, hide);
    return { id: call.id, type: "function", function: { name, arguments: calls === "object" ? given : JSON.stringify(given) } };
  });
  return { role, content: parts.join(""), tool_calls };
}

/** What the template itself writes from one place to another: marks, and text between them. */
function templateSegments(written: string, from: number, to: number, marks: readonly Mark[]): readonly Segment[] {
  const segments: Segment[] = [];
  let begin = from;
  for (let at = from; at < to; at++) {
    const found = marks.find((each) => written.startsWith(each.content, at) && at + each.content.length <= to);
    if (found === undefined || (found.single_word === true && !standsAlone(written, at, found))) continue;
    segments.push(text(written.slice(begin, at)), mark(found.content));
    begin = at + found.content.length;
    at = begin - 1;
  }
  return [...segments, text(written.slice(begin, to))];
}

/** Whether no letter is beside a mark that is none in a word. What is said beside it is not seen here, so that is refused. */
function standsAlone(written: string, at: number, { content }: Mark): boolean {
  const beside = [written[at - 1] ?? "", written[at + content.length] ?? ""];
  if (beside.includes(CLOSE) || beside.includes(OPEN))
    throw new InputError([
      {
        field: "checkpoint",
        message: `checkpoint must be a model whose template writes nothing said beside ${content}, which is a mark only between words`,
      },
    ]);
  return !beside.some((each) => WORD_CHARACTER.test(each));
}
