// Takes the steps again that were recorded after a run's last checkpoint. On the backend and processor
// they were taken on they come out the same, to the bit; elsewhere they may not, and then what is
// repeated takes the place of what was recorded.
import type { BackendReport } from "../../../protocol/messages.ts";
import { counted } from "../../../protocol/quantities.ts";
import { isSameStep, type StepRecord } from "../../../protocol/records.ts";
import { evaluate } from "../../evaluation.ts";
import type { Clock, Host } from "../../host.ts";
import { probePolicy } from "../../queries/probes.ts";
import { savedRemark } from "../../save/log/oddValues.ts";
import { lastStep, type SavedState } from "../../save/savedState.ts";
import type { RunSignals } from "../../start/model.ts";
import type { OpenedPlan } from "../../start/openedPlan.ts";
import { type ActiveRun, buildRun, disposeModels } from "../../start/start.ts";
import { StepRefused } from "../../step/trainer.ts";
import { contextOf } from "../evaluateRun.ts";

/** Shortest time between two words on how far it is. */
const TELL_EVERY_MS = 100;

interface RepeatSignals {
  onPreparing(what: string, done: number, total: number): void;
  /** False once nobody waits for the run any more. */
  isWanted(): boolean;
}

/** Index of a step among records, or -1; what is taken again lies near their end. */
const indexOf = (records: readonly { readonly step: number }[], step: number): number =>
  records.findLastIndex((record) => record.step === step);

async function takeStep({ trainer, history }: ActiveRun, pause: () => Promise<boolean>): Promise<StepRecord | null> {
  const step = trainer.takeStep(() => {});
  for (;;) {
    const result = await step.next();
    if (result.done) return result.value;
    if (result.value.sampled) history.add(result.value.sampled);
    if (!(await pause())) return null;
  }
}

/** Forgets what was recorded after a step. */
function forgetAfter({ steps, evaluations, probes, kept }: ActiveRun, last: number): void {
  kept.forgetFrom(last + 1);
  for (const records of [steps, evaluations, probes]) while ((records.at(-1)?.step ?? 0) > last) records.pop();
}

/**
 * Brings a run from its checkpoint to its last recorded step; a sentence where it came out differently. Ends early when
 * it is not wanted.
 */
export async function repeatSteps(
  run: ActiveRun,
  last: number,
  host: Clock,
  { onPreparing, isWanted }: RepeatSignals,
): Promise<string | null> {
  const { trainer, steps, evaluations, probes } = run;
  const first = trainer.step;
  let sentAt = Number.NEGATIVE_INFINITY;
  let different = 0;
  const pause = async () => {
    const now = host.now();
    if (now - sentAt >= TELL_EVERY_MS) {
      sentAt = now;
      onPreparing(`repeating step ${trainer.step + 1} of ${last}`, trainer.step - first, last - first);
    }
    await run.pause();
    return isWanted();
  };
  while (trainer.step < last && (await pause())) {
    let record: StepRecord | null;
    try {
      record = await takeStep(run, pause);
    } catch (error) {
      if (!(error instanceof StepRefused)) throw error;
      forgetAfter(run, trainer.step);
      return `Step ${trainer.step + 1} could not be repeated here (${error.message}): the run stands at step ${trainer.step}, not at ${last}.`;
    }
    if (!record) return null;
    const at = indexOf(steps, record.step);
    if (at >= 0 && !isSameStep(steps[at]!, record)) {
      if (different === 0) run.kept.forgetFrom(record.step);
      steps[at] = record;
      different += 1;
    }
    const evaluated = indexOf(evaluations, record.step);
    if (different > 0 && evaluated >= 0) evaluations[evaluated] = await evaluate(contextOf(run), record.step, () => {});
    const probed = indexOf(probes, record.step);
    if (different > 0 && probed >= 0) probes[probed] = await probePolicy(run);
  }
  trainer.applyChanges();
  if (different === 0) return null;
  return `${different} of the ${counted(last - first, "step")} since the last checkpoint came out differently than recorded, as they do on another backend or processor. The charts show them as they are now.`;
}

/** That a run goes on with kernels of other bits than those it was saved with: fused ones have their own, both others the same. */
function buildRemark(saved: SavedState["backend"], { kernelBuild }: BackendReport): string | null {
  const before = saved?.kernelBuild;
  const isFused = (build: string) => build === "relaxed, fused";
  if (!before || !kernelBuild || isFused(before) === isFused(kernelBuild)) return null;
  return `The run was computed by the kernels "${before}" and goes on with "${kernelBuild}", which round in another way. From here on its numbers differ in their last bits from what they would have been.`;
}

/** Builds the run of an opened plan and brings it to where it was recorded last. What fails leaves no model behind. */
export async function restoreRun(runId: string, plan: OpenedPlan, host: Host, signals: RunSignals & RepeatSignals): Promise<ActiveRun> {
  const run = await buildRun(runId, plan, host, signals);
  try {
    const { saved } = plan;
    const remarks = saved
      ? [savedRemark(saved), buildRemark(saved.backend, run.backend), await repeatSteps(run, lastStep(saved), host, signals)]
      : [];
    run.remark = [run.remark, ...remarks].filter((each) => each !== null).join(" ") || null;
    return run;
  } catch (error) {
    disposeModels(run);
    throw error;
  }
}
