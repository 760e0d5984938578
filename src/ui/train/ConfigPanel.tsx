// The configuration, built entirely from the catalog: preset, task with its options and reward weights,
// algorithm, then the groups of fields; what is rarely touched is folded away.
import { Undo2 } from "lucide-react";
import { memo, useMemo } from "react";
import { Disclosure, DisclosurePanel } from "react-aria-components";
import type { Catalog, TaskEntry } from "../../protocol/catalog.ts";
import { FIELD_GROUPS, type FieldGroup as Section } from "../../protocol/field.ts";
import type { Field } from "../../protocol/fields.ts";
import { choosePreset, edit, restartWithChanges, undo } from "../actions.ts";
import { Button } from "../controls/Button.tsx";
import { Choice } from "../controls/Choice.tsx";
import { FoldHead } from "../controls/FoldHead.tsx";
import { useEngine, useRun } from "../store/useRunView.ts";
import { ConfigField } from "./ConfigField.tsx";
import { type DraftView, useDraftView } from "./draftView.ts";
import { MemoryNote } from "./MemoryNote.tsx";
import { focusTransport } from "./transportFocus.ts";

/** Chosen at the top of the panel, with their titles and summaries. */
const CHOSEN_ABOVE: ReadonlySet<string> = new Set(["task", "algorithm"]);

interface FieldsProps {
  readonly fields: readonly Field[];
  readonly view: DraftView;
  /** The record of the configuration that the fields are entries of; none for its own fields. */
  readonly record?: "taskOptions" | "rewardWeights";
}

function Fields({ fields, view, record }: FieldsProps) {
  const shown: Readonly<Record<string, unknown>> = (record ? view.shown[record] : view.shown) ?? {};
  const edits: Readonly<Record<string, unknown>> = (record ? view.edits[record] : view.edits) ?? {};
  return fields.map((field) => {
    const name = record ? `${record}.${field.key}` : field.key;
    return (
      <ConfigField
        key={name}
        field={field}
        home={record ?? "config"}
        value={shown[field.key] ?? field.preset}
        problem={view.problemOf(name)}
        inert={view.inert.get(name)}
        waits={view.waiting.includes(name)}
        edited={field.key in edits}
      />
    );
  });
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
        <Fields fields={plain} view={view} />
        {more.length > 0 && plain.length > 0 && (
          <Disclosure className="fold fold-more">
            <FoldHead note={String(more.length)}>More</FoldHead>
            <DisclosurePanel>
              <Fields fields={more} view={view} />
            </DisclosurePanel>
          </Disclosure>
        )}
        {plain.length === 0 && <Fields fields={more} view={view} />}
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
  return (
    <Disclosure className="fold" defaultExpanded>
      <FoldHead>{FIELD_GROUPS.task.title}</FoldHead>
      <DisclosurePanel className="fold-panel">
        <Fields fields={task.fields} view={view} record="taskOptions" />
        {rewards.length > 0 && <p className="fold-caption fine-print">Reward weights</p>}
        <Fields fields={rewards} view={view} record="rewardWeights" />
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
  // The sentence itself stands beside the field.
  if (view.wrongTitles.length > 0)
    return (
      <p className="config-status" role="status">
        To change before it can start: {view.wrongTitles.join(", ")}.
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
  // A task whose form no shipped weights know would train nothing from its own settings; an address can still name it.
  const shownTask = view.shown.task;
  const offered = useMemo(() => catalog.tasks.filter(({ id, facts }) => !facts.awaitsCheckpoint || id === shownTask), [catalog, shownTask]);
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
      <MemoryNote config={view.config} />
      <Waiting view={view} />
      <Choice label="Task" value={String(view.shown.task)} options={offered} problem={view.problemOf("task")} onChange={chooseTask} />
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
