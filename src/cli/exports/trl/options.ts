// The settings of a run as options of TRL's GRPOTrainer (checked against TRL 1.16), and what has no counterpart
// there, with the reason. An option that TRL has under another meaning is named, not guessed.
import type { RunConfig } from "../../../protocol/config.ts";

/** A setting that counts in the run and is lost there. */
export interface LostSetting {
  readonly field: string;
  readonly value: unknown;
  readonly why: string;
}

export interface TrlOptions {
  /** Fields of GRPOConfig, for one process. */
  readonly options: Readonly<Record<string, string | number | boolean>>;
  readonly lost: readonly LostSetting[];
}

const LOSS_OF_AGGREGATION = {
  "sequence-mean": "grpo",
  "token-mean": "dapo",
  "micro-token-mean": "bnpo",
  "constant-length": "dr_grpo",
  "sequence-sum": "luspo",
} as const satisfies Record<RunConfig["aggregation"], string>;
const SCALE = { "group-std": "group", "batch-std": "batch", none: "none" } as const satisfies Record<RunConfig["advantageScale"], string>;
const SCHEDULE = { constant: "constant_with_warmup", linear: "linear", cosine: "cosine" } as const;

function lossType({ surrogate, aggregation }: RunConfig): string {
  return surrogate === "cispo" || surrogate === "sapo" || surrogate === "vespo" ? surrogate : LOSS_OF_AGGREGATION[aggregation];
}

/** Whether every optimizer step is taken on fresh rollouts, so that all ratios are 1. */
const isOnPolicy = ({ innerEpochs, minibatches }: RunConfig): boolean => innerEpochs * minibatches === 1;

function lostSettings(config: RunConfig): readonly LostSetting[] {
  const { surrogate, aggregation, klCoef } = config;
  const hasKl = klCoef > 0;
  const own = { cispo: "token-mean", sapo: "sequence-mean", vespo: "token-mean" } as Readonly<Record<string, string>>;
  const rules: readonly (readonly [isLost: boolean, field: keyof RunConfig, why: string])[] = [
    [config.advantageBaseline !== "group-mean", "advantageBaseline", "TRL's GRPO subtracts the group's mean"],
    [config.advantageScale !== "none" && config.advantageStd !== "sample", "advantageStd", "TRL divides by the sample deviation"],
    [config.advantageScale !== "none" && config.advantageEps !== 1e-4, "advantageEps", "TRL adds 1e-4"],
    [config.credit !== "trajectory", "credit", "TRL credits whole completions"],
    [config.whitenAdvantages, "whitenAdvantages", "TRL does not whiten"],
    [config.discount !== 1, "discount", "TRL does not discount"],
    [surrogate === "reinforce" && !isOnPolicy(config), "surrogate", "TRL clips the ratio once it leaves 1"],
    [own[surrogate] !== undefined && own[surrogate] !== aggregation, "aggregation", `TRL's ${surrogate} has ${own[surrogate]}`],
    [surrogate === "clip" && config.dualClip > 0, "dualClip", "TRL has no lower bound for negative advantages"],
    [surrogate === "vespo" && !config.vespoFixedWeight, "vespoFixedWeight", "TRL holds the weight fixed"],
    [hasKl && config.klEstimator !== "k3", "klEstimator", "TRL estimates by k3"],
    [hasKl && config.klPlacement !== "loss", "klPlacement", "TRL has it in the loss"],
    [hasKl && config.klTarget > 0, "klTarget", "TRL's weight is fixed"],
    [config.dynamicSampling, "dynamicSampling", "TRL does not sample again"],
    [config.optimizer !== "adamw", "optimizer", "AdamW is used there"],
    [config.schedule !== "constant" && config.finalLearningRateShare > 0, "finalLearningRateShare", "TRL's schedules end at 0"],
    [config.changes.length > 0, "changes", "settings do not change on the way there"],
  ];
  return rules.flatMap(([isLost, field, why]) => (isLost ? [{ field, value: config[field], why }] : []));
}

