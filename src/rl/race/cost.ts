// What a step of each run costs, as far as its configuration tells, and where that differs: runs that
// do more work in a step are ahead at equal steps for that alone.

import type { RunConfig } from "../../protocol/config.ts";
import { counted } from "../../protocol/quantities.ts";
import { usesCritic } from "../baselines/index.ts";
import { type Axis, updatesPerStep } from "./axis.ts";
import { listed } from "./raceSentence.ts";

interface Priced {
  readonly id: string;
  readonly config: RunConfig;
}

interface Price {
  /** What a run's step takes, in words; null for nothing worth naming. */
  readonly of: (config: RunConfig) => string | null;
  /** Axes on which this is counted, so that runs are level in it. */
  readonly countedBy: readonly Axis[];
}

const PRICES: readonly Price[] = [
  { of: (config) => counted(updatesPerStep(config), "update"), countedBy: ["updates"] },
  { of: ({ promptsPerStep, groupSize }) => counted(promptsPerStep * groupSize, "answer"), countedBy: ["tokens"] },
  { of: ({ dynamicSampling }) => (dynamicSampling ? "more groups where one has no spread" : null), countedBy: [] },
  { of: (config) => (usesCritic(config) ? "a critic to train as well" : null), countedBy: [] },
  { of: sizeOf, countedBy: [] },
];

function sizeOf({ model, startFrom, hiddenSize, layers }: RunConfig): string {
  if (model === "tabular") return "a table";
  return startFrom === "random" ? `a width of ${hiddenSize} in ${counted(layers, "layer")}` : "the checkpoint's model";
}

/** Where a step of some takes more than that of others; null where all cost the same by their settings. */
export function costWarning(runs: readonly Priced[], axis: Axis): string | null {
  const differing = PRICES.filter(
    ({ of, countedBy }) => new Set(runs.map(({ config }) => of(config))).size > 1 && !countedBy.includes(axis),
  );
  if (differing.length === 0) return null;
  const texts = differing.map(({ of }) => {
    const by = new Map<string, string[]>();
    for (const { id, config } of runs) {
      const price = of(config);
      if (price !== null) by.set(price, [...(by.get(price) ?? []), id]);
    }
    return [...by].map(([price, ids]) => `${listed(ids)} ${price}`).join(", ");
  });
  const remedy = axis !== "updates" && differing.includes(PRICES[0]!) ? " Compare at equal updates as well." : "";
  return `They differ in cost. For one step: ${texts.join("; ")}.${remedy}`;
}
