// The total reward where files have parts of it alone: the sum with the weights that somebody gave, or with weights of 1 where these give the
// advantages that the file has, which TRL writes without its weights. Elsewhere there is no total.
import { summarize } from "../../rl/advantage/statistics.ts";
import type { OrderedStep, TraceIndex } from "./traceIndex.ts";

/** The total of each rollout, the weight of each part, and where they are from. */
export interface Totals {
  /** NaN where none is known. */
  readonly rewards: readonly number[];
  readonly weights: ReadonlyMap<string, number | null>;
  readonly source: "files" | "chosen" | "proved" | "unknown";
}

/** TRL adds this to a spread before it divides by it. */
const TRL_EPSILON = 1e-4;
const CLOSE = 2e-5;
/** Groups that are looked at. */
const MOST_GROUPS = 256;

/** The weighted sum of the parts that are there; NaN where none is. */
function totalOf(index: TraceIndex, weights: ReadonlyMap<string, number | null>, i: number): number {
  let total = Number.NaN;
  for (const [name, values] of index.parts) {
    const value = values[i] ?? Number.NaN;
    if (!Number.isNaN(value)) total = (Number.isNaN(total) ? 0 : total) + value * (weights.get(name) ?? Number.NaN);
  }
  return total;
}

/** Whether the advantages in the file are those of these totals, by the mean of each group and its spread or none. */
function givesAdvantages(index: TraceIndex, totals: readonly number[], steps: readonly OrderedStep[]): boolean {
  const spreads = [(group: number, _step: number) => group + TRL_EPSILON, (_group: number, step: number) => step + TRL_EPSILON, () => 1];
  return spreads.some((spreadOf) => {
    let [seen, told] = [0, 0];
    for (const { groups } of steps) {
      const std = summarize(
        groups.flat().map((i) => totals[i]!),
        "sample",
      ).std;
      for (const members of groups) {
        if (seen++ >= MOST_GROUPS) return told > 0;
        const own = summarize(
          members.map((i) => totals[i]!),
          "sample",
        );
        const spread = spreadOf(own.std, std);
        const isAsWritten = members.every((i) => {
          const [written, total] = [index.advantage[i]!, totals[i]!];
          return (
            Number.isNaN(written) ||
            Number.isNaN(total) ||
            Math.abs((total - own.mean) / spread - written) <= CLOSE * Math.max(1, Math.abs(written))
          );
        });
        if (!isAsWritten) return false;
        if (members.some((i) => Math.abs(index.advantage[i]!) > CLOSE)) told += 1;
      }
    }
    return told > 0;
  });
}

/** Totals of all rollouts of an index. @param isChosen whether somebody gave the weights */
export function totalsOf(index: TraceIndex, steps: readonly OrderedStep[], isChosen: boolean): Totals {
  const names = [...index.parts.keys()];
  const known = new Map(names.map((name) => [name, index.weights.get(name) ?? null] as const));
  const written: Totals = { rewards: index.reward, weights: known, source: "files" };
  if (names.length === 0 || index.reward.some((reward) => !Number.isNaN(reward))) return written;
  const sums = (weights: ReadonlyMap<string, number | null>) => index.reward.map((_, i) => totalOf(index, weights, i));
  if ([...known.values()].every((weight) => weight !== null))
    return { rewards: sums(known), weights: known, source: isChosen ? "chosen" : "files" };
  const weights = new Map(names.map((name) => [name, known.get(name) ?? 1] as const));
  const rewards = sums(weights);
  return givesAdvantages(index, rewards, steps) ? { rewards, weights, source: "proved" } : { ...written, source: "unknown" };
}
