// What a run measures of itself beside training: what chance and the starting policy reach, held-out
// problems at intervals, and the same few prompts over time. Each result is kept with the run; the prompts are
// told when somebody asks, everything else at once.
import type { RunConfig } from "../../protocol/config.ts";
import type { BaselineRecord, EvaluationRecord } from "../../protocol/records.ts";
import { MOST_EVALUATIONS, pushThinned } from "../../protocol/run/thinned.ts";
import { type EvaluationContext, evaluate, measureRandomBaseline, startBaseline } from "../evaluation.ts";
import { isProbeDue, probePolicy } from "../queries/probes.ts";
import type { ActiveRun } from "../start/start.ts";
import { dueSettings } from "../step/settings.ts";
import type { Trainer } from "../step/trainer.ts";
import type { Autosave } from "./autosave.ts";
import type { RunFeed } from "./runFeed.ts";

/** A run that repeats one with live changes starts under what held at first, whatever its configuration ends with. */
export function contextOf({ trainer, model, renderer, task, rewards, pause }: ActiveRun): EvaluationContext {
  const config = trainer.step > 0 ? trainer.config : { ...trainer.config, ...dueSettings(trainer.config, 0) };
  return { config, policy: model.policy(), renderer, task, rewards, pause };
}

/**
 * What is still to be measured before a run goes on: the dashed lines of every chart, which are what chance reaches and what
 * the policy starts from, and the evaluation of the last step where the run ended between the two. Whoever hears of it has
 * had the time to ask for the run as it was measured.
 */
export async function measureMissing(run: ActiveRun, feed: RunFeed, autosave: Autosave): Promise<void> {
  const keep = (record: BaselineRecord) => {
    run.baselines.push(record);
    autosave.add("baselines", record);
    feed.send({ type: "baseline", record });
  };
  const { trainer } = run;
  const has = (kind: BaselineRecord["kind"]) => run.baselines.some((each) => each.kind === kind);
  if (!has("random")) keep(await measureRandomBaseline(contextOf(run)));
  if (trainer.step === 0 && !has("start")) keep(startBaseline(await evaluateRun(run, feed, autosave, feed.progress)));
  await probeRun(run, autosave);
  if (trainer.isInStep || trainer.step === 0 || !isEvaluationDue(trainer) || (run.evaluations.at(-1)?.step ?? -1) >= trainer.step) return;
  await measureStep(run, feed, autosave);
  await run.pause();
}

function isEvaluationDue({ config, step }: Trainer): boolean {
  return config.evalEvery > 0 && (step % config.evalEvery === 0 || step === config.steps);
}

/**
 * What is due after a step: the held-out problems, and the same prompts over time.
 * @param beside takes the measurement of the held-out problems to wait for it later
 */
export async function measureStep(
  run: ActiveRun,
  feed: RunFeed,
  autosave: Autosave,
  beside?: (measured: Promise<unknown>) => void,
): Promise<void> {
  // What is measured beside a step is no phase of it.
  const progress = beside ? () => {} : feed.progress;
  const measured = isEvaluationDue(run.trainer)
    ? evaluateRun(run, feed, autosave, progress)
    : run.trainer.config.evalEvery > 0 && feed.isQuickEvaluationDue()
      ? evaluateQuickly(run, feed, progress)
      : null;
  if (measured && beside) beside(measured);
  else await measured;
  await probeRun(run, autosave);
}

/** Hears how far a measurement is. */
type Progress = RunFeed["progress"];

/** Problems and samples of a quick evaluation: the first of those that every evaluation asks, greedily and sampled. */
const LOOK = { evalProblems: 32, evalSamples: 2 } as const;

type Size = Pick<RunConfig, "evalProblems" | "evalSamples">;

/** How large a quick evaluation is where evaluations are so large. */
function quickSize({ evalProblems, evalSamples }: Size): Size {
  return { evalProblems: Math.min(LOOK.evalProblems, evalProblems), evalSamples: Math.min(LOOK.evalSamples, evalSamples) };
}

/** Conversations: each problem once greedily and so often with samples. */
const conversationsOf = ({ evalProblems, evalSamples }: Size) => evalProblems * (1 + evalSamples);

/**
 * Asks the policy a few of the held-out problems because it is time to, and tells what came of it. The clock decides, so nothing
 * is kept: no record, save or number of the run depends on it, since evaluations draw from a generator of their own.
 */
async function evaluateQuickly(run: ActiveRun, feed: RunFeed, progress: Progress): Promise<void> {
  const { config, ...context } = contextOf(run);
  const few = { ...config, ...quickSize(config) };
  const told = (done: number, total: number) => progress("evaluate", done, total, done === 0);
  const record = await feed.measured(() => evaluate({ ...context, config: few }, run.trainer.step, told), 1);
  feed.send({ type: "quickEvaluation", record });
}

/** Asks the policy the same prompts as ever, where it is time to; within a step its weights are of no step. */
async function probeRun(run: ActiveRun, autosave: Autosave): Promise<void> {
  const { trainer, probes, model } = run;
  const what = trainer.step === trainer.config.steps ? "last" : isEvaluationDue(trainer) ? "evaluation" : "step";
  if (trainer.isInStep || !isProbeDue(trainer.step, probes.at(-1)?.step, what, model.report.vocabulary)) return;
  const record = await probePolicy(run);
  probes.push(record);
  autosave.add("probes", record);
}

/** Asks the policy the held-out problems. */
export async function evaluateRun(run: ActiveRun, feed: RunFeed, autosave: Autosave, progress: Progress): Promise<EvaluationRecord> {
  const told = (done: number, total: number) => progress("evaluate", done, total, done === 0);
  const context = contextOf(run);
  const share = conversationsOf(quickSize(context.config)) / conversationsOf(context.config);
  const record = await feed.measured(() => evaluate(context, run.trainer.step, told), share);
  pushThinned(run.evaluations, record, MOST_EVALUATIONS);
  autosave.add("evaluations", record);
  feed.send({ type: "evaluation", record });
  return record;
}
