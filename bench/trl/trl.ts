// TRL's trainer beside ours, on real training steps: the same weights, task, sizes and seeds on the same processor,
// taking turns. Seconds of a step, and the two reward curves.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Interop, trainSums } from "../../scripts/interop/check.ts";
import { differenceInterval, type Measured, meanInterval } from "../../src/rl/accuracy.ts";
import { meanOf } from "../../src/rl/advantage/statistics.ts";
import type { TrlResult } from "../report/result.ts";
import { median } from "../report/statistics.ts";

const STEPS = 40;
const LEARNING_RATE = 5e-4;
/** Steps of which rewards are averaged, one number for each seed. */
const WINDOW = 10;
/** As many as PyTorch takes of two cores. */
const THREADS = 2;

interface Curve {
  readonly rewards: readonly number[];
  readonly seconds: readonly number[];
}

/** TRL does not look at its tokens again after an update; where `measures`, the lab does so, as it does unless told not to. */
async function ownCurve(interop: Interop, seed: number, measures: boolean): Promise<Curve> {
  const settings = { steps: STEPS, evalEvery: 0, threads: THREADS, seed, learningRate: LEARNING_RATE, measureUpdate: measures };
  const { path } = await trainSums(interop, settings, `sums-${seed}-${measures ? "measured" : "bare"}`);
  const lines = (await readFile(join(path, "metrics.jsonl"), "utf8")).trim().split("\n");
  const told = lines.map((line) => JSON.parse(line) as { readonly reward: number; readonly step_time: number });
  return { rewards: told.map(({ reward }) => reward), seconds: told.map(({ step_time }) => step_time) };
}

/** From the weights that the lab's run began with: a step at learning rate 0 leaves them as they are. */
async function trlCurve(interop: Interop, seed: number): Promise<Curve> {
  const { path } = await trainSums(interop, { steps: 1, evalEvery: 0, seed, learningRate: 0 }, `start-${seed}`);
  const { out } = await interop.lab("export", path, "--to", "trl");
  return JSON.parse(await interop.python("trl_beside.py", String(out), String(STEPS), String(LEARNING_RATE))) as Curve;
}

/** Mean over the seeds of a window's mean rewards, with its interval. */
function windowOf(curves: readonly Curve[], start: number): Measured {
  const means_S = curves.map(({ rewards }) => meanOf(rewards.slice(start, start + WINDOW)));
  return { value: meanOf(means_S), interval: meanInterval(means_S) };
}

const stepSeconds = (curves: readonly Curve[]) => median(curves.flatMap(({ seconds }) => seconds));

/** Trains boxed arithmetic once a seed in each: two seeds at least, for an interval needs two. */
export async function measureTrl(interop: Interop, seeds: readonly number[]): Promise<TrlResult> {
  const own: Curve[] = [];
  const measured: Curve[] = [];
  const theirs: Curve[] = [];
  for (const seed of seeds) {
    own.push(await ownCurve(interop, seed, false));
    theirs.push(await trlCurve(interop, seed));
    measured.push(await ownCurve(interop, seed, true));
  }
  const starts = Array.from({ length: STEPS / WINDOW }, (_, i) => i * WINDOW);
  return {
    seeds,
    steps: STEPS,
    completions: 64,
    threads: THREADS,
    ownSeconds: stepSeconds(own),
    ownMeasuredSeconds: stepSeconds(measured),
    trlSeconds: stepSeconds(theirs),
    ratios: seeds.map((_, i) => median(theirs[i]!.seconds) / median(own[i]!.seconds)),
    windows: starts.map((start) => {
      const [lab, trl] = [windowOf(own, start), windowOf(theirs, start)];
      const difference = { value: trl.value - lab.value, interval: differenceInterval(lab, trl) };
      return { first: start + 1, last: start + WINDOW, own: lab, trl, difference };
    }),
  };
}
