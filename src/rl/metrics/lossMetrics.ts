// Metrics read off the objective's sums, under TRL's names where it has one.
import type { RunConfig } from "../../protocol/config.ts";
import { usesCritic } from "../baselines/index.ts";
import { isKlOverRows } from "../kl/index.ts";
import type { ObjectiveSums } from "../objective/sums.ts";
import { type AnySurrogate, surrogateOf, surrogates } from "../surrogates/index.ts";

/**
 * Loss parts, KL, entropy and clip ratios of one optimizer batch (or of all batches of a step, summed:
 * pass how many as `batches`, by which the losses are divided), written into `metrics`. A batch that trains no token gives no
 * means, and without a KL weight there is no reference and no kl. As in TRL, policy_loss is the loss before the entropy
 * bonus, so it holds the KL term.
 */
export function lossMetrics(
  sums: ObjectiveSums,
  config: Pick<RunConfig, "surrogate" | "entropyCoef" | "klCoef" | "advantageBaseline">,
  batches: number,
  metrics: Record<string, number>,
): void {
  metrics.loss = (sums.policyLoss + sums.klLoss + sums.entropyLoss + sums.valueLoss) / batches;
  metrics.policy_loss = (sums.policyLoss + sums.klLoss) / batches;
  metrics["loss/policy"] = sums.policyLoss / batches;
  metrics["loss/kl"] = sums.klLoss / batches;
  metrics["loss/value"] = sums.valueLoss / batches;
  metrics.entropy_coef = config.entropyCoef;
  metrics.kl_coef = config.klCoef;
  const { tokens } = sums;
  const isTold = !Number.isNaN(sums.entropy);
  if (isTold) metrics["loss/entropy"] = sums.entropyLoss / batches;
  if (tokens === 0) return;
  if (config.klCoef > 0) metrics.kl = sums.kl / tokens;
  if (isTold) metrics.entropy = sums.entropy / tokens;
  metrics.approx_kl = sums.approxKl / tokens;
  metrics.approx_kl_k3 = sums.approxKl3 / tokens;
  metrics["ratio/mean"] = sums.ratio / tokens;
  metrics["ratio/min"] = sums.ratioMin;
  metrics["ratio/max"] = sums.ratioMax;
  metrics.dropped_ratio = sums.dropped / tokens;
  if (usesCritic(config)) metrics["value/clip_ratio"] = sums.valueClipped / tokens;
  Object.assign(metrics, surrogateOf(config).metrics?.(sums));
}

/** What is measured in the passes of an update. */
const OF_UPDATE: ReadonlySet<string> = new Set([
  ...["loss", "kl", "entropy", "grad_norm"],
  ...surrogates.flatMap(({ heldShare }: AnySurrogate) => heldShare?.key ?? []),
]);

/**
 * What a step's value of such a metric is where its update takes several optimizer steps, between which the policy moves: the mean over
 * them; an exact KL is that of the first. "" where there is one, and of everything else.
 */
export function overUpdate(metric: string, config: Pick<RunConfig, "kind" | "innerEpochs" | "minibatches" | "klEstimator">): string {
  const steps = config.innerEpochs * config.minibatches;
  if (!OF_UPDATE.has(metric) || config.kind === "supervised" || steps === 1) return "";
  return `${metric === "kl" && isKlOverRows(config) ? "first" : "mean"} of ${steps} optimizer steps`;
}
