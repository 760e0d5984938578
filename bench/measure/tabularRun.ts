// The smallest preset's training steps, through the same session the page drives, beside a vectorised numpy
// loop of the same algorithm that records four numbers a step. Evaluations are no part of a step: they
// are timed by themselves.
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { createNodeHost } from "../../src/cli/nodeHost.ts";
import type { EngineEvent } from "../../src/protocol/messages.ts";
import { presets } from "../../src/train/catalog.ts";
import { createSession } from "../../src/train/run/session.ts";
import { planRun } from "../../src/train/start/plan.ts";
import type { TabularPhase, TabularResult } from "../report/result.ts";
import { summarize } from "../report/statistics.ts";

const PRESET = "digit-sum-table";
const WARM_UP = 5;

interface RunTimes {
  /** From the start command to the first step: baselines and the first evaluation. */
  readonly beforeMs: number;
  /** From there to the end. */
  readonly stepsMs: number;
  /** The phases of its steps, each summed over them. */
  readonly phasesMs: Readonly<Record<TabularPhase, number>>;
}

/** The metric of each phase, in seconds. */
const PHASES: Readonly<Record<TabularPhase, string>> = {
  sample: "time/sample",
  score: "time/score",
  advantage: "time/advantage",
  update: "time/update",
};
const phases = Object.keys(PHASES) as TabularPhase[];
const ofEach = <T>(timesOf: (phase: TabularPhase) => T) =>
  Object.fromEntries(phases.map((phase) => [phase, timesOf(phase)])) as Record<TabularPhase, T>;

/** Trains once. Rejects with the engine's sentence when it reports an error. */
async function trainOnce(seed: number, evaluates: boolean): Promise<RunTimes> {
  const preset = presets.find(({ id }) => id === PRESET);
  if (!preset) throw new Error(`internal: there is no preset ${PRESET}`);
  const config = { ...preset.config, seed, ...(evaluates ? {} : { evalEvery: 0 }) };
  const host = createNodeHost();
  let begun = 0;
  let started = 0;
  const phasesMs = ofEach(() => 0);
  return new Promise<RunTimes>((resolve, reject) => {
    const receive = (event: EngineEvent) => {
      if (event.type === "error" || (event.type === "answer" && event.outcome === "failed")) reject(new Error(event.message));
      else if (event.type === "baseline" && event.record.kind === "start") started = host.now();
      else if (event.type === "steps")
        for (const { metrics } of event.records) for (const phase of phases) phasesMs[phase] += 1000 * metrics[PHASES[phase]]!;
      else if (event.type === "state" && event.state === "finished")
        resolve({ beforeMs: started - begun, stepsMs: host.now() - started, phasesMs });
    };
    createSession(receive, host).then((session) => {
      begun = host.now();
      return session.handle({ id: 0, type: "start", runId: "run", config });
    }, reject);
  });
}

interface NumpyReply {
  readonly numpy: string;
  readonly milliseconds: readonly number[];
  readonly success: number;
}

/** The numpy loop's reply; null with a line to the report where Python or numpy is missing. */
async function runNumpy(args: readonly (string | number)[], report: (line: string) => void): Promise<NumpyReply | null> {
  const python = process.env.PYTHON ?? "python3";
  try {
    const script = fileURLToPath(new URL("../peers/numpy_digit_sum.py", import.meta.url));
    const { stdout } = await promisify(execFile)(python, [script, ...args.map(String)]);
    return JSON.parse(stdout) as NumpyReply;
  } catch {
    report(`the numpy loop is left out: ${python} with numpy was not found (set PYTHON to one that has it)`);
    return null;
  }
}

/** Times `runs` runs of each kind, in turns, after a warm-up. */
export async function measureTabularRun(runs: number, report: (line: string) => void): Promise<TabularResult> {
  const preset = presets.find(({ id }) => id === PRESET);
  const { steps, groupSize, learningRate, klCoef } = planRun({ config: preset?.config ?? {} }).config;
  for (let i = 0; i < WARM_UP; i++) await trainOnce(i, false);
  const bare: RunTimes[] = [];
  const whole: RunTimes[] = [];
  for (let i = 0; i < runs; i++) {
    bare.push(await trainOnce(i, false));
    whole.push(await trainOnce(i, true));
  }
  const numpy = await runNumpy([runs, steps, groupSize, learningRate, klCoef], report);
  return {
    preset: PRESET,
    steps,
    train: summarize(bare.map(({ stepsMs }) => stepsMs)),
    trainAndEvaluate: summarize(whole.map(({ stepsMs }) => stepsMs)),
    before: summarize(bare.map(({ beforeMs }) => beforeMs)),
    phases: ofEach((phase) => summarize(bare.map(({ phasesMs }) => phasesMs[phase]))),
    records: summarize(bare.map(({ stepsMs, phasesMs }) => stepsMs - phases.reduce((sum, phase) => sum + phasesMs[phase], 0))),
    numpy: numpy && { version: numpy.numpy, train: summarize(numpy.milliseconds), success: numpy.success },
  };
}
