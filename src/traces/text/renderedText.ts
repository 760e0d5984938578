// Conversations that a chat template has rendered into one text, as verl writes them: its marks are recognised and split into
// messages. What no template here has stays text.
import type { MessageRecord } from "../../protocol/records.ts";
import { roleNamed } from "./messages.ts";
import { jsonCallsOf } from "./textCalls.ts";

/** How one family of templates marks turns. */
interface Markup {
  readonly title: string;
  /** Stands in every text of the family: long texts without it are not looked through by patterns. */
  readonly sign: string;
  /** Opens a turn; its first group is the role, or a mark stands for one role. */
  readonly open: RegExp;
  readonly roles?: Readonly<Record<string, MessageRecord["role"]>>;
  /** Closes a turn. */
  readonly close: RegExp;
}

/** The families that are known, the most common first. */
const MARKUPS: readonly Markup[] = [
  { title: "ChatML", sign: "<|im_start|>", open: /<\|im_start\|>(\w+)\n/, close: /<\|im_end\|>|<\|endoftext\|>/ },
  {
    title: "Llama 3",
    sign: "<|start_header_id|>",
    open: /<\|start_header_id\|>(\w+)<\|end_header_id\|>\n*/,
    close: /<\|eo[tm]_id\|>|<\|end_of_text\|>/,
  },
  { title: "Gemma", sign: "<start_of_turn>", open: /<start_of_turn>(\w+)\n/, close: /<end_of_turn>|<eos>/ },
  { title: "Phi and GLM", sign: "<|", open: /<\|(system|user|assistant|tool|observation)\|>\n?/, close: /<\|end\|>|<\/s>|<\|endoftext\|>/ },
  { title: "DeepSeek", sign: "<｜", open: /<｜(User|Assistant)｜>/, close: /<｜end▁of▁sentence｜>/ },
  { title: "Mistral", sign: "INST]", open: /(\[\/?INST\])\s?/, roles: { "[INST]": "user", "[/INST]": "assistant" }, close: /<\/s>/ },
];

/** A stretch of a rendered text, marks included. */
export interface Stretch {
  readonly text: string;
  /** Whether the policy said it, the mark that closes its turn included. */
  readonly isSampled: boolean;
}

/** A rendered text as messages. */
export interface Rendered {
  readonly title: string;
  readonly messages: readonly MessageRecord[];
  readonly stretches: readonly Stretch[];
  /** Whether the last turn was closed; null where marks were left out. */
  readonly isClosed: boolean | null;
}

const markupOf = (text: string) => MARKUPS.find(({ sign, open }) => text.includes(sign) && open.test(text));

const RESULT = { open: "<tool_response>", close: "</tool_response>" };

/** What tools answer stands in a turn of the user there, between marks. */
function turnsIn(role: MessageRecord["role"], content: string): readonly MessageRecord[] {
  if (role === "assistant") return [jsonCallsOf(content)];
  if (role !== "user" || !content.trimStart().startsWith(RESULT.open)) return [{ role, content }];
  const results: MessageRecord[] = [];
  for (let open = content.indexOf(RESULT.open); open >= 0; ) {
    const close = content.indexOf(RESULT.close, open);
    const said = content.slice(open + RESULT.open.length, close < 0 ? content.length : close);
    results.push({ role: "tool", content: said.replace(/^\n/, "").replace(/\n$/, "") });
    open = close < 0 ? -1 : content.indexOf(RESULT.open, close);
  }
  return results;
}

/** Splits by marks. @param role whose turn the text begins in; null where it begins before all turns */
function splitBy({ title, open, roles, close }: Markup, text: string, begins: MessageRecord["role"] | null): Rendered {
  const marks = new RegExp(`${open.source}|${close.source}`, "g");
  const messages: MessageRecord[] = [];
  const stretches: Stretch[] = [];
  let role = begins;
  let at = 0;
  const say = (to: number) => {
    if (to > at) stretches.push({ text: text.slice(at, to), isSampled: role === "assistant" });
    if (role !== null && (to > at || messages.length > 0)) messages.push(...turnsIn(role, text.slice(at, to)));
  };
  for (const mark of text.matchAll(marks)) {
    say(mark.index);
    const opens = mark[1];
    stretches.push({ text: mark[0], isSampled: opens === undefined && role === "assistant" });
    role = opens === undefined ? null : (roles?.[opens] ?? roleNamed(opens) ?? "user");
    at = mark.index + mark[0].length;
  }
  const isClosed = role === null;
  // An opening without words behind it asks for the turn that follows.
  if (at < text.length || isClosed) say(text.length);
  return { title, messages, stretches, isClosed };
}

/** A prompt without the marks that decoding left out: names of roles on lines of their own, the assistant's last. */
function splitPlain(text: string): Rendered | null {
  if (!/^(system|user)\n/.test(text) || !/\nassistant\n*(<think>\n*)?$/.test(text)) return null;
  const turns = text.split(/(?:^|\n)(system|user|assistant|tool)\n/);
  const messages: MessageRecord[] = [];
  for (let i = 1; i + 1 < turns.length; i += 2) {
    const role = roleNamed(turns[i]) ?? "user";
    const content = turns[i + 1] ?? "";
    if (i + 2 < turns.length || (role !== "assistant" && content !== "")) messages.push(...turnsIn(role, content));
  }
  return { title: "names of roles, whose marks were left out", messages, stretches: [{ text, isSampled: false }], isClosed: null };
}

/** A prompt as its messages; null where no template is recognised. */
export function renderedPrompt(text: string): Rendered | null {
  const markup = markupOf(text);
  return markup ? splitBy(markup, text, null) : splitPlain(text);
}

/** An answer as its messages, which begins in a turn of the assistant; null where it has no marks. */
export function renderedAnswer(text: string): Rendered | null {
  const markup = markupOf(text) ?? (text.includes("<") ? MARKUPS.find(({ close }) => close.test(text)) : undefined);
  return markup ? splitBy(markup, text, "assistant") : null;
}
