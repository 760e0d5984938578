// A trajectory cut where the speaker changes: the policy's turns, each with its tokens, its message and
// what the environment reported of it, and what was said to it in between.
import type { MessageRecord, TrajectoryRecord, TurnReport } from "../../../../protocol/records.ts";
import { showPiece } from "../../tokens/drawing.ts";
import { BEGINS_ROLE } from "../../tokens/readable.ts";
import type { TokenFacts } from "../../tokens/tokenFacts.ts";

interface Part {
  /** Position of the first token in the completion; the parts of a trajectory tell them apart by it. */
  readonly first: number;
  readonly tokens: readonly TokenFacts[];
}

/** What the policy said. */
export interface SampledPart extends Part {
  readonly kind: "sampled";
  /** From 0. */
  readonly turn: number;
  readonly message: MessageRecord | null;
  readonly report: TurnReport | null;
}

/** What was said to the policy: context of its next turn, never trained. */
export interface InsertedPart extends Part {
  readonly kind: "inserted";
  readonly messages: readonly MessageRecord[];
}

/** Runs of tokens that were all sampled or all inserted. */
function runsOf(tokens: readonly TokenFacts[]): readonly (readonly TokenFacts[])[] {
  const runs: TokenFacts[][] = [];
  for (const token of tokens) {
    const last = runs.at(-1);
    if (last?.[0]?.sampled === token.sampled) last.push(token);
    else runs.push([token]);
  }
  return runs;
}

/** The parts in order. @param tokens the facts of all tokens of the trajectory. */
export function conversationParts(
  { messages, report }: TrajectoryRecord,
  tokens: readonly TokenFacts[],
): readonly (SampledPart | InsertedPart)[] {
  const spoken = messages.flatMap(({ role }, i) => (role === "assistant" ? [i] : []));
  let turn = 0;
  return runsOf(tokens).map((run) => {
    const first = run[0]!.index;
    if (!run[0]!.sampled) {
      const from = turn === 0 ? 0 : (spoken[turn - 1] ?? messages.length) + 1;
      return { kind: "inserted", first, tokens: run, messages: messages.slice(from, spoken[turn] ?? messages.length) };
    }
    const place = spoken[turn];
    const part = { first, tokens: run, turn, message: place === undefined ? null : messages[place]!, report: report?.turns[turn] ?? null };
    turn += 1;
    return { kind: "sampled", ...part };
  });
}

/** The agents of a conversation in the order of their first word; none where nobody is named. */
export function agentsOf(parts: readonly (SampledPart | InsertedPart)[]): readonly string[] {
  return [...new Set(parts.flatMap((part) => (part.kind === "sampled" ? (part.report?.agent ?? part.message?.agent ?? []) : [])))];
}

/** Text that was inserted between turns, without the marks of its template, the roles they name, and line breaks. */
export function insertedText(pieces: readonly string[]): string {
  return pieces
    .map((piece, at) => (showPiece(piece).kind === "mark" || BEGINS_ROLE.test(pieces[at - 1] ?? "") ? " " : piece))
    .join("")
    .replace(/\s+/g, " ")
    .trim();
}
