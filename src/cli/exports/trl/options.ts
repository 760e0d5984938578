// The settings of a run as options of TRL's GRPOTrainer (checked against TRL 1.16), and what has no counterpart
// there, with the reason. An option that TRL has under another meaning is named, not guessed.
import type { RunConfig } from "../../../protocol/config.ts";
import { baselineOf } from "../../../rl/baselines/index.ts";
import { klEstimatorOf } from "../../../rl/kl/index.ts";
import { aggregationOf } from "../../../rl/objective/aggregation.ts";
import { type AnySurrogate, surrogateOf, surrogates } from "../../../rl/surrogates/index.ts";

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

const SCALE = { "group-std": "group", "batch-std": "batch", none: "none" } as const satisfies Record<RunConfig["advantageScale"], string>;
const SCHEDULE = { constant: "constant_with_warmup", linear: "linear", cosine: "cosine" } as const;

function lostSettings(config: RunConfig): readonly LostSetting[] {
  const { aggregation, klCoef } = config;
  const hasKl = klCoef > 0;
  const { id, trl } = surrogateOf(config);
  const rules: readonly (readonly [isLost: boolean, field: keyof RunConfig, why: string])[] = [
    [!baselineOf(config).trl, "advantageBaseline", "TRL's GRPO subtracts the group's mean"],
    [config.advantageScale !== "none" && config.advantageStd !== "sample", "advantageStd", "TRL divides by the sample deviation"],
    [config.advantageScale !== "none" && config.advantageEps !== 1e-4, "advantageEps", "TRL adds 1e-4"],
    [config.credit !== "trajectory", "credit", "TRL credits whole completions"],
    [config.whitenAdvantages, "whitenAdvantages", "TRL does not whiten"],
    [config.discount !== 1, "discount", "TRL does not discount"],
    [!trl, "surrogate", "TRL has no such loss"],
    [trl?.aggregation !== undefined && trl.aggregation !== aggregation, "aggregation", `TRL's ${id} has ${trl?.aggregation}`],
    ...(trl?.lost?.(config) ?? []),
    [hasKl && !klEstimatorOf(config).trl, "klEstimator", "TRL estimates by k3"],
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

type Options = TrlOptions["options"];

/** Optimizer steps that one step of the run is. */
const updatesPerStep = ({ minibatches, innerEpochs }: RunConfig): number => minibatches * innerEpochs;

/** What is sampled at a time, for how long, and how. */
function samplingOptions(config: RunConfig): Options {
  const { promptsPerStep, groupSize, minibatches } = config;
  const groupsPerUpdate = Math.max(1, Math.floor(promptsPerStep / minibatches));
  return {
    // A device takes one group at a time; train.py divides the rest among the processes there are.
    per_device_train_batch_size: groupSize,
    gradient_accumulation_steps: groupsPerUpdate,
    steps_per_generation: groupsPerUpdate * minibatches,
    num_generations: groupSize,
    num_iterations: config.innerEpochs,
    max_steps: Math.max(1, config.steps) * updatesPerStep(config),
    max_completion_length: config.maxCompletionTokens,
    temperature: config.temperature,
    top_k: config.topK,
    top_p: config.topP,
    ...(config.minP > 0 ? { min_p: config.minP } : {}),
  };
}

/** Advantages, loss, KL and entropy. */
function objectiveOptions(config: RunConfig): Options {
  const isAdaptive = config.entropyTarget > 0;
  return {
    beta: config.klCoef,
    use_bias_correction_kl: config.klBiasCorrection,
    ...(config.referenceSyncEvery > 0
      ? {
          sync_ref_model: true,
          ref_model_sync_steps: config.referenceSyncEvery * updatesPerStep(config),
          ref_model_mixup_alpha: config.referenceMix,
        }
      : {}),
    loss_type: surrogateOf(config).trl?.loss ?? aggregationOf(config).trl,
    importance_sampling_level: config.ratioLevel,
    ...Object.assign({}, ...surrogates.map(({ trl }: AnySurrogate) => trl?.options?.(config))),
    scale_rewards: SCALE[config.advantageScale],
    multi_objective_aggregation: config.rewardAggregation.replaceAll("-", "_"),
    mask_truncated_completions: config.maskTruncated,
    top_entropy_quantile: config.topEntropyQuantile,
    entropy_coef: config.entropyCoef,
    use_adaptive_entropy: isAdaptive,
    ...(isAdaptive
      ? { entropy_target: config.entropyTarget, entropy_coef_delta: config.entropyDelta, entropy_coef_max: config.entropyCoefMax }
      : {}),
    ...(config.offPolicyThreshold > 0 ? { off_policy_mask_threshold: config.offPolicyThreshold } : {}),
  };
}

function optimizerOptions(config: RunConfig): Options {
  return {
    learning_rate: config.learningRate,
    lr_scheduler_type: SCHEDULE[config.schedule],
    warmup_steps: config.warmupSteps,
    adam_beta1: config.beta1,
    adam_beta2: config.beta2,
    adam_epsilon: config.adamEps,
    weight_decay: config.weightDecay,
    max_grad_norm: config.maxGradNorm,
    seed: config.seed,
    gradient_checkpointing: false,
    disable_dropout: true,
  };
}

/** @param config resolved, of reinforcement learning. */
export function trlOptions(config: RunConfig): TrlOptions {
  return {
    options: {
      ...samplingOptions(config),
      ...objectiveOptions(config),
      ...optimizerOptions(config),
      logging_steps: 1,
      // Between two samplings alone, where a training that goes on samples for its next step.
      save_strategy: "steps",
      save_steps: stepsPerSave(config) * updatesPerStep(config),
      save_total_limit: 2,
      report_to: "none",
      use_vllm: false,
      // The rows come in the run's own order.
      shuffle_dataset: false,
    },
    lost: lostSettings(config),
  };
}
