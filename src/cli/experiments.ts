// What the committed results measure: the presets, each on several seeds.
import type { RunConfigInput } from "../protocol/config.ts";
import { presets } from "../train/presets.ts";

export interface Experiment {
  readonly id: string;
  readonly config: RunConfigInput;
  readonly seeds: readonly number[];
}

const SEEDS = [0, 1, 2];
const FIVE_SEEDS = [0, 1, 2, 3, 4];

export const experiments: readonly Experiment[] = presets
  .filter(({ config }) => config.kind !== "supervised")
  .map(({ id, config }) => ({ id, config, seeds: config.model === "tabular" ? FIVE_SEEDS : SEEDS }));
