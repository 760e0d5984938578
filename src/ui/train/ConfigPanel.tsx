// The configuration, built entirely from the catalog: preset, task with its options and reward weights,
// algorithm, then the groups of fields; what is rarely touched is folded away.
import { Undo2 } from "lucide-react";
import { memo, useMemo } from "react";
import { Disclosure, DisclosurePanel } from "react-aria-components";
import type { Catalog, TaskEntry } from "../../protocol/catalog.ts";
import type { RunConfigKey } from "../../protocol/config.ts";
import { inertFields } from "../../protocol/configFacts.ts";
import { FIELD_GROUPS, type FieldGroup as Section } from "../../protocol/field.ts";
import type { Field } from "../../protocol/fields.ts";
import { choosePreset, edit, restartWithChanges, undo } from "../actions.ts";
import { Button } from "../controls/Button.tsx";
import { Choice } from "../controls/Choice.tsx";
import { FoldHead } from "../controls/FoldHead.tsx";
import { useEngine, useRun } from "../store/useRunView.ts";
import { ConfigField } from "./ConfigField.tsx";
import { type DraftView, useDraftView } from "./draftView.ts";
import { focusTransport } from "./transportFocus.ts";

/** Chosen at the top of the panel, with their titles and summaries. */
const CHOSEN_ABOVE: ReadonlySet<string> = new Set(["task", "algorithm"]);

interface FieldsProps {
  readonly fields: readonly Field[];
  readonly catalog: Catalog;
  readonly view: DraftView;
}

function Fields({ fields, catalog, view }: FieldsProps) {
  const inert = useMemo(
    () => new Map<string, string>(view.config ? inertFields(view.config, catalog.tasks).map(({ key, reason }) => [key, reason]) : []),
    [view, catalog],
  );
  return fields.map((field) => (
    <ConfigField
      key={field.key}
      field={field}
      home="config"
      value={view.shown[field.key as RunConfigKey]}
      problem={view.problemOf(field.key)}
      inert={inert.get(field.key)}
      waits={view.waiting.includes(field.key)}
      edited={field.key in view.edits}
    />
  ));
}

interface FieldGroupProps {
  readonly group: Section;
  readonly catalog: Catalog;
  readonly view: DraftView;
}

const FieldGroup = memo(function FieldGroup({ group, catalog, view }: FieldGroupProps) {
  const fields = catalog.fields.filter((field) => field.group === group && !CHOSEN_ABOVE.has(field.key));
  const plain = fields.filter(({ advanced }) => !advanced);
  const more = fields.filter(({ advanced }) => advanced);
  if (fields.length === 0) return null;
  const wrong = fields.filter(({ key }) => view.problemOf(key)).length;
  const edited = fields.filter(({ key }) => key in view.edits).length;
  const note = wrong > 0 ? `${wrong} to fix` : edited > 0 ? `${edited} changed` : "";
  return (
    <Disclosure className="fold" defaultExpanded={group === "run" || group === "sampling" || wrong > 0}>
      <FoldHead note={note}>{FIELD_GROUPS[group].title}</FoldHead>
      <DisclosurePanel className="fold-panel">
        <Fields fields={plain} catalog={catalog} view={view} />
        {more.length > 0 && plain.length > 0 && (
          <Disclosure className="fold fold-more">
            <FoldHead note={String(more.length)}>More</FoldHead>
            <DisclosurePanel>
              <Fields fields={more} catalog={catalog} view={view} />
            </DisclosurePanel>
          </Disclosure>
        )}
        {plain.length === 0 && <Fields fields={more} catalog={catalog} view={view} />}
      </DisclosurePanel>
    </Disclosure>
  );
});

function rewardField({ name, title, weight, help }: TaskEntry["rewards"][number]): Field {
  const text = `${help} The weight of this part in the reward; 0 makes it a metric only.`;
  return {
    key: name,
    kind: "number",
    title,
    help: text,
    group: "task",
    preset: weight,
    min: -10,
    max: 10,
    live: false,
    fixed: true,
    advanced: false,
  };
}

