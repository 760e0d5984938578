// Runs that are kept as racers: those that differ in nothing but their seed and how they were computed are one racer with several
// seeds, which is what tells settings apart; the run on screen is followed while it goes on.
import { asideKeys, changedFields } from "../../../../protocol/config/configFacts.ts";
import type { RunConfig } from "../../../../protocol/config.ts";
import type { RunRecords } from "../../../../protocol/messages.ts";
import { createRunView, type RunView } from "../../../engine/store/runView.ts";
import type { Racer, RacerRun } from "../raceStore.ts";

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
    // A seed counts once: two runs of one seed are two racers.
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
  const { config, steps, evaluations, baselines } = records;
  const view = createRunView();
  view.metrics.append(steps);
  view.facts.setState({ runId, config, evaluations, baselines, step: steps.at(-1)?.step ?? 0, state: "finished", stateReason: "kept" });
  return view;
}

/** What is left of a name without the parts that all have, and without the seed of a racer that has several. */
function ownParts(name: string, shared: ReadonlySet<string>, isOfSeeds: boolean): string {
  const parts = name.split(", ").filter((part) => !(isOfSeeds && /^seed \d+$/.test(part)));
  return parts.filter((part) => !shared.has(part)).join(", ") || parts.join(", ");
}

/** The racers of kept runs, lettered in their order. */
export function keptRacers(runs: readonly KeptRun[]): readonly Racer[] {
  const [first, ...others] = runs.map(({ name }) => name.split(", "));
  const shared = new Set(others.length > 0 ? first?.filter((part) => others.every((parts) => parts.includes(part))) : []);
  return bySetting(runs).map((group, place) => {
    const id = String.fromCharCode(65 + place);
    const [first] = group;
    const { config } = first!.records;
    const racerRuns = group.map((run, i): RacerRun => {
      const { seed } = run.records.config;
      return { id: `${id}${i + 1}`, seed, input: run.records.config, status: "done", view: viewOf(run), isScreen: run.live !== null };
    });
    const [label, short] = [new Set<string>(), shared].map((left) => ownParts(first!.name, left, group.length > 1)) as [string, string];
    return {
      ...{ id, label, short, input: config, config, problems: [], forkStep: null, runs: racerRuns },
      seeds: racerRuns.map(({ seed }) => seed),
    };
  });
}
