// The baselines on offer, in the order they are listed; the first is the default. A new one is a file beside this one and
// an entry in this list.
import type { Baseline } from "./baseline.ts";
import { batchMean } from "./batchMean.ts";
import { critic } from "./critic.ts";
import { groupMean } from "./groupMean.ts";
import { leaveOneOut } from "./leaveOneOut.ts";
import { lengthWeighted } from "./lengthWeighted.ts";
import { none } from "./none.ts";

export const baselines = [groupMean, leaveOneOut, lengthWeighted, batchMean, critic, none] as const;
export type BaselineId = (typeof baselines)[number]["id"];

type Chosen = { readonly advantageBaseline: string };

/** The baseline that settings name. */
export function baselineOf({ advantageBaseline }: Chosen): Baseline {
  const found = baselines.find(({ id }) => id === advantageBaseline);
  if (!found) throw new Error(`internal: there is no baseline ${advantageBaseline}`);
  return found;
}

/** Whether a critic says what is expected, and is trained for it. */
export function usesCritic(config: Chosen): boolean {
  return baselineOf(config).from === "critic";
}

/** Names of the baselines that a critic makes, or of the others. */
export function baselineIds({ withCritic }: { readonly withCritic: boolean }): readonly BaselineId[] {
  return baselines.filter(({ from }) => (from === "critic") === withCritic).map(({ id }) => id);
}
