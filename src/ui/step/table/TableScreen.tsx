// All rollouts of the run as one table: what is kept of them by conditions, how they are spread, and a row each. The
// address holds the view.
import { X } from "lucide-react";
import type { ReactNode } from "react";
import { counted } from "../../../protocol/quantities.ts";
import type { ColumnCounts, TableAnswer, TableColumn, TableCondition, TableQuery } from "../../../protocol/rollouts/rolloutTable.ts";
import { useHash } from "../../engine/address/hash.ts";
import { hashOf, type Place, parseRoute, placeIn, placeQuery, replaceQuery, settingsIn } from "../../engine/route.ts";
import { useRewardTitle } from "../../engine/store/inTitles.ts";
import { useRun } from "../../engine/store/useRunView.ts";
import { MetricChart } from "../../kit/charts/MetricChart.tsx";
import { Button } from "../../kit/controls/Button.tsx";
import { Choice } from "../../kit/controls/Choice.tsx";
import { TextInput } from "../../kit/controls/TextInput.tsx";
import { NothingYet } from "../rollouts/NothingYet.tsx";
import { conditionOf, conditionText, conditionWords, foundText, onlyValue } from "./conditionText.ts";
import { Pages, RowsTable } from "./RowsTable.tsx";
import { Spread } from "./Spreads.tsx";
import { type FoundTable, useTable } from "./useTable.ts";
import "./table.css";

type TablePlace = Place<"table">;

/** Rows of one page. */
const ROWS = 50;
/** Columns whose values are not counted: each row has its own. */
const NOT_COUNTED: ReadonlySet<string> = new Set(["step", "prompt", "answer"]);

function queryOf({ where, sort, curve, page }: TablePlace): TableQuery {
  return {
    where: where.map(conditionOf).filter((condition) => condition !== null),
    sort: sort === null ? null : { column: sort.replace(/^-/, ""), isDescending: sort.startsWith("-") },
    from: ((page ?? 1) - 1) * ROWS,
    count: ROWS,
    counted: true,
    curve: curve ?? "reward",
  };
}

interface SearchProps {
  readonly onKeep: (condition: TableCondition) => void;
}

function Search({ onKeep }: SearchProps) {
  const isPattern = (typed: string) => /^\/.+\/$/s.test(typed);
  return (
    <TextInput
      label="With this text, or like /a regular expression/"
      value=""
      onChange={(typed) =>
        typed !== "" && onKeep(isPattern(typed) ? { is: "matching", pattern: typed.slice(1, -1) } : { is: "with-text", text: typed })
      }
    />
  );
}

interface ConditionsProps {
  readonly conditions: readonly TableCondition[];
  readonly columns: readonly TableColumn[];
  readonly onDrop: (index: number) => void;
}

function Conditions({ conditions, columns, onDrop }: ConditionsProps) {
  if (conditions.length === 0) return null;
  return (
    <ul className="flex flex-wrap gap-1" aria-label="Only answers">
      {conditions.map((condition, index) => (
        <li key={conditionText(condition)}>
          <Button label={`Drop “${conditionWords(condition, columns)}”`} onPress={() => onDrop(index)}>
            {conditionWords(condition, columns)} <X size={14} aria-hidden />
          </Button>
        </li>
      ))}
    </ul>
  );
}

function Curve({ answer, onCurve }: { readonly answer: TableAnswer; readonly onCurve: (column: string) => void }) {
  const { curve, columns } = answer;
  const options = columns.filter(({ kind, id }) => kind === "number" && !NOT_COUNTED.has(id)).map(({ id, title }) => ({ id, title }));
  const title = options.find(({ id }) => id === curve?.column)?.title ?? "";
  if (!curve || curve.steps.length < 2) return null;
  return (
    <section className="table-curve">
      <Choice label="Over the steps" value={curve.column} options={options} onChange={onCurve} />
      <MetricChart
        spec={{
          id: "table-curve",
          title,
          unit: "",
          help: "Its mean over the answers that were found, step by step.",
          word: null,
          format: "number",
          include: [],
        }}
        series={[{ id: curve.column, label: title, xs: curve.steps, ys: curve.means }]}
        levels={[]}
        height={140}
      />
    </section>
  );
}

