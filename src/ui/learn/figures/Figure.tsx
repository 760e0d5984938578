// A figure as it is specified: marks one below the other, each with its data; a string is a paragraph of text. Its frame has
// the title, what the engine is doing, and the numbers as a table.
import type { ReactNode } from "react";
import { measureText } from "../../../protocol/quantities.ts";
import { Button } from "../../kit/controls/Button.tsx";
import { Table } from "../../kit/lists/Table.tsx";
import { Explained } from "../../kit/words/Term.tsx";
import { Prose } from "../lesson/Prose.tsx";
import type { Words } from "../lesson/text.ts";
import { Bars, type BarsMark } from "./Bars.tsx";
import { FigurePlot, type PlotMark } from "./FigurePlot.tsx";
import { Groups, type GroupsMark } from "./Groups.tsx";
import { SignedRows, type SignedRowsMark } from "./SignedRows.tsx";
import { Transcript, type TranscriptMark } from "./Transcript.tsx";

/** `false` stands for what is not to be seen yet. */
export type Mark = false | string | PlotMark | BarsMark | SignedRowsMark | TranscriptMark | GroupsMark;

interface FigureProps {
  readonly marks: readonly Mark[];
  /** What the names in its texts stand for. */
  readonly words: Words;
  readonly setValue: (control: string, value: number) => void;
}

export function Figure({ marks, words, setValue }: FigureProps): ReactNode {
  return marks.map((mark, i) => {
    if (mark === false) return null;
    const key = typeof mark === "string" ? i : `${mark.kind} ${i}`;
    if (typeof mark === "string") return <Prose key={key} text={mark} words={words} />;
    if (mark.kind === "plot") return <FigurePlot key={key} {...mark} />;
    if (mark.kind === "bars") return <Bars key={key} {...mark} setValue={setValue} />;
    if (mark.kind === "groups") return <Groups key={key} {...mark} />;
    return mark.kind === "rows" ? <SignedRows key={key} {...mark} /> : <Transcript key={key} {...mark} />;
  });
}

/** Numbers of the figure as a table. */
export interface NumberTable {
  readonly head: readonly string[];
  readonly rows: readonly (readonly (string | number)[])[];
}

interface FigureFrameProps {
  readonly title: string;
  /** What is drawn, which the title tells. */
  readonly help: string;
  readonly children: ReactNode;
  readonly table: NumberTable;
  readonly isBusy: boolean;
  readonly problem: string | null;
  readonly onAgain: () => void;
}

export function FigureFrame({ title, help, children, table, isBusy, problem, onAgain }: FigureFrameProps) {
  return (
    <figure className="lesson-figure-frame grid gap-1 framed on-surface rounded padded" aria-busy={isBusy}>
      <figcaption>
        <Explained text={help}>{title}</Explained>
      </figcaption>
      <div className="lesson-drawing grid gap-2 min-w-0">{children}</div>
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
    <details className="lesson-table min-w-0">
      <summary>The numbers of this figure</summary>
      <Table frame="lesson-table-scroll" region={`Numbers: ${title}`} heads={table.head}>
        {table.rows.map((row, r) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: rows have no names of their own and never move
          <tr key={r}>
            {row.map((cell, c) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: cells are told apart by their column
              <td key={c}>{typeof cell === "number" ? measureText(cell) : cell}</td>
            ))}
          </tr>
        ))}
      </Table>
    </details>
  );
}
