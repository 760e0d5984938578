// The chat template of a model from elsewhere as token ids. Templates are programs in Jinja that make one text of a
// conversation; here they see a placeholder for whatever was said, so that marks come from the template alone and text
// of users that reads like a mark stays text. Encoded in stretches between marks, as the lab's own chats are.
// Departures: what a template does to the words themselves, such as trimming, does not happen; no tools.
import { Template } from "@huggingface/jinja";
import { InputError } from "../../protocol/problems.ts";
import type { Message, Renderer, ToolSpec } from "../../rl/types.ts";
import { encodeSegments, mark, pieceOf, type Segment, spokenMarks, spokenSegments, text, textOf } from "./segments.ts";
import type { Tokenizer } from "./tokenizer.ts";

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

/** Tools of whatever kind, which such a template's words are not known for. */
function checkPlain(messages: readonly Message[], tools: readonly ToolSpec[] = []): void {
  if (tools.length === 0 && messages.every(({ role, toolCalls }) => role !== "tool" && !toolCalls)) return;
  const message = "checkpoint must be a model of the lab's own for a task with tools, got one with a chat template of its own";
  throw new InputError([{ field: "checkpoint", message }]);
}

/** A renderer of chats by a model's own tokenizer and template. Throws where the template cannot be read. */
export function createTemplateRenderer(tokenizer: Tokenizer, { source, names, ends }: ChatTemplate): Renderer {
  const template = new Template(source);
  const stopTokens = ends.map((end) => tokenizer.markId(end));
  const marks = tokenizer.marks.map(({ content }) => content).toSorted((a, b) => b.length - a.length);
  const spoken = spokenMarks(tokenizer);

  /** The segments of messages, and of what each of them is followed by. */
  function segmentsOf(messages: readonly Message[], opensTurn: boolean): readonly (readonly Segment[])[] {
    const shown = messages.map(({ role }, i) => ({ role, content: `${OPEN}${i}${CLOSE}` }));
    const written = template.render({ ...names, messages: shown, add_generation_prompt: opensTurn });
    const [head = "", ...rest] = written.split(OPEN);
    const stretches = rest.map((stretch) => {
      const [index = "", after = ""] = stretch.split(CLOSE);
      return [said(messages[Number(index)]!), templateSegments(after, marks)].flat();
    });
    return [templateSegments(head, marks), ...stretches];
  }

  const said = ({ role, content }: Message): readonly Segment[] =>
    role === "assistant" ? ["seam", ...spokenSegments(content, spoken)] : [text(content)];

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
  return {
    vocabularySize: tokenizer.vocabularySize,
    stopTokens,
    renderPrompt({ messages, tools }) {
      checkPlain(messages, tools);
      return encodeSegments(tokenizer, segmentsOf(messages, true).flat());
    },
    renderTurn(sampled, messages) {
      checkPlain(messages);
      const ids = encodeSegments(tokenizer, behindTurn(messages, true));
      return sampled.at(-1) === ids[0] ? ids.slice(1) : ids;
    },
    renderCompletion(message) {
      checkPlain([message]);
      return [...encodeSegments(tokenizer, spokenSegments(message.content, spoken)), stopTokens[0]!];
    },
    parse: (tokens) => ({ role: "assistant", content: decode(stopTokens.includes(tokens.at(-1) ?? -1) ? tokens.slice(0, -1) : tokens) }),
    piece: pieceOf(tokenizer),
    decode,
  };
}
