// What the project's own small Tinker server asks of a model: log-probs of given sequences and samples of its own.
import type { Model } from "../../src/model/model.ts";
import { Random } from "../../src/rl/random.ts";
import { batchOf, type Datum } from "./tinkerLosses.ts";

/** Log-probs of all targets of each sequence. */
export async function logprobsOn(model: Model, data: readonly Datum[]) {
  const batch = batchOf(data);
  const { logprobs_K } = await model.score(batch, "policy");
  return data.map((_, q) => ({
    logprobs: { data: Array.from(logprobs_K.subarray(batch.sequenceStart_Q[q], batch.sequenceStart_Q[q + 1])) },
  }));
}

/** A request to sample, as far as it is read. */
export interface SampleInput {
  readonly prompt: Datum["model_input"];
  readonly num_samples?: number;
  readonly prompt_logprobs?: boolean | null;
  readonly sampling_params: {
    readonly max_tokens: number;
    readonly temperature: number;
    readonly top_k?: number;
    readonly top_p?: number;
    readonly seed?: number | null;
    readonly stop?: readonly number[] | null;
  };
}

/** Log-probs of a prompt, of which the first token has none. */
async function promptLogprobs(model: Model, prompt: readonly number[]) {
  const [first = 0, ...rest] = prompt;
  const target_tokens = { data: rest };
  const datum: Datum = { model_input: { chunks: [{ tokens: [first, ...rest.slice(0, -1)] }] }, loss_fn_inputs: { target_tokens } };
  const [output] = await logprobsOn(model, [datum]);
  return [null, ...output!.logprobs.data];
}

/** Sequences that a model says after a prompt, each with a draw of its own. */
export async function sampledOn(model: Model, { prompt: given, num_samples: copies = 1, prompt_logprobs, sampling_params }: SampleInput) {
  const { max_tokens: T, temperature, top_k = -1, top_p = 1, seed, stop } = sampling_params;
  const prompt = given.chunks.flatMap(({ tokens }) => tokens);
  const told = prompt_logprobs === true ? { prompt_logprobs: await promptLogprobs(model, prompt) } : {};
  const sequences = model.policy().open({ prompts: [prompt], promptOf_B: new Int32Array(copies), expectedTokens: T });
  try {
    const uniforms_BT = new Float32Array(copies * T);
    for (let copy = 0; copy < copies; copy++) {
      const random = new Random((seed ?? 0) + copy);
      for (let t = 0; t < T; t++) uniforms_BT[copy * T + t] = random.uniform();
    }
    const { tokens_BT, logprobs_BT, lengths_B, stopped_B } = await sequences.sample({
      ...{ sequences_B: Int32Array.from({ length: copies }, (_, b) => b), maxNewTokens: T, temperature },
      ...{ topK: Math.max(0, top_k), topP: top_p, minP: 0, stopTokens: stop ?? [], uniforms_BT },
    });
    const row = (values: Int32Array | Float32Array, b: number) => Array.from(values.subarray(b * T, b * T + lengths_B[b]!));
    return {
      ...told,
      sequences: Array.from(lengths_B, (_, b) => ({
        ...{ tokens: row(tokens_BT, b), logprobs: row(logprobs_BT, b), stop_reason: stopped_B[b] === 1 ? "stop" : "length" },
      })),
    };
  } finally {
    sequences.close();
  }
}
