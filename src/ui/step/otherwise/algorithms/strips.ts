// What the comparison of algorithms draws: one strip per algorithm, the tokens of one or all completions
// end to end. A push is minus dLoss / dLog-prob, so that up means: this token becomes more likely. Pure.
import type { GroupRecord } from "../../../../protocol/records.ts";
import { RATIO_NOISE } from "../../../../rl/objective/ratio.ts";
import type { UnderAlgorithm } from "../../../../rl/otherwise/otherwise.ts";
import { fieldTitle, valueText } from "../../../kit/words/settingText.ts";

export type StripOrder = "listed" | "alike" | "strength";
export type StripScale = "common" | "row";

/** The columns: tokens of the given completions of a group, in that order. */
export function stripTokens(group: GroupRecord, completions: readonly number[]) {
  const tokens = completions.flatMap((completion) => {
    const { pieces, channels } = group.trajectories[completion]!;
    return pieces.map((piece, index) => ({ piece, trained: channels.mask[index] !== 0, completion, index }));
  });
  return {
    pieces_T: tokens.map(({ piece }) => piece),
    trained_T: tokens.map(({ trained }) => trained),
    /** Completion of each column and the token's place in it. */
    completion_T: tokens.map(({ completion }) => completion),
    index_T: tokens.map(({ index }) => index),
  };
}
/** The tokens in columns, shared by all strips. */
export type StripTokens = ReturnType<typeof stripTokens>;

function joined(parts: readonly Float64Array[]): Float64Array {
  const pushes_T = new Float64Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) for (const weight of part) pushes_T[at++] = weight === 0 ? 0 : -weight;
  return pushes_T;
}

/** Cosine of the angle between two vectors; NaN where one is all zero. */
export function cosine(a: Float64Array, b: Float64Array): number {
  let dot = 0;
  for (const [i, value] of a.entries()) dot += value * b[i]!;
  const size = Math.hypot(...a) * Math.hypot(...b);
  return size === 0 ? Number.NaN : dot / size;
}

/** One strip per algorithm over the given completions of one prompt. */
export function strips(all: readonly UnderAlgorithm[], promptIndex: number, completions: readonly number[]) {
  const pushes = all.map(({ weights_P_G_T }) => joined(completions.map((completion) => weights_P_G_T[promptIndex]![completion]!)));
  const advantages = all.map(({ advantages_P_G_T }) =>
    Float64Array.from(completions.flatMap((completion) => Array.from(advantages_P_G_T[promptIndex]![completion]!))),
  );
  const own = pushes[all.findIndex(({ isOwn }) => isOwn)];
  return all.map(({ id, title, summary, isOwn, differences, assumptions }, i) => ({
    id,
    title,
    summary,
    isOwn,
    /** Its switches that differ from the run's, in words. */
    differences: differences.map(({ key, other }) => `${fieldTitle(key)} ${valueText(other)}`),
    assumptions,
    /** Advantage of each column. */
    advantages_T: advantages[i]!,
    /** Push of each column, and the sum of |push| over them. */
    pushes_T: pushes[i]!,
    total: pushes[i]!.reduce((sum, push) => sum + Math.abs(push), 0),
    /** Cosine between this strip and the run's own; NaN where one is all zero. */
    likeness: own ? cosine(pushes[i]!, own) : Number.NaN,
  }));
}
/** One algorithm's strip. */
export type Strip = ReturnType<typeof strips>[number];

/** The run's own algorithm first, then the others: as listed, most alike first, or strongest first. */
export function orderedStrips(rows: readonly Strip[], order: StripOrder): readonly Strip[] {
  const rank = (strip: Strip): number => {
    if (strip.isOwn) return Number.NEGATIVE_INFINITY;
    if (order === "strength") return -strip.total;
    if (order === "alike") return Number.isNaN(strip.likeness) ? 2 : -strip.likeness;
    return rows.indexOf(strip);
  };
  return [...rows].sort((a, b) => rank(a) - rank(b) || rows.indexOf(a) - rows.indexOf(b));
}

/** Pushes that differ by less, against the largest, are the same: the training pass rounds otherwise than the sampler. */
const SAME = 1e-5;

function isSame(a: Float64Array, b: Float64Array): boolean {
  let most = 0;
  let apart = 0;
  for (const [t, push] of a.entries()) {
    most = Math.max(most, Math.abs(push), Math.abs(b[t]!));
    apart = Math.max(apart, Math.abs(push - b[t]!));
  }
  return apart <= SAME * most;
}

/** A strip, and the algorithms that push every token of it alike. */
export interface JoinedStrip extends Strip {
  readonly alike: readonly Strip[];
}

/** Strips with the same pushes as one row, in the place of the first of them. */
export function joinedStrips(rows: readonly Strip[]): readonly JoinedStrip[] {
  const joined: { readonly first: Strip; readonly alike: Strip[] }[] = [];
  for (const row of rows) {
    const found = joined.find(({ first }) => isSame(first.pushes_T, row.pushes_T));
    if (found) found.alike.push(row);
    else joined.push({ first: row, alike: [] });
  }
  return joined.map(({ first, alike }) => ({ ...first, alike }));
}

/** Why algorithms that differ push alike here, to follow "the same weights". */
export function alikeReason(groups: readonly GroupRecord[]): string {
  const isOne = groups.every(({ trajectories }) =>
    trajectories.every(({ channels: { trainLogprobs, oldLogprobs, mask } }) =>
      mask.every((isTrained, t) => !isTrained || Math.abs((trainLogprobs?.[t] ?? 0) - (oldLogprobs?.[t] ?? 0)) <= RATIO_NOISE),
    ),
  );
  return isOne ? "the ratio is 1 here, so clips, caps and gates do nothing" : "their other differences do not matter on these rollouts";
}

/** |push| that fills a strip's half height, for each strip: the largest of all, or its own largest. */
export function stripLimits(rows: readonly Strip[], scale: StripScale): readonly number[] {
  const largest = rows.map(({ pushes_T }) => pushes_T.reduce((most, push) => Math.max(most, Math.abs(push)), 0));
  if (scale === "row") return largest;
  const common = Math.max(0, ...largest);
  return largest.map(() => common);
}
