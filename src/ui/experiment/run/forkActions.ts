// Branches of a run: beside the one on screen, or of one that an address names and that is then trained beside them.
import type { Catalog } from "../../../protocol/catalog.ts";
import type { RunConfig, RunConfigKey } from "../../../protocol/config.ts";
import type { Setting } from "../../../protocol/run/experimentPlan.ts";
import { newRunId } from "../../engine/actions.ts";
import { engine } from "../../engine/client.ts";
import { goTo } from "../../engine/route.ts";
import { type DraftedBranch, remedyBranch, trunkPlan, withBranch } from "../plan/drafted.ts";
import { baseOf, setSetup, setupOf } from "../plan/setup.ts";
import { firstShape } from "../shapes/index.ts";
import { extendExperiment, hasRunOnScreen, startExperiment } from "./actions.ts";
import { keptOf } from "./experiments.ts";

/** Adds a branch to a run; other branches of the run on screen stay beside it. */
export async function startFork(catalog: Catalog, trunk: RunConfig, branch: DraftedBranch, isScreen: boolean): Promise<void> {
  const { kind, shown } = setupOf("compare");
  // Changes on the way have no form in an address: such a run is branched only while it is on screen.
  if (trunk.changes.length === 0) setSetup("compare", { base: baseOf(catalog, trunk), forkStep: branch.afterStep });
  if (isScreen && shown !== null && hasRunOnScreen(shown)) await extendExperiment(shown, (plan) => withBranch(plan, branch, newRunId));
  else {
    const runId = isScreen ? engine.view.facts.getState().runId : null;
    await startExperiment(kind, (name) => withBranch(trunkPlan(kind, trunk, name, runId, newRunId), branch, newRunId));
  }
}

/**
 * Tries what a diagnosis names first: a branch of the run on screen that has the remedy from its first step on, since what a run
 * has lost is not there any more where it is found missing. Goes to where both are compared; answers why not, or null.
 */
export function tryRemedy(catalog: Catalog, [key, value]: readonly [RunConfigKey, Setting]): string | null {
  const { config } = engine.view.facts.getState();
  if (!config) return "There is no run any more.";
  const { shown } = setupOf("compare");
  const place = hasRunOnScreen(shown) ? (keptOf(shown)?.plan.combinations.length ?? 1) : 1;
  const branch = remedyBranch(catalog, config, [key, value], place);
  if (typeof branch === "string") return branch;
  setSetup("compare", { kind: firstShape("compare", "branch").id, over: [{ field: key, values: [value] }], forkStep: 0 });
  void startFork(catalog, config, branch, true);
  goTo("compare");
  return null;
}
