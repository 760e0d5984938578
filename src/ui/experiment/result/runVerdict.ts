// How the runs of an experiment go by themselves: their verdicts, and whether a branch replays its run. Both read every
// step, so they are worked out again only for a run that has reported since.
import { paidParts } from "../../../protocol/run/paidParts.ts";
import { type Diagnosed, diagnose } from "../../../rl/diagnosis/index.ts";
import { type Replay, replayOf } from "../../../rl/race/race.ts";
import { judgeRun, type VerdictResult } from "../../../rl/verdict.ts";
import { engine } from "../../engine/client.ts";
import type { RunView } from "../../engine/store/runView.ts";
import { type Combination, configOf, type ExperimentRun, factsOf } from "../run/experiments.ts";

interface Known<Result> {
  readonly version: number;
  readonly evaluations: number;
  readonly result: Result;
}

export interface JudgedRun extends VerdictResult {
  readonly cause: Diagnosed | null;
}

const verdicts = new WeakMap<RunView, Known<JudgedRun>>();
const replays = new WeakMap<RunView, Known<Replay | null>>();

/** What was found out about a view, as long as it has heard nothing new. */
function remembered<Result>(known: WeakMap<RunView, Known<Result>>, run: ExperimentRun, find: () => Result): Result {
  const now = { version: run.view.metrics.version, evaluations: factsOf(run).evaluations.length };
  const before = known.get(run.view);
  if (before && before.version === now.version && before.evaluations === now.evaluations) return before.result;
  const result = find();
  known.set(run.view, { ...now, result });
  return result;
}

/** The verdict of a run over all its own steps, and the cause that is named first where something seems wrong. */
export function verdictOfRun(run: ExperimentRun): JudgedRun {
  return remembered(verdicts, run, () => {
    const { catalog } = engine.facts.getState();
    const config = configOf(run);
    const rewards = catalog && paidParts(config, catalog);
    const history = { ...factsOf(run), config, rewards, metric: (key: string) => run.view.metrics.series(key) };
    const result = judgeRun(history);
    return { ...result, cause: diagnose(history, result.verdict)[0] ?? null };
  });
}

/** Whether a branch replays its run before its fork. */
export function replayText(branch: Combination, trunk: Combination, forkStep: number): string {
  const run = trunk.runs[0]!;
  const own = branch.runs[0]!;
  if (forkStep === 0) return "leaves at the start";
  const before = replays.get(own.view)?.result;
  const isDecided = before?.state === "different" || before?.step === forkStep;
  const find = () => replayOf(run.view.metrics.records(), own.view.metrics.records(), forkStep);
  const replay = isDecided && before ? before : remembered(replays, own, find);
  if (replay?.state === "different")
    return `does not replay the run: step ${replay.step} already differs, so later differences do not come from the change alone`;
  if (replay === null) return own.status === "done" ? "not compared with the run" : `replays the run up to step ${forkStep}`;
  if (replay.step < forkStep) return `replays the run: equal up to step ${replay.step} of ${forkStep} so far`;
  return `replayed the run: all numbers equal up to step ${forkStep}, where it leaves`;
}
