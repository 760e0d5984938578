// Asks the model of a run: one prompt, a greedy answer and samples, with the weights of now and with those
// that the run began with, side by side. Nothing of the run changes: the start's weights stand in for the
// reference while they speak.

import type { Asked, AskedAnswer, AskedAnswers } from "../../protocol/asked.ts";
import { lastUserIn, problemAsked, withPrompt } from "../../rl/data/ownPrompt.ts";
import { buildEnvs } from "../../rl/envs/stepEnvs.ts";
import { exp } from "../../rl/exactMath.ts";
import type { OpenRequest, PartialSample, WeightSlot } from "../../rl/policy.ts";
import { Random } from "../../rl/random.ts";
import { scoreGroups } from "../../rl/rewards/weightedReward.ts";
import { finish, openConversation } from "../../rl/rollout/conversation.ts";
import { type GenerateOptions, generate, takeTurns } from "../../rl/rollout/generator.ts";
import type { Example, Renderer, State, TrajectoryGroup } from "../../rl/types.ts";
import { heldOut } from "../evaluation.ts";
import type { ActiveRun } from "../start/start.ts";
import { drawnAs } from "../step/sampledStep.ts";

export interface Question {
  /** The last user message of one of the task's problems, or anything in its place; a held-out problem where left out. */
  readonly prompt?: string;
  readonly samples: number;
}

/** What is put before the model, and the problem it comes from; null where the prompt is none of the task's. */
interface Opening {
  readonly state: State;
  readonly example: Example | null;
}

/** Whether each answer of what was sampled is right; null where that is not known. */
type Judge = (result: PartialSample) => Promise<readonly (boolean | null)[]>;

function startOf({ task }: ActiveRun, example: Example): State {
  return task.envs.build(example, 0).start();
}

/**
 * The first held-out problem; that of the held-out ones or of the newest step's which the prompt is, or one that the
 * task reads in it; else the first's opening asking something else.
 */
function openingOf(run: ActiveRun, prompt: string | undefined): Opening {
  const { task, trainer, history } = run;
  const { examples } = heldOut(task, trainer.config);
  const [first] = examples;
  if (!first) throw new Error("internal: a task without held-out problems");
  const state = startOf(run, first);
  if (prompt === undefined) return { state, example: first };
  const newest = history.get(trainer.step)?.groups ?? [];
  for (const example of [...examples, ...newest.map((group) => group.example)]) {
    const own = startOf(run, example);
    if (own.messages[lastUserIn(own.messages)]?.content.trim() === prompt) return { state: own, example };
  }
  const posed = task.asks?.(prompt.trim());
  if (posed) return { state: startOf(run, posed), example: posed };
  return { state: { ...state, messages: withPrompt(state.messages, prompt) }, example: null };
}

/** Judges answers as training does: each is one turn of a conversation of its own, and right or wrong once that has ended. */
export function judgeOf(
  { task, renderer, rewards, trainer, model }: ActiveRun,
  example: Example | null,
  promptTokens: readonly number[],
): Judge {
  if (!example) return async ({ lengths_B }) => Array.from(lengths_B, () => null);
  const { config } = trainer;
  const limits = { ...drawnAs(config, task), maxPositions: model.policy().maxPositions };
  return async (result) => {
    const openings = Array.from(result.lengths_B, () => ({ example, seed: 0 }));
    const envs = await buildEnvs(task.envs, openings);
    const conversations = envs.map((env) => openConversation(example, env, env.start(), promptTokens));
    await takeTurns({ envs: task.envs, renderer }, conversations, result, limits);
    const ended = conversations.filter(({ stopReason }) => stopReason !== null);
    const [rewards_G = []] = await scoreGroups([{ example, trajectories: ended.map(finish) }], rewards, config);
    let i = 0;
    return conversations.map(({ stopReason }) => (stopReason === null ? null : (rewards_G[i++]?.success ?? null)));
  };
}

