// From problems to groups of finished conversations. Environments are built once, started, and stepped
// with what the policy samples, all conversations of a call side by side, until none goes on. Training,
// evaluation and the random baseline all come through here.

import { buildEnvs, stepEnvs } from "../envs/stepEnvs.ts";
import { endToEnd } from "../objective/types.ts";
import type { OpenSequences, PartialSample, Policy, WeightSlot } from "../policy.ts";
import type { Random } from "../random.ts";
import type { Env, EnvBuilder, Example, Renderer, State, TrajectoryGroup } from "../types.ts";
import { answerTurn, type Conversation, type ConversationLimits, finish, openConversation, sayTurn } from "./conversation.ts";
import type { SamplingOptions } from "./sampleToken.ts";

/** What conversations are made with. */
export interface GeneratorParts {
  readonly policy: Policy;
  readonly envs: EnvBuilder;
  readonly renderer: Renderer;
  /** Agents that the policy's reference weights speak for. */
  readonly startAgents?: readonly string[];
  /** Lets others go on between two turns. */
  readonly pause?: (() => Promise<void>) | undefined;
  /** Told of a problem that has no room for a completion, which is then left out; without it one is refused. */
  readonly onTooLong?: ((example: Example, tokens: number) => void) | undefined;
}

/** How many conversations are made of each problem, and how their tokens are drawn. */
export interface GenerateOptions extends SamplingOptions {
  /** Conversations of each problem. */
  readonly copies: number;
  /** Most tokens of one turn. */
  readonly maxNewTokens: number;
  /** Most turns of the policy in one conversation, >= 1. */
  readonly maxTurns: number;
  /** Seeds the environments and draws the tokens. */
  readonly random: Random;
  /** Called now and then with the decode steps done of the present turn. */
  readonly onProgress?: (done: number, total: number) => void;
}

/** Whether two states read the same without rendering them; environments of one problem mostly share them. */
function isSameState(state: State, other: State): boolean {
  return state.messages === other.messages && state.tools === other.tools;
}

function areEqual(tokens: readonly number[], others: readonly number[]): boolean {
  return tokens.length === others.length && tokens.every((token, i) => token === others[i]);
}

/** A prompt, the state that was first rendered to it, and the conversations that begin with it. */
interface OpenedPrompt {
  readonly state: State;
  readonly promptTokens: readonly number[];
  readonly conversations: Conversation[];
}

/** The prompt of a state among those that are opened, or a new one. */
function promptOf(opened: OpenedPrompt[], state: State, renderer: Renderer): OpenedPrompt {
  const same = opened.find((one) => isSameState(one.state, state));
  if (same) return same;
  const promptTokens = renderer.renderPrompt(state);
  const equal = opened.find((one) => areEqual(one.promptTokens, promptTokens));
  if (equal) return equal;
  const prompt = { state, promptTokens, conversations: [] };
  opened.push(prompt);
  return prompt;
}

/** Live environments of one problem. Those whose prompts are equal share one array of prompt ids and are neighbours. */
function openGroup(renderer: Renderer, example: Example, envs_G: readonly Env[]): readonly Conversation[] {
  const opened: OpenedPrompt[] = [];
  let prompt: OpenedPrompt | undefined;
  for (const env of envs_G) {
    const state = env.start();
    // Mostly it is the one before.
    if (!prompt || !isSameState(prompt.state, state)) prompt = promptOf(opened, state, renderer);
    prompt.conversations.push(openConversation(example, env, state, prompt.promptTokens));
  }
  return opened.length === 1 ? opened[0]!.conversations : endToEnd(opened.map(({ conversations }) => conversations));
}

/** What is wrong with a prompt that has no room for a completion in the model's context. */
export function tooLongText(name: string, tokens: number, maxNewTokens: number, maxPositions: number): string {
  const room = maxPositions - tokens;
  const rule = room >= 1 ? `maxCompletionTokens must be <= ${room}, got ${maxNewTokens}` : "no maxCompletionTokens is small enough";
  return `${rule}: ${name} has ${tokens} tokens, and ${tokens} + ${maxNewTokens} > ${maxPositions} positions of the model`;
}

