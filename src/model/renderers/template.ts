// The chat template of a model from elsewhere as token ids: what the template writes, in stretches between marks, as the
// lab's own chats are. A turn of the policy is what the template writes behind its own opening of a turn.
// Tools are there where calls that the template writes are read back, and what a tool answers is written.
import { InputError } from "../../protocol/problems.ts";
import type { Message, Renderer, ToolCall, ToolSpec } from "../../rl/types.ts";
import { CALL, encodeSegments, pieceOf, type Segment, textOf } from "./segments.ts";
import type { Tokenizer } from "./tokenizer.ts";
import { parseAssistant } from "./toolCalls.ts";
import { type ArgumentsForm, templateWriter, type Written } from "./writtenTemplate.ts";

interface ChatTemplate {
  readonly source: string;
  /** What the template may name, such as `bos_token`. */
  readonly names: Readonly<Record<string, string>>;
  /** Ids that end a text, whatever the template writes behind a turn. */
  readonly ends: readonly number[];
}

const refuse = (message: string): never => {
  throw new InputError([{ field: "checkpoint", message: `checkpoint must be a model ${message}` }]);
};

const ASKED: Message = { role: "user", content: "a" };
const SAID: Message = { role: "assistant", content: "b" };
const CALLS: readonly ToolCall[] = [
  { id: "call00001", name: "first", arguments: { text: 'it\'s "so"\n', count: 12, list: [true, { deep: "1" }] } },
  { id: "call00002", name: "second", arguments: { text: "12" } },
];
const calling = (toolCalls: readonly ToolCall[]): Message => ({ role: "assistant", content: "", toolCalls });
const ANSWERED: readonly Message[] = CALLS.map(({ id }) => ({ role: "tool", content: "c", toolCallId: id }));

type Write = ReturnType<typeof templateWriter>;

/** The turns of an assistant, as a template opens, writes and closes them. */
interface Turns {
  readonly stopTokens: readonly number[];
  /** A turn as the template writes it behind its own opening, with the mark that closes it. */
  turnOf(message: Message, calls: ArgumentsForm): readonly number[];
  /** What the template writes behind a sampled turn, up to the opening of the next. */
  behind(sampled: readonly number[], messages: readonly Message[], calls: ArgumentsForm): readonly number[];
}

function readTurns(tokenizer: Tokenizer, write: Write, ends: readonly number[]): Turns {
  const encode = (segments: readonly Segment[]) => encodeSegments(tokenizer, segments);

  /** The first mark that the template writes behind a place, or the first of an id, and where it ends. */
  function markBehind(written: Written, from: number, wanted?: number): { readonly id: number; readonly end: number } | null {
    let end = from;
    for (const segment of written.segments(from)) {
      if (segment === "seam") continue;
      end += "text" in segment ? segment.text.length : segment.mark.length;
      const id = "mark" in segment ? tokenizer.markId(segment.mark) : null;
      if (id !== null && (wanted === undefined || id === wanted)) return { id, end };
    }
    return null;
  }

  const asked = write([ASKED], { opensTurn: true, calls: "object" }).text;
  const answered = write([ASKED, SAID], { opensTurn: false, calls: "object" });
  const closing = markBehind(answered, answered.endOf(1) ?? answered.text.length)?.id ?? null;
  const stopTokens = [...new Set([...(closing === null ? [] : [closing]), ...ends])];
  /** Behind the mark that closes a turn; null where the template writes none. */
  const closeBehind = (written: Written, from: number) => (closing === null ? null : (markBehind(written, from, closing)?.end ?? null));

  return {
    stopTokens,
    turnOf(message, calls) {
      const written = write([ASKED, message], { opensTurn: false, calls });
      if (!written.text.startsWith(asked)) refuse("whose template writes a turn as it asks for one, for turns that are not its own");
      const said = Math.max(written.endOf(1) ?? 0, asked.length);
      const close = closeBehind(written, said);
      const ids = encode(written.segments(asked.length, close ?? said));
      return close === null ? [...ids, ...stopTokens.slice(0, 1)] : ids;
    },
    behind(sampled, messages, calls) {
      const others = messages.findIndex(({ role }) => role !== "tool");
      const results = messages.slice(0, others < 0 ? messages.length : others);
      const called = results.map(({ toolCallId }, i) => ({ id: toolCallId ?? `call${i}`, name: "a", arguments: {} }));
      const written = write([ASKED, called.length > 0 ? calling(called) : SAID, ...messages], { opensTurn: true, calls });
      const end = written.endOf(1) ?? 0;
      const close = closeBehind(written, end);
      const rest = encode(written.segments(close ?? end));
      // What the template writes up to its closing mark is the turn's own.
      if (close === null || closing === null) return sampled.at(-1) === rest[0] ? rest.slice(1) : rest;
      return sampled.at(-1) === closing ? rest : [closing, ...rest];
    },
  };
}

