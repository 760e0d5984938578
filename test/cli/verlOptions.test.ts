// A run's settings as verl's: what is mapped, and what is said to be lost.
import { expect, it } from "vitest";
import { verlOptions } from "../../src/cli/exports/verl/options.ts";
import type { RunConfigInput } from "../../src/protocol/config.ts";
import { planRun } from "../../src/train/start/plan.ts";

const mapped = (config: RunConfigInput) => verlOptions(planRun({ config: { task: "boxed-arithmetic", ...config } }).config);

it("prompts, completions and updates are counted as verl counts them", () => {
  expect(mapped({ promptsPerStep: 8, groupSize: 6, minibatches: 2, innerEpochs: 3, steps: 5 }).options).toMatchObject({
    data: { train_batch_size: 8 },
    actor_rollout_ref: { actor: { ppo_mini_batch_size: 4, ppo_epochs: 3 }, rollout: { n: 6 } },
    trainer: { total_training_steps: 5 },
  });
});

it("a run saves, and goes on from the last save", () => {
  expect(mapped({ steps: 200 }).options.trainer).toMatchObject({ save_freq: 10, max_actor_ckpt_to_keep: 2, resume_mode: "auto" });
});

it.each([
  ["grpo", { loss_agg_mode: "seq-mean-token-mean", use_kl_loss: true, kl_loss_type: "low_var_kl" }],
  ["dapo", { loss_agg_mode: "token-mean", clip_ratio_low: 0.2, clip_ratio_high: 0.28 }],
  ["dr-grpo", { loss_agg_mode: "seq-mean-token-sum-norm" }],
] as const)("the actor of %s is its own", (algorithm, actor) => {
  expect(mapped({ algorithm }).options).toMatchObject({ actor_rollout_ref: { actor } });
});

it("what has no counterpart is named, and nothing else", () => {
  expect(mapped({ algorithm: "grpo" }).lost).toEqual([]);
  expect(mapped({ rewardClip: 2, minP: 0.1 }).lost.map(({ field }) => field)).toEqual(["rewardClip", "minP"]);
});