const TaskFields = memo(function TaskFields({ task, view }: { readonly task: TaskEntry; readonly view: DraftView }) {
  const rewards = useMemo(() => task.rewards.map(rewardField), [task]);
  const fields = (record: "taskOptions" | "rewardWeights", list: readonly Field[]) =>
    list.map((field) => (
      <ConfigField
        key={`${record}.${field.key}`}
        field={field}
        home={record}
        value={view.shown[record]?.[field.key] ?? field.preset}
        problem={view.problemOf(`${record}.${field.key}`)}
        waits={view.waiting.includes(`${record}.${field.key}`)}
        edited={view.edits[record]?.[field.key] !== undefined}
      />
    ));
  return (
    <Disclosure className="fold" defaultExpanded>
      <FoldHead>{FIELD_GROUPS.task.title}</FoldHead>
      <DisclosurePanel className="fold-panel">
        {fields("taskOptions", task.fields)}
        {rewards.length > 0 && <p className="fold-caption">Reward weights</p>}
        {fields("rewardWeights", rewards)}
      </DisclosurePanel>
    </Disclosure>
  );
});

/** The button goes away with the changes that it applies. */
function restart(): void {
  focusTransport("train");
  restartWithChanges();
}

function Waiting({ view }: { readonly view: DraftView }) {
  const isPreparing = useRun((facts) => facts.state === "preparing");
  const up = useEngine((facts) => facts.status === "ready") && !isPreparing;
  const problems = view.problems.length;
  if (problems > 0)
    return (
      <p className="config-status" role="status">
        {problems === 1 ? view.problems[0]?.message : `${problems} fields need another value.`}
      </p>
    );
  if (view.waiting.length === 0) return null;
  const count = view.waiting.length === 1 ? "1 change applies" : `${view.waiting.length} changes apply`;
  return (
    <div className="config-status" role="status">
      <p>{count} on restart.</p>
      <Button kind="primary" isDisabled={!up} onPress={restart}>
        Restart with changes
      </Button>
    </div>
  );
}

const chooseTask = (id: string) => edit("task", id);
const chooseAlgorithm = (id: string) => edit("algorithm", id);

export function ConfigPanel({ catalog }: { readonly catalog: Catalog }) {
  const view = useDraftView(catalog);
  const task = catalog.tasks.find(({ id }) => id === view.shown.task);
  const preset = catalog.presets.find(({ id }) => id === view.presetId);
  const changed = Object.keys(view.edits).length > 0;
  const sections = [...new Set(catalog.fields.map(({ group }) => group))];
  return (
    <section className="config" aria-label="Configuration">
      <Choice label="Preset" value={view.presetId} options={catalog.presets} onChange={choosePreset} className="field-lead" />
      {preset && <p className="config-summary">{preset.summary}</p>}
      <div className="config-tools">
        <Button kind="quiet" isResting={!changed} onPress={() => choosePreset(view.presetId)}>
          Reset to preset
        </Button>
        <Button kind="quiet" isResting={!view.canUndo} onPress={undo} hint="Take back the last edit (Ctrl+Z)">
          <Undo2 size={14} aria-hidden="true" /> Undo
        </Button>
      </div>
      <Waiting view={view} />
      <Choice label="Task" value={String(view.shown.task)} options={catalog.tasks} problem={view.problemOf("task")} onChange={chooseTask} />
      <Choice
        label="Algorithm"
        value={String(view.shown.algorithm)}
        options={catalog.algorithms}
        problem={view.problemOf("algorithm")}
        onChange={chooseAlgorithm}
      />
      {task && <TaskFields task={task} view={view} />}
      {sections.map((group) => (
        <FieldGroup key={group} group={group} catalog={catalog} view={view} />
      ))}
    </section>
  );
}
