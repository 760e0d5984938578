// The turns of completions: where each lies among the sampled tokens, who took it and what it earned.
import type { EnvReport } from "../../protocol/envReport.ts";

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
export interface TurnSource {
  /** 1 for sampled tokens: every run of them is a turn. */
  readonly mask: readonly number[];
  readonly report?: EnvReport | undefined;
  /** What each turn earned; nothing where left out. */
  readonly rewards?: readonly number[] | undefined;
}

/** The turns of one completion whose sampled tokens begin at `firstToken`. */
function spansOf({ mask, report, rewards }: TurnSource, firstToken: number): readonly TurnSpan[] {
  const spans: TurnSpan[] = [];
  let k = firstToken;
  for (let t = 0; t < mask.length; t++) {
    if (mask[t] === 0) continue;
    const start = k;
    while (mask[t] === 1) {
      t += 1;
      k += 1;
    }
    const turn = spans.length;
    spans.push({ start, end: k, agent: report?.turns[turn]?.agent ?? null, reward: rewards?.[turn] ?? 0 });
  }
  return spans;
}

/** The turns of a batch's completions in order; nothing where each is one turn of nobody in particular. */
export function turnSpans(
  completions: readonly TurnSource[],
  sequenceStart_Q: Int32Array,
): { readonly turns_Q?: readonly (readonly TurnSpan[])[] } {
  const isPlain = completions.every(({ mask, report }) => !mask.includes(0) && report?.turns[0]?.agent === undefined);
  return isPlain ? {} : { turns_Q: completions.map((completion, q) => spansOf(completion, sequenceStart_Q[q]!)) };
}
