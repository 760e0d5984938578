// Curves of a run that was made elsewhere, under this lab's names of metrics: what the program logged, and beside it what rewards and
// lengths say. What was logged stands, since it counts what no file of rollouts may hold.
import { STOP_REASONS } from "../../protocol/record/rolloutSchemas.ts";
import type { StepRecord } from "../../protocol/records.ts";
import { completionMetrics } from "../../rl/metrics/completionMetrics.ts";
import { rewardMetrics } from "../../rl/metrics/rewardMetrics.ts";
import { known, type OrderedStep, type TraceIndex } from "./traceIndex.ts";

/** Mean KL of sampler to trainer over the tokens of which both told log-probs, under the names that logs have. */
function apartMetrics({ tokens, k1, k3 }: TraceIndex["apart"], members: readonly number[], into: Record<string, number>): void {
  const sumOf = (values: readonly number[]) => members.reduce((sum, i) => sum + values[i]!, 0);
  const count = sumOf(tokens);
  if (count === 0) return;
  into["sampling/mismatch_kl"] = sumOf(k3) / count;
  into["sampling/mismatch_k1"] = sumOf(k1) / count;
}

/** What the rollouts of one step say. @param countsTokens whether lengths are those of tokens */
function computed(index: TraceIndex, { groups }: OrderedStep, countsTokens: boolean): Record<string, number> {
  const metrics: Record<string, number> = {};
  const members = groups.flat();
  const success_Q = members.map((i) => index.success[i]!);
  rewardMetrics(
    {
      rewards_Q: members.map((i) => known(index.reward[i])),
      parts_Q: members.map((i) => [...index.parts].map(([name, values]) => ({ name, value: known(values[i]), weight: 1 }))),
      success_Q: success_Q.some(Number.isNaN) ? null : success_Q.map((right) => right === 1),
      groupOf_Q: groups.flatMap((group, p) => group.map(() => p)),
    },
    metrics,
  );
  // Where no total is known there is none that could be equal.
  if (metrics.reward === undefined) {
    delete metrics.frac_reward_zero_std;
    delete metrics["reward/group_std"];
    delete metrics.unscorable_ratio;
  }
  apartMetrics(index.apart, members, metrics);
  const stops = members.map((i) => STOP_REASONS[index.stop[i]!] ?? null);
  const terminated = stops.includes(null) ? null : stops.map((stop) => stop !== "max-tokens" && stop !== "max-context");
  if (countsTokens)
    completionMetrics(
      members.map((i) => index.length[i]!),
      terminated,
      metrics,
    );
  else if (terminated) metrics["completions/clipped_ratio"] = terminated.filter((each) => !each).length / terminated.length;
  return metrics;
}

/** Records of all steps that have rollouts or were logged, ascending. @param logged metrics by step */
export function stepRecords(
  index: TraceIndex,
  steps: readonly OrderedStep[],
  logged: ReadonlyMap<number, Readonly<Record<string, number>>>,
  countsTokens: boolean,
): readonly StepRecord[] {
  const own = new Map(steps.map((step) => [step.step, computed(index, step, countsTokens)] as const));
  return [...new Set([...own.keys(), ...logged.keys()])]
    .sort((a, b) => a - b)
    .map((step) => ({ step, metrics: { ...own.get(step), ...logged.get(step) } }));
}
