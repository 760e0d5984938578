// Custom environments: all live conversations of a turn are one batch of the sandbox. What a conversation has
// come to is plain data that goes into its call and comes out of it, so that nothing is shared between conversations, and
// one whose code throws, loops, is late or returns nonsense ends by itself, with the reason.

import type { CustomEnvironment } from "../../../protocol/custom/customTasks.ts";
import { jsonText } from "../../../protocol/custom/exactJson.ts";
import { errorText, isRecord, showValue } from "../../../protocol/problems.ts";
import type { CallReport, EnvReport, TurnReport } from "../../../protocol/records.ts";
import type { QuestionAnswer } from "../../data/problemList.ts";
import { hash32 } from "../../data/problems.ts";
import type { FramedAnswer, FramedJob, Sandbox } from "../../sandbox/jobs.ts";
import { failure, type ToolResult } from "../../tools/tool.ts";
import { beyondLimit, callsTools, unknownTool } from "../../tools/toolRunner.ts";
import type { Action, Env, EnvBuilder, Example, Message, State, Stepped } from "../../types.ts";
import type { Described } from "./described.ts";

/** Longest text that an environment says at once, longest state as JSON, and largest size of a reward. */
const LONGEST_SAID = 20_000;
const LONGEST_STATE = 65_536;
const LARGEST_REWARD = 1e9;

/** What environments of a task share. */
interface SandboxedTask {
  readonly environment: CustomEnvironment;
  readonly described: Described;
  readonly sandbox: Sandbox;
  problemOf(example: Example): QuestionAnswer;
}

/** A conversation as its environment has it; owned state. */
interface Conversation {
  readonly problem: QuestionAnswer;
  readonly seed: number;
  opening: State;
  said: readonly Message[];
  /** JSON. */
  state: string;
  used: number;
  isWarned: boolean;
  stopReason: EnvReport["stopReason"];
  success: boolean | null;
  failedCalls: number;
  readonly turns: TurnReport[];
  /** Why it could not be opened. */
  readonly refused: string | null;
}

export const jobOf = ({ source, options, workMs }: CustomEnvironment): FramedJob => ({ source, options, workMs, frame: "environment" });

/** What of a problem its environment is handed. */
const shown = ({ question, answer, documents }: QuestionAnswer) => ({ question, answer, ...(documents ? { documents } : {}) });

/** The data of an answer, or why there is none. */
function read(answer: FramedAnswer | undefined): Readonly<Record<string, unknown>> | string {
  if (!answer || !("json" in answer)) return answer?.reason ?? "was not answered";
  const found: unknown = JSON.parse(answer.json);
  return isRecord(found) ? found : `must return an object, got ${showValue(found)}`;
}

/** The state as text, or what is wrong with it. */
function stateOf(value: unknown): { readonly text: string } | string {
  const text = JSON.stringify(value ?? null);
  return text.length <= LONGEST_STATE ? { text } : `its state must be at most ${LONGEST_STATE} characters as JSON, got ${text.length}`;
}

function openingOf(example: Example, said: unknown, { environment, described }: SandboxedTask): State | string {
  const tools = environment.announceTools && described.tools.length > 0 ? { tools: described.tools.map(({ spec }) => spec) } : {};
  if (said === undefined || said === null) return { messages: example.messages, ...tools };
  if (typeof said !== "string" || said.length > LONGEST_SAID)
    return `start must say a text of at most ${LONGEST_SAID} characters, got ${showValue(said)}`;
  const last = example.messages.findLastIndex(({ role }) => role === "user");
  return { messages: example.messages.map((message, i) => (i === last ? { ...message, content: said } : message)), ...tools };
}

