// The trainer's own functions with the settings that a lesson leaves out filled in: advantages, token weights
// and gradients of a table's row. A lesson works out nothing else of its own.
import { type RunConfig, runConfigSchema } from "../../../protocol/config.ts";
import { computeAdvantages } from "../../../rl/advantages.ts";
import { algorithms } from "../../../rl/algorithms/index.ts";
import { logitsGradient, logSoftmaxTable } from "../../../rl/logitsTable.ts";
import { objectiveTotals } from "../../../rl/objective/totals.ts";
import type { ObjectiveResult } from "../../../rl/objective/types.ts";
import { tokenObjective } from "../../../rl/objective.ts";

/** Complete settings of each algorithm: reading them through the schema is dear, and a drag asks many times. */
const complete = new Map<string, RunConfig>();

/** Settings of an algorithm of the registry with some changed. */
export function settingsOf(algorithm: string, changes: Partial<RunConfig> = {}): RunConfig {
  const entry = algorithms.find(({ id }) => id === algorithm);
  if (!entry) throw new Error(`internal: no algorithm ${algorithm}`);
  const settings = complete.get(algorithm) ?? runConfigSchema.parse({ ...entry.config, algorithm });
  complete.set(algorithm, settings);
  return { ...settings, ...changes };
}

/** Completions without prompts: a reward for each, and how many tokens it has. */
export interface Answers {
  readonly rewards: readonly number[];
  readonly lengths: readonly number[];
  /** Group of each; one group where left out. */
  readonly groups?: readonly number[];
}

function layOut({ rewards, lengths, groups }: Answers) {
  const sequenceStart_Q = new Int32Array(lengths.length + 1);
  for (const [q, length] of lengths.entries()) sequenceStart_Q[q + 1] = sequenceStart_Q[q]! + length;
  const K = sequenceStart_Q[lengths.length]!;
  return { sequenceStart_Q, mask_K: new Uint8Array(K).fill(1), groupOf_Q: Int32Array.from(groups ?? rewards.map(() => 0)), K };
}

/** Advantages of answers; `values_K` are a critic's. */
export function advantagesOf(answers: Answers, config: RunConfig, values_K: readonly number[] | null = null) {
  const { sequenceStart_Q, mask_K, groupOf_Q, K } = layOut(answers);
  return computeAdvantages(
    {
      rewards_Q: answers.rewards,
      groupOf_Q,
      tokenCount_Q: answers.lengths,
      sequenceStart_Q,
      mask_K,
      oldLogprobs_K: new Float64Array(K),
      refLogprobs_K: null,
      values_K: values_K ? Float64Array.from(values_K) : null,
    },
    config,
  );
}

/** Tokens with their advantages and log-probs, in sequences of these lengths. */
export interface WeighedTokens {
  readonly advantages_K: ArrayLike<number>;
  readonly logprobs_K: ArrayLike<number>;
  readonly oldLogprobs_K: ArrayLike<number>;
  readonly lengths: readonly number[];
  readonly mask_K?: ArrayLike<number>;
}

/** Loss and its derivative by every log-prob. */
export function objectiveOf(tokens: WeighedTokens, config: RunConfig): ObjectiveResult {
  const laid = layOut({ rewards: tokens.lengths, lengths: tokens.lengths });
  const { sequenceStart_Q } = laid;
  const mask_K = tokens.mask_K ?? laid.mask_K;
  const entropies_K = new Float64Array(laid.K);
  const { advantages_K, logprobs_K, oldLogprobs_K } = tokens;
  return tokenObjective(
    {
      logprobs_K,
      oldLogprobs_K,
      refLogprobs_K: null,
      entropies_K,
      advantages_K,
      mask_K,
      sequenceStart_Q,
      values_K: null,
      oldValues_K: null,
      returns_K: null,
      totals: objectiveTotals({ mask_K, sequenceStart_Q, entropies_K }, config),
    },
    config,
  );
}

/** Tokens with advantages in sequences of these lengths; every ratio is 1 and every token trained where nothing else is said. */
interface PushedTokens extends Pick<WeighedTokens, "advantages_K" | "lengths" | "mask_K"> {
  readonly ratios_K?: ArrayLike<number>;
}

/** How hard the loss pushes each token, minus its derivative by the log-prob; whether its push is held, and the loss itself. */
export function pushesOf({ ratios_K, ...tokens }: PushedTokens, config: RunConfig) {
  const oldLogprobs_K = new Float64Array(tokens.advantages_K.length);
  const logprobs_K = ratios_K ? Float64Array.from(ratios_K, Math.log) : oldLogprobs_K;
  const { loss, gradLogprobs_K, clipState_K } = objectiveOf({ ...tokens, logprobs_K, oldLogprobs_K }, config);
  // A push that is 0 has no sign.
  return { loss, pushes_K: Array.from(gradLogprobs_K, (slope) => 0 - slope), isHeld_K: Array.from(clipState_K, (state) => state !== 0) };
}

/** Probabilities of a row of logits. */
export function probabilitiesOf(logits_V: ArrayLike<number>): Float64Array {
  const { logprobs_TV } = logSoftmaxTable(Float64Array.from(logits_V), 1, logits_V.length, 1);
  return logprobs_TV.map(Math.exp);
}

/** Log-probabilities of a row of logits. */
export function logprobsOf(logits_V: ArrayLike<number>): Float64Array {
  return logSoftmaxTable(Float64Array.from(logits_V), 1, logits_V.length, 1).logprobs_TV;
}

/**
 * dLoss/dlogits of a row from which some tokens were sampled.
 * @param pushes_K dLoss by the log-prob of each.
 */
export function rowGradient(logits_V: ArrayLike<number>, tokens_K: readonly number[], pushes_K: ArrayLike<number>): Float64Array {
  const V = logits_V.length;
  const scores = logSoftmaxTable(Float64Array.from(logits_V), 1, V, 1);
  // Each token is an answer of its own, at the one position there is.
  const sequenceStart_Q = Int32Array.from({ length: tokens_K.length + 1 }, (_, q) => q);
  return logitsGradient(
    { ...scores, vocabulary: V, temperature: 1 },
    { tokens_K, sequenceStart_Q, logprobs_K: pushes_K, entropies_K: null },
  );
}
