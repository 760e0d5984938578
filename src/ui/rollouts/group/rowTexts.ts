// The completions of a group as one line each. What all of them begin with, such as the words of a tool call,
// would fill the line: it is left out, so that the lines show where the completions differ. Of a conversation
// the policy's own turns are there.
import type { TrajectoryRecord } from "../../../protocol/records.ts";
import { showPiece } from "../../tokens/drawing.ts";

/** A shared beginning up to this many characters is shown. */
const SHORT_HEAD = 16;
/** Characters of a longer one that stay before the difference. */
const KEPT = 6;
const MOST = 160;

type Said = Pick<TrajectoryRecord, "pieces" | "sampled">;

/** Between two turns of the policy, in the place of what others said there. */
const NEXT_TURN = " → ";

/** What the policy said, marks left out. */
function ownText({ pieces, sampled }: Said): string {
  let text = "";
  let isNextTurn = false;
  for (const [place, piece] of pieces.entries()) {
    const shown = showPiece(piece);
    if (sampled[place] === 0) isNextTurn = text !== "";
    else if (shown.kind !== "mark") {
      text += `${isNextTurn ? NEXT_TURN : ""}${shown.text}`;
      isNextTurn = false;
    }
  }
  return text;
}

/** Characters that two texts begin with alike. */
function commonHead(text: string, other: string): number {
  let length = 0;
  while (length < text.length && text[length] === other[length]) length++;
  return length;
}

/** Characters that all texts begin with; none where there is nothing else to show. */
function sharedHead(texts: readonly string[]): number {
  const [first = "", ...others] = texts;
  const differing = others.filter((other) => other !== first);
  return differing.length === 0 ? 0 : Math.min(...differing.map((other) => commonHead(first, other)));
}

/** A line for each completion of a group. */
export function rowTexts(trajectories: readonly Said[]): readonly string[] {
  const texts = trajectories.map(ownText);
  const head = sharedHead(texts);
  const from = head > SHORT_HEAD ? head - KEPT : 0;
  return texts.map((text) => `${from > 0 ? "…" : ""}${text.slice(from, from + MOST)}`);
}
