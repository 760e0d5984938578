// TRL's loss cases as inputs of the objective: what every form of it is tested with.
import { type RunConfig, runConfigSchema } from "../../src/protocol/config.ts";
import { objectiveTotals } from "../../src/rl/objective/totals.ts";
import type { ObjectiveInput } from "../../src/rl/objective/types.ts";
import { flatten, readReference, rowStarts } from "./reference.ts";

export interface LossCase {
  readonly name: string;
  readonly config: {
    readonly lossType: string;
    readonly importanceSamplingLevel: "token" | "sequence";
    readonly epsilonLow: number;
    readonly epsilonHigh: number;
    readonly delta: number | null;
    readonly beta: number;
    readonly useBiasCorrectionKl: boolean;
    readonly entropyCoef: number;
    readonly topEntropyQuantile: number;
    readonly offPolicyMaskThreshold: number | null;
    readonly sapoTemperaturePos: number;
    readonly sapoTemperatureNeg: number;
    readonly maxCompletionLength: number;
    readonly vespoFixedWeight: boolean;
  };
  readonly logprobs: number[][];
  readonly oldLogprobs: number[][];
  readonly refLogprobs: number[][];
  readonly entropies: number[][];
  readonly mask: number[][];
  readonly advantages: number[];
  readonly expected: {
    readonly loss: number;
    readonly gradLogprobs: number[][];
    readonly gradEntropies: number[][] | null;
    readonly metrics: Record<string, number>;
  };
}

const AGGREGATION = {
  grpo: "sequence-mean",
  sapo: "sequence-mean",
  bnpo: "micro-token-mean",
  dr_grpo: "constant-length",
  dapo: "token-mean",
  cispo: "token-mean",
  vespo: "token-mean",
  luspo: "sequence-sum",
} as const;
type LossType = keyof typeof AGGREGATION;

function isLossType(name: string): name is LossType {
  return name in AGGREGATION;
}

function configOf({ config }: LossCase): RunConfig {
  if (!isLossType(config.lossType)) throw new Error(`unknown loss type ${config.lossType}`);
  const surrogate = config.lossType === "cispo" || config.lossType === "sapo" || config.lossType === "vespo" ? config.lossType : "clip";
  return runConfigSchema.parse({
    surrogate,
    aggregation: AGGREGATION[config.lossType],
    ratioLevel: config.importanceSamplingLevel,
    clipLow: config.epsilonLow,
    clipHigh: config.epsilonHigh,
    ...(surrogate === "cispo" ? { cispoMax: config.epsilonHigh } : {}),
    clipDelta: config.delta ?? 0,
    klCoef: config.beta,
    klBiasCorrection: config.useBiasCorrectionKl,
    entropyCoef: config.entropyCoef,
    topEntropyQuantile: config.topEntropyQuantile,
    offPolicyThreshold: config.offPolicyMaskThreshold ?? 0,
    // TRL picks a temperature with torch.where over two Python numbers, which yields float32.
    sapoTemperaturePos: Math.fround(config.sapoTemperaturePos),
    sapoTemperatureNeg: Math.fround(config.sapoTemperatureNeg),
    vespoFixedWeight: config.vespoFixedWeight,
    maxCompletionTokens: config.maxCompletionLength,
  });
}

/** The case's batch and settings. Log-probs of the reference are null where no KL reads them. */
export function objectiveOf(reference: LossCase): { readonly config: RunConfig; readonly input: ObjectiveInput } {
  const config = configOf(reference);
  const T = reference.mask[0]!.length;
  const mask_K = flatten(reference.mask);
  const sequenceStart_Q = rowStarts(reference.mask.length, T);
  const entropies_K = flatten(reference.entropies);
  const input = {
    logprobs_K: flatten(reference.logprobs),
    oldLogprobs_K: flatten(reference.oldLogprobs),
    refLogprobs_K: reference.config.beta === 0 ? null : flatten(reference.refLogprobs),
    entropies_K,
    advantages_K: Float64Array.from({ length: mask_K.length }, (_, k) => reference.advantages[Math.floor(k / T)]!),
    mask_K,
    sequenceStart_Q,
    values_K: null,
    oldValues_K: null,
    returns_K: null,
    totals: objectiveTotals({ mask_K, sequenceStart_Q, entropies_K }, config),
  };
  return { config, input };
}

/** All cases of the reference file. */
export const lossCases: readonly LossCase[] = readReference<{ cases: LossCase[] }>("trl-losses.json").cases;
