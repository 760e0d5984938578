// Runs that are kept as combinations: those that differ in nothing but their seed and how they were computed are one with several
// seeds, which is what tells settings apart; the run on screen is followed while it goes on.
import { asideKeys, changedFields } from "../../../protocol/config/configFacts.ts";
import type { RunConfig } from "../../../protocol/config.ts";
import type { RunRecords } from "../../../protocol/messages.ts";
import { combinationLetter } from "../../../protocol/run/experimentPlan.ts";
import { createRunView, type RunView } from "../../engine/store/runView.ts";
import { type Combination, type ExperimentRun, showRecords } from "../run/experiments.ts";

/** A kept run with what it has recorded, and the view of it where it is on screen. */
export interface KeptRun {
  readonly runId: string;
  readonly name: string;
  readonly records: RunRecords;
  readonly live: RunView | null;
}

/** What makes no other setting of a run; how far runs go is no difference where they are compared as far as all have come. */
const SAME: ReadonlySet<string> = new Set([...asideKeys, "seed", "steps", "backend"]);

export function isSameSetting(a: RunConfig, b: RunConfig): boolean {
  return changedFields(a, b).every((name) => SAME.has(name.split(".")[0] ?? name));
}

/** The runs by their settings, in the order in which they came. */
export function bySetting(runs: readonly KeptRun[]): readonly (readonly KeptRun[])[] {
  const groups: KeptRun[][] = [];
  for (const run of runs) {
    // A seed counts once: two runs of one seed are two combinations.
    const group = groups.find(
      ([first, ...others]) =>
        first &&
        isSameSetting(first.records.config, run.records.config) &&
        [first, ...others].every(({ records }) => records.config.seed !== run.records.config.seed),
    );
    if (group) group.push(run);
    else groups.push([run]);
  }
  return groups;
}

function viewOf({ runId, records, live }: KeptRun): RunView {
  if (live) return live;
  const view = createRunView();
  showRecords({ id: runId, view }, records);
  return view;
}

/** What is left of a name without the parts that all have, and without the seed of one that has several. */
function ownParts(name: string, shared: ReadonlySet<string>, isOfSeeds: boolean): string {
  const parts = name.split(", ").filter((part) => !(isOfSeeds && /^seed \d+$/.test(part)));
  return parts.filter((part) => !shared.has(part)).join(", ") || parts.join(", ");
}

/** The combinations of kept runs, lettered in their order. */
export function keptCombinations(runs: readonly KeptRun[]): readonly Combination[] {
  const [first, ...others] = runs.map(({ name }) => name.split(", "));
  const shared = new Set(others.length > 0 ? first?.filter((part) => others.every((parts) => parts.includes(part))) : []);
  return bySetting(runs).map((group, place) => {
    const [first] = group;
    const own = group.map((run): ExperimentRun => {
      const { config } = run.records;
      return { id: run.runId, seed: config.seed, config, status: "done", view: viewOf(run), isElsewhere: run.live !== null };
    });
    const [label, short] = [new Set<string>(), shared].map((left) => ownParts(first!.name, left, group.length > 1)) as [string, string];
    return { id: combinationLetter(place), label, short, config: first!.records.config, forkStep: null, runs: own };
  });
}
