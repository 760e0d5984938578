// The tokenizer and the chat template in transformers: the ids of the lab, for plain text and for conversations with
// tools.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createChatRenderer } from "../../src/model/renderers/chat.ts";
import { createTokenizer } from "../../src/model/renderers/tokenizer.ts";
import { Random } from "../../src/rl/random.ts";
import { calculate } from "../../src/rl/tools/calculate.ts";
import { searchTool } from "../../src/rl/tools/search.ts";
import type { Message } from "../../src/rl/types.ts";
import { projectRoot } from "../environment.mjs";
import type { Check } from "./check.ts";

const [TEXTS, CONVERSATIONS] = [500, 40];
const FOLDER = join(projectRoot, "public", "tokenizers", "lab");
const PIECES = [
  ..."The answer is twelve. Who wrote this book? 12 + 3 * 45 = 1,024 <b> {x} \\boxed{7} don't".split(" "),
  ...[
    "naïve",
    "Straße",
    "東京",
    "привет",
    "🙂",
    "👩‍👩‍👧",
    "e\u0301",
    "\u00a0",
    "  ",
    "\n",
    "\n\n",
    "\t",
    "—",
    "½",
    "٣",
    "ﬁ",
    "\u200d",
    "<|",
    "|>",
    "</",
    "0x1F",
  ],
];

function textOf(random: Random): string {
  const pieces = Array.from({ length: 1 + random.below(12) }, () => random.pick(PIECES));
  return pieces.join(random.pick(["", " ", " "]));
}

/** A conversation as both sides write it, which ends before a turn of the assistant. */
function conversationOf(random: Random): readonly Message[] {
  const messages: Message[] = random.below(2) === 0 ? [{ role: "system", content: textOf(random).trim() }] : [];
  messages.push({ role: "user", content: textOf(random) });
  for (let turns = random.below(4); turns > 0; turns--) {
    const toolCalls = Array.from({ length: random.below(3) }, (_, i) => ({
      id: `call-${i + 1}`,
      name: random.pick(["calculate", "search"]),
      arguments: random.below(2) === 0 ? { expression: textOf(random) } : { query: textOf(random), n: random.below(1000) },
    }));
    messages.push({ role: "assistant", content: textOf(random).trim(), ...(toolCalls.length > 0 ? { toolCalls } : {}) });
    for (const { id } of toolCalls) messages.push({ role: "tool", content: textOf(random), toolCallId: id });
    if (toolCalls.length === 0) messages.push({ role: "user", content: textOf(random) });
  }
  return messages;
}

/** As transformers' templates take it. */
const asDictionary = ({ role, content, toolCalls }: Message) => ({
  ...{ role, content },
  ...(toolCalls
    ? { tool_calls: toolCalls.map(({ name, arguments: given }) => ({ type: "function", function: { name, arguments: given } })) }
    : {}),
});

export const tokenizer: Check = {
  name: "tokenizer",
  title: "The tokenizer and its chat template in transformers",
  packages: ["transformers"],
  async run(interop) {
    const ours = createTokenizer(JSON.parse(readFileSync(join(FOLDER, "tokenizer.json"), "utf8")));
    const renderer = createChatRenderer(ours);
    const random = new Random(14);
    const texts = Array.from({ length: TEXTS }, () => textOf(random)).map((text) => ({ text, ids: ours.encodePlain(text) }));
    const specs = [calculate.spec, searchTool([], 1).spec];
    const conversations = Array.from({ length: CONVERSATIONS }, (_, i) => {
      const messages = conversationOf(random);
      const tools = specs.slice(0, i % 3);
      return {
        messages: messages.map(asDictionary),
        tools: tools.map((spec) => ({ type: "function", function: spec })),
        ids: renderer.renderPrompt({ messages, tools }),
      };
    });
    writeFileSync(join(interop.folder, "cases.json"), JSON.stringify({ folder: FOLDER, texts, conversations }));
    return interop.python("tokenizer.py", "cases.json");
  },
};
