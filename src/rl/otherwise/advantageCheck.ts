// Advantages made again from a step's rewards, beside those that a program recorded: by which rule and weights they
// come out, and which rows do not and why. That finds weights that are not what somebody thinks, groups that are not
// whole, and groups that teach nothing.
import { counted, roundedSetting } from "../../protocol/quantities.ts";
import { type AdvantageRule, advantageRules, exactly, type Rounding } from "./advantageRules.ts";
import { advantagesBy } from "./fileRewards.ts";
import { fittedWeights, type PartsOfGroup } from "./fittedWeights.ts";

/** What a program recorded of one answer. */
export interface RecordedAnswer {
  /** Values of the reward's parts, in the order of their names; null where a part could not score. */
  readonly parts: readonly (number | null)[];
  /** The total, where it was recorded. */
  readonly reward: number | null;
  readonly advantage: number | null;
}

interface CheckedAnswer {
  readonly promptIndex: number;
  readonly trajectoryIndex: number;
  readonly recorded: number;
  readonly again: number;
  /** Why they differ, as far as that can be told; null where they agree. */
  readonly why: string | null;
}

export interface AdvantageCheck {
  readonly rule: AdvantageRule;
  /** Weights of the parts; null where the recorded totals were taken. */
  readonly weights: readonly number[] | null;
  /** Who says so: totals or weights in the files, every part counted once, or the advantages themselves. */
  readonly from: "totals" | "given" | "ones" | "fitted";
  readonly answers: readonly CheckedAnswer[];
  readonly differ: number;
  /** Largest difference among those that agree. */
  readonly largest: number;
  /** Groups whose rewards are all equal: every advantage in them is 0, and they teach nothing. */
  readonly tied: number;
}

/** Advantages agree up to that, or that share of their size. */
const AGREES = 1e-6;
/** What single precision leaves of a sum of rewards that is taken in another order, as a share of the largest. */
const SUM_ROUNDING = 4 * 2 ** -23;

const extent = (values: readonly number[]) => Math.max(...values) - Math.min(...values);

/** How far advantages of a group may lie apart: rewards that are close together stretch the rounding of their sums. */
function toleranceOf(totals_G: readonly (number | null)[], made_G: readonly number[], round: Rounding): number {
  const totals = totals_G.filter((total) => total !== null);
  const size = Math.max(1, ...made_G.map(Math.abs));
  const spread = extent(totals);
  if (round === exactly || totals.length < 2 || spread === 0) return AGREES * size;
  return AGREES * size + (SUM_ROUNDING * Math.max(...totals.map(Math.abs)) * extent(made_G)) / spread;
}

interface Weighing {
  readonly from: AdvantageCheck["from"];
  readonly weights: readonly number[] | null;
}

/** What an answer earns so; a part that could not score counts for nothing, as TRL's nansum has it. Null where no part could. */
function totalOf({ parts, reward }: RecordedAnswer, { weights }: Weighing, round: Rounding): number | null {
  if (!weights) return reward;
  if (parts.length > 0 && parts.every((value) => value === null)) return null;
  return parts.reduce<number>((sum, value, i) => (value === null ? sum : round(sum + round(round(value) * round(weights[i]!)))), 0);
}

function again(groups: readonly (readonly RecordedAnswer[])[], rule: AdvantageRule, weighing: Weighing, round: Rounding) {
  const totals = groups.map((group) => group.map((answer) => totalOf(answer, weighing, round)));
  const advantages = advantagesBy(rule, totals, round).map((advantage_G) => advantage_G.map((advantage) => advantage ?? 0));
  const tolerances = totals.map((total_G, p) => toleranceOf(total_G, advantages[p]!, round));
  const agrees = (p: number, g: number, written: number) => Math.abs(advantages[p]![g]! - written) <= tolerances[p]!;
  return { advantages, agrees };
}

function weighings(groups: readonly (readonly RecordedAnswer[])[], given: readonly (number | null)[]): readonly Weighing[] {
  const answers = groups.flat();
  const found: Weighing[] = [];
  if (answers.every(({ reward }) => reward !== null)) found.push({ from: "totals", weights: null });
  if (given.length === 0) return found;
  if (given.every((weight) => weight !== null)) found.push({ from: "given", weights: given });
  found.push({ from: "ones", weights: given.map(() => 1) });
  const whole = groups.flatMap((group): readonly PartsOfGroup[] => {
    const known = group.every(({ parts, advantage }) => advantage !== null && parts.every((value) => value !== null));
    return known ? [{ parts_G: group.map(({ parts }) => parts.map(Number)), advantages_G: group.map(({ advantage }) => advantage!) }] : [];
  });
  const fitted = fittedWeights(whole, given.length);
  if (fitted) found.push({ from: "fitted", weights: fitted });
  return found;
}

