// The frame of a lesson's figure: its title, the drawing, what the engine is doing, and its numbers as a table.
import type { ReactNode } from "react";
import { measureText } from "../../../protocol/quantities.ts";
import { Button } from "../../kit/controls/Button.tsx";
import type { NumberTable } from "./lesson.ts";

interface FigureFrameProps {
  readonly title: string;
  readonly children: ReactNode;
  readonly table: NumberTable;
  readonly isBusy: boolean;
  readonly problem: string | null;
  readonly onAgain: () => void;
}

export function FigureFrame({ title, children, table, isBusy, problem, onAgain }: FigureFrameProps) {
  return (
    <figure className="lesson-figure-frame" aria-busy={isBusy}>
      <figcaption>{title}</figcaption>
      <div className="lesson-drawing">{children}</div>
      <p className="lesson-engine note" role="status">
        {problem ? `The run failed: ${problem}` : isBusy ? "Training a small run in this browser …" : ""}
      </p>
      {problem && <Button onPress={onAgain}>Try again</Button>}
      <NumbersFold title={title} table={table} />
    </figure>
  );
}

function NumbersFold({ title, table }: { readonly title: string; readonly table: NumberTable }) {
  return (
    <details className="lesson-table">
      <summary>The numbers of this figure</summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table is scrolled by keyboard */}
      <section className="lesson-table-scroll" aria-label={`Numbers: ${title}`} tabIndex={0}>
        <table>
          <thead>
            <tr>
              {table.head.map((head) => (
                <th key={head} scope="col">
                  {head}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {table.rows.map((row, r) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: rows have no names of their own and never move
              <tr key={r}>
                {row.map((cell, c) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: cells are told apart by their column
                  <td key={c}>{typeof cell === "number" ? measureText(cell) : cell}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </details>
  );
}
