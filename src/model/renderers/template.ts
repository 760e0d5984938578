// The chat template of a model from elsewhere as token ids. Templates are programs in Jinja that make one text of a
// conversation; here they see a placeholder for whatever was said, so that marks come from the template alone and text
// of users that reads like a mark stays text. Encoded in stretches between marks, as the lab's own chats are.
// Tools are there where the template writes them and the model's calls are JSON between <tool_call> marks, as those of
// Hermes and Qwen are. Departure: what a template does to the words themselves, such as trimming, does not happen.
import { Template } from "@huggingface/jinja";
import { InputError } from "../../protocol/problems.ts";
import type { Message, Renderer, ToolSpec } from "../../rl/types.ts";
import { CALL, callSegments, encodeSegments, mark, pieceOf, type Segment, spokenMarks, spokenSegments, text, textOf } from "./segments.ts";
import type { Tokenizer } from "./tokenizer.ts";
import { parseAssistant } from "./toolCalls.ts";

export interface ChatTemplate {
  readonly source: string;
  /** What the template may name, such as `bos_token`. */
  readonly names: Readonly<Record<string, string>>;
  /** Marks that end a turn, the one that the model writes first. */
  readonly ends: readonly string[];
}

// Private characters, which no template holds.
const [OPEN, CLOSE] = ["\uE000", "\uE001"];

/** What the template itself writes: marks, and text between them. */
function templateSegments(written: string, marks: readonly string[]): readonly Segment[] {
  const segments: Segment[] = [];
  let begin = 0;
  for (let at = 0; at < written.length; at++) {
    const found = marks.find((each) => written.startsWith(each, at));
    if (found === undefined) continue;
    segments.push(text(written.slice(begin, at)), mark(found));
    begin = at + found.length;
    at = begin - 1;
  }
  return [...segments, text(written.slice(begin))];
}

/** Tools as templates expect them; nothing where there are none, since some templates ask whether there are any. */
const offered = (tools: readonly ToolSpec[]) =>
  tools.length === 0 ? {} : { tools: tools.map((tool) => ({ type: "function", function: tool })) };

/** Why a model cannot be offered tools; undefined where it can. */
function lackOfTools(tokenizer: Tokenizer, source: string): string | undefined {
  if (!/\btools\b/.test(source)) return "its chat template writes no tools";
  const hasMarks = Object.values(CALL).every((call) => tokenizer.marks.some(({ content }) => content === call));
  return hasMarks && source.includes(CALL.open)
    ? undefined
    : `its chat template's calls do not stand between ${CALL.open} and ${CALL.close}`;
}

function checkPlain(lack: string | undefined, messages: readonly Message[], tools: readonly ToolSpec[] = []): void {
  if (lack === undefined || (tools.length === 0 && messages.every(({ role, toolCalls }) => role !== "tool" && !toolCalls))) return;
  throw new InputError([
    { field: "checkpoint", message: `checkpoint must be a model that can be offered tools for a task with tools: ${lack}` },
  ]);
}

/** A renderer of chats by a model's own tokenizer and template. Throws where the template cannot be read. */
export function createTemplateRenderer(tokenizer: Tokenizer, { source, names, ends }: ChatTemplate): Renderer {
  const template = new Template(source);
  const stopTokens = ends.map((end) => tokenizer.markId(end));
  const marks = tokenizer.marks.map(({ content }) => content).toSorted((a, b) => b.length - a.length);
  const spoken = spokenMarks(tokenizer);
  const lacksTools = lackOfTools(tokenizer, source);

  /** The segments of messages, and of what each of them is followed by. */
  function segmentsOf(messages: readonly Message[], opensTurn: boolean, tools: readonly ToolSpec[] = []): readonly (readonly Segment[])[] {
    const shown = messages.map(({ role }, i) => ({ role, content: `${OPEN}${i}${CLOSE}` }));
    const written = template.render({ ...names, messages: shown, add_generation_prompt: opensTurn, ...offered(tools) });
    const [head = "", ...rest] = written.split(OPEN);
    const stretches = rest.map((stretch) => {
      const [index = "", after = ""] = stretch.split(CLOSE);
      return [said(messages[Number(index)]!), templateSegments(after, marks)].flat();
    });
    return [templateSegments(head, marks), ...stretches];
  }

  /** Calls are written here as the policy writes them, so the template sees a turn that only says something. */
  const said = (message: Message): readonly Segment[] =>
    message.role === "assistant" ? ["seam", ...spokenSegments(message.content, spoken), ...callSegments(message)] : [text(message.content)];

  /** What the template writes behind the first of two turns, the first an assistant's. */
  function behindTurn(messages: readonly Message[], opensTurn: boolean): readonly Segment[] {
    const turn: readonly Message[] = [
      { role: "user", content: "" },
      { role: "assistant", content: "" },
    ];
    const [, , own = [], ...rest] = segmentsOf([...turn, ...messages], opensTurn);
    return [...own.filter((segment) => segment !== "seam"), ...rest.flat()];
  }

  const decode = textOf(tokenizer);
  const callMarks = lacksTools === undefined ? { open: tokenizer.markId(CALL.open), close: tokenizer.markId(CALL.close) } : null;
  return {
    vocabularySize: tokenizer.vocabularySize,
    stopTokens,
    renderPrompt({ messages, tools }) {
      checkPlain(lacksTools, messages, tools);
      return encodeSegments(tokenizer, segmentsOf(messages, true, tools).flat());
    },
    renderTurn(sampled, messages) {
      checkPlain(lacksTools, messages);
      const ids = encodeSegments(tokenizer, behindTurn(messages, true));
      return sampled.at(-1) === ids[0] ? ids.slice(1) : ids;
    },
    renderCompletion(message) {
      checkPlain(lacksTools, [message]);
      return [...encodeSegments(tokenizer, said(message)), stopTokens[0]!];
    },
    parse(tokens) {
      const turn = stopTokens.includes(tokens.at(-1) ?? -1) ? tokens.slice(0, -1) : tokens;
      return callMarks ? parseAssistant(turn, decode, callMarks) : { role: "assistant", content: decode(turn) };
    },
    ...(lacksTools === undefined ? {} : { lacksTools }),
    piece: pieceOf(tokenizer),
    decode,
  };
}
