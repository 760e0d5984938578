// Names as programs commonly write them, for logs of a program that is not in the list and for columns that its table lacks:
// an average of rewards under train/, "Mean KL", a norm under policy/. A name is taken apart into plain words first;
// what no pattern knows is not used.
import type { NameRule } from "../log.ts";

/** Rooms of metrics that say nothing of what is measured. */
const ROOMS =
  /^(?:train(?:ing|er)?|rollouts?|actor|actor_train|critic|policy|ppo_actor|grpo_actor|metrics?|stats|generate|generation|reward|loss|env|objective|grpo|rl|algo|global|batch|tokens?)\//;
/** Held-out, and what is measured of time and memory. */
const OTHER = /^(?:eval|val|test|perf|timing|time|memory|system)\w*[/_ -]/i;
const MEAN = "(?:_(?:mean|avg|average))?";
const OF = "(?:(?:mean|avg|average|batch|total|raw|task|final|train|policy|actor|actual|current)_)*";

const rule = (pattern: string, to: string, says?: string): readonly [RegExp, NameRule] => [
  new RegExp(`^${pattern}$`),
  { from: new RegExp(`^${pattern}$`), to, ...(says ? { says } : {}) },
];

const RULES = [
  rule(`${OF}(?:rewards?|scores?)(?:_total)?${MEAN}`, "reward"),
  rule("(?:rewards?|scores?)_max|max_(?:reward|score)", "reward/max"),
  rule("(?:rewards?|scores?)_min|min_(?:reward|score)", "reward/min"),
  rule(`(?:rewards?_std|std_rewards?|grouped_rewards_std)${MEAN}`, "reward_std"),
  rule("(?:frac_reward_)?zero_(?:std|var|variance|adv|advantage)(?:_(?:ratio|frac|fraction|groups?))*", "frac_reward_zero_std"),
  rule(`(?:(?:train|total|final)_)?loss${MEAN}`, "loss"),
  rule(`(?:policy|pg|actor|policy_gradient|surrogate)_loss${MEAN}`, "loss/policy", "without the KL term"),
  rule(
    `${OF}(?:ref(?:erence)?_)?kl(?:_(?:loss|div|divergence|ref|penalty))?${MEAN}`,
    "kl",
    "taken as that to the reference, in nats a token",
  ),
  rule(`(?:ppo_|old_)?(?:approx_?kl|ppo_kl)${MEAN}`, "approx_kl", "between the sampling policy and the updated one"),
  rule(`${OF}entropy(?:_loss)?${MEAN}`, "entropy", "taken as the entropy itself, in nats a token"),
  rule(`${OF}(?:grad|gradient)_norm${MEAN}`, "grad_norm"),
  rule(`${OF}(?:lr|learning_rate)`, "learning_rate"),
  rule(`(?:ppo_|pg_)?clip_?(?:frac|fraction|ratio)${MEAN}`, "clip_ratio/region_mean"),
  rule(`${OF}(?:response|completion|generation|gen|output|answer)_?(?:lengths?|lens?|tokens)${MEAN}`, "completions/mean_length"),
  rule("(?:mean|avg)_(?:length|num_tokens|gen_tokens_per_sample)", "completions/mean_length"),
  rule(
    "(?:response|completion|output)_?(?:lengths?|lens?)_max|max_(?:response|completion)_length|max_num_tokens",
    "completions/max_length",
  ),
  rule(
    "(?:response|completion|output)_?(?:lengths?|lens?)_min|min_(?:response|completion)_length|min_num_tokens",
    "completions/min_length",
  ),
  rule(
    `(?:response_length_)?(?:truncat(?:ed|ion)|overlong|no_eos)(?:_(?:ratios?|rate|frac|fraction|share))?${MEAN}`,
    "completions/clipped_ratio",
  ),
  rule(`(?:${OF}(?:accuracy|acc|correct|success|solve_rate|pass_rate)|(?:success|correct)_(?:rate|once))${MEAN}`, "success_rate"),
  rule("advantages?_(?:mean|avg)", "advantages/mean"),
  rule("advantages?_max", "advantages/max"),
  rule("advantages?_min", "advantages/min"),
  rule("all_wrong", "groups/all_wrong"),
  rule("all_(?:correct|right)", "groups/all_right"),
  rule(
    `(?:mismatch|rollout_corr|sampler)_(?:k3_)?kl${MEAN}|mismatch_k3_kl`,
    "sampling/mismatch_kl",
    "between sampler and trainer, in nats a token",
  ),
  rule("(?:train_)?rollout_log_?probs?_(?:abs_)?diff(?:_mean)?", "sampling/sampling_logp_difference/mean"),
] as const;

/** The rule for a name of whichever program; null where it is none of the common ones. */
export function commonRule(name: string): NameRule | null {
  if (OTHER.test(name)) return null;
  const whole = name.trim().toLowerCase();
  // "reward/avg_raw_reward" is one in its room, "mismatch/kl" one only with it.
  for (const each of [whole, whole.replace(ROOMS, ""), whole.replace(ROOMS, "").replace(ROOMS, "")]) {
    const plain = each.replace(/[\s./-]+/g, "_").replace(/_+$/, "");
    const found = RULES.find(([pattern]) => pattern.test(plain));
    if (found) return found[1];
  }
  return null;
}