function answerOf(result: PartialSample, b: number, renderer: Renderer, isRight: boolean | null): AskedAnswer {
  const T = result.tokens_BT.length / result.lengths_B.length;
  const length = result.lengths_B[b]!;
  const tokens = Array.from(result.tokens_BT.subarray(b * T, b * T + length));
  return {
    pieces: tokens.map((token) => renderer.piece(token)),
    probabilities: Array.from(result.logprobs_BT.subarray(b * T, b * T + length), exp),
    isComplete: result.stopped_B[b] === 1 || renderer.stopTokens.length === 0,
    isRight,
  };
}

/** The answers of one set of weights; the same numbers are drawn for each. */
export async function sampledAnswers(
  { model, renderer, trainer }: ActiveRun,
  request: OpenRequest,
  slot: WeightSlot,
  judge: Judge,
): Promise<AskedAnswers> {
  const { maxCompletionTokens: T, temperature, topK, topP, minP, seed } = trainer.config;
  const random = new Random(seed).fork("asked");
  const sample = async (copies: number, at: number): Promise<readonly AskedAnswer[]> => {
    const promptOf_B = new Int32Array(copies);
    const sequences = model.policy().open({ ...request, promptOf_B, slots: [slot] });
    try {
      const result = await sequences.sample({
        slot,
        maxNewTokens: T,
        stopTokens: renderer.stopTokens,
        temperature: at,
        topK,
        topP,
        minP,
        sequences_B: promptOf_B.map((_, b) => b),
        uniforms_BT: Float32Array.from({ length: copies * T }, () => random.uniform()),
      });
      const right_B = await judge(result);
      return right_B.map((isRight, b) => answerOf(result, b, renderer, isRight));
    } finally {
      sequences.close();
    }
  };
  const samples = await sample(request.promptOf_B.length, temperature);
  const [greedy] = await sample(1, 0);
  return { greedy: greedy!, samples };
}

/** Conversations of a run's policy as it stands. @param random of the draws. */
export function conversationsOf(
  { task, renderer, model, trainer }: ActiveRun,
  examples: readonly Example[],
  options: Pick<GenerateOptions, "copies" | "temperature" | "random">,
): Promise<readonly TrajectoryGroup[]> {
  const parts = { policy: model.policy(), envs: task.envs, renderer, startAgents: task.startAgents ?? [] };
  return generate(parts, examples, { ...drawnAs(trainer.config, task), ...options });
}

/** What the model says at last to a prompt, its likeliest tokens taken. */
export async function answerTo(run: ActiveRun, prompt: string): Promise<string> {
  const { config } = run.trainer;
  const example = problemAsked(run.task, prompt, heldOut(run.task, config).examples);
  const [group] = await conversationsOf(run, [example], { copies: 1, temperature: 0, random: new Random(config.seed) });
  return group?.trajectories[0]?.messages.findLast(({ role }) => role === "assistant")?.content ?? "";
}

/** @throws where the prompt leaves no room in the model's context. The model must be at rest. */
export async function askModel(run: ActiveRun, { prompt, samples }: Question): Promise<Asked> {
  const { trainer, renderer, model } = run;
  const { state, example } = openingOf(run, prompt);
  const promptTokens = renderer.renderPrompt(state);
  const { maxCompletionTokens } = trainer.config;
  const room = model.policy().maxPositions - maxCompletionTokens;
  if (promptTokens.length > room) throw new Error(`prompt must be <= ${room} tokens, got ${promptTokens.length}`);
  const request = { prompts: [promptTokens], promptOf_B: new Int32Array(samples), expectedTokens: maxCompletionTokens };
  const judge = judgeOf(run, example, promptTokens);
  return {
    messages: state.messages.map(({ role, content }) => ({ role, content })),
    expected: example?.answer ?? null,
    step: trainer.step,
    now: await sampledAnswers(run, request, "policy", judge),
    // In the reference's place, which is put back as it was; null where the weights of the start are not kept.
    start: await run.atStart(() => sampledAnswers(run, request, "reference", judge)),
  };
}