/** Fitted weights of the size that the advantages have, where a rule keeps it. */
function scaled(groups: readonly (readonly RecordedAnswer[])[], rule: AdvantageRule, weighing: Weighing, round: Rounding): Weighing {
  const { advantages } = again(groups, rule, weighing, round);
  const pairs = groups.flatMap((group, p) => group.map(({ advantage }, g) => [advantage ?? 0, advantages[p]![g]!] as const));
  const square = pairs.reduce((sum, [, value]) => sum + value * value, 0);
  const factor = square === 0 ? 1 : pairs.reduce((sum, [advantage, value]) => sum + advantage * value, 0) / square;
  return { ...weighing, weights: weighing.weights?.map((weight) => roundedSetting(weight * factor, 3) + 0) ?? null };
}

/** Whether all that was recorded has no more than single precision. */
const isSingle = (groups: readonly (readonly RecordedAnswer[])[]) =>
  groups.flat().every(({ advantage }) => advantage === null || Math.fround(advantage) === advantage);

/**
 * The rule and the weights that most recorded advantages come out by, the likeliest where several do; null where the step has no advantages
 * or nothing that they could come from.
 * @param groups all groups of a step. @param weights of the parts, null where the files do not say them
 */
export function checkAdvantages(
  groups: readonly (readonly RecordedAnswer[])[],
  weights: readonly (number | null)[],
): AdvantageCheck | null {
  const known = groups.flat().filter(({ advantage }) => advantage !== null).length;
  if (known === 0) return null;
  const round = isSingle(groups) ? Math.fround : exactly;
  const usual = Math.max(...groups.map((group) => group.length));
  const tries = weighings(groups, weights).flatMap((each) =>
    advantageRules.map((rule) => {
      const weighing = each.from === "fitted" && !rule.isFreeOfScale ? scaled(groups, rule, each, round) : each;
      const made = again(groups, rule, weighing, round);
      const matches = groups.reduce(
        (sum, group, p) => sum + group.filter(({ advantage }, g) => advantage !== null && made.agrees(p, g, advantage)).length,
        0,
      );
      return { rule, weighing, made, matches };
    }),
  );
  const [first] = tries;
  if (!first) return null;
  const best = tries.reduce((most, each) => (each.matches > most.matches ? each : most), first);
  const answers = groups.flatMap((group, promptIndex) =>
    group.flatMap(({ advantage }, trajectoryIndex): readonly CheckedAnswer[] => {
      if (advantage === null) return [];
      const value = best.made.advantages[promptIndex]![trajectoryIndex]!;
      const why = best.made.agrees(promptIndex, trajectoryIndex, advantage) ? null : reasonOf(group, usual);
      return [{ promptIndex, trajectoryIndex, recorded: advantage, again: value, why }];
    }),
  );
  const tied = groups.filter((group) => {
    const totals = group.map((answer) => totalOf(answer, best.weighing, round)).filter((total) => total !== null);
    return totals.every((total) => total === totals[0]);
  }).length;
  return {
    rule: best.rule,
    weights: best.weighing.weights,
    from: best.weighing.from,
    answers,
    tied,
    differ: answers.filter(({ why }) => why !== null).length,
    largest: Math.max(0, ...answers.filter(({ why }) => why === null).map(({ recorded, again: value }) => Math.abs(recorded - value))),
  };
}

function reasonOf(group: readonly RecordedAnswer[], usual: number): string {
  if (group.length < usual)
    return `its group has ${counted(group.length, "answer")} here, where others have ${usual}: the rest is not in the files`;
  const unscored = group.filter(
    ({ parts, reward }) => parts.some((value) => value === null) || (parts.length === 0 && reward === null),
  ).length;
  if (unscored > 0)
    return `${counted(unscored, "answer")} of its group could not be judged in full, and the program may count that otherwise`;
  return "no rule known here makes it of these rewards: other weights, or rewards that were changed after they were written down";
}
