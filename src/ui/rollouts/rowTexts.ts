// The completions of a group as one line each. What all of them begin with, such as the words of a tool call,
// would fill the line: it is left out, so that the lines show where the completions differ.
import type { TrajectoryRecord } from "../../protocol/records.ts";
import { showPiece } from "../tokens/glyphs.ts";

/** A shared beginning up to this many characters is shown. */
const SHORT_HEAD = 16;
/** Characters of a longer one that stay before the difference. */
const KEPT = 6;
const MOST = 160;

function wholeText({ pieces }: Pick<TrajectoryRecord, "pieces">): string {
  return pieces
    .map((piece) => showPiece(piece))
    .flatMap(({ kind, text }) => (kind === "mark" ? [] : [text]))
    .join("");
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
export function rowTexts(trajectories: readonly Pick<TrajectoryRecord, "pieces">[]): readonly string[] {
  const texts = trajectories.map(wholeText);
  const head = sharedHead(texts);
  const from = head > SHORT_HEAD ? head - KEPT : 0;
  return texts.map((text) => `${from > 0 ? "…" : ""}${text.slice(from, from + MOST)}`);
}
