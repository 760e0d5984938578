// What narrows the table of runs: words, and one value each of task, algorithm, tag and verdict.
import { memo, useMemo } from "react";
import { type SaveSummary, VERDICT_WORDS } from "../../../protocol/run/runSummary.ts";
import { useCatalog } from "../../engine/store/useRunView.ts";
import { Button } from "../../kit/controls/Button.tsx";
import { Choice } from "../../kit/controls/Choice.tsx";
import { ALL_ROWS, algorithmOf, type RowQuery, valuesOf } from "./rows.ts";
import { ask } from "./runsStore.ts";

const ALL = "all";

interface FilterProps {
  readonly name: "task" | "algorithm" | "tag" | "verdict";
  readonly title: string;
  readonly values: readonly string[];
  readonly titleOf?: (value: string) => string;
  /** The one that is asked for; "" where all are. */
  readonly asked: string;
}

const asItIs = (value: string) => value;

const Filter = memo(function Filter({ name, title, values, titleOf = asItIs, asked }: FilterProps) {
  const options = useMemo(
    () => [{ id: ALL, title: "all" }, ...values.map((value) => ({ id: `=${value}`, title: titleOf(value) }))],
    [values, titleOf],
  );
  return (
    <Choice
      label={title}
      className="runs-filter"
      value={asked === "" ? ALL : `=${asked}`}
      options={options}
      onChange={(id) => ask({ [name]: id === ALL ? "" : id.slice(1) })}
    />
  );
});

interface RunFiltersProps {
  readonly rows: readonly SaveSummary[];
  readonly query: RowQuery;
}

export function RunFilters({ rows, query }: RunFiltersProps) {
  const catalog = useCatalog();
  const tasks = useMemo(() => valuesOf(rows, ({ config }) => (config ? [config.task] : [])), [rows]);
  const algorithms = useMemo(() => valuesOf(rows, (row) => [algorithmOf(row)]), [rows]);
  const tags = useMemo(() => valuesOf(rows, ({ label }) => label.tags ?? []), [rows]);
  const verdicts = useMemo(() => VERDICT_WORDS.filter((word) => rows.some(({ digest }) => digest?.verdict === word)), [rows]);
  const taskTitle = useMemo(() => (id: string) => catalog.tasks.find((task) => task.id === id)?.title ?? id, [catalog]);
  const algorithmTitle = useMemo(() => (id: string) => catalog.algorithms.find((each) => each.id === id)?.title ?? id, [catalog]);
  const isNarrowed = query.text !== "" || [query.task, query.algorithm, query.tag, query.verdict].some((value) => value !== "");
  const { text, task, algorithm, tag, verdict } = ALL_ROWS;
  return (
    <search className="items-end gap-y-1 gap-x-2 line" aria-label="Runs">
      <label className="runs-search grid">
        <span className="field-label">Search</span>
        <input
          type="search"
          className="input input-boxed"
          value={query.text}
          placeholder="name, task, tag, notes"
          autoComplete="off"
          onChange={(event) => ask({ text: event.target.value })}
        />
      </label>
      <Filter name="task" title="Task" values={tasks} titleOf={taskTitle} asked={query.task} />
      <Filter name="algorithm" title="Algorithm" values={algorithms} titleOf={algorithmTitle} asked={query.algorithm} />
      {tags.length > 0 && <Filter name="tag" title="Tag" values={tags} asked={query.tag} />}
      {verdicts.length > 0 && <Filter name="verdict" title="Verdict" values={verdicts} asked={query.verdict} />}
      {isNarrowed && (
        <Button kind="quiet" onPress={() => ask({ text, task, algorithm, tag, verdict })}>
          Show all
        </Button>
      )}
    </search>
  );
}