/** Steps between two checkpoints of another program's: a twentieth of the run, and no more than 25. */
export const stepsPerSave = ({ steps }: RunConfig): number => Math.max(1, Math.min(25, Math.ceil(steps / 20)));

/** @param config resolved, of reinforcement learning. */
export function trlOptions(config: RunConfig): TrlOptions {
  const { promptsPerStep, groupSize, minibatches, innerEpochs, steps, referenceSyncEvery } = config;
  const isAdaptive = config.entropyTarget > 0;
  return {
    options: {
      // A device takes one group at a time; train.py divides the rest among the processes there are.
      per_device_train_batch_size: groupSize,
      gradient_accumulation_steps: Math.max(1, Math.floor(promptsPerStep / minibatches)),
      steps_per_generation: Math.max(1, Math.floor(promptsPerStep / minibatches)) * minibatches,
      num_generations: groupSize,
      num_iterations: innerEpochs,
      max_steps: Math.max(1, steps) * minibatches * innerEpochs,
      max_completion_length: config.maxCompletionTokens,
      ...{ temperature: config.temperature, top_k: config.topK, top_p: config.topP },
      ...(config.minP > 0 ? { min_p: config.minP } : {}),
      ...{ beta: config.klCoef, use_bias_correction_kl: config.klBiasCorrection },
      ...(referenceSyncEvery > 0
        ? {
            sync_ref_model: true,
            ref_model_sync_steps: referenceSyncEvery * minibatches * innerEpochs,
            ref_model_mixup_alpha: config.referenceMix,
          }
        : {}),
      loss_type: lossType(config),
      importance_sampling_level: config.ratioLevel,
      epsilon: config.clipLow,
      epsilon_high: config.surrogate === "cispo" ? config.cispoMax : config.clipHigh,
      ...(config.clipDelta > 0 ? { delta: config.clipDelta } : {}),
      ...{ sapo_temperature_pos: config.sapoTemperaturePos, sapo_temperature_neg: config.sapoTemperatureNeg },
      ...{ vespo_k_pos: config.vespoKPos, vespo_lambda_pos: config.vespoLambdaPos },
      ...{ vespo_k_neg: config.vespoKNeg, vespo_lambda_neg: config.vespoLambdaNeg },
      scale_rewards: SCALE[config.advantageScale],
      multi_objective_aggregation: config.rewardAggregation.replaceAll("-", "_"),
      mask_truncated_completions: config.maskTruncated,
      top_entropy_quantile: config.topEntropyQuantile,
      ...{ entropy_coef: config.entropyCoef, use_adaptive_entropy: isAdaptive },
      ...(isAdaptive
        ? { entropy_target: config.entropyTarget, entropy_coef_delta: config.entropyDelta, entropy_coef_max: config.entropyCoefMax }
        : {}),
      ...(config.offPolicyThreshold > 0 ? { off_policy_mask_threshold: config.offPolicyThreshold } : {}),
      ...{ learning_rate: config.learningRate, lr_scheduler_type: SCHEDULE[config.schedule], warmup_steps: config.warmupSteps },
      ...{ adam_beta1: config.beta1, adam_beta2: config.beta2, adam_epsilon: config.adamEps },
      ...{ weight_decay: config.weightDecay, max_grad_norm: config.maxGradNorm, seed: config.seed },
      ...{ gradient_checkpointing: false, disable_dropout: true, logging_steps: 1 },
      // Between two samplings alone, where a training that goes on samples for its next step.
      ...{ save_strategy: "steps", save_steps: stepsPerSave(config) * minibatches * innerEpochs, save_total_limit: 2 },
      // The rows come in the run's own order.
      ...{ report_to: "none", use_vllm: false, shuffle_dataset: false },
    },
    lost: lostSettings(config),
  };
}
