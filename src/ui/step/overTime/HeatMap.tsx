// One place of the answer as a heat map on a canvas: a column for each recorded step, a row for each token.
// Pointer and arrow keys move a cursor whose cell is said in words.
import { type KeyboardEvent, type PointerEvent, useCallback, useRef, useState } from "react";
import type { Probed } from "../../../protocol/asked.ts";
import { shareText } from "../../../protocol/quantities.ts";
import { useWidth } from "../../kit/charts/plot/elementHooks.ts";
import { AMOUNT, tintCss } from "../tokens/colourScale.ts";
import { type Ink, showPiece, useDrawing } from "../tokens/drawing.ts";
import { type Panel, shade } from "./landscape.ts";

const ROW = 16;
/** Share of its colour that a column of another choice keeps. */
const PALE = 0.3;

interface Cell {
  readonly row: number;
  readonly column: number;
}

const ARROWS: Readonly<Record<string, Cell>> = {
  ArrowUp: { row: -1, column: 0 },
  ArrowDown: { row: 1, column: 0 },
  ArrowLeft: { row: 0, column: -1 },
  ArrowRight: { row: 0, column: 1 },
};

/** A cell in words: "step 40, token 7: 31 %, said". */
function cellText(
  { tokens, probabilities_token_step, said_step, isSameChoice_step }: Panel,
  { row, column }: Cell,
  step: number,
  pieces: Probed["pieces"],
) {
  const token = tokens[row]!;
  const said = said_step[column];
  const name = `step ${step}, token ${showPiece(pieces[token] ?? "").text}`;
  if (said === null) return `${name}: the answer had ended before`;
  const probability = probabilities_token_step[row]![column];
  if (probability === null || probability === undefined) return `${name}: not among the ten most likely tokens`;
  return `${name}: ${shareText(probability)}${said === token ? ", said" : ""}${isSameChoice_step[column] ? "" : ", after other words"}`;
}

export interface HeatMapProps {
  readonly panel: Panel;
  readonly steps: readonly number[];
  readonly pieces: Probed["pieces"];
  /** Place of the record that is shown above. */
  readonly shown: number;
  readonly onShow: (record: number) => void;
}

/** The nearest cell that a map of so many rows and columns has. */
function clampedCell({ row, column }: Cell, rows: number, columns: number): Cell {
  return { row: Math.max(0, Math.min(rows - 1, row)), column: Math.max(0, Math.min(columns - 1, column)) };
}

/** Paints a cell for each probability that is kept, a pixel wide at the least. */
function fillCells(context: CanvasRenderingContext2D, { probabilities_token_step, isSameChoice_step }: Panel, columnWidth: number): void {
  probabilities_token_step.forEach((row, r) => {
    row.forEach((probability, c) => {
      if (probability === null) return;
      context.fillStyle = tintCss({ rgb: AMOUNT, alpha: shade(probability) * (isSameChoice_step[c] ? 1 : PALE) });
      const left = Math.round(c * columnWidth);
      context.fillRect(left, r * ROW, Math.max(1, Math.round((c + 1) * columnWidth) - left), ROW - 1);
    });
  });
}

export function HeatMap({ panel, steps, pieces, shown, onShow }: HeatMapProps) {
  const { t, tokens } = panel;
  const frame = useRef<HTMLDivElement>(null);
  const width = useWidth(frame);
  const height = tokens.length * ROW;
  const columnWidth = width / Math.max(1, steps.length);
  const [cursor, setCursor] = useState<Cell | null>(null);
  const draw = useCallback(
    (context: CanvasRenderingContext2D, ink: Ink) => {
      context.clearRect(0, 0, width, height);
      fillCells(context, panel, columnWidth);
      context.strokeStyle = ink.accent;
      context.lineWidth = 2;
      const left = Math.round(shown * columnWidth);
      context.strokeRect(left + 1, 1, Math.max(2, columnWidth - 2), height - 3);
      if (!cursor) return;
      context.strokeRect(Math.round(cursor.column * columnWidth) + 1, cursor.row * ROW + 1, Math.max(2, columnWidth - 2), ROW - 3);
    },
    [panel, width, height, columnWidth, shown, cursor],
  );
  const canvas = useDrawing(width, height, draw);
  const clamp = (cell: Cell) => clampedCell(cell, tokens.length, steps.length);
  const cellAt = (event: PointerEvent<HTMLElement>) => {
    const box = event.currentTarget.getBoundingClientRect();
    return clamp({ row: Math.floor((event.clientY - box.top) / ROW), column: Math.floor((event.clientX - box.left) / columnWidth) });
  };
  const press = (event: KeyboardEvent) => {
    const by = ARROWS[event.key];
    const from = cursor ?? { row: 0, column: shown };
    if (event.key === "Enter" || event.key === " ") onShow(from.column);
    else if (by) setCursor(clamp(cursor ? { row: from.row + by.row, column: from.column + by.column } : from));
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const at = cursor && clamp(cursor);
  return (
    <figure className="landscape-panel min-w-0">
      <figcaption>Token {t + 1}</figcaption>
      <div className="landscape-plot grid">
        <ol className="landscape-rows" aria-hidden="true">
          {tokens.map((token) => (
            <li key={token} className={`mono token-is-${showPiece(pieces[token] ?? "").kind}`}>
              {showPiece(pieces[token] ?? "").text}
            </li>
          ))}
        </ol>
        {/* biome-ignore-start lint/a11y/noNoninteractiveTabindex: arrow keys move its cursor */}
        <div
          ref={frame}
          className="landscape-map min-w-0 sunken"
          role="application"
          aria-roledescription="heat map"
          aria-label={`Token ${t + 1}: probability of each token over the steps. Arrow keys read a cell, Enter shows its step.`}
          tabIndex={0}
          onKeyDown={press}
          onPointerMove={(event) => setCursor(cellAt(event))}
          onPointerLeave={() => setCursor(null)}
          onBlur={() => setCursor(null)}
          onPointerUp={(event) => onShow(cellAt(event).column)}
        >
          <canvas ref={canvas} style={{ width, height }} />
        </div>
        {/* biome-ignore-end lint/a11y/noNoninteractiveTabindex: arrow keys move its cursor */}
        <p className="landscape-axis fine-print flex justify-between" aria-hidden="true">
          <span>step {steps[0]}</span>
          <span>{steps.at(-1)}</span>
        </p>
      </div>
      <p className="landscape-reading small" aria-live="polite">
        {at ? cellText(panel, at, steps[at.column]!, pieces) : ""}
      </p>
    </figure>
  );
}
