// Answers of a step in a table, as each question about other settings lists them: a row an answer, which a press selects.
import type { ReactNode } from "react";
import { useSelect } from "../../engine/store/useRunView.ts";
import { Table, type TableHead } from "../../kit/lists/Table.tsx";
import "./otherwise.css";

interface AnswersTableProps {
  readonly caption: string;
  readonly heads: readonly TableHead[];
  readonly children: ReactNode;
}

export function AnswersTable(props: AnswersTableProps) {
  return <Table className="answers-table" isCaptioned {...props} />;
}

interface PlaceHeadProps {
  readonly step: number;
  readonly promptIndex: number;
  readonly trajectoryIndex: number;
  /** What the button is called. */
  readonly name?: string;
  /** What stands behind it. */
  readonly children?: ReactNode;
}

/** Which answer of a step a row is about; pressing it selects that answer. */
export function PlaceHead({ step, promptIndex, trajectoryIndex, name, children }: PlaceHeadProps) {
  const select = useSelect();
  return (
    <th scope="row">
      <button type="button" className="answers-open" onClick={() => select({ step, promptIndex, trajectoryIndex, tokenIndex: null })}>
        {name ?? `Prompt ${promptIndex + 1}, answer ${trajectoryIndex + 1}`}
      </button>
      {children}
    </th>
  );
}
