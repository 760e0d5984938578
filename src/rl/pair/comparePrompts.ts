// Two runs on the same prompts: what each came to on every prompt, and the means over those that both were asked. Prompts are the pairs:
// how hard one is goes into both of its values alike and falls out of their difference, whose interval is the one of paired seeds
// (race/difference.ts). One run of each kind tells two runs apart, not what they were trained with.
import type { AskedPlace, PairedPrompt, PairMeasure, PairStep, PairTotal, PairValues } from "../../protocol/rollouts/runPair.ts";
import { meanOf } from "../advantage/statistics.ts";
import { differenceOf, LEAST_SEEDS } from "../race/difference.ts";
import { LEVEL } from "../race/judgeRace.ts";
import { type AnswerFacts, PAIR_MEASURES, partMeasure, type ReadMeasure } from "./pairMeasures.ts";
import { type AskedRun, answersAt } from "./pairSteps.ts";

/** All prompts that either of the runs was asked. */
export interface ComparedPrompts {
  readonly measures: readonly PairMeasure[];
  readonly prompts: readonly PairedPrompt[];
  readonly totals: readonly PairTotal[];
}

/** Differences that are nearer to each other than that are equal. */
const EQUAL = 1e-9;

function placeOf(answers: readonly AnswerFacts[]): AskedPlace | null {
  const [first] = answers;
  if (!first) return null;
  return { step: first.step, promptIndices: [...new Set(answers.map(({ promptIndex }) => promptIndex))], answers: answers.length };
}

/** How a measure moved from left to right. */
export const movedBy = (difference: number): "rose" | "fell" | "same" =>
  difference > EQUAL ? "rose" : difference < -EQUAL ? "fell" : "same";

/** right - left; null where one of them is not known. */
export const differenceIn = ({ left, right }: PairValues): number | null => (left === null || right === null ? null : right - left);

function totalOf(id: string, isShare: boolean, pairs: readonly PairValues[]): PairTotal {
  const both = pairs.flatMap(({ left, right }) => (left === null || right === null ? [] : [{ left, right }]));
  const lefts = both.map(({ left }) => left);
  const rights = both.map(({ right }) => right);
  const moved = { rose: 0, fell: 0, same: 0 };
  for (const { left, right } of both) moved[movedBy(right - left)] += 1;
  const told = { measure: id, prompts: both.length, moved };
  if (both.length === 0)
    return { ...told, left: null, right: null, difference: null, interval: null, noInterval: "no prompt has it in both runs" };
  const means = { left: meanOf(lefts), right: meanOf(rights), difference: meanOf(rights) - meanOf(lefts) };
  const found = differenceOf({ values: lefts, trials: null }, { values: rights, trials: null }, LEVEL, true);
  if (!found || both.length < LEAST_SEEDS)
    return { ...told, ...means, interval: null, noInterval: `it takes ${LEAST_SEEDS} prompts at least` };
  // Differences that are all equal would claim certainty.
  if (found.high - found.low < EQUAL) return { ...told, ...means, interval: null, noInterval: "the difference is the same on all prompts" };
  const [least, most] = isShare ? [-1, 1] : [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  return { ...told, ...means, interval: [Math.max(least, found.low), Math.min(most, found.high)], noInterval: null };
}

/** Compares what two runs came to on each prompt, in the order in which the left one met them, then the right one. */
export function comparePrompts(
  left: AskedRun,
  right: AskedRun,
  steps: { readonly left: PairStep; readonly right: PairStep },
): ComparedPrompts {
  const all: readonly ReadMeasure[] = [...PAIR_MEASURES, ...[...new Set([...left.partNames, ...right.partNames])].map(partMeasure)];
  const read = ({ read }: ReadMeasure, { partNames }: AskedRun, answers: readonly AnswerFacts[]) =>
    answers.length === 0 ? null : read(answers, partNames);
  const found = [...new Set([...left.prompts.keys(), ...right.prompts.keys()])].flatMap((key): readonly PairedPrompt[] => {
    const a = answersAt(left.prompts.get(key), steps.left);
    const b = answersAt(right.prompts.get(key), steps.right);
    if (a.length + b.length === 0) return [];
    const { begin } = (left.prompts.get(key) ?? right.prompts.get(key))!;
    const values = all.map((measure) => ({ left: read(measure, left, a), right: read(measure, right, b) }));
    return [{ key, begin, left: placeOf(a), right: placeOf(b), values }];
  });
  // What no answer of either run tells is left out.
  const told = all.map((_, m) => found.some(({ values }) => values[m]!.left !== null || values[m]!.right !== null));
  const prompts = found.map((prompt) => ({ ...prompt, values: prompt.values.filter((_, m) => told[m]) }));
  const measures = all.filter((_, m) => told[m]).map(({ id, title, isShare }) => ({ id, title, isShare }));
  const shared = prompts.filter((prompt) => prompt.left && prompt.right);
  const totals = measures.map(({ id, isShare }, m) =>
    totalOf(
      id,
      isShare,
      shared.map(({ values }) => values[m]!),
    ),
  );
  return { measures, prompts, totals };
}
