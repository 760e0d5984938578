// Checks that a backend computes this transformer correctly on this machine before it is used, since
// drivers and GPUs have been wrong before. The model has few tokens but every feature of the shape;
// scores, sampled log-probs and directional derivatives of the gradient are compared with the plain
// float64 reference.
import { exp } from "../rl/exactMath.ts";
import { sampleCompletions } from "../rl/policy.ts";
import { Random } from "../rl/random.ts";
import type { PackedBatch, TokenScores, TransformerBackend } from "./backend.ts";
import { plainForward, plainLogSoftmax } from "./plainForward.ts";
import type { TransformerConfig } from "./transformerConfig.ts";

interface SelfCheck {
  readonly ok: boolean;
  /** What was compared, or what was off and by how much. */
  readonly reason: string;
}

/** Largest difference of a log-prob, entropy or value (nats) that float32 explains. */
const SCORE_TOLERANCE = 2e-3;
/** Largest relative difference of the directional derivative. */
const SLOPE_TOLERANCE = 0.03;
/** Largest difference of the slope in a random direction, in units of norm / sqrt(N). */
const RANDOM_SLOPE_TOLERANCE = 0.1;
const TOKENS = 6;
const PROMPT = 3;

/**
 * Compares the backend with the plain reference on random weights, or random adapters beside the base it has. It overwrites
 * the policy, leaves no gradient and no optimizer state behind, and ends within seconds for models of a few million weights.
 */
export async function checkBackend(backend: TransformerBackend): Promise<SelfCheck> {
  const random = new Random(7);
  const weights_N = checkWeights(backend, random);
  const tokens_T = Array.from({ length: TOKENS }, () => random.below(backend.config.vocabularySize));
  await backend.setWeights("policy", weights_N);
  const batch = oneSequence(tokens_T);
  const whole_N = await backend.wholeWeights();
  const expected = plainScores(backend.config, whole_N, tokens_T);
  const actual = await backend.score(batch, "policy");
  for (const key of ["logprobs_K", "entropies_K", "values_K"] as const) {
    const gap = largestGap(actual[key], expected[key]);
    if (!(gap <= SCORE_TOLERANCE)) return { ok: false, reason: `${key.replace("_K", "")} differ by ${gap.toExponential(1)}` };
  }
  const sampling = await checkSampling(backend, whole_N, tokens_T.slice(0, PROMPT));
  if (sampling) return { ok: false, reason: sampling };
  const slope = await checkSlope(backend, weights_N, tokens_T, batch);
  if (slope) return { ok: false, reason: slope };
  return { ok: true, reason: "scores, sampling and gradient agree with the plain reference" };
}

/** Like trained weights in size: every part of the network matters and nothing saturates. Beside a frozen base, adapters that change it. */
function checkWeights({ config, layout }: TransformerBackend, random: Random): Float32Array {
  const last = layout.at(-1)!;
  const weights_N = new Float32Array(last.offset + last.size);
  for (const { name, shape, offset, size } of layout) {
    const isNorm = name.endsWith("norm.weight");
    const isB = name.endsWith("lora_B.weight");
    const scale =
      isNorm || isB ? 0.1 : name === "model.embed_tokens.weight" ? 2 / Math.sqrt(config.hiddenSize) : 1 / Math.sqrt(shape.at(-1)!);
    for (let i = offset; i < offset + size; i++) weights_N[i] = (isNorm ? 1 : 0) + scale * random.normal();
  }
  return weights_N;
}

/** One sequence whose tokens after the prompt are scored. */
function oneSequence(tokens_T: readonly number[]): PackedBatch {
  const scored = tokens_T.length - PROMPT;
  return {
    tokens_N: Int32Array.from(tokens_T),
    segmentStart_S: Int32Array.of(0),
    segmentLength_S: Int32Array.of(tokens_T.length),
    segmentPrefix_S: Int32Array.of(-1),
    scoreRow_K: Int32Array.from({ length: scored }, (_, k) => PROMPT - 1 + k),
    scoreTarget_K: Int32Array.from(tokens_T.slice(PROMPT)),
    sequenceStart_Q: Int32Array.of(0, scored),
    unitSegment_U: Int32Array.of(0, 1),
    unitSequence_U: Int32Array.of(0, 1),
    temperature: 1,
  };
}

function plainScores(config: TransformerConfig, weights_N: Float32Array, tokens_T: readonly number[]): TokenScores {
  const { logits_TV, values_T } = plainForward(config, weights_N, tokens_T);
  const rows = logits_TV.slice(PROMPT - 1, -1).map((logits_V) => plainLogSoftmax(logits_V, 1));
  return {
    logprobs_K: Float32Array.from(rows, (logprobs_V, k) => logprobs_V[tokens_T[PROMPT + k]!]!),
    entropies_K: Float32Array.from(rows, (logprobs_V) => logprobs_V.reduce((sum, logprob) => sum - exp(logprob) * logprob, 0)),
    values_K: values_T ? Float32Array.from(values_T.subarray(PROMPT - 1, -1)) : null,
  };
}

