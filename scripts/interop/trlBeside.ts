// TRL beside the lab: the same weights, task, sizes and seeds on the same processor, taking turns. Seconds of a step,
// and whether the two reward curves could be one.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { median } from "../../bench/statistics.ts";
import { differenceInterval, type Interval, type Measured, meanInterval } from "../../src/rl/accuracy.ts";
import { meanOf } from "../../src/rl/verdict/history.ts";
import { type Check, hold, type Interop, trainSums } from "./check.ts";

const SEEDS = [0, 1, 2];
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

async function ownCurve(interop: Interop, seed: number): Promise<Curve> {
  const settings = { steps: STEPS, evalEvery: 0, threads: THREADS, seed, learningRate: LEARNING_RATE };
  const { path } = await trainSums(interop, settings, `sums-${seed}`);
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

const spoken = ({ value, interval: [low, high] }: Measured) => `${value.toFixed(3)} (${low.toFixed(3)} to ${high.toFixed(3)})`;

const holds = ([low, high]: Interval, value: number) => low <= value && value <= high;

export const trlBeside: Check = {
  name: "trl-beside",
  title: "TRL beside the lab",
  packages: ["trl", "transformers", "torch"],
  async run(interop) {
    const own: Curve[] = [];
    const theirs: Curve[] = [];
    for (const seed of SEEDS) {
      own.push(await ownCurve(interop, seed));
      theirs.push(await trlCurve(interop, seed));
    }
    const starts = Array.from({ length: STEPS / WINDOW }, (_, i) => i * WINDOW);
    const pairs = starts.map((start) => ({ start, lab: windowOf(own, start), trl: windowOf(theirs, start) }));
    const [ownStep, theirStep] = [own, theirs].map((curves) => median(curves.flatMap(({ seconds }) => seconds))) as [number, number];
    const ratios = SEEDS.map((_, i) => median(theirs[i]!.seconds) / median(own[i]!.seconds));
    const range = `${Math.min(...ratios).toFixed(1)} to ${Math.max(...ratios).toFixed(1)}`;
    const times = `a step takes ${ownStep.toFixed(3)} s here and ${theirStep.toFixed(3)} s in TRL (medians), ${(theirStep / ownStep).toFixed(1)} times as long (${range} for single seeds)`;
    const differences = pairs.map(({ lab, trl }) => ({ value: trl.value - lab.value, interval: differenceInterval(lab, trl) }));
    const rows = pairs.map(
      ({ start, lab, trl }, i) =>
        `- steps ${start + 1} to ${start + WINDOW}: the lab ${spoken(lab)}, TRL ${spoken(trl)}, apart by ${spoken(differences[i]!)}`,
    );
    const within = pairs.filter(({ lab, trl }) => holds(lab.interval, trl.value) && holds(trl.interval, lab.value)).length;
    const seen = `Boxed arithmetic, ${STEPS} steps of 64 completions, seeds ${SEEDS.join(", ")} in turns, ${THREADS} threads each: ${times}. Mean reward over the seeds with its 95 % interval, and the difference with its own; in ${within} of ${pairs.length} windows each mean lies within the other's interval:\n\n${rows.join("\n")}`;
    const isOne = differences.every(({ interval }) => holds(interval, 0));
    hold(isOne && theirStep >= 3 * ownStep, seen);
    return seen;
  },
};