/** The groups whose conversations all have room for a first turn; the others are told. Throws where nobody is to be told. */
function withRoom(
  { policy: { maxPositions }, onTooLong }: GeneratorParts,
  groups: readonly (readonly Conversation[])[],
  { maxNewTokens }: GenerateOptions,
): readonly (readonly Conversation[])[] {
  return groups.filter((group) => {
    const tokens = group.reduce((most, { promptTokens }) => Math.max(most, promptTokens.length), 0);
    if (tokens + maxNewTokens <= maxPositions) return true;
    const { example } = group[0]!;
    if (!onTooLong) throw new Error(tooLongText(`the problem ${example.id}`, tokens, maxNewTokens, maxPositions));
    onTooLong(example, tokens);
    return false;
  });
}

/** Opens a sequence for each conversation. */
function openSequences(
  { policy, startAgents = [] }: GeneratorParts,
  conversations: readonly Conversation[],
  expectedTokens: number,
): OpenSequences {
  const prompts: (readonly number[])[] = [];
  const promptOf_B = new Int32Array(conversations.length);
  for (const [b, { promptTokens }] of conversations.entries()) {
    if (prompts.at(-1) !== promptTokens) prompts.push(promptTokens);
    promptOf_B[b] = prompts.length - 1;
  }
  return policy.open({ prompts, promptOf_B, expectedTokens, ...(startAgents.length > 0 ? { slots: ["policy", "reference"] } : {}) });
}

/** Draws in order, none where decoding is greedy. */
function drawUniforms(count: number, { random, temperature }: GenerateOptions): Float32Array {
  const uniforms_BT = new Float32Array(count);
  if (temperature > 0) for (let i = 0; i < count; i++) uniforms_BT[i] = random.uniform();
  return uniforms_BT;
}

/** The live sequences that each slot's weights speak for next; those without any left out. */
function bySpeaker(conversations: readonly Conversation[], live: readonly number[], startAgents: readonly string[]) {
  if (startAgents.length === 0) return [{ slot: "policy" as const, sequences_B: new Int32Array(live) }];
  const slotOf = (sequence: number): WeightSlot => (startAgents.includes(conversations[sequence]!.agent ?? "") ? "reference" : "policy");
  return (["policy", "reference"] as const).flatMap((slot) => {
    const sequences_B = Int32Array.from(live.filter((sequence) => slotOf(sequence) === slot));
    return sequences_B.length === 0 ? [] : [{ slot, sequences_B }];
  });
}

/** Takes a sampled turn into its conversations and asks their environments; the ids to insert in each, null where it has ended. */
export async function takeTurns(
  { envs, renderer }: Pick<GeneratorParts, "envs" | "renderer">,
  conversations_B: readonly Conversation[],
  result: PartialSample,
  limits: ConversationLimits,
): Promise<readonly (readonly number[] | null)[]> {
  const said_B = conversations_B.map((conversation, b) => sayTurn(conversation, result, b, renderer));
  const stepped = await stepEnvs(
    envs,
    said_B.filter((said) => said !== null),
  );
  let i = 0;
  return said_B.map((said) => said && answerTurn(said, stepped[i++] ?? null, renderer, limits));
}

