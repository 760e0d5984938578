// An advantage as the sum it is, in numbers: (1 − 0.625) / 0.518 = +0.724. The terms are the engine's.
import type { RunConfig } from "../../../protocol/config.ts";
import { measureText, signedMeasureText } from "../../../protocol/quantities.ts";
import type { AdvantageArithmetic, GroupRecord } from "../../../protocol/records.ts";
import { creditsTurns } from "../../../rl/advantage/types.ts";
import { baselineOf, usesCritic } from "../../../rl/baselines/index.ts";
import { comparedWith, normalizesParts } from "./method.ts";

const isOne = (value: number) => Math.abs(value - 1) < 1e-9;

/** "a − b", and "a + b" where b is negative. */
function minus(text: string, value: number): string {
  return `${text} ${value < 0 ? "+" : "−"} ${measureText(Math.abs(value))}`;
}

/** Whether a baseline stands in the sum: whitening alone has its own place in it. */
function hasBaseline(config: RunConfig): boolean {
  return normalizesParts(config) || baselineOf(config).from !== "nothing";
}

/** How an advantage came about, without its result. */
export function sumText({ from, baseline, scale, fade, shift, spread }: AdvantageArithmetic, config: RunConfig): string {
  let text = measureText(from);
  let isSum = false;
  const closed = () => (isSum ? `(${text})` : text);
  if (hasBaseline(config)) {
    text = minus(text, baseline);
    isSum = true;
  }
  if (!isOne(scale)) {
    text = `${closed()} / ${measureText(scale)}`;
    isSum = false;
  }
  if (!isOne(fade)) {
    text = `${closed()} · ${measureText(fade)}`;
    isSum = false;
  }
  if (shift !== 0 || !isOne(spread)) text = `(${minus(closed(), shift)}) / ${measureText(spread)}`;
  return text;
}

/** A number as its shown digits have it. */
export function asShown(value: number): number {
  return Number(measureText(value).replace(/−/g, "-"));
}

/** "=" where a sum of shown digits comes to the result as it is shown, "≈" where rounding each has moved its last digits. */
export function equals(ofShown: number, result: number): "=" | "≈" {
  return measureText(ofShown) === measureText(result) ? "=" : "≈";
}

/** What stands between the sum of an advantage and its result. */
export function sumSign(arithmetic: AdvantageArithmetic, advantage: number, config: RunConfig): "=" | "≈" {
  const { from, baseline, scale, fade, shift, spread } = arithmetic;
  const difference = asShown(from) - (hasBaseline(config) ? asShown(baseline) : 0);
  const sum = ((difference / asShown(scale)) * asShown(fade) - asShown(shift)) / asShown(spread);
  return equals(sum, advantage);
}

/** The whole sum with its result. */
export function advantageSum(arithmetic: AdvantageArithmetic, advantage: number, config: RunConfig): string {
  return `${sumText(arithmetic, config)} ${sumSign(arithmetic, advantage, config)} ${signedMeasureText(advantage)}`;
}

/** What the first number of the sum is. */
export function fromWords(config: RunConfig): string {
  if (usesCritic(config)) return "the return at its tokens, on average,";
  if (normalizesParts(config)) return "the sum of its normalised reward parts";
  const what = creditsTurns(config) ? "what this turn and those after it earned" : "the reward";
  return config.klCoef > 0 && config.klPlacement === "reward" ? `${what} with its KL` : what;
}

function rangeText(values: readonly number[]): string {
  const [least, most] = [measureText(Math.min(...values)), measureText(Math.max(...values))];
  return least === most ? least : `${least} to ${most}`;
}

/** What the advantages of a group are made of, in one sentence with its numbers; null before they are known. */
export function groupSum(group: GroupRecord, config: RunConfig): string | null {
  const terms = group.trajectories.flatMap(({ arithmetic }) => arithmetic ?? []);
  const [first] = terms;
  if (!first) return null;
  const than = comparedWith(config);
  const parts = [
    ...(than && hasBaseline(config) ? [`minus ${than.one} (${rangeText(terms.map(({ baseline }) => baseline))})`] : []),
    ...(isOne(first.scale) ? [] : [`divided by ${scaleWords(config)} (${rangeText(terms.map(({ scale }) => scale))})`]),
    ...(isOne(first.fade) ? [] : ["times its mean discount"]),
    ...(config.whitenAdvantages
      ? [`then whitened over the step (mean ${measureText(first.shift)}, deviation ${measureText(first.spread)})`]
      : []),
  ];
  const from = fromWords(config);
  const sum = `${from.slice(0, 1).toUpperCase()}${from.slice(1)}${parts.length > 0 ? ` ${parts.join(", ")}` : ""}.`;
  return `${sum} Above 0 is pushed up, below 0 pushed down.`;
}

function scaleWords(config: RunConfig): string {
  return config.advantageScale === "group-std" && !normalizesParts(config)
    ? "the group's standard deviation"
    : "the step's standard deviation";
}
