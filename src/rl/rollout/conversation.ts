// One live conversation: its environment, what was said, and its tokens as they came. Sampled ids are
// kept as sampled; text is only read from them, never turned back into tokens.
import type { StopReason } from "../../protocol/records.ts";
import { isFailure } from "../envs/stepEnvs.ts";
import type { PartialSample } from "../policy.ts";
import type { Action, Env, Example, Message, Renderer, State, Stepped, Trajectory } from "../types.ts";

/** A conversation that goes on; filled turn by turn. */
export interface Conversation {
  readonly example: Example;
  readonly env: Env;
  /** Who speaks next, where several agents share the conversation. */
  agent: string | undefined;
  readonly promptTokens: readonly number[];
  messages: readonly Message[];
  tokens: readonly number[];
  mask: readonly number[];
  logprobs: readonly number[];
  /** Null where the policy does not tell them. */
  entropies: readonly number[] | null;
  turns: number;
  /** Null while it goes on. */
  stopReason: StopReason | null;
  /** What went wrong in the environment. */
  failure: string | null;
  /** Who took each turn. */
  speakers: readonly (string | undefined)[];
}

/** What ends a conversation that does not end by itself. */
export interface ConversationLimits {
  /** Most tokens of one turn. */
  readonly maxNewTokens: number;
  /** Most turns of the policy, >= 1. */
  readonly maxTurns: number;
  /** Longest sequence the policy can take. */
  readonly maxPositions: number;
}

const NOTHING: readonly number[] = [];

/** Masks of turns by their length: every turn of a length has the same, and nobody writes to one. */
const ONES: (readonly number[])[] = [];

function ones(length: number): readonly number[] {
  ONES[length] ??= new Array<number>(length).fill(1);
  return ONES[length];
}

/** A conversation in its environment's first state. */
export function openConversation(example: Example, env: Env, state: State, promptTokens: readonly number[]): Conversation {
  const { messages, agent } = state;
  return {
    example,
    env,
    agent,
    promptTokens,
    messages,
    tokens: NOTHING,
    mask: NOTHING,
    logprobs: NOTHING,
    entropies: NOTHING,
    turns: 0,
    stopReason: null,
    failure: null,
    speakers: [],
  };
}

/**
 * The two lists end to end. Most conversations have one turn, whose lists are taken as they are: copies would cost a
 * small table half its speed.
 */
function joined<Item>(before: readonly Item[], added: readonly Item[]): readonly Item[] {
  return before.length === 0 ? added : [...before, ...added];
}

/** The messages and one more, in no more room than they need: steps keep these lists, and one that grows has room for sixteen to come. */
function followedBy(messages: readonly Message[], last: Message): readonly Message[] {
  const all = new Array<Message>(messages.length + 1);
  for (let i = 0; i < messages.length; i++) all[i] = messages[i]!;
  all[messages.length] = last;
  return all;
}

/** Appends row b of a sampled turn; returns its ids. */
function appendTurn(conversation: Conversation, result: PartialSample, b: number): readonly number[] {
  const start = b * (result.tokens_BT.length / result.lengths_B.length);
  const length = result.lengths_B[b]!;
  const sampled = new Array<number>(length);
  const logprobs = new Array<number>(length);
  const entropies = result.entropies_BT && new Array<number>(length);
  for (let i = 0; i < length; i++) {
    sampled[i] = result.tokens_BT[start + i]!;
    logprobs[i] = result.logprobs_BT[start + i]!;
    if (entropies) entropies[i] = result.entropies_BT![start + i]!;
  }
  conversation.tokens = joined(conversation.tokens, sampled);
  conversation.mask = joined(conversation.mask, ones(length));
  conversation.logprobs = joined(conversation.logprobs, logprobs);
  conversation.entropies = conversation.entropies && entropies && joined(conversation.entropies, entropies);
  conversation.turns += 1;
  return sampled;
}

/** The messages a state adds to a conversation that has just acted; throws where the state tells another conversation. */
function addedMessages({ example, messages }: Conversation, state: State): readonly Message[] {
  // The turn itself stands at the end.
  const kept = messages.every((message, i) => state.messages[i] === message);
  if (!kept) throw new Error(`internal: the environment of ${example.id} does not go on from what was said`);
  return state.messages.slice(messages.length);
}

/** A sampled turn that its environment is to answer. */
interface SaidTurn {
  readonly conversation: Conversation;
  readonly env: Env;
  readonly sampled: readonly number[];
  readonly action: Action;
}

/**
 * Takes row b of a sampled turn into the conversation; null where the limit of tokens cut it off, which ends the
 * conversation unanswered.
 */
export function sayTurn(conversation: Conversation, result: PartialSample, b: number, renderer: Renderer): SaidTurn | null {
  const sampled = appendTurn(conversation, result, b);
  const { agent } = conversation;
  const parsed = renderer.parse(sampled);
  const message = agent === undefined ? parsed : { ...parsed, agent };
  conversation.messages = followedBy(conversation.messages, message);
  conversation.speakers = joined(conversation.speakers, [agent]);
  // Where no token can stop a turn, its full length is its regular end.
  if (result.stopped_B[b] === 1 || renderer.stopTokens.length === 0)
    return { conversation, env: conversation.env, sampled, action: { message } };
  conversation.stopReason = "max-tokens";
  return null;
}

/** Takes the environment's answer in. Returns the ids to insert before the next turn, or null where the conversation has ended. */
export function answerTurn(
  { conversation, sampled }: SaidTurn,
  stepped: Stepped,
  renderer: Renderer,
  limits: ConversationLimits,
): readonly number[] | null {
  if (isFailure(stepped)) {
    conversation.stopReason = "env-error";
    conversation.failure = stepped.reason;
  } else if (stepped === null) conversation.stopReason = conversation.env.report?.().stopReason ?? "completed";
  else if (conversation.turns >= limits.maxTurns) conversation.stopReason = "max-turns";
  if (conversation.stopReason !== null || stepped === null || isFailure(stepped)) return null;
  const inserted = renderer.renderTurn(sampled, addedMessages(conversation, stepped));
  const length = conversation.promptTokens.length + conversation.tokens.length + inserted.length;
  if (length + limits.maxNewTokens > limits.maxPositions) {
    conversation.stopReason = "max-context";
    return null;
  }
  conversation.messages = stepped.messages;
  conversation.agent = stepped.agent;
  conversation.tokens = [...conversation.tokens, ...inserted];
  conversation.mask = [...conversation.mask, ...inserted.map(() => 0)];
  return inserted;
}

/** What the environment tells, with the turns that it was not asked about. */
function reportOf({ env, speakers, turns: count }: Conversation) {
  const report = env.report?.();
  if (!report || report.turns.length >= count) return report;
  const missing = speakers.slice(report.turns.length).map((agent) => (agent === undefined ? {} : { agent }));
  const counted = report.metrics.turns === undefined ? {} : { turns: count };
  return { ...report, metrics: { ...report.metrics, ...counted }, turns: [...report.turns, ...missing] };
}

/** The finished conversation as a trajectory. */
export function finish(conversation: Conversation): Trajectory {
  const { promptTokens, tokens, mask, logprobs, entropies, messages, stopReason, failure } = conversation;
  const report = reportOf(conversation);
  if (stopReason === null) throw new Error(`internal: the conversation of ${conversation.example.id} has not ended`);
  const trajectory = { promptTokens, tokens, mask, logprobs, entropies, messages, stopReason };
  if (!report && failure === null) return trajectory;
  return { ...trajectory, ...(report ? { report } : {}), ...(failure === null ? {} : { failure }) };
}
