// The turns of completions: where each lies among the sampled tokens, who took it and what it earned.
import type { EnvReport } from "../../protocol/records.ts";

/** A turn: tokens [start, end) among the K sampled ones of a batch. */
export interface TurnSpan {
  readonly start: number;
  readonly end: number;
  /** Null where nobody in particular speaks. */
  readonly agent: string | null;
  /** What it earned of the completion's reward by itself. */
  readonly reward: number;
}

/** A completion as its turns are read from it. */
interface TurnSource {
  /** 1 for sampled tokens: every run of them is a turn. */
  readonly mask: readonly number[];
  readonly report?: EnvReport | undefined;
  /** What each turn earned; nothing where left out. */
  readonly rewards?: readonly number[] | undefined;
}

/** The runs of sampled tokens in a completion, [start, end): every run is a turn. @param mask 1 where the policy sampled. */
export function turnRuns(mask: readonly number[]): readonly { readonly start: number; readonly end: number }[] {
  const runs: { start: number; end: number }[] = [];
  for (let t = 0; t < mask.length; t++) {
    if (mask[t] === 0) continue;
    const start = t;
    while (mask[t] === 1) t += 1;
    runs.push({ start, end: t });
  }
  return runs;
}

/** The turns of one completion whose sampled tokens begin at `firstToken`. */
function spansOf({ mask, report, rewards }: TurnSource, firstToken: number): readonly TurnSpan[] {
  let k = firstToken;
  return turnRuns(mask).map(({ start, end }, turn) => {
    const first = k;
    k += end - start;
    return { start: first, end: k, agent: report?.turns[turn]?.agent ?? null, reward: rewards?.[turn] ?? 0 };
  });
}

/** The turns of a batch's completions in order; nothing where each is one turn of nobody in particular. */
export function turnSpans(
  completions: readonly TurnSource[],
  sequenceStart_Q: Int32Array,
): { readonly turns_Q?: readonly (readonly TurnSpan[])[] } {
  const isPlain = completions.every(({ mask, report }) => !mask.includes(0) && report?.turns[0]?.agent === undefined);
  return isPlain ? {} : { turns_Q: completions.map((completion, q) => spansOf(completion, sequenceStart_Q[q]!)) };
}
