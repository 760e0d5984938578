// What a recording is shown from: a saved run, or rollouts of another program, with what its prompts are drawn from.
import type { RunConfig } from "../../../protocol/config.ts";
import { errorText } from "../../../protocol/problems.ts";
import type { PairAnswer, PairQuery } from "../../../protocol/rollouts/runPair.ts";
import type { TraceReport } from "../../../protocol/rollouts/traces.ts";
import { rendererOf } from "../../backend/loadRenderer.ts";
import type { Models, OwnWork } from "../../host.ts";
import type { ProbedRun } from "../../queries/probes.ts";
import type { KeptSteps } from "../../save/kept/keptSteps.ts";
import type { readRecords } from "../../save/readSave.ts";
import type { SavedState } from "../../save/savedState.ts";
import { planRun } from "../../start/plan.ts";

/** Where the rollouts of steps are read from. */
export interface StepSource extends Pick<KeptSteps, "has" | "read"> {
  readonly steps: readonly number[];
}

/** A saved run with what its prompts are drawn from; a reason where its task is not known here. */
export interface Recording {
  readonly runId: string;
  readonly saved: ReturnType<typeof readRecords>;
  /** Reads the run with its weights, for whoever goes on from it. */
  readonly whole: () => Promise<SavedState>;
  readonly prompts: Pick<ProbedRun, "task" | "renderer"> | string;
  /** Where its file opens. */
  readonly place: string | null;
  /**
   * What was recognised in the files of another program, its rollouts, which no save holds, and how runs that were
   * opened with it compare.
   */
  readonly traced?: {
    readonly report: TraceReport;
    readonly rollouts: StepSource;
    readonly pair: (query: PairQuery) => Promise<PairAnswer>;
  };
}

/** What the prompts of a run are drawn from; a reason where that is not known here: the records say all but what was asked over time. */
export async function promptsOf(run: RunConfig, host: Models & OwnWork): Promise<Recording["prompts"]> {
  try {
    const { config, task, instance } = planRun({ config: run }, host.additions);
    return { task: instance, renderer: await rendererOf(config, task.rendererKind, host) };
  } catch (error) {
    return errorText(error);
  }
}

/** What is needed to show a saved run. */
export async function recordingOf(
  runId: string,
  saved: Recording["saved"],
  whole: Recording["whole"],
  place: Recording["place"],
  host: Models & OwnWork,
): Promise<Recording> {
  return { runId, saved, whole, place, prompts: await promptsOf(saved.config, host) };
}
