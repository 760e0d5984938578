// The runs in a table, a page at a time: thousands of rows are searched and sorted, and few are drawn.
import { ArrowDown, ArrowUp, Pin } from "lucide-react";
import { memo } from "react";
import { shortened } from "../../../../protocol/problems.ts";
import type { SaveSummary } from "../../../../protocol/run/runSummary.ts";
import { hashOf } from "../../../engine/route.ts";
import { useCatalog, useRun } from "../../../engine/store/useRunView.ts";
import type { RowQuery, SortKey } from "../rows.ts";
import { ask, choose } from "../runsStore.ts";
import { RowMenu } from "./RowMenu.tsx";
import { COLUMNS } from "./RunColumns.tsx";

interface HeadProps {
  readonly title: string;
  readonly sort: SortKey;
  readonly query: RowQuery;
}

function SortHead({ title, sort, query }: HeadProps) {
  const isSorted = query.sort === sort;
  const Icon = query.isDescending ? ArrowDown : ArrowUp;
  const press = () => ask({ sort, isDescending: isSorted ? !query.isDescending : sort !== "name" && sort !== "verdict" });
  return (
    <th scope="col" aria-sort={isSorted ? (query.isDescending ? "descending" : "ascending") : undefined}>
      <button type="button" className="runs-sort semibold" onClick={press}>
        {title} {isSorted && <Icon size={12} aria-hidden="true" />}
      </button>
    </th>
  );
}

interface RunRowProps {
  readonly row: SaveSummary;
  readonly isChosen: boolean;
  readonly isOpened: boolean;
  readonly isHere: boolean;
}

const RunRow = memo(function RunRow({ row, isChosen, isOpened, isHere }: RunRowProps) {
  const catalog = useCatalog();
  const { runId, name, label, problem, parent } = row;
  return (
    <tr data-opened={isOpened || undefined}>
      <td className="runs-check">
        <input
          type="checkbox"
          aria-label={`Choose ${name}`}
          checked={isChosen}
          onChange={(event) => choose([runId], event.target.checked)}
        />
      </td>
      <th scope="row">
        <a className="runs-name wrap-anywhere ink semibold" href={hashOf("runs", { run: runId })} aria-current={isOpened || undefined}>
          {label.isPinned && <Pin size={12} aria-label="Pinned" />} {name}
        </a>
        <span className="facts fine-print">
          {isHere && <span>on screen</span>}
          {(label.tags ?? []).map((tag) => (
            <span key={tag} className="runs-tag items-center wrap-anywhere framed rounded">
              {tag}
            </span>
          ))}
          {parent && <span>after step {parent.step} of another run</span>}
        </span>
        {problem !== undefined && <p className="save-problem">It cannot be read: {shortened(problem, 160)}</p>}
      </th>
      {COLUMNS.map(({ title, cell }) => (
        <td key={title} data-title={title}>
          {cell(row, catalog) || <span className="fine-print">–</span>}
        </td>
      ))}
      <td className="runs-menu">
        <RowMenu row={row} isHere={isHere} />
      </td>
    </tr>
  );
});

interface RunTableProps {
  /** Those of the page that is shown. */
  readonly rows: readonly SaveSummary[];
  readonly query: RowQuery;
  readonly chosen: ReadonlySet<string>;
  readonly opened: string | null;
}

export const RunTable = memo(function RunTable({ rows, query, chosen, opened }: RunTableProps) {
  const here = useRun((facts) => facts.runId);
  const areAll = rows.length > 0 && rows.every(({ runId }) => chosen.has(runId));
  return (
    <table className="runs-table">
      <caption className="visually-hidden">Runs that are kept in this browser</caption>
      <thead className="aside">
        <tr>
          <td className="runs-check">
            <input
              type="checkbox"
              aria-label="Choose all runs of this page"
              checked={areAll}
              onChange={(event) =>
                choose(
                  rows.map(({ runId }) => runId),
                  event.target.checked,
                )
              }
            />
          </td>
          <SortHead title="Name" sort="name" query={query} />
          {COLUMNS.map(({ title, sort }) =>
            sort ? (
              <SortHead key={title} title={title} sort={sort} query={query} />
            ) : (
              <th key={title} scope="col">
                {title}
              </th>
            ),
          )}
          <td />
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <RunRow key={row.runId} row={row} isChosen={chosen.has(row.runId)} isOpened={row.runId === opened} isHere={row.runId === here} />
        ))}
      </tbody>
    </table>
  );
});
