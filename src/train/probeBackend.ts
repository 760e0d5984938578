// A short measured trial of a backend on this machine: one small rollout and one update, timed the
// second time so that compiling is not counted.
import type { TransformerBackend } from "../model/backend.ts";
import { initialWeights } from "../model/initialWeights.ts";
import { Random } from "../rl/random.ts";
import { packGroups } from "./batch.ts";

const PROMPTS = 4;
const COPIES = 8;
const PROMPT_TOKENS = 16;
const NEW_TOKENS = 12;

/** Milliseconds of one trial step; leaves weights and optimizer changed, so it comes before they are set. */
export async function probeBackend(backend: TransformerBackend, now: () => number): Promise<number> {
  const random = new Random(1);
  const { vocabularySize } = backend.config;
  const draw = (count: number) => Array.from({ length: count }, () => random.below(vocabularySize));
  const prompts = Array.from({ length: PROMPTS }, () => draw(PROMPT_TOKENS));
  await backend.setWeights("policy", initialWeights(backend.config, random));
  const batch = packGroups(
    prompts.map((promptTokens) => ({ promptTokens, completions: Array.from({ length: COPIES }, () => draw(NEW_TOKENS)) })),
    1,
  );
  const uniforms_BT = Float32Array.from({ length: PROMPTS * COPIES * NEW_TOKENS }, () => random.uniform());
  const trial = async () => {
    await backend.sample({
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
  const begun = now();
  await trial();
  return now() - begun;
}
