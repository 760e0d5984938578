// The lessons' own engine: small runs beside the page's own, which they leave alone. One worker, one run at a
// time; a plan that was run once is answered from memory.
import type { RunConfigInput } from "../../../protocol/config.ts";
import { takeSteps } from "../../engine/besideRun.ts";
import { EngineClient } from "../../engine/client.ts";
import { openTrainerWorker } from "../../engine/openWorkers.ts";
import { createRunView } from "../../engine/store/runView.ts";
import type { SmallPlan, SmallRun } from "./smallRun.ts";

let engine: EngineClient | null = null;
let turn: Promise<unknown> = Promise.resolve();
let runs = 0;
const done = new Map<string, Promise<SmallRun>>();

/** The worker is made when a lesson first needs it, and kept for the visit. */
function readyEngine(): EngineClient {
  if (engine && engine.facts.getState().status === "died") {
    engine.close();
    engine = null;
  }
  if (!engine) {
    engine = new EngineClient(createRunView());
    engine.connect(openTrainerWorker);
  }
  return engine;
}

/**
 * Settings of every run here: nothing is saved or evaluated that no lesson shows. Every run measures its start, here with
 * one answer to one problem.
 */
function smallConfig(config: RunConfigInput): RunConfigInput {
  return { autosaveEvery: 0, evalEvery: 0, evalProblems: 1, evalSamples: 1, threads: 1, ...config };
}

async function carryOut({ config, inspect }: SmallPlan): Promise<SmallRun> {
  const lab = readyEngine();
  const { facts, metrics } = lab.view;
  const steps = await takeSteps(lab, { runId: `lesson-${++runs}`, config: smallConfig(config), inspect, until: null });
  const { config: started, model } = facts.getState();
  if (!started || !model) throw new Error("internal: a run that has started has a configuration and a model");
  return { config: started, model, records: metrics.records(0), steps };
}

/** Runs a plan, after those that were asked for before it. */
export function runPlan(plan: SmallPlan): Promise<SmallRun> {
  const key = JSON.stringify(plan);
  const known = done.get(key);
  if (known) return known;
  const run = turn.then(() => carryOut(plan));
  turn = run.catch(() => {});
  done.set(key, run);
  run.catch(() => done.delete(key));
  return run;
}
