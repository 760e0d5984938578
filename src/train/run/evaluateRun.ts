// What a run measures of itself beside training: what chance and the starting policy reach, and held-out
// problems at intervals. Each result is kept with the run and told.
import type { BaselineRecord, EvaluationRecord } from "../../protocol/records.ts";
import { MOST_EVALUATIONS, pushThinned } from "../../protocol/thinning.ts";
import { type EvaluationContext, evaluate, measureRandomBaseline, startBaseline } from "../evaluation.ts";
import type { Autosave } from "../save/autosave.ts";
import type { Trainer } from "../step/trainer.ts";
import type { ActiveRun } from "./activeRun.ts";
import type { RunFeed } from "./runFeed.ts";
import { dueSettings } from "./settings.ts";

/** A run that repeats one with live changes starts under what held at first, whatever its configuration ends with. */
export function contextOf({ trainer, model, renderer, task, rewards }: ActiveRun): EvaluationContext {
  const config = trainer.step > 0 ? trainer.config : { ...trainer.config, ...dueSettings(trainer.config, 0) };
  return { config, policy: model.policy(), renderer, task, rewards };
}

/** The dashed lines of every chart: what chance reaches, and what the policy starts from. */
export async function measureStart(run: ActiveRun, feed: RunFeed, autosave: Autosave): Promise<void> {
  const keep = (record: BaselineRecord) => {
    run.baselines.push(record);
    autosave.add("baselines", record);
    feed.send({ type: "baseline", record });
  };
  const has = (kind: BaselineRecord["kind"]) => run.baselines.some((each) => each.kind === kind);
  if (!has("random")) keep(await measureRandomBaseline(contextOf(run)));
  if (run.trainer.step === 0 && !has("start")) keep(startBaseline(await evaluateRun(run, feed, autosave)));
}

export function isEvaluationDue({ config, step }: Trainer): boolean {
  return config.evalEvery > 0 && (step % config.evalEvery === 0 || step === config.steps);
}

/** Asks the policy the held-out problems. */
export async function evaluateRun(run: ActiveRun, feed: RunFeed, autosave: Autosave): Promise<EvaluationRecord> {
  const record = await evaluate(contextOf(run), run.trainer.step, (done, total) => feed.progress("evaluate", done, total, done === 0));
  pushThinned(run.evaluations, record, MOST_EVALUATIONS);
  autosave.add("evaluations", record);
  feed.send({ type: "evaluation", record });
  return record;
}
