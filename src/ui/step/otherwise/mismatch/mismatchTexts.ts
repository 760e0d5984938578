// A step whose sampler and trainer told log-probs, in the words and lines that the panel shows.
import { counted, measureText, shareText } from "../../../../protocol/quantities.ts";
import type { GroupRecord } from "../../../../protocol/records.ts";
import type { MismatchCorrection } from "../../../../rl/mismatch/correction.ts";
import type { Corrected, MeanMismatch, TokensOfBoth } from "../../../../rl/mismatch/mismatch.ts";
import { RATIO_NOISE } from "../../../../rl/objective/ratio.ts";
import type { Series } from "../../../kit/charts/series/series.ts";
import type { TokenChannel } from "../../tokens/channels.ts";

/** How far the two are apart in a step, a sentence each. */
export function apartSentences(
  { tokens, k1, k3, largest }: MeanMismatch & { readonly largest: number },
  lacking: number,
): readonly string[] {
  const without = lacking === 0 ? [] : [`${counted(lacking, "trained token")} lack one of the two and count nowhere.`];
  if (tokens === 0) return ["No trained token of this step has both log-probs.", ...without];
  const both = counted(tokens, "token");
  if (largest <= RATIO_NOISE) return [`Sampler and trainer agree on all ${both}: the largest difference is rounding.`, ...without];
  return [
    `Over ${both} the KL of the sampler to the trainer is ${measureText(k3)} nats a token by k3, ${measureText(k1)} by k1. The largest difference of one token is ${measureText(largest)} nats.`,
    ...without,
  ];
}

const DONE = { drops: "Drops", cuts: "Cuts the weight of" } as const;

/** What a correction would have made of the step, live. */
export function correctedText({ does }: MismatchCorrection, { above, below, touched_Q, undecided }: Corrected, tokens: number): string {
  const count = above + below;
  const rest = undecided === 0 ? "" : ` It cannot decide on ${counted(undecided, "token")}: nobody recorded an advantage.`;
  if (count === 0) return `${does === "drops" ? "Drops" : "Cuts"} nothing of this step.${rest}`;
  const rollouts = touched_Q.reduce((sum, touched) => sum + Math.sign(touched), 0);
  const sides = [
    ...(above > 0 ? [`▲ ${above} that the trainer finds likelier`] : []),
    ...(below > 0 ? [`▼ ${below} that it finds less likely`] : []),
  ];
  return `${DONE[does]} ${count} of ${counted(tokens, "token")} (${shareText(count / tokens)}), in ${rollouts} of ${counted(touched_Q.length, "rollout")}: ${sides.join(", ")}.${rest}`;
}

/** The mean KL at each place of the answers, as a chart's lines. */
export function placeSeries(means: readonly MeanMismatch[]): readonly Series[] {
  const xs = means.map((_, t) => t + 1);
  return (["k3", "k1"] as const).map((id) => ({ id, label: id, xs, ys: means.map((mean) => mean[id]), exact: true }));
}

/** One completion's tokens coloured by what a correction makes of them. */
export function markChannel(
  { title, does }: MismatchCorrection,
  sides_T: ArrayLike<number>,
  both: TokensOfBoth,
  start: number,
): TokenChannel {
  const done = does === "drops" ? "dropped" : "cut";
  return {
    id: "corrected",
    title,
    symbol: "",
    help: "",
    word: null,
    scale: "diverging",
    missing: "the token is not trained, or one of the two is unknown",
    value: ({ index }) => (both.mask_K[start + index] ? (sides_T[index] ?? 0) : null),
    format: (side) => (side === 0 ? "kept" : `${done}: the trainer finds it ${side > 0 ? "likelier" : "less likely"}`),
  };
}

/** A rollout that a correction touches. */
export interface TouchedRollout {
  readonly promptIndex: number;
  readonly trajectoryIndex: number;
  readonly touched: number;
  readonly tokens: number;
}

/** Rollouts of which most tokens are touched first. */
export function mostTouched(
  groups: readonly GroupRecord[],
  { mask_K, sequenceStart_Q }: TokensOfBoth,
  { touched_Q }: Corrected,
): readonly TouchedRollout[] {
  let q = -1;
  const all = groups.flatMap(({ promptIndex, trajectories }) =>
    trajectories.map((_, trajectoryIndex) => {
      q += 1;
      const tokens = mask_K.subarray(sequenceStart_Q[q], sequenceStart_Q[q + 1]).reduce((sum, flag) => sum + flag, 0);
      return { promptIndex, trajectoryIndex, touched: touched_Q[q]!, tokens };
    }),
  );
  return all.filter(({ touched }) => touched > 0).sort((a, b) => b.touched / b.tokens - a.touched / a.tokens);
}