/** Takes turns until every conversation has ended. */
async function converse(
  parts: GeneratorParts,
  conversations: readonly Conversation[],
  sequences: OpenSequences,
  options: GenerateOptions,
): Promise<void> {
  const { policy, renderer, startAgents = [], pause } = parts;
  const { temperature, topK, topP, minP, maxNewTokens, maxTurns, onProgress } = options;
  // Filters change nothing about the most likely token.
  const rule = temperature > 0 ? { temperature, topK, topP, minP } : { temperature, topK: 0, topP: 1, minP: 0 };
  const limits = { maxNewTokens, maxTurns, maxPositions: policy.maxPositions };
  const { stopTokens } = renderer;
  /** Takes a sampled turn into its conversations; returns those that go on. */
  const take = async (sequences_B: Int32Array, result: PartialSample): Promise<readonly number[]> => {
    const live_B: Conversation[] = [];
    for (const sequence of sequences_B) live_B.push(conversations[sequence]!);
    const inserted_B = await takeTurns(parts, live_B, result, limits);
    const goingOn: number[] = [];
    for (const [b, inserted] of inserted_B.entries()) {
      if (inserted === null) continue;
      sequences.extend(sequences_B[b]!, inserted);
      goingOn.push(sequences_B[b]!);
    }
    return goingOn;
  };
  let live: readonly number[] = conversations.map((_, b) => b);
  while (live.length > 0) {
    await pause?.();
    const goingOn: number[] = [];
    for (const { slot, sequences_B } of bySpeaker(conversations, live, startAgents)) {
      const uniforms_BT = drawUniforms(sequences_B.length * maxNewTokens, options);
      const request = { slot, sequences_B, maxNewTokens, stopTokens, uniforms_BT, ...rule, ...(onProgress ? { onProgress } : {}) };
      goingOn.push(...(await take(sequences_B, await sequences.sample(request))));
    }
    // Samplers take sequences in order.
    live = goingOn.sort((a, b) => a - b);
  }
}

/** A seed for each environment. */
function drawSeeds(count: number, random: Random): Uint32Array {
  const seeds = new Uint32Array(count);
  for (let i = 0; i < count; i++) seeds[i] = random.bits();
  return seeds;
}

async function finishedGroups(
  parts: GeneratorParts,
  examples: readonly Example[],
  seeds: Uint32Array,
  options: GenerateOptions,
): Promise<readonly TrajectoryGroup[]> {
  const { copies } = options;
  const openings: { readonly example: Example; readonly seed: number }[] = [];
  for (const seed of seeds) openings.push({ example: examples[Math.floor(openings.length / copies)]!, seed });
  const envs = await buildEnvs(parts.envs, openings);
  const opened = examples.map((example, p) => openGroup(parts.renderer, example, envs.slice(p * copies, (p + 1) * copies)));
  const groups = withRoom(parts, opened, options);
  const conversations = endToEnd(groups);
  if (conversations.length === 0) return [];
  const sequences = openSequences(parts, conversations, options.maxNewTokens);
  try {
    await converse(parts, conversations, sequences, options);
  } finally {
    sequences.close();
  }
  return groups.map((group) => ({ example: group[0]!.example, trajectories: group.map(finish) }));
}

/** One group of `copies` finished conversations for each problem that has room, in order. */
export function generate(
  parts: GeneratorParts,
  examples: readonly Example[],
  options: GenerateOptions,
): Promise<readonly TrajectoryGroup[]> {
  return finishedGroups(parts, examples, drawSeeds(examples.length * options.copies, options.random), options);
}

/** Tokens that the conversations of one chunk may sample at most, where it has more than one problem. */
const CHUNK_TOKENS = 2 ** 20;

/** Problems of one chunk. */
export function problemsAtOnce({ copies, maxNewTokens, maxTurns }: Pick<GenerateOptions, "copies" | "maxNewTokens" | "maxTurns">): number {
  return Math.max(1, Math.floor(CHUNK_TOKENS / (copies * maxNewTokens * maxTurns)));
}

/**
 * The same groups, so many problems at a time that what they sample stays small: for whoever needs no group
 * once it was looked at. Where conversations have one turn the draws are those of `generate`; those of
 * later turns come chunk by chunk.
 */
export async function* generateInChunks(
  parts: GeneratorParts,
  examples: readonly Example[],
  options: GenerateOptions,
): AsyncGenerator<readonly TrajectoryGroup[]> {
  const { copies, random } = options;
  const seeds = drawSeeds(examples.length * copies, random);
  const size = problemsAtOnce(options);
  for (let first = 0; first < examples.length; first += size) {
    const chunk = examples.slice(first, first + size);
    yield await finishedGroups(parts, chunk, seeds.subarray(first * copies, (first + chunk.length) * copies), options);
  }
}
