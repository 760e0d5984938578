// The configuration, built entirely from the catalog: preset, task with its options and reward weights,
// algorithm, then the groups of fields; what is rarely touched is folded away.
import { Redo2, Undo2 } from "lucide-react";
import { memo, useMemo } from "react";
import type { AlgorithmEntry } from "../../../protocol/catalog.ts";
import { FIELD_GROUPS, type FieldGroup as Section } from "../../../protocol/config/field.ts";
import { capital } from "../../../protocol/quantities.ts";
import { choosePreset, edit, redo, undo } from "../../engine/draftActions.ts";
import { useCatalog } from "../../engine/store/useRunView.ts";
import { Button } from "../../kit/controls/Button.tsx";
import { Choice, type ChoiceOption } from "../../kit/controls/Choice.tsx";
import { FormFold } from "../../kit/controls/Fold.tsx";
import { HintedForm } from "../../kit/controls/Hint.tsx";
import { FaultBoundary } from "../../kit/faults/FaultBoundary.tsx";
import { lazyPart } from "../../kit/lazyPart.tsx";
import { DraftStatus } from "./DraftStatus.tsx";
import { DraftForm, useDraftView, useFormTask } from "./draftView.ts";
import { Fields, SortedFields } from "./Fields.tsx";
import { MemoryNote } from "./MemoryNote.tsx";
import { RewardsForm } from "./RewardsForm.tsx";
import { useRevealedField } from "./revealField.ts";
import "./form.css";

const BeforeStart = lazyPart(() => import("../before/BeforeStart.tsx"), "BeforeStart");

/** Chosen at the top of the panel, with their titles and summaries. */
const CHOSEN_ABOVE: ReadonlySet<string> = new Set(["task", "algorithm"]);

const FieldGroup = memo(function FieldGroup({ group }: { readonly group: Section }) {
  const view = useDraftView();
  const fields = useCatalog().fields.filter((field) => field.group === group && !CHOSEN_ABOVE.has(field.key));
  if (fields.length === 0) return null;
  const wrong = fields.filter(({ key }) => view.problemOf(key)).length;
  const edited = fields.filter(({ key }) => key in view.edits).length;
  const note = wrong > 0 ? `${wrong} to fix` : edited > 0 ? `${edited} changed` : "";
  return (
    <FormFold title={FIELD_GROUPS[group].title} note={note} isOpen={group === "run" || group === "sampling" || wrong > 0}>
      <SortedFields fields={fields} />
    </FormFold>
  );
});

const TaskFields = memo(function TaskFields() {
  const { fields } = useFormTask();
  return (
    <FormFold title={FIELD_GROUPS.task.title} isOpen>
      <Fields fields={fields} record="taskOptions" />
      <RewardsForm />
    </FormFold>
  );
});

/** An algorithm of the list, with what its letters stand for. */
function spelledOut({ id, title, fullName, summary }: AlgorithmEntry): ChoiceOption {
  return { id, title, summary: fullName ? `${capital(fullName)}. ${summary}` : summary };
}

const chooseTask = (id: string) => edit("task", id);
const chooseAlgorithm = (id: string) => edit("algorithm", id);

function Panel() {
  useRevealedField();
  const catalog = useCatalog();
  const view = useDraftView();
  const preset = catalog.presets.find(({ id }) => id === view.presetId);
  const algorithms = useMemo(() => catalog.algorithms.map(spelledOut), [catalog]);
  const changed = Object.keys(view.edits).length > 0;
  const sections = [...new Set(catalog.fields.map(({ group }) => group))];
  return (
    <HintedForm label="Configuration">
      <div data-field="preset">
        <Choice label="Preset" value={view.presetId} options={catalog.presets} onChange={choosePreset} className="field-lead" />
      </div>
      {preset && preset.config.task === view.shown.task && <p className="config-summary soft">{preset.summary}</p>}
      <div className="config-tools flex gap-1">
        <Button kind="quiet" isResting={!changed} onPress={() => choosePreset(view.presetId)}>
          Reset to preset
        </Button>
        <Button kind="quiet" isResting={!view.canUndo} onPress={undo} hint="Undo the last edit (Ctrl+Z)">
          <Undo2 size={14} aria-hidden="true" /> Undo
        </Button>
        <Button kind="quiet" isResting={!view.canRedo} onPress={redo} hint="Redo the last edit that was undone (Ctrl+Shift+Z)">
          <Redo2 size={14} aria-hidden="true" /> Redo
        </Button>
      </div>
      <MemoryNote config={view.config} />
      <DraftStatus />
      {view.config && (
        <FaultBoundary part="The look before the start" isBrief>
          <BeforeStart config={view.config} />
        </FaultBoundary>
      )}
      <div data-field="task">
        <Choice
          label="Task"
          value={String(view.shown.task)}
          options={catalog.tasks}
          problem={view.problemOf("task")}
          onChange={chooseTask}
        />
      </div>
      {view.shown.kind !== "supervised" && (
        <div data-field="algorithm">
          <Choice
            label="Algorithm"
            value={String(view.shown.algorithm)}
            options={algorithms}
            problem={view.problemOf("algorithm")}
            onChange={chooseAlgorithm}
          />
        </div>
      )}
      {view.task && <TaskFields />}
      {sections.map((group) => (
        <FieldGroup key={group} group={group} />
      ))}
      <p>
        <a href="#/sweep">Sweep a setting</a>
      </p>
    </HintedForm>
  );
}

export function ConfigPanel() {
  return (
    <DraftForm>
      <Panel />
    </DraftForm>
  );
}
