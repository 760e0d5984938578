// verl's advantage estimators and critic as inputs: what every form of them is tested with.
import type { RunConfigInput } from "../../src/protocol/config.ts";
import { flatten, readReference, rowStarts } from "./reference.ts";

export type Table = number[][];
export interface VerlReference {
  readonly groupSize: number;
  readonly rewards: number[];
  readonly mask: Table;
  readonly advantages: Record<string, number[] | Table>;
  readonly ppo: {
    readonly values: Table;
    readonly newValues: Table;
    readonly cases: readonly {
      readonly gamma: number;
      readonly lambda_: number;
      readonly clipRangeValue: number;
      readonly whitenedAdvantages: Table;
      readonly returns: Table;
      readonly valueLoss: number;
      readonly valueClipFraction: number;
      readonly gradNewValues: Table;
    }[];
  };
  readonly klEstimators: {
    readonly logprobs: number[];
    readonly refLogprobs: number[];
    readonly values: Record<string, number[]>;
    readonly gradLogprobs: Record<string, number[]>;
  };
  readonly twoRewards: { readonly rewards: Table; readonly weights: number[]; readonly normalizeThenSum: number[] };
}

const GROUP_STD = { advantageScale: "group-std", advantageStd: "sample" } as const;
/** The switches that make each estimator of the reference file. */
export const SWITCHES: Record<string, RunConfigInput> = {
  "group mean-centred (Dr. GRPO)": { advantageScale: "none" },
  "group mean / (sample std + 1e-6) (verl GRPO)": { ...GROUP_STD, advantageEps: 1e-6 },
  "leave-one-out (RLOO)": { advantageBaseline: "leave-one-out", advantageScale: "none" },
  "length-weighted baseline (OPO)": { advantageBaseline: "length-weighted", advantageScale: "none" },
  "group mean then batch whitening over tokens (REINFORCE++ baseline), per token": { advantageScale: "none", whitenAdvantages: true },
  "discounted return whitened over tokens (REINFORCE++), gamma 1.0, per token": {
    advantageBaseline: "none",
    advantageScale: "none",
    whitenAdvantages: true,
  },
  "discounted return whitened over tokens (REINFORCE++), gamma 0.95, per token": {
    advantageBaseline: "none",
    advantageScale: "none",
    whitenAdvantages: true,
    discount: 0.95,
  },
  "group mean / (sample std + 1e-4) (TRL scale_rewards=group)": { ...GROUP_STD, advantageEps: 1e-4 },
  "group mean / (batch std + 1e-4) (TRL scale_rewards=batch)": { advantageScale: "batch-std", advantageEps: 1e-4 },
  "group mean / (population std + 1e-8) (numpy GRPO, ddof=0)": { ...GROUP_STD, advantageStd: "population", advantageEps: 1e-8 },
};

export const reference: VerlReference = readReference("verl-advantages.json");

/** The file's one batch: no KL, no critic. */
export function batchOf({ rewards, mask, groupSize }: VerlReference) {
  const mask_K = flatten(mask);
  return {
    rewards_Q: rewards,
    groupOf_Q: Int32Array.from(rewards, (_, q) => Math.floor(q / groupSize)),
    tokenCount_Q: mask.map((row) => row.reduce((sum, value) => sum + value, 0)),
    sequenceStart_Q: rowStarts(mask.length, mask[0]!.length),
    mask_K,
    oldLogprobs_K: new Float64Array(mask_K.length),
    refLogprobs_K: null,
    values_K: null,
  };
}
