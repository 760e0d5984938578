// Settings that logs and the configurations pasted beside them tell: each program's name for a field of this lab's
// configuration. Only these are read; all else is none of this lab's.
import type { RunConfig } from "../../protocol/config.ts";
import { remembered } from "./log.ts";

/** A field, what it is called in words, and its names: TRL's first, then others'. */
interface SettingRule {
  readonly to: keyof RunConfig;
  readonly title: string;
  readonly from: readonly string[];
  /** Smallest value that means anything; others say "off" or "not set". */
  readonly least?: number;
}

const settingRules: readonly SettingRule[] = [
  {
    to: "groupSize",
    title: "answers to each prompt",
    from: ["num_generations", "n_samples_per_prompt", "group_size", "rollouts_per_example", "rollout.n", "samples_per_prompt"],
    least: 2,
  },
  {
    to: "promptsPerStep",
    title: "prompts in a step",
    from: ["prompts_per_step", "data.train_batch_size", "rollout_batch_size", "groups_per_batch"],
    least: 1,
  },
  { to: "klCoef", title: "weight of the KL term", from: ["beta", "kl_loss_coef", "init_kl_coef", "kl_penalty_coef"], least: 0 },
  { to: "learningRate", title: "learning rate", from: ["learning_rate", "actor_learning_rate", "actor_lr", "optim.lr"], least: 1e-12 },
  {
    to: "maxCompletionTokens",
    title: "limit of tokens",
    from: ["max_completion_length", "max_response_length", "generate_max_len", "max_tokens", "max_new_tokens"],
    least: 1,
  },
  { to: "innerEpochs", title: "updates from one batch", from: ["num_iterations", "ppo_epochs", "max_epochs"], least: 1 },
  { to: "temperature", title: "temperature", from: ["temperature"], least: 0.01 },
  { to: "topP", title: "top-p", from: ["top_p"], least: 0.001 },
  { to: "topK", title: "top-k", from: ["top_k"], least: 0 },
  { to: "minP", title: "min-p", from: ["min_p"], least: 0 },
  { to: "clipLow", title: "clip below", from: ["epsilon", "clip_ratio_low", "eps_clip"], least: 0 },
  { to: "clipHigh", title: "clip above", from: ["epsilon_high", "clip_ratio_high"], least: 0 },
  { to: "entropyCoef", title: "weight of the entropy bonus", from: ["entropy_coef", "entropy_coeff", "entropy_loss_coef"] },
  { to: "steps", title: "planned steps", from: ["max_steps"], least: 1 },
];

const byName = new Map(settingRules.flatMap((rule) => rule.from.map((name) => [name, rule] as const)));
/** Of a share of a step, or of evaluations. */
const ofOther = /ppo_mini|micro|per_device|per_gpu|val_|eval/;

/** The field that a setting is, by its name or by the last parts of its path; undefined where it is none of them. */
export const settingRule = remembered((name): SettingRule | undefined => {
  const plain = name.trim().replace(/^-+/, "").replaceAll("-", "_");
  if (ofOther.test(plain)) return undefined;
  const parts = plain.split(/[./]/);
  return byName.get(parts.slice(-2).join(".")) ?? byName.get(parts.at(-1)!);
});

/** The value as a configuration of this lab has it; undefined where it says that nothing is set. */
export function settingValue(rule: SettingRule, value: number | null): number | undefined {
  return value !== null && value >= (rule.least ?? Number.NEGATIVE_INFINITY) ? value : undefined;
}

/** What a diagnosis asks for and no log tells. */
const OTHERS: Partial<Record<keyof RunConfig, string>> = { optimizer: "the optimizer", adamEps: "Adam's ε" };

/** How TRL calls a field, for those who are asked to look it up. */
export const settingName = (key: keyof RunConfig): string => settingRules.find(({ to }) => to === key)?.from[0] ?? OTHERS[key] ?? key;
export const settingTitle = (key: keyof RunConfig): string => settingRules.find(({ to }) => to === key)?.title ?? OTHERS[key] ?? key;
