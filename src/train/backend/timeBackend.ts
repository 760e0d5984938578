// A short measured trial of a backend on this machine: a small rollout and an update, a few times over.
// The first time is not counted, because it compiles; of the others the best is, because whatever else
// the machine does can only make one longer, and a single one would let chance decide a near tie.

import type { TransformerBackend } from "../../model/backend.ts";
import { initialWeights } from "../../model/initialWeights.ts";
import { isAdapter } from "../../model/lora/adapters.ts";
import { sizeOf } from "../../model/tensors.ts";
import { sampleCompletions } from "../../rl/policy.ts";
import { Random } from "../../rl/random.ts";
import type { Clock } from "../host.ts";
import { packGroups } from "../step/update/batch.ts";

const PROMPTS = 4;
const COPIES = 8;
const PROMPT_TOKENS = 16;
const NEW_TOKENS = 6;
const TIMED = 3;

/** Milliseconds of the fastest trial step; leaves weights and optimizer changed, so it comes before they are set. */
export async function timeBackend(backend: TransformerBackend, { now, yield: pause }: Pick<Clock, "now" | "yield">): Promise<number> {
  const random = new Random(1);
  const { vocabularySize } = backend.config;
  const draw = (count: number) => Array.from({ length: count }, () => random.below(vocabularySize));
  const prompts = Array.from({ length: PROMPTS }, () => draw(PROMPT_TOKENS));
  const { layout, config } = backend;
  // Adapters that change nothing take as long as any.
  const isAdapted = layout.some(({ name }) => isAdapter(name));
  await backend.setWeights("policy", isAdapted ? new Float32Array(sizeOf(layout)) : await initialWeights(config, random, pause));
  const batch = packGroups(
    prompts.map((promptTokens) => ({ promptTokens, completions: Array.from({ length: COPIES }, () => draw(NEW_TOKENS)) })),
    1,
  );
  const uniforms_BT = Float32Array.from({ length: PROMPTS * COPIES * NEW_TOKENS }, () => random.uniform());
  const trial = async () => {
    await sampleCompletions(backend, {
      prompts,
      copies: COPIES,
      maxNewTokens: NEW_TOKENS,
      temperature: 1,
      topK: 0,
      topP: 1,
      minP: 0,
      stopTokens: [],
      uniforms_BT,
    });
    await backend.accumulate(
      batch,
      ({ logprobs_K }) => ({ logprobs_K: new Float32Array(logprobs_K.length).fill(1e-3), entropies_K: null, values_K: null }),
      2048,
    );
    await backend.step({ kind: "adamw", learningRate: 1e-4, beta1: 0.9, beta2: 0.999, eps: 1e-8, weightDecay: 0, maxGradNorm: 1 });
  };
  await trial();
  let best = Number.POSITIVE_INFINITY;
  for (let run = 0; run < TIMED; run++) {
    const begun = now();
    await trial();
    best = Math.min(best, now() - begun);
  }
  return best;
}
