// The answers that were found, a row each, sorted by the column whose heading is pressed. A row opens its conversation.
import { ArrowDown, ArrowUp } from "lucide-react";
import { measureText } from "../../../protocol/quantities.ts";
import type { TableAnswer, TableColumn, TableQuery } from "../../../protocol/rollouts/rolloutTable.ts";
import { hashOf } from "../../engine/route.ts";
import { Button } from "../../kit/controls/Button.tsx";
import { Signed } from "../../kit/controls/Signed.tsx";
import { onlyValue } from "./conditionText.ts";

/** What a row's link or its first words say already. */
const SAID: ReadonlySet<string> = new Set(["step", "prompt", "answer", "form"]);

interface RowsTableProps {
  readonly answer: TableAnswer;
  readonly sort: TableQuery["sort"];
  readonly onSort: (sort: TableQuery["sort"]) => void;
}

function Value({ column, value }: { readonly column: TableColumn; readonly value: number | string | null }) {
  if (value === null) return <span title="not known">–</span>;
  if (typeof value === "string") return value;
  return column.id === "advantage" ? <Signed value={value} /> : measureText(value);
}

interface HeadProps extends Pick<RowsTableProps, "sort" | "onSort"> {
  readonly column: Pick<TableColumn, "id" | "title">;
}

/** A heading that sorts: the largest first, the smallest first, and as it was. */
export function SortHead({ column: { id, title }, sort, onSort }: HeadProps) {
  const isSorted = sort?.column === id;
  const Arrow = sort?.isDescending ? ArrowDown : ArrowUp;
  const next = !isSorted ? { column: id, isDescending: true } : sort.isDescending ? { column: id, isDescending: false } : null;
  return (
    <th scope="col" aria-sort={!isSorted ? "none" : sort.isDescending ? "descending" : "ascending"}>
      <button type="button" className="rows-sort items-center gap-half semibold" onClick={() => onSort(next)}>
        {title}
        {isSorted && <Arrow size={14} aria-hidden />}
      </button>
    </th>
  );
}

export function RowsTable({ answer: { columns, rows, counts }, sort, onSort }: RowsTableProps) {
  // What all of them have in common is told once above, but for what they are sorted by.
  const isSame = (id: string) => id !== sort?.column && counts.some((each) => each.column === id && onlyValue(each) !== null);
  const shown = columns.map((column, at) => ({ column, at })).filter(({ column: { id } }) => !SAID.has(id) && !isSame(id));
  const step = columns.find(({ id }) => id === "step");
  return (
    <div className="scrolls">
      <table className="rows-table">
        <thead>
          <tr>
            {step && <SortHead column={{ ...step, title: "Answer" }} sort={sort} onSort={onSort} />}
            <th scope="col">Begins</th>
            {shown.map(({ column }) => (
              <SortHead key={column.id} column={column} sort={sort} onSort={onSort} />
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ step: at, promptIndex, trajectoryIndex, begin, values }) => (
            <tr key={`${at} ${promptIndex} ${trajectoryIndex}`}>
              <th scope="row">
                <a href={hashOf("rollouts", { step: at, promptIndex, trajectoryIndex, tokenIndex: null })}>
                  Step {at}, prompt {promptIndex + 1}, #{trajectoryIndex + 1}
                </a>
              </th>
              <td className="rows-begin mono">{begin === "" ? <i>empty</i> : begin}</td>
              {shown.map(({ column, at: index }) => (
                <td key={column.id} className={column.kind === "number" ? "rows-number" : ""}>
                  <Value column={column} value={values[index] ?? null} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface PagesProps {
  /** From 1. */
  readonly page: number;
  readonly found: number;
  /** Rows of one page. */
  readonly size: number;
  readonly onPage: (page: number) => void;
}

export function Pages({ page, found, size, onPage }: PagesProps) {
  const last = Math.max(1, Math.ceil(found / size));
  if (last === 1) return null;
  return (
    <nav className="table-pages flex flex-wrap items-center" aria-label="Pages of the table">
      <Button isResting={page <= 1} onPress={() => onPage(page - 1)}>
        Earlier rows
      </Button>
      <span>
        {(page - 1) * size + 1} to {Math.min(found, page * size)} of {found}
      </span>
      <Button isResting={page >= last} onPress={() => onPage(page + 1)}>
        Later rows
      </Button>
    </nav>
  );
}
