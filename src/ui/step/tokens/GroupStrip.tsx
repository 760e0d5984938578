// A whole group at a glance: one row per completion, one cell per token, on a canvas because there can
// be thousands. Up grows from the middle upwards and down downwards, so direction does not need colour.
import { type PointerEvent, useCallback } from "react";
import { channelLevel, type TokenChannel } from "./channels.ts";
import { MAX_ALPHA, tintCss, tintOf } from "./colourScale.ts";
import { hatch, type Ink, useDrawing } from "./drawing.ts";
import type { TokenFacts } from "./tokenFacts.ts";

export interface GroupStripProps {
  /** Rows in the order shown, each with its own tokens. */
  readonly rows_G_T: readonly (readonly TokenFacts[])[];
  readonly channel: TokenChannel;
  readonly limit: number;
  readonly selectedRow: number;
  readonly width: number;
  readonly label: string;
  readonly onPick: (row: number, token: number) => void;
}

const GAP = 2;

/** Height of one row: lower in large groups, so that the strip stays an overview. */
export function rowHeight(rows: number): number {
  return Math.max(6, Math.min(14, Math.floor(224 / Math.max(1, rows)) - GAP));
}

/** Size of one cell so that the longest row fits the width; never wider than 18 pixels. */
export function cellWidth(width: number, tokens: number): number {
  return Math.min(18, (width - 8) / Math.max(1, tokens));
}

export function GroupStrip({ rows_G_T, channel, limit, selectedRow, width, label, onPick }: GroupStripProps) {
  const longest = Math.max(1, ...rows_G_T.map((row) => row.length));
  const cell = cellWidth(width, longest);
  const tall = rowHeight(rows_G_T.length);
  const height = rows_G_T.length * (tall + GAP);
  const draw = useCallback(
    (context: CanvasRenderingContext2D, ink: Ink) =>
      rows_G_T.forEach((row, g) => {
        const top = g * (tall + GAP);
        if (g === selectedRow) {
          context.fillStyle = ink.accent;
          context.fillRect(0, top, 3, tall);
        }
        row.forEach((token, t) => {
          drawCell(context, token, channel, limit, 8 + t * cell, top, Math.max(1, cell - (cell > 4 ? 1 : 0)), tall, ink);
        });
      }),
    [rows_G_T, channel, limit, selectedRow, cell, tall],
  );
  const canvas = useDrawing(width, height, draw);
  const pick = (event: PointerEvent<HTMLCanvasElement>) => {
    const box = event.currentTarget.getBoundingClientRect();
    const row = Math.floor((event.clientY - box.top) / (tall + GAP));
    const token = Math.floor((event.clientX - box.left - 8) / cell);
    if (rows_G_T[row]) onPick(row, Math.max(0, Math.min(rows_G_T[row].length - 1, token)));
  };
  // Every row and token it shows is also in the list and the text beside it, which keyboards reach.
  return <canvas ref={canvas} className="group-strip block" role="img" aria-label={label} style={{ width, height }} onPointerUp={pick} />;
}

function drawCell(
  context: CanvasRenderingContext2D,
  token: TokenFacts,
  channel: TokenChannel,
  limit: number,
  x: number,
  top: number,
  width: number,
  height: number,
  ink: Ink,
): void {
  context.fillStyle = ink.rule;
  context.globalAlpha = 0.45;
  context.fillRect(x, top, width, height);
  context.globalAlpha = 1;
  if (!token.trained) hatch(context, x, top, width, height, ink.mark);
  const tint = tintOf(channel.scale, channelLevel(channel, token), limit);
  if (tint.alpha === 0) return;
  const share = tint.alpha / MAX_ALPHA;
  const middle = top + height / 2;
  context.fillStyle = tintCss({ rgb: tint.rgb, alpha: 0.35 + 0.65 * share });
  if (tint.direction === "none") context.fillRect(x, top + height * (1 - share), width, height * share);
  else {
    const size = Math.max(1, (height / 2) * share);
    context.fillRect(x, tint.direction === "up" ? middle - size : middle, width, size);
  }
}