type Parse = (tokens: readonly number[]) => Message;

/** Whether calls that the template writes are read as they were, and what tools answer is there behind them. */
function comesBack(given: readonly ToolCall[], form: ArgumentsForm, { turnOf }: Turns, write: Write, parse: Parse): boolean {
  try {
    const { toolCalls = [] } = parse(turnOf(calling(given), form));
    const texts = [toolCalls, given].map((calls) => JSON.stringify(calls.map(({ name, arguments: values }) => [name, values])));
    const results = ANSWERED.slice(0, given.length);
    const written = write([ASKED, calling(given), ...results], { opensTurn: true, calls: form });
    return texts[0] === texts[1] && results.every((_, i) => written.endOf(2 + i) !== null);
  } catch {
    // A template that refuses to write this has no such calls.
    return false;
  }
}

/**
 * How calls are shown to the template so that they come back, or why they do not.
 * @param parse reads calls; null without the marks for it
 */
function formOfCalls(source: string, turns: Turns, write: Write, parse: Parse | null): { readonly form: ArgumentsForm } | string {
  if (!/\btools\b/.test(source)) return "its chat template writes no tools";
  if (parse === null) return `its chat template's calls do not stand between ${CALL.open} and ${CALL.close}`;
  for (const form of ["object", "text"] as const)
    for (const count of [2, 1]) if (comesBack(CALLS.slice(0, count), form, turns, write, parse)) return { form };
  return "its chat template's calls are not read back here as JSON with a name and arguments, or what tools answer is not written";
}

/** A renderer of chats by a model's own tokenizer and template. Throws where the template cannot be read. */
export function createTemplateRenderer(tokenizer: Tokenizer, { source, names, ends }: ChatTemplate): Renderer {
  const write = templateWriter(tokenizer, source, names);
  const turns = readTurns(tokenizer, write, ends);
  const { stopTokens } = turns;
  const decode = textOf(tokenizer);
  const said = (tokens: readonly number[]) => (stopTokens.includes(tokens.at(-1) ?? -1) ? tokens.slice(0, -1) : tokens);
  const hasMarks = Object.values(CALL).every((call) => tokenizer.marks.some(({ content }) => content === call));
  const callMarks = hasMarks ? { open: tokenizer.markId(CALL.open), close: tokenizer.markId(CALL.close) } : null;
  const parseCalls = callMarks && ((tokens: readonly number[]) => parseAssistant(said(tokens), decode, callMarks));
  const parsePlain: Parse = (tokens) => ({ role: "assistant", content: decode(said(tokens)) });
  const found = formOfCalls(source, turns, write, parseCalls);
  const lacksTools = typeof found === "string" ? found : undefined;
  const calls = typeof found === "string" ? "object" : found.form;

  function checkPlain(messages: readonly Message[], tools: readonly ToolSpec[] = []): void {
    if (lacksTools === undefined || (tools.length === 0 && messages.every(({ role, toolCalls }) => role !== "tool" && !toolCalls))) return;
    refuse(`that can be offered tools for a task with tools: ${lacksTools}`);
  }

  return {
    vocabularySize: tokenizer.vocabularySize,
    stopTokens,
    renderPrompt({ messages, tools = [] }) {
      checkPlain(messages, tools);
      return encodeSegments(tokenizer, write(messages, { opensTurn: true, tools, calls }).segments(0));
    },
    renderTurn(sampled, messages) {
      checkPlain(messages);
      return turns.behind(sampled, messages, calls);
    },
    renderCompletion(message) {
      checkPlain([message]);
      return turns.turnOf(message, calls);
    },
    parse: lacksTools === undefined && parseCalls ? parseCalls : parsePlain,
    ...(lacksTools === undefined ? {} : { lacksTools }),
    piece: pieceOf(tokenizer),
    decode,
  };
}
