// The lessons' own engine: small runs beside the page's own, which they leave alone. One worker, one run at a
// time; a plan that was run once is answered from memory.
import type { RunConfigInput } from "../../../protocol/config.ts";
import type { StepGroups } from "../../../protocol/messages.ts";
import { EngineClient } from "../../engine/client.ts";
import { openTrainerWorker } from "../../engine/openWorkers.ts";
import { createRunView } from "../../engine/store/runView.ts";
import type { LabPlan, LabRun } from "./labRun.ts";

let engine: EngineClient | null = null;
let turn: Promise<unknown> = Promise.resolve();
let runs = 0;
const done = new Map<string, Promise<LabRun>>();

/** The worker is made when a lesson first needs it, and kept for the visit. */
async function readyEngine(): Promise<EngineClient> {
  if (engine && engine.facts.getState().status === "died") {
    engine.close();
    engine = null;
  }
  if (!engine) {
    engine = new EngineClient(createRunView());
    engine.connect(openTrainerWorker);
  }
  await engine.untilUp();
  return engine;
}

/**
 * Settings of every run here: nothing is saved or evaluated that no lesson shows. Every run measures its start, here with
 * one answer to one problem.
 */
function labConfig(config: RunConfigInput): RunConfigInput {
  return { autosaveEvery: 0, evalEvery: 0, evalProblems: 1, evalSamples: 1, threads: 1, ...config };
}

async function carryOut({ config, inspect }: LabPlan): Promise<LabRun> {
  const lab = await readyEngine();
  const { view } = lab;
  const steps: StepGroups[] = [];
  await lab.request({ type: "start", runId: `lesson-${++runs}`, config: labConfig(config), paused: true });
  const { config: started, model } = view.facts.getState();
  if (!started || !model) throw new Error("internal: a run that has started has a configuration and a model");
  // Early steps are asked for as they end, since only the latest are kept.
  for (const step of [...inspect].sort((a, b) => a - b)) {
    while (view.facts.getState().step < step) await lab.request({ type: "advance", unit: "step" });
    steps.push(await lab.request({ type: "inspect", step }));
  }
  if (view.facts.getState().step < started.steps) await finish(lab, started.steps);
  lab.flush();
  return { config: started, model, records: view.metrics.records(0), steps };
}

/** Lets the run go on to its last step. */
async function finish(lab: EngineClient, last: number): Promise<void> {
  const { facts } = lab.view;
  await lab.request({ type: "resume" });
  await new Promise<void>((resolve, reject) => {
    const look = () => {
      const { state, step, error, stateReason } = facts.getState();
      const { status, message } = lab.facts.getState();
      if (status === "died") settle(() => reject(new Error(message ?? "the engine stopped")));
      else if (error !== null || state === "failed") settle(() => reject(new Error(error ?? stateReason ?? "the run failed")));
      else if (step >= last && state !== "running") settle(resolve);
    };
    const stops = [facts.subscribe(look), lab.facts.subscribe(look)];
    const settle = (end: () => void) => {
      for (const stop of stops) stop();
      end();
    };
    look();
  });
}

/** Runs a plan, after those that were asked for before it. */
export function runPlan(plan: LabPlan): Promise<LabRun> {
  const key = JSON.stringify(plan);
  const known = done.get(key);
  if (known) return known;
  const run = turn.then(() => carryOut(plan));
  turn = run.catch(() => {});
  done.set(key, run);
  run.catch(() => done.delete(key));
  return run;
}
