// Turns what a policy sampled into trajectories: each completion becomes a message, the message an
// action in its own environment. Sampled token ids are kept as they were sampled; text is only read
// from them, never turned back into tokens.
import type { StopReason } from "../protocol/records.ts";
import type { EnvBuilder, Example, Message, Renderer, Trajectory, TrajectoryGroup } from "./types.ts";

/** Completions as a policy returns them; B = prompts x copies sequences, T = maxNewTokens. */
export interface SampledCompletions {
  /** Unused entries past a sequence's length. */
  readonly tokens_BT: Int32Array;
  /** Tokens sampled, the stop token included. */
  readonly lengths_B: Int32Array;
  readonly logprobs_BT: Float32Array;
  /** 1 where a stop token ended the sequence, 0 where the limit did. */
  readonly stopped_B: Uint8Array;
}

export interface RolloutRequest {
  readonly examples: readonly Example[];
  /** Prompt ids of each example, as the policy saw them. */
  readonly prompts: readonly (readonly number[])[];
  /** Completions of each prompt; sequence b belongs to example floor(b / copies). */
  readonly copies: number;
  /** T, the row length of the sampled arrays. */
  readonly maxNewTokens: number;
  readonly result: SampledCompletions;
  readonly envs: EnvBuilder;
  readonly renderer: Renderer;
}

/** One turn as sampled: ids, log-probs and why it ended. */
interface SampledTurn {
  readonly tokens: readonly number[];
  readonly logprobs: readonly number[];
  readonly stopReason: StopReason;
}

function sampledTurn({ result, maxNewTokens, renderer }: RolloutRequest, b: number): SampledTurn {
  const start = b * maxNewTokens;
  const end = start + (result.lengths_B[b] ?? 0);
  // Where no token can stop a completion, its full length is its regular end.
  const completed = result.stopped_B[b] === 1 || renderer.stopTokens.length === 0;
  // Filled by hand: copying a view through its iterator costs more than sampling from a small table.
  const tokens = new Array<number>(end - start);
  const logprobs = new Array<number>(end - start);
  for (let i = start; i < end; i++) {
    tokens[i - start] = result.tokens_BT[i]!;
    logprobs[i - start] = result.logprobs_BT[i]!;
  }
  return {
    tokens,
    logprobs,
    stopReason: completed ? "completed" : "max-tokens",
  };
}

/** The conversation of one sampled turn, played in a fresh environment. */
function playTurn(request: RolloutRequest, example: Example, promptTokens: readonly number[], turn: SampledTurn): Trajectory {
  const env = request.envs.build(example);
  const state = env.start();
  const message: Message = request.renderer.parse(turn.tokens);
  if (env.step({ message }) !== null) throw new Error(`internal: the environment of ${example.id} asks for a second turn`);
  return {
    promptTokens,
    tokens: turn.tokens,
    logprobs: turn.logprobs,
    mask: turn.tokens.map(() => 1),
    messages: [...state.messages, message],
    stopReason: turn.stopReason,
  };
}

/** One group of `copies` trajectories for each example, in order. */
export function rolloutGroups(request: RolloutRequest): readonly TrajectoryGroup[] {
  const { examples, prompts, copies } = request;
  return examples.map((example, p) => {
    const promptTokens = prompts[p];
    if (!promptTokens) throw new Error(`internal: ${examples.length} examples but ${prompts.length} prompts`);
    const trajectories = Array.from({ length: copies }, (_, g) =>
      playTurn(request, example, promptTokens, sampledTurn(request, p * copies + g)),
    );
    return { example, trajectories };
  });
}
