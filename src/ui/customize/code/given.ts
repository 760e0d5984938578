// What code of somebody's own is handed, as data: the editor completes it and the page lists it.

/** A name that code finds: what it is, in a type and in words, and what can be written behind its dot. */
export interface GivenName {
  readonly name: string;
  readonly type: string;
  readonly help: string;
  readonly members?: readonly GivenName[];
}

const MESSAGE: readonly GivenName[] = [
  { name: "role", type: '"user" | "assistant" | "tool" | "system"', help: "Who speaks." },
  { name: "content", type: "string", help: "What is said." },
  { name: "toolCalls", type: "ToolCall[] | undefined", help: "The tools that the message calls." },
  { name: "name", type: "string | undefined", help: "Which agent speaks, where there are several." },
];

/** What a reward's function is handed: the finished conversation, and beside it its options and a generator. */
export const REWARD_GIVEN: readonly GivenName[] = [
  { name: "text", type: "string", help: "The policy's last message." },
  { name: "question", type: "string", help: "The last user message of the problem." },
  { name: "answer", type: "string", help: "What the task expects; empty where nobody knows." },
  { name: "messages", type: "Message[]", help: "The whole conversation, with tool calls, results and every turn.", members: MESSAGE },
  { name: "stopReason", type: "string", help: "Why the conversation ended, such as completed or max-tokens." },
  { name: "options", type: "Record<string, number | string | boolean>", help: "The reward's own options, of the second argument." },
  {
    name: "random",
    type: "Random",
    help: "The lab's seeded generator, of the second argument: the same for the same conversation.",
    members: [
      { name: "uniform", type: "() => number", help: "A number from 0 up to 1." },
      { name: "below", type: "(count: number) => number", help: "A whole number below count." },
      { name: "pick", type: "(list: T[]) => T", help: "One of a list." },
    ],
  },
];
