// The total reward where files have parts of it alone: the sum with the weights that somebody gave, or with those by
// which the advantages in the files come out, which TRL writes without its weights. Elsewhere there is no total.
import { checkAdvantages } from "../../rl/otherwise/advantageCheck.ts";
import { known, type OrderedStep, type TraceIndex } from "./traceIndex.ts";

/** The total of each rollout, the weight of each part, and where they are from. */
export interface Totals {
  /** NaN where none is known. */
  readonly rewards: readonly number[];
  readonly weights: ReadonlyMap<string, number | null>;
  readonly source: "files" | "chosen" | "proved" | "unknown";
}

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

/** Weights by which all advantages in the files come out of the parts, step by step; null where there are none. */
function provedWeights(
  index: TraceIndex,
  steps: readonly OrderedStep[],
  given: ReadonlyMap<string, number | null>,
): readonly number[] | null {
  let seen = 0;
  let proved = null as readonly number[] | null;
  for (const { groups } of steps) {
    if (seen >= MOST_GROUPS) break;
    seen += groups.length;
    const recorded = groups.map((members) =>
      members.map((i) => ({
        parts: [...given.keys()].map((name) => known(index.parts.get(name)?.[i])),
        reward: null,
        advantage: known(index.advantage[i]),
      })),
    );
    const check = checkAdvantages(recorded, proved ?? [...given.values()]);
    if (!check) continue;
    if (check.differ > 0 || !check.weights || (proved && check.from !== "given")) return null;
    // Where all rewards of each group are equal, any weights would do.
    if (check.answers.some(({ recorded: advantage }) => advantage !== 0)) proved = check.weights;
  }
  return proved;
}

/** Totals of all rollouts of an index. @param isChosen whether somebody gave the weights */
export function totalsOf(index: TraceIndex, steps: readonly OrderedStep[], isChosen: boolean): Totals {
  const names = [...index.parts.keys()];
  const given = new Map(names.map((name) => [name, index.weights.get(name) ?? null] as const));
  const written: Totals = { rewards: index.reward, weights: given, source: "files" };
  if (names.length === 0 || index.reward.some((reward) => !Number.isNaN(reward))) return written;
  const sums = (weights: ReadonlyMap<string, number | null>) => index.reward.map((_, i) => totalOf(index, weights, i));
  if ([...given.values()].every((weight) => weight !== null))
    return { rewards: sums(given), weights: given, source: isChosen ? "chosen" : "files" };
  const proved = provedWeights(index, steps, given);
  if (!proved) return { ...written, source: "unknown" };
  const weights = new Map(names.map((name, i) => [name, proved[i]!] as const));
  return { rewards: sums(weights), weights, source: "proved" };
}