/** Infinite when the lengths differ or a value is not a number. */
function largestGap(actual: Float32Array | null, expected: Float32Array | null): number {
  if (actual?.length !== expected?.length) return Number.POSITIVE_INFINITY;
  let largest = 0;
  for (let k = 0; k < (expected?.length ?? 0); k++) {
    const gap = Math.abs(actual![k]! - expected![k]!);
    largest = Number.isNaN(gap) ? Number.POSITIVE_INFINITY : Math.max(largest, gap);
  }
  return largest;
}

/** Samples a few tokens and scores them with the reference; null when they agree. */
async function checkSampling(backend: TransformerBackend, weights_N: Float32Array, prompt: readonly number[]): Promise<string | null> {
  const T = TOKENS - PROMPT;
  const filters = { temperature: 1, topK: 0, topP: 1, minP: 0, stopTokens: [] };
  const uniforms_BT = Float32Array.of(0.1, 0.5, 0.9);
  const { tokens_BT, logprobs_BT } = await sampleCompletions(backend, {
    prompts: [prompt],
    copies: 1,
    maxNewTokens: T,
    ...filters,
    uniforms_BT,
  });
  const V = backend.config.vocabularySize;
  if (tokens_BT.some((token) => token < 0 || token >= V)) return `sampled tokens [${tokens_BT.join(", ")}] must lie in 0..${V - 1}`;
  const expected = plainScores(backend.config, weights_N, [...prompt, ...tokens_BT]);
  const gap = largestGap(logprobs_BT, expected.logprobs_K);
  return gap <= SCORE_TOLERANCE ? null : `sampled log-probs differ by ${gap.toExponential(1)}`;
}

/** The gradient of sum(log-probs) against the reference's slope along that gradient; null when they agree. */
async function checkSlope(
  backend: TransformerBackend,
  weights_N: Float32Array,
  tokens_T: readonly number[],
  batch: PackedBatch,
): Promise<string | null> {
  await backend.accumulate(batch, ({ logprobs_K }) => ({ logprobs_K: logprobs_K.map(() => 1), entropies_K: null, values_K: null }), 1024);
  const gradient_N = await backend.getGradient();
  // A step of length zero clears the gradient; the moments it fills are cleared below.
  await backend.step({ kind: "sgd", learningRate: 0, beta1: 0, beta2: 0, eps: 1e-8, weightDecay: 0, maxGradNorm: 0 });
  const size = weights_N.length;
  await backend.setOptimizer({ step: 0, first_N: new Float32Array(size), second_N: new Float32Array(size) });
  const norm = Math.sqrt(gradient_N.reduce((sum, value) => sum + value * value, 0));
  if (!Number.isFinite(norm) || norm === 0) return `the gradient's norm is ${norm}`;
  const along_N = Float64Array.from(gradient_N, (value) => value / norm);
  const slopeAlong = await plainSlope(backend, weights_N, tokens_T, along_N, Math.min(0.01, 0.2 / norm));
  if (!(Math.abs(slopeAlong / norm - 1) <= SLOPE_TOLERANCE)) {
    return `the gradient's slope is ${slopeAlong.toPrecision(4)}, its norm ${norm.toPrecision(4)}`;
  }
  // A gradient with parts missing passes along itself, but not along a random direction, where chance
  // makes slopes of about norm / sqrt(N).
  const random = new Random(8);
  const random_N = Float64Array.from(gradient_N, () => random.normal() / Math.sqrt(size));
  const slopeRandom = await plainSlope(backend, weights_N, tokens_T, random_N, Math.min(0.1, 5 / norm));
  const predicted = random_N.reduce((sum, value, i) => sum + value * gradient_N[i]!, 0);
  const gap = (Math.abs(slopeRandom - predicted) * Math.sqrt(size)) / norm;
  return gap <= RANDOM_SLOPE_TOLERANCE ? null : `the gradient's slope in a random direction is off by ${gap.toFixed(2)} of its usual size`;
}

/** Slope of the sum of log-probs in a direction, by central differences of the plain reference. */
async function plainSlope(
  backend: TransformerBackend,
  weights_N: Float32Array,
  tokens_T: readonly number[],
  direction_N: Float64Array,
  step: number,
): Promise<number> {
  const moved = async (length: number) => {
    await backend.setWeights(
      "policy",
      weights_N.map((weight, i) => weight + length * direction_N[i]!),
    );
    const { logits_TV } = plainForward(backend.config, await backend.wholeWeights(), tokens_T);
    return tokens_T.slice(PROMPT).reduce((sum, token, k) => sum + plainLogSoftmax(logits_TV[PROMPT - 1 + k]!, 1)[token]!, 0);
  };
  return ((await moved(step)) - (await moved(-step))) / (2 * step);
}