function opened(example: Example, seed: number, answer: FramedAnswer | undefined, task: SandboxedTask): Conversation {
  const blank = { problem: task.problemOf(example), seed, said: [], state: "null", used: 0, isWarned: false } as const;
  const fresh = { ...blank, stopReason: undefined, success: null, failedCalls: 0, turns: [] };
  const plain = { messages: example.messages };
  if (!task.described.starts) return { ...fresh, opening: openingOf(example, null, task) as State, refused: null };
  const started = read(answer);
  if (typeof started === "string") return { ...fresh, opening: plain, refused: `start ${started}` };
  const opening = openingOf(example, started.say, task);
  const state = stateOf(started.state);
  if (typeof opening === "string" || typeof state === "string")
    return { ...fresh, opening: plain, refused: typeof opening === "string" ? opening : (state as string) };
  return { ...fresh, opening, state: state.text, refused: null };
}

/** A call as the sandbox is asked: with why it is not run, where it is not. */
interface AskedCall {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly refused?: string;
}

/** The calls of a message in order, those that could not be read last; each counts towards the limit. */
function callsOf(
  conversation: Conversation,
  { toolCalls = [], toolCallProblems = [] }: Message,
  task: SandboxedTask,
): readonly AskedCall[] {
  const { environment, described } = task;
  const refusal = (name: string, given: Readonly<Record<string, unknown>>): ToolResult | null => {
    conversation.used += 1;
    if (conversation.used > environment.calls) return beyondLimit(environment.calls);
    const tool = described.tools.find(({ spec }) => spec.name === name);
    if (!tool) return unknownTool(name, described.tools);
    const checked = tool.call(given);
    return checked.failed ? checked : null;
  };
  return [
    ...toolCalls.map(({ name, arguments: given }) => {
      const refused = refusal(name, given);
      return { name, arguments: given, ...(refused ? { refused: refused.content } : {}) };
    }),
    ...toolCallProblems.map((problem) => {
      conversation.used += 1;
      const { content } = conversation.used > environment.calls ? beyondLimit(environment.calls) : failure(problem);
      return { name: "", arguments: {}, refused: content };
    }),
  ];
}

const textOf = (value: unknown): string => (typeof value === "string" ? value.slice(0, LONGEST_SAID) : "");

function reportsOf(calls: unknown): readonly CallReport[] {
  if (!Array.isArray(calls)) return [];
  return calls.filter(isRecord).map(({ name, arguments: given, result, failed }) => ({
    name: textOf(name),
    given: name === "" ? "" : jsonText(given),
    result: textOf(result),
    failed: failed === true,
  }));
}

/** What is wrong with what step returned; null where nothing is. */
function problemWith({ say, reward, done, success }: Readonly<Record<string, unknown>>): string | null {
  if (say !== undefined && say !== null && (typeof say !== "string" || say.length > LONGEST_SAID))
    return `step must say a text of at most ${LONGEST_SAID} characters, got ${showValue(say)}`;
  // A number that is not finite comes as null.
  if (reward !== undefined && (typeof reward !== "number" || Math.abs(reward) > LARGEST_REWARD))
    return `step must give a finite reward within ±${LARGEST_REWARD}, got ${reward === null ? "none that JSON can say" : showValue(reward)}`;
  for (const [name, value] of Object.entries({ done, success }))
    if (value !== undefined && typeof value !== "boolean") return `step must give ${name} as true or false, got ${showValue(value)}`;
  return null;
}

/** Takes what the sandbox said of a turn into the conversation: the next state, or null at its end. */
function taken(conversation: Conversation, { message }: Action, answer: FramedAnswer | undefined): Stepped {
  const found = read(answer);
  if (typeof found === "string") return { reason: `step ${found}` };
  const problem = problemWith(found);
  if (problem !== null) return { reason: problem };
  const state = stateOf(found.state);
  if (typeof state === "string") return { reason: state };
  const calls = reportsOf(found.calls);
  const { say, reward, done, success } = found;
  conversation.state = state.text;
  conversation.failedCalls += calls.filter(({ failed }) => failed).length;
  if (typeof success === "boolean") conversation.success = success;
  conversation.turns.push({ ...(typeof reward === "number" ? { reward } : {}), ...(calls.length > 0 ? { calls } : {}) });
  const ids = message.toolCalls ?? [];
  const results = calls.map(({ result }, i): Message => ({ role: "tool", content: result, ...(ids[i] ? { toolCallId: ids[i].id } : {}) }));
  const next: readonly Message[] = [...results, ...(typeof say === "string" ? [{ role: "user", content: say } as const] : [])];
  if (done === true || next.length === 0) return null;
  conversation.said = [...conversation.said, message, ...next];
  return { messages: conversation.said };
}

