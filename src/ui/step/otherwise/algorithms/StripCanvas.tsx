// One algorithm's pushes as bars from the middle: up and blue, or down and vermillion, so that direction
// does not need colour. Untrained columns are hatched, completions parted by a gap.
import { type PointerEvent, useCallback } from "react";
import { DOWN, tintCss, UP } from "../../tokens/colourScale.ts";
import { hatch, type Ink, useDrawing } from "../../tokens/drawing.ts";
import type { StripTokens } from "./strips.ts";

const STRIP_HEIGHT = 32;

/** Where columns stand: left edges, and the one width of all. */
export interface Columns {
  readonly left_T: Float64Array;
  readonly width: number;
}

/** Equally wide columns, with a gap between completions. */
export function columnsOf({ completion_T }: StripTokens, width: number): Columns {
  const breaks = completion_T.filter((completion, t) => t > 0 && completion !== completion_T[t - 1]).length;
  const gap = breaks === 0 ? 0 : Math.min(6, (width * 0.3) / breaks);
  const column = Math.min(160, (width - gap * breaks) / Math.max(1, completion_T.length));
  const left_T = new Float64Array(completion_T.length);
  for (let t = 1; t < left_T.length; t++) left_T[t] = left_T[t - 1]! + column + (completion_T[t] === completion_T[t - 1] ? 0 : gap);
  return { left_T, width: column };
}

/** The column under a pixel; the nearest one to the left in a gap or outside. */
export function columnAt({ left_T }: Columns, x: number): number {
  let t = 0;
  while (t + 1 < left_T.length && left_T[t + 1]! <= x) t++;
  return t;
}

export interface StripCanvasProps {
  readonly tokens: StripTokens;
  readonly pushes_T: Float64Array;
  /** |push| that fills half the height. */
  readonly limit: number;
  readonly columns: Columns;
  /** Pixels of a strip. */
  readonly width: number;
  readonly cursor: number;
  readonly label: string;
  readonly onPoint: (column: number | null) => void;
  readonly onPin: (column: number) => void;
}

export function StripCanvas({ tokens, pushes_T, limit, columns, width, cursor, label, onPoint, onPin }: StripCanvasProps) {
  const draw = useCallback(
    (context: CanvasRenderingContext2D, ink: Ink) =>
      pushes_T.forEach((push, t) => {
        drawColumn(context, push, limit, tokens.trained_T[t] ?? true, columns.left_T[t]!, columns.width, ink);
      }),
    [tokens, pushes_T, limit, columns],
  );
  const canvas = useDrawing(width, STRIP_HEIGHT, draw);
  const column = (event: PointerEvent) => columnAt(columns, event.clientX - event.currentTarget.getBoundingClientRect().left);
  return (
    <span className="strip block relative" style={{ width, height: STRIP_HEIGHT }}>
      <canvas
        ref={canvas}
        role="img"
        aria-label={label}
        style={{ width, height: STRIP_HEIGHT }}
        onPointerMove={(event) => onPoint(column(event))}
        onPointerLeave={() => onPoint(null)}
        onPointerUp={(event) => onPin(column(event))}
      />
      <span className="strip-cursor" style={{ left: columns.left_T[cursor] ?? 0, width: Math.max(2, columns.width) }} />
    </span>
  );
}

function drawColumn(
  context: CanvasRenderingContext2D,
  push: number,
  limit: number,
  trained: boolean,
  x: number,
  width: number,
  ink: Ink,
): void {
  const drawn = Math.max(1, width - (width > 4 ? 1 : 0));
  const middle = STRIP_HEIGHT / 2;
  context.fillStyle = ink.rule;
  context.fillRect(x, middle - 0.5, drawn, 1);
  if (!trained) hatch(context, x, 4, drawn, STRIP_HEIGHT - 8, ink.mark);
  if (push === 0 || limit === 0) return;
  const size = Math.max(1, (middle - 1) * Math.min(1, Math.abs(push) / limit));
  context.fillStyle = tintCss({ rgb: push > 0 ? UP : DOWN, alpha: 0.9 });
  context.fillRect(x, push > 0 ? middle - size : middle, drawn, size);
}
