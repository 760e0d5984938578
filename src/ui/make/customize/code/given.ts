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

const OPTIONS: GivenName = {
  name: "options",
  type: "Record<string, number | string | boolean>",
  help: "Its own options, of the second argument.",
};

const RANDOM: GivenName = {
  name: "random",
  type: "Random",
  help: "The lab's seeded generator, of the second argument: the same for the same conversation.",
  members: [
    { name: "uniform", type: "() => number", help: "A number from 0 up to 1." },
    { name: "below", type: "(count: number) => number", help: "A whole number below count." },
    { name: "pick", type: "(list: T[]) => T", help: "One of a list." },
  ],
};

/** What a reward's function is handed: the finished conversation, and beside it its options and a generator. */
export const REWARD_GIVEN: readonly GivenName[] = [
  { name: "text", type: "string", help: "The policy's last message." },
  { name: "question", type: "string", help: "The last user message of the problem." },
  { name: "answer", type: "string", help: "What the task expects; empty where nobody knows." },
  { name: "messages", type: "Message[]", help: "The whole conversation, with tool calls, results and every turn.", members: MESSAGE },
  { name: "stopReason", type: "string", help: "Why the conversation ended, such as completed or max-tokens." },
  OPTIONS,
  RANDOM,
];

const CALL: readonly GivenName[] = [
  { name: "name", type: "string", help: "The tool that was called." },
  { name: "arguments", type: "Record<string, unknown>", help: "What it was called with." },
  { name: "result", type: "string", help: "What it answered, or what was wrong with the call." },
  { name: "failed", type: "boolean", help: "Whether something was wrong with it." },
];

/** What the functions of an environment are handed, and what they export and return. */
export const ENVIRONMENT_GIVEN: readonly GivenName[] = [
  {
    name: "problem",
    type: "Problem",
    help: "What the conversation is about; start and step get it.",
    members: [
      { name: "question", type: "string", help: "What was asked." },
      { name: "answer", type: "string", help: "What is expected; empty where nobody knows." },
      { name: "documents", type: "string[] | undefined", help: "Texts that belong to the problem." },
    ],
  },
  { name: "text", type: "string", help: "What the model has just said; step gets it." },
  { name: "calls", type: "Call[]", help: "The tools it has just called, already answered; step gets them.", members: CALL },
  { name: "state", type: "unknown", help: "Plain data that goes from turn to turn: what start or the last step returned." },
  { name: "turn", type: "number", help: "How many turns there were before, from 0." },
  OPTIONS,
  RANDOM,
  { name: "draw", type: "({ options, random }) => Problem", help: "Exported: makes a problem, where none are typed or brought." },
  { name: "start", type: "(problem, { options, random }) => { say?, state? }", help: "Exported: opens a conversation." },
  {
    name: "tools",
    type: "Tool[]",
    help: "Exported: each with name, description, parameters and run(arguments, state, { options, random }).",
  },
  { name: "step", type: "(turn, { options, random }) => { say?, reward?, done?, success?, state? }", help: "Exported: answers a turn." },
  {
    name: "parameters",
    type: "Record<string, Kind | Argument>",
    help: 'Of a tool: "string", "number", "boolean", "array", "object", or { kind, description, optional, choices, items }.',
  },
  { name: "say", type: "string", help: "Returned: what is said next." },
  { name: "reward", type: "number", help: "Returned: what the turn earns." },
  { name: "done", type: "boolean", help: "Returned: whether the conversation is over." },
  { name: "success", type: "boolean", help: "Returned: whether it was solved, which accuracy counts." },
];
