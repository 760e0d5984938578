// The losses of the Tinker API as its documents have them, for the project's own small server: what a sequence adds to a gradient.
import { packGroups } from "../../src/train/step/update/batch.ts";

export interface Datum {
  readonly model_input: { readonly chunks: readonly { readonly tokens: readonly number[] }[] };
  readonly loss_fn_inputs: {
    readonly target_tokens: { readonly data: readonly number[] };
    readonly weights?: { readonly data: readonly number[] };
    readonly logprobs?: { readonly data: readonly number[] };
    readonly advantages?: { readonly data: readonly number[] };
  };
}
/** What of a gradient waits for its step: a sequence with a weight for each of its targets. */
export interface Pending {
  readonly datum: Datum;
  readonly weights: readonly number[];
}

/** Minus the derivative of a loss of the API with respect to each log-prob, as its documents have the losses. */
export function weightsOf(
  loss: string,
  { loss_fn_inputs: inputs }: Datum,
  logprobs: readonly number[],
  low: number,
  high: number,
): readonly number[] {
  if (loss === "cross_entropy") return inputs.weights!.data;
  const { logprobs: old, advantages } = inputs;
  return logprobs.map((logprob, t) => {
    const A = advantages!.data[t]!;
    const ratio = Math.exp(logprob - old!.data[t]!);
    const clipped = Math.min(Math.max(ratio, low), high);
    if (loss === "importance_sampling") return ratio * A;
    if (loss === "cispo") return clipped * A;
    // min(ratio A, clipped A): the ratio moves it where it is not beyond the bound.
    return ratio * A <= clipped * A ? (ratio === clipped || ratio * A < clipped * A ? ratio * A : 0) : 0;
  });
}

/** What is left of a sequence's weights on a server that divides its loss by the sum of them, as SkyRL 0.3 does on JAX. */
export function divided(slopes: readonly number[], { loss_fn_inputs: { weights, target_tokens } }: Datum): readonly number[] {
  const mask = weights?.data ?? target_tokens.data.map(() => 1);
  const sum = Math.max(
    mask.reduce((total, weight) => total + weight, 0),
    1e-9,
  );
  return slopes.map((slope) => slope / sum);
}

export const NO_CLIP = { clip_low_threshold: 0, clip_high_threshold: Number.POSITIVE_INFINITY };

export const batchOf = (data: readonly Datum[]) =>
  packGroups(
    data.map(({ model_input, loss_fn_inputs }) => {
      const tokens = model_input.chunks.flatMap((chunk) => chunk.tokens);
      return { promptTokens: tokens.slice(0, 1), completions: [[...tokens.slice(1), loss_fn_inputs.target_tokens.data.at(-1)!]] };
    }),
    1,
  );
