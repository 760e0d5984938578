// Settings of a run as verl's (checked against verl 0.9), and what has no counterpart there, with the reason.
import type { RunConfig } from "../../../protocol/config.ts";
import { baselineOf, baselines } from "../../../rl/baselines/index.ts";
import { klEstimatorOf, usualKl } from "../../../rl/kl/index.ts";
import { aggregationOf } from "../../../rl/objective/aggregation.ts";
import { type AnySurrogate, surrogateOf, surrogates } from "../../../rl/surrogates/index.ts";
import { type LostSetting, stepsPerSave } from "../trl/options.ts";

interface VerlOptions {
  /** What verl.yaml sets over verl's own ppo_trainer.yaml. */
  readonly options: Readonly<Record<string, unknown>> & {
    readonly trainer: Readonly<Record<string, unknown>> & { readonly save_freq: number };
  };
  readonly lost: readonly LostSetting[];
}

function lostSettings(config: RunConfig): readonly LostSetting[] {
  const { klCoef } = config;
  const rules: readonly (readonly [isLost: boolean, field: keyof RunConfig, why: string])[] = [
    [!baselineOf(config).verl, "advantageBaseline", "group means are subtracted there"],
    [config.advantageScale === "batch-std", "advantageScale", "a group's deviation divides there, or nothing"],
    [!surrogateOf(config).verl, "surrogate", "the clipped ratio is set; look at policy_loss.loss_mode"],
    [config.ratioLevel !== "token", "ratioLevel", "ratios are of tokens; look at policy_loss.loss_mode gspo"],
    [aggregationOf(config).verl === undefined, "aggregation", "token-mean is set"],
    [klCoef > 0 && !klEstimatorOf(config).verl, "klEstimator", `${usualKl.verl} (${usualKl.title}) is set`],
    [klCoef > 0 && config.klPlacement !== "loss", "klPlacement", "it is in the loss there"],
    [config.credit !== "trajectory", "credit", "whole completions are credited"],
    [config.rewardClip > 0, "rewardClip", "reward.py clips nothing"],
    [Object.keys(config.rewardGates).length > 0, "rewardGates", "reward.py adds weighted parts"],
    [config.dynamicSampling, "dynamicSampling", "look at algorithm.filter_groups"],
    [config.overlongBuffer > 0, "overlongBuffer", "look at verl's reward manager dapo"],
    [config.maskTruncated, "maskTruncated", "truncated completions train there"],
    [config.minP > 0, "minP", "verl's rollouts have no such setting"],
    [config.referenceSyncEvery > 0, "referenceSyncEvery", "the reference stays"],
    [config.optimizer !== "adamw", "optimizer", "AdamW is used there"],
    [config.schedule !== "constant", "schedule", "the learning rate is constant there"],
    [config.changes.length > 0, "changes", "settings do not change on the way there"],
  ];
  return rules.flatMap(([isLost, field, why]) => (isLost ? [{ field, value: config[field], why }] : []));
}

/** @param config resolved, of reinforcement learning. */
export function verlOptions(config: RunConfig): VerlOptions {
  const { promptsPerStep, groupSize, minibatches, klCoef } = config;
  const perPass = { log_prob_micro_batch_size_per_gpu: groupSize };
  return {
    options: {
      data: { train_batch_size: promptsPerStep, max_response_length: config.maxCompletionTokens, seed: config.seed, shuffle: false },
      algorithm: { adv_estimator: baselineOf(config).verl ?? baselines[0].verl, norm_adv_by_std_in_grpo: config.advantageScale !== "none" },
      actor_rollout_ref: {
        actor: {
          ppo_mini_batch_size: Math.max(1, Math.floor(promptsPerStep / minibatches)),
          ppo_epochs: config.innerEpochs,
          ppo_micro_batch_size_per_gpu: groupSize,
          loss_agg_mode: aggregationOf(config).verl ?? "token-mean",
          ...Object.assign({}, ...surrogates.map(({ verl }: AnySurrogate) => verl?.options(config))),
          entropy_coeff: config.entropyCoef,
          use_kl_loss: klCoef > 0,
          kl_loss_coef: klCoef,
          kl_loss_type: klEstimatorOf(config).verl ?? usualKl.verl,
          grad_clip: config.maxGradNorm,
          optim: {
            lr: config.learningRate,
            lr_warmup_steps: config.warmupSteps,
            lr_scheduler_type: "constant",
            weight_decay: config.weightDecay,
            betas: [config.beta1, config.beta2],
          },
        },
        rollout: {
          name: "vllm",
          n: groupSize,
          temperature: config.temperature,
          top_p: config.topP,
          top_k: config.topK > 0 ? config.topK : -1,
          tensor_model_parallel_size: 1,
          ...perPass,
        },
        ref: perPass,
      },
      trainer: {
        total_training_steps: Math.max(1, config.steps),
        project_name: "rollout-lab",
        experiment_name: config.task,
        logger: ["console"],
        nnodes: 1,
        n_gpus_per_node: 1,
        test_freq: config.evalEvery > 0 ? config.evalEvery : -1,
        save_freq: stepsPerSave(config),
        max_actor_ckpt_to_keep: 2,
        resume_mode: "auto",
      },
    },
    lost: lostSettings(config),
  };
}