/** Two turns in a row that ask for more calls than there may be end the conversation. */
function isHopeless(conversation: Conversation, message: Message, { environment }: SandboxedTask): boolean {
  const wasWarned = conversation.isWarned;
  conversation.isWarned = conversation.used > environment.calls;
  return wasWarned && conversation.isWarned && callsTools(message);
}

function reportOf({ stopReason, turns, used, failedCalls, success }: Conversation): EnvReport {
  const rewards = turns.flatMap(({ reward }) => (reward === undefined ? [] : [reward]));
  const earned = rewards.reduce((sum, reward) => sum + reward, 0);
  return {
    ...(stopReason ? { stopReason } : {}),
    metrics: {
      turns: turns.length,
      calls: used,
      tool_errors: failedCalls,
      ...(rewards.length > 0 ? { earned } : {}),
      ...(success === null ? {} : { solved: success ? 1 : 0 }),
    },
    turns: [...turns],
  };
}

/** Makes and steps conversations in the sandbox. @param openings what problems open with where nothing can be asked, by example's id. */
export function sandboxedEnvs(task: SandboxedTask, openings: ReadonlyMap<string, State>): EnvBuilder {
  const conversations = new WeakMap<Env, Conversation>();
  const job = jobOf(task.environment);
  const envOf = (conversation: Conversation): Env => {
    const env: Env = {
      start: () => conversation.opening,
      step: () => {
        throw new Error("internal: custom environments are stepped in the sandbox");
      },
      report: () => reportOf(conversation),
    };
    conversations.set(env, conversation);
    return env;
  };

  return {
    // For whoever wants to know how a conversation opens and no more.
    build: (example) => ({ start: () => openings.get(example.id) ?? (openingOf(example, null, task) as State), step: () => null }),
    async buildEnvs(wanted) {
      const inputs = wanted.map(({ example, seed }) => ({
        value: JSON.stringify({ does: "start", problem: shown(task.problemOf(example)) }),
        seed: hash32(`${seed}/start`),
      }));
      const answers = task.described.starts ? await task.sandbox.runFramed({ job, inputs }) : [];
      return wanted.map(({ example, seed }, i) => {
        const conversation = opened(example, seed, answers[i], task);
        conversation.said = conversation.opening.messages;
        return envOf(conversation);
      });
    },
    async stepEnvs(turns) {
      const live = turns.map(({ env, action }) => {
        const conversation = conversations.get(env);
        if (!conversation) throw new Error("internal: a conversation of another environment");
        return { conversation, action, calls: callsOf(conversation, action.message, task) };
      });
      const asked = live.filter(({ conversation }) => conversation.refused === null);
      const inputs = asked.map(({ conversation, action, calls }) => {
        const { problem, state, turns: before, seed } = conversation;
        const turn = before.length;
        const { content: text } = action.message;
        // The state is JSON already.
        const rest = JSON.stringify({ does: "step", problem: shown(problem), text, calls, turn });
        return { value: `${rest.slice(0, -1)},"state":${state}}`, seed: hash32(`${seed}/${turn}`) };
      });
      const answers = inputs.length > 0 ? await task.sandbox.runFramed({ job, inputs }) : [];
      let next = 0;
      return live.map(({ conversation, action }): Stepped => {
        if (conversation.refused !== null) return { reason: conversation.refused };
        try {
          const stepped = taken(conversation, action, answers[next++]);
          if (stepped === null || "reason" in stepped || !isHopeless(conversation, action.message, task)) return stepped;
          conversation.stopReason = "max-calls";
          return null;
        } catch (error) {
          return { reason: errorText(error) };
        }
      });
    },
  };
}
