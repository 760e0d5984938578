// An advantage as the sum it is, in numbers: (1 − 0.625) / 0.518 = +0.724. The terms are the engine's.
import type { RunConfig } from "../../../protocol/config.ts";
import { measureText, measureWith, signedMeasureWith } from "../../../protocol/quantities.ts";
import type { AdvantageArithmetic, GroupRecord, RewardPartRecord } from "../../../protocol/records.ts";
import { creditsTurns } from "../../../rl/advantage/types.ts";
import { baselineOf, usesCritic } from "../../../rl/baselines/index.ts";
import { comparedWith, normalizesParts } from "./method.ts";

const isOne = (value: number) => Math.abs(value - 1) < 1e-9;

/** "a − b", and "a + b" where b is negative. */
function minus(text: string, value: number, decimals: number): string {
  return `${text} ${value < 0 ? "+" : "−"} ${measureWith(Math.abs(value), decimals)}`;
}

/** Whether a baseline stands in the sum: whitening alone has its own place in it. */
function hasBaseline(config: RunConfig): boolean {
  return normalizesParts(config) || baselineOf(config).from !== "nothing";
}

/** How an advantage came about, without its result. */
function sumText({ from, baseline, scale, fade, shift, spread }: AdvantageArithmetic, config: RunConfig, decimals: number): string {
  let text = measureWith(from, decimals);
  let isSum = false;
  const closed = () => (isSum ? `(${text})` : text);
  if (hasBaseline(config)) {
    text = minus(text, baseline, decimals);
    isSum = true;
  }
  if (!isOne(scale)) {
    text = `${closed()} / ${measureWith(scale, decimals)}`;
    isSum = false;
  }
  if (!isOne(fade)) {
    text = `${closed()} · ${measureWith(fade, decimals)}`;
    isSum = false;
  }
  if (shift !== 0 || !isOne(spread)) text = `(${minus(closed(), shift, decimals)}) / ${measureWith(spread, decimals)}`;
  return text;
}

/** A number as its shown digits have it. */
export function asShown(value: number, decimals: number): number {
  return Number(measureWith(value, decimals).replace(/−/g, "-"));
}

/** With how many decimals a sum and its result are written. */
export interface HandDigits {
  readonly of: number;
  readonly result: number;
  /** "≈" where no digits that fit a line come to the result. */
  readonly sign: "=" | "≈";
}

/** Fewest first. A quotient may need more digits than its result has: rounding what it is divided by moves all of them. */
const WAYS = [
  ...[3, 4, 5].map((decimals) => ({ of: decimals, result: decimals })),
  ...[4, 5, 6, 7, 8].map((decimals) => ({ of: decimals, result: 3 })),
];

/**
 * Digits with which somebody who does a sum again from what is shown finds the result that is shown.
 * @param ofShown the sum of numbers with so many decimals
 * @param write how the result is written with so many
 */
export function handDigits(result: number, ofShown: (decimals: number) => number, write = measureWith): HandDigits {
  const comesTo = (way: (typeof WAYS)[number]) => write(ofShown(way.of), way.result) === write(result, way.result);
  const way = WAYS.find(comesTo);
  return way ? { ...way, sign: "=" } : { ...WAYS[0]!, sign: "≈" };
}

/** How the parts of a reward come to it: with how many decimals, and "→" where a gate or a bound makes it another number than their sum. */
export function partsDigits(parts: readonly RewardPartRecord[], reward: number) {
  const sumOf = (read: (value: number) => number) =>
    parts.reduce((sum, { value, weight }) => sum + (value === null || weight === null ? 0 : read(value) * weight), 0);
  const digits = handDigits(reward, (decimals) => sumOf((value) => asShown(value, decimals)));
  return { ...digits, sign: Math.abs(sumOf(Number) - reward) < 1e-9 ? digits.sign : "→" } as const;
}

function advantageDigits({ from, baseline, scale, fade, shift, spread }: AdvantageArithmetic, advantage: number, config: RunConfig) {
  return handDigits(advantage, (decimals) => {
    const shown = (value: number) => asShown(value, decimals);
    const difference = shown(from) - (hasBaseline(config) ? shown(baseline) : 0);
    return ((difference / shown(scale)) * shown(fade) - shown(shift)) / shown(spread);
  });
}

/** The sum of an advantage up to its result, which is written with so many decimals. */
export function openSum(arithmetic: AdvantageArithmetic, advantage: number, config: RunConfig) {
  const { of, result, sign } = advantageDigits(arithmetic, advantage, config);
  return { text: `${sumText(arithmetic, config, of)} ${sign}`, decimals: result };
}

/** The whole sum with its result. */
export function advantageSum(arithmetic: AdvantageArithmetic, advantage: number, config: RunConfig): string {
  const { text, decimals } = openSum(arithmetic, advantage, config);
  return `${text} ${signedMeasureWith(advantage, decimals)}`;
}

/** What the first number of the sum is. */
export function fromWords(config: RunConfig): string {
  if (usesCritic(config)) return "the return at its tokens, on average,";
  if (normalizesParts(config)) return "the sum of its normalised reward parts";
  const what = creditsTurns(config) ? "what this turn and those after it earned" : "the reward";
  return config.klCoef > 0 && config.klPlacement === "reward" ? `${what} with its KL` : what;
}

function rangeText(values: readonly number[]): string {
  const least = measureText(Math.min(...values));
  const most = measureText(Math.max(...values));
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
