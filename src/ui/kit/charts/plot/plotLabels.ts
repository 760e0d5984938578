// Where the names of lines and levels stand in a plot, so that none lies over another.
import type { LevelLine } from "../series/series.ts";
import type { PlotRect } from "./plotModel.ts";

/** Letters that there is room for at the end of a line; the readout and the title have the whole name. */
const ROOM = 12;
export const besideLine = (label: string): string => (label.length > ROOM ? `${label.slice(0, ROOM - 1)}…` : label);

/** Moves labels apart so that none overlap, keeping their order and, as far as they fit, their place. */
export function spreadLabels(ys: readonly number[], gap: number, top: number, bottom: number): readonly number[] {
  const order = ys.map((y, index) => ({ y, index })).sort((a, b) => a.y - b.y);
  let floor = top;
  for (const label of order) {
    label.y = Math.max(label.y, floor);
    floor = label.y + gap;
  }
  let ceiling = bottom;
  for (const label of order.reverse()) {
    label.y = Math.min(label.y, ceiling);
    ceiling = label.y - gap;
  }
  const placed = new Array<number>(ys.length);
  for (const { y, index } of order) placed[index] = y;
  return placed;
}

/** Names of lines whose ends are nearer to each other than this share a column, in which they must not overlap. */
const COLUMN = 84;

/** Where the names of lines stand: behind their ends, moved apart where ends are close to each other. */
export function lineLabels(ends: readonly { readonly x: number; readonly y: number }[], { top, height }: PlotRect) {
  const order = ends.map((_, i) => i).sort((a, b) => ends[a]!.x - ends[b]!.x);
  const ys = new Array<number>(ends.length);
  for (let first = 0; first < order.length; ) {
    let after = first + 1;
    while (after < order.length && ends[order[after]!]!.x - ends[order[after - 1]!]!.x < COLUMN) after++;
    const column = order.slice(first, after);
    const spread = spreadLabels(
      column.map((i) => ends[i]!.y),
      14,
      top + 8,
      top + height,
    );
    for (const [place, i] of column.entries()) ys[i] = spread[place]!;
    first = after;
  }
  return ends.map(({ x }, i) => ({ x, y: ys[i]! }));
}

/** Height of a label's line, and the distance of its baseline from a level above and below which it stands. */
const LABEL_GAP = 16;
const ABOVE = 4;
const BELOW = 13;

/**
 * Where the names of levels stand: above their lines; of two lines too close for that, the lower one's
 * name stands below it, or both names above where that would leave the plot. Lines that cannot be told
 * apart share one name.
 * @param bottom lowest pixel a name may reach.
 */
export function levelLabels(
  levels: readonly LevelLine[],
  yOf: (value: number) => number,
  bottom: number,
): readonly { readonly text: string; readonly y: number }[] {
  const lines: { text: string; at: number; y: number }[] = [];
  for (const { label, value } of [...levels].sort((a, b) => b.value - a.value)) {
    const at = yOf(value);
    const upper = lines.at(-1);
    if (upper && at - upper.at < 1.5) {
      upper.text = `${upper.text}, ${label}`;
      continue;
    }
    const line = { text: label, at, y: at - ABOVE };
    lines.push(line);
    if (!upper || line.y - upper.y >= LABEL_GAP) continue;
    const below = Math.max(at + BELOW, upper.y + LABEL_GAP);
    if (below <= bottom) line.y = below;
    else upper.y = line.y - LABEL_GAP;
  }
  return lines.map(({ text, y }) => ({ text, y }));
}
