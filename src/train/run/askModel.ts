// Asks the model of a run: one prompt, a greedy answer and samples, with the weights of now and with those
// that the run began with, side by side. Nothing of the run changes: the start's weights stand in for the
// reference while they speak.
import type { Asked, AskedAnswer, AskedAnswers } from "../../protocol/asked.ts";
import type { OpenRequest, SampleResult, WeightSlot } from "../../rl/policy.ts";
import { Random } from "../../rl/random.ts";
import type { Renderer, State } from "../../rl/types.ts";
import { heldOut } from "../evaluation.ts";
import type { ActiveRun } from "./activeRun.ts";

export interface Question {
  /** Takes the place of the last user message of a held-out problem; that problem itself where left out. */
  readonly prompt?: string;
  readonly samples: number;
}

/** The first held-out problem's opening, asking something else if so wished. */
function openingOf({ task, trainer }: ActiveRun, prompt: string | undefined): State {
  const [example] = heldOut(task, trainer.config).examples;
  if (!example) throw new Error("internal: a task without held-out problems");
  const state = task.envs.build(example, 0).start();
  if (prompt === undefined) return state;
  const last = state.messages.findLastIndex(({ role }) => role === "user");
  return { ...state, messages: state.messages.map((message, i) => (i === last ? { ...message, content: prompt } : message)) };
}

function answerOf(result: SampleResult, b: number, renderer: Renderer): AskedAnswer {
  const T = result.tokens_BT.length / result.lengths_B.length;
  const length = result.lengths_B[b]!;
  const tokens = Array.from(result.tokens_BT.subarray(b * T, b * T + length));
  return {
    pieces: tokens.map((token) => renderer.piece(token)),
    probabilities: Array.from(result.logprobs_BT.subarray(b * T, b * T + length), Math.exp),
    isComplete: result.stopped_B[b] === 1 || renderer.stopTokens.length === 0,
  };
}

/** The answers of one set of weights; the same numbers are drawn for each. */
export async function answersOf({ model, renderer, trainer }: ActiveRun, request: OpenRequest, slot: WeightSlot): Promise<AskedAnswers> {
  const { maxCompletionTokens: T, temperature, topK, topP, minP, seed } = trainer.config;
  const random = new Random(seed).fork("asked");
  const sample = async (copies: number, at: number): Promise<readonly AskedAnswer[]> => {
    const promptOf_B = new Int32Array(copies);
    const sequences = model.policy().open({ ...request, promptOf_B, slots: [slot] });
    try {
      const result = await sequences.sample({
        ...{ slot, maxNewTokens: T, stopTokens: renderer.stopTokens, temperature: at, topK, topP, minP },
        sequences_B: promptOf_B.map((_, b) => b),
        uniforms_BT: Float32Array.from({ length: copies * T }, () => random.uniform()),
      });
      return Array.from(promptOf_B, (_, b) => answerOf(result, b, renderer));
    } finally {
      sequences.close();
    }
  };
  const samples = await sample(request.promptOf_B.length, temperature);
  const [greedy] = await sample(1, 0);
  return { greedy: greedy!, samples };
}

/** Answers with the weights that the run began with in the reference's place, which is put back as it was; null where they are not kept. */
async function answersAtStart(run: ActiveRun, request: OpenRequest): Promise<AskedAnswers | null> {
  const { model } = run;
  const start_N = await run.startWeights();
  if (!start_N) return null;
  const state = await model.save();
  try {
    await model.load({ ...state, reference: start_N });
    return await answersOf(run, request, "reference");
  } finally {
    await model.load(state);
  }
}

/** @throws where the prompt leaves no room in the model's context. The model must be at rest. */
export async function askModel(run: ActiveRun, { prompt, samples }: Question): Promise<Asked> {
  const { trainer, renderer, model } = run;
  const state = openingOf(run, prompt);
  const promptTokens = renderer.renderPrompt(state);
  const { maxCompletionTokens } = trainer.config;
  const room = model.policy().maxPositions - maxCompletionTokens;
  if (promptTokens.length > room) throw new Error(`prompt must be <= ${room} tokens, got ${promptTokens.length}`);
  const request = { prompts: [promptTokens], promptOf_B: new Int32Array(samples), expectedTokens: maxCompletionTokens };
  return {
    messages: state.messages.map(({ role, content }) => ({ role, content })),
    step: trainer.step,
    now: await answersOf(run, request, "policy"),
    start: await answersAtStart(run, request),
  };
}
