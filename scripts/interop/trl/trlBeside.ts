// TRL beside the lab: is a step at least three times as quick, and could the two reward curves be one?
import { measureTrl } from "../../../bench/trl/trl.ts";
import type { Interval, Measured } from "../../../src/rl/accuracy.ts";
import { type Check, hold } from "../check.ts";

const SEEDS = [0, 1, 2];

const spoken = ({ value, interval: [low, high] }: Measured) => `${value.toFixed(3)} (${low.toFixed(3)} to ${high.toFixed(3)})`;

const holds = ([low, high]: Interval, value: number) => low <= value && value <= high;

export const trlBeside: Check = {
  name: "trl-beside",
  title: "TRL beside the lab",
  packages: ["trl", "transformers", "torch"],
  async run(interop) {
    const { seeds, steps, completions, threads, windows, ratios, ...seconds } = await measureTrl(interop, SEEDS);
    const { ownSeconds, ownMeasuredSeconds, trlSeconds } = seconds;
    const range = `${Math.min(...ratios).toFixed(1)} to ${Math.max(...ratios).toFixed(1)}`;
    const times = `a step takes ${ownSeconds.toFixed(3)} s here and ${trlSeconds.toFixed(3)} s in TRL (medians), ${(trlSeconds / ownSeconds).toFixed(1)} times as long (${range} for single seeds). TRL does not score its tokens again after the update; where the lab does so, for its own readings, its step takes ${ownMeasuredSeconds.toFixed(3)} s`;
    const rows = windows.map(
      ({ first, last, own, trl, difference }) =>
        `- steps ${first} to ${last}: the lab ${spoken(own)}, TRL ${spoken(trl)}, apart by ${spoken(difference)}`,
    );
    const within = windows.filter(({ own, trl }) => holds(own.interval, trl.value) && holds(trl.interval, own.value)).length;
    const seen = `Boxed arithmetic, ${steps} steps of ${completions} completions, seeds ${seeds.join(", ")} in turns, ${threads} threads each: ${times}. Mean reward over the seeds with its 95 % interval, and the difference with its own; in ${within} of ${windows.length} windows each mean lies within the other's interval:\n\n${rows.join("\n")}`;
    const isOne = windows.every(({ difference }) => holds(difference.interval, 0));
    hold(isOne && trlSeconds >= 3 * ownSeconds, seen);
    return seen;
  },
};
