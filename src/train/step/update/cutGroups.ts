// Cuts large groups into pieces that each repeat the prompt. A group shares its prompt's rows, so no engine
// may cut it: left whole, one prompt with many completions would keep all but one thread idle and could
// not be trained in micro-batches that bound memory.
import type { TokenGroup } from "./batch.ts";

/** A group is cut where it is more than one of so many equal shares of the rows: engines work on so many at once. */
const SHARES = 4;
/** Rows of a piece that is cut off for the sake of threads, at least: below, a thread costs more than it saves. */
const LEAST_ROWS = 48;

/** Rows of a group's completions; the last token of each predicts nothing and needs none. */
function completionRows({ completions }: TokenGroup): number {
  return completions.reduce((sum, { length }) => sum + length - 1, 0);
}

/** Equal pieces of a group for threads, as many as leave its repeated prompt the smaller part. */
function threadPieces(group: TokenGroup, allRows: number): number {
  const prompt = group.promptTokens.length;
  const rows = completionRows(group);
  const wanted = Math.min(((prompt + rows) * SHARES) / allRows, rows / Math.max(prompt, LEAST_ROWS));
  return Math.max(1, Math.min(group.completions.length, Math.floor(wanted)));
}

/** Runs of completions in order, each closed by the completion after which `isFull`; the rest is the last. */
function cutWhere(group: TokenGroup, isFull: (rows: number, nextRows: number, pieces: number) => boolean): readonly TokenGroup[] {
  const cut: TokenGroup[] = [];
  let first = 0;
  let rows = 0;
  for (const [index, completion] of group.completions.entries()) {
    rows += completion.length - 1;
    const next = group.completions[index + 1];
    if (next && !isFull(rows, next.length - 1, cut.length)) continue;
    cut.push({
      ...group,
      completions: group.completions.slice(first, index + 1),
      ...(group.masks ? { masks: group.masks.slice(first, index + 1) } : {}),
    });
    first = index + 1;
    rows = 0;
  }
  return cut;
}

/**
 * The same completions in the same order, in groups that engines can spread over threads and micro-batches.
 * @param maxRows rows of a group, at most, where it has more than one completion; >= 1.
 */
export function cutGroups(groups: readonly TokenGroup[], maxRows: number): readonly TokenGroup[] {
  const allRows = groups.reduce((sum, group) => sum + group.promptTokens.length + completionRows(group), 0);
  return groups.flatMap((group) => {
    const pieces = threadPieces(group, allRows);
    const share = completionRows(group) / pieces;
    // A completion goes where more than half of it belongs, so that lengths that differ leave no small last piece.
    const shares = pieces === 1 ? [group] : cutWhere(group, (rows, next, cut) => cut < pieces - 1 && rows + next / 2 > share);
    const room = maxRows - group.promptTokens.length;
    return shares.flatMap((part) => (completionRows(part) <= room ? [part] : cutWhere(part, (rows, next) => rows + next > room)));
  });
}