interface AllSpreadsProps extends SearchProps {
  readonly counts: readonly ColumnCounts[];
  readonly columns: readonly TableColumn[];
}

/** The columns whose values differ, and in one line those that all of the answers have in common. */
function AllSpreads({ counts, columns, onKeep }: AllSpreadsProps) {
  const told = counts.flatMap((each) => {
    const column = columns.find(({ id }) => id === each.column && !NOT_COUNTED.has(id));
    return column ? [{ column, counts: each, only: onlyValue(each) }] : [];
  });
  const same = told.filter(({ only }) => only !== null).map(({ column, only }) => `${column.title}: ${only}`);
  return (
    <>
      <div className="table-spreads grid">
        {told.map(
          ({ column, counts: each, only }) => only === null && <Spread key={column.id} column={column} counts={each} onKeep={onKeep} />,
        )}
      </div>
      {same.length > 0 && <p className="note">The same for all of them: {same.join("; ")}.</p>}
    </>
  );
}

function Asking({ table: { isAsking, newer, readNewer } }: { readonly table: FoundTable }) {
  const asking = useRun((facts) => facts.asking);
  const running = isAsking && asking && asking.total > 0;
  return (
    <p className="note" role="status">
      {running ? `Reading the rollouts: ${asking.done} of ${counted(asking.total, "step")}.` : isAsking ? "Reading the rollouts …" : ""}
      {!isAsking && newer > 0 && <Button onPress={readNewer}>Read {counted(newer, "newer step")} too</Button>}
    </p>
  );
}

/** An answer whose parts of the reward have the titles that they have elsewhere. */
function useTitled(answer: TableAnswer | null): TableAnswer | null {
  const titleOf = useRewardTitle();
  return (
    answer && {
      ...answer,
      columns: answer.columns.map((each) => (each.id.startsWith("part:") ? { ...each, title: titleOf(each.title) } : each)),
    }
  );
}

function Frame({ children }: { readonly children: ReactNode }) {
  return (
    <div className="stack">
      <header>
        <h1>All rollouts</h1>
        <p>
          Every answer of this run that is kept, a row each. Press a bar to keep the answers under it, and a heading to sort.{" "}
          <a href={hashOf("rollouts")}>Back to one step</a>
        </p>
      </header>
      {children}
    </div>
  );
}

export function TableScreen() {
  const { query } = parseRoute(useHash());
  const hasRun = useRun((facts) => facts.runId !== null);
  const place = placeIn("table", query);
  const asked = queryOf(place);
  const { where, sort } = asked;
  const table = useTable(asked);
  const { problem } = table;
  const answer = useTitled(table.answer);
  const columns = answer?.columns ?? [];
  const go = (change: Partial<TablePlace>) =>
    // The settings of a run that is not here stay in the address, so that a reload finds them.
    replaceQuery("table", placeQuery("table", { ...place, page: null, ...change }, hasRun ? undefined : settingsIn(query)));
  const keep = (condition: TableCondition) => go({ where: [...new Set([...place.where, conditionText(condition)])] });
  if (!hasRun) return <NothingYet />;
  return (
    <Frame>
      <Search onKeep={keep} />
      <Conditions
        conditions={where}
        columns={columns}
        onDrop={(index) => go({ where: where.filter((_, i) => i !== index).map(conditionText) })}
      />
      <Asking table={table} />
      {problem && <p role="alert">{problem}</p>}
      {answer?.unread && (
        <p className="note">
          {counted(answer.unread.count, "step")} could not be read: {answer.unread.why}.
        </p>
      )}
      {answer && (
        <>
          <h2>{foundText(answer.found, answer.total)}</h2>
          <AllSpreads counts={answer.counts} columns={columns} onKeep={keep} />
          <Curve answer={answer} onCurve={(curve) => go({ curve, page: place.page })} />
          <RowsTable answer={answer} sort={sort} onSort={(next) => go({ sort: next && `${next.isDescending ? "-" : ""}${next.column}` })} />
          <Pages size={ROWS} page={place.page ?? 1} found={answer.found} onPage={(page) => go({ page })} />
        </>
      )}
    </Frame>
  );
}
