// The full configuration of a run by the rules of the rewards' library, as a run resolves it.
import type { AlgorithmEntry, TaskEntry } from "../../src/protocol/catalog.ts";
import { resolveConfig as resolve } from "../../src/rl/resolveConfig.ts";
import { rewardRules } from "../../src/rl/rewards/library/index.ts";

export const resolveConfig = (input: unknown, tasks: readonly TaskEntry[], algorithms: readonly AlgorithmEntry[]) =>
  resolve(input, tasks, algorithms, rewardRules);
