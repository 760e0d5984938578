// Two recorded answers to the same prompt, token against token: what was added, what was removed, and how much
// likelier the tokens became that both have. Pure.
import { counted } from "../../../protocol/quantities.ts";
import type { ProbeAnswer, ProbeRecord } from "../../../protocol/records.ts";
import { alignTokens } from "../explain/story/align.ts";

/** One place of the two answers; null where an answer has no token there. */
export interface ComparedToken {
  readonly from: number | null;
  readonly to: number | null;
  /** Log-prob of each (nats). */
  readonly logprobFrom: number | null;
  readonly logprobTo: number | null;
  /** Whether both said this token here. */
  readonly isShared: boolean;
  /** Whether both had said the same up to here: only then are the two probabilities of one and the same choice. */
  readonly isSameChoice: boolean;
}

export function saidTokens({ tokens_T }: ProbeAnswer): readonly number[] {
  return tokens_T.map((listed) => listed[0]!);
}

/** Log-prob of a whole answer (nats). */
export function answerLogprob({ logprobs_T }: ProbeAnswer): number {
  return logprobs_T.reduce((sum, [logprob]) => sum + logprob!, 0);
}

/** Both answers, in the order in which they are read. */
export function comparedTokens(from: ProbeAnswer, to: ProbeAnswer): readonly ComparedToken[] {
  const a_T = saidTokens(from);
  const b_T = saidTokens(to);
  const apart = a_T.findIndex((token, t) => token !== b_T[t]);
  const common = apart < 0 ? a_T.length : apart;
  return alignTokens(a_T, b_T).map(({ a, b }) => {
    const tokens = { from: a === null ? null : a_T[a]!, to: b === null ? null : b_T[b]! };
    return {
      ...tokens,
      logprobFrom: a === null ? null : from.logprobs_T[a]![0]!,
      logprobTo: b === null ? null : to.logprobs_T[b]![0]!,
      isShared: tokens.from !== null && tokens.from === tokens.to,
      isSameChoice: a !== null && a === b && a <= common,
    };
  });
}

/** What changed between the two, in one sentence. */
export function changeText(places: readonly ComparedToken[]): string {
  const added = places.filter(({ to, isShared }) => to !== null && !isShared).length;
  const removed = places.filter(({ from, isShared }) => from !== null && !isShared).length;
  const shared = places.filter(({ isShared }) => isShared).length;
  const tokens = (count: number) => counted(count, "token");
  if (added + removed > 0) return `${tokens(added)} added, ${tokens(removed)} removed, ${tokens(shared)} the same.`;
  return "The same answer, word for word.";
}

/** The place among ascending records of the one at a step, or nearest before it. */
export function recordAt(records: readonly ProbeRecord[], step: number): number {
  return Math.max(
    0,
    records.findLastIndex((record) => record.step <= step),
  );
}
