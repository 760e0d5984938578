// Carries out a lesson's plans on an engine in Node, as the page's lab does in a worker.
import type { SmallPlan, SmallRun } from "../../../src/ui/experiment/small/smallRun.ts";
import { driveSession } from "../../support/driveSession.ts";

const done = new Map<string, Promise<SmallRun>>();

async function carryOut({ config, inspect }: SmallPlan): Promise<SmallRun> {
  const session = await driveSession();
  const settings = { autosaveEvery: 0, evalEvery: 0, evalProblems: 1, evalSamples: 1, threads: 1, ...config };
  await session.send({ type: "start", runId: "lesson", config: settings, paused: true });
  const records = () => session.all("steps").flatMap((event) => event.records);
  const steps = [];
  const last = (await session.first("started")).config.steps;
  for (let step = 1; step <= last; step++) {
    await session.send({ type: "advance", unit: "step" });
    if (inspect.includes(step)) steps.push(await session.send({ type: "inspect", step }));
  }
  const { config: started, model } = await session.first("started");
  return { config: started, model, records: records(), steps };
}

/** A plan's run; each plan is run once. */
export function runInNode(plan: SmallPlan): Promise<SmallRun> {
  const key = JSON.stringify(plan);
  const run = done.get(key) ?? carryOut(plan);
  done.set(key, run);
  return run;
}
