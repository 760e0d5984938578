// Another way from an earlier step of a run: the step that it leaves, and one setting that is another from there on. What a run
// decides at its start cannot change, and says so.

import { useMemo, useState } from "react";
import type { RunConfig, RunConfigKey } from "../../../protocol/config.ts";
import { counted } from "../../../protocol/quantities.ts";
import type { Setting } from "../../../protocol/run/experimentPlan.ts";
import type { SaveSummary } from "../../../protocol/run/runSummary.ts";
import { inTitles } from "../../engine/store/inTitles.ts";
import { useCatalog } from "../../engine/store/useRunView.ts";
import { branchOf } from "../../experiment/plan/drafted.ts";
import { otherValue, variedFields } from "../../experiment/plan/varied.ts";
import { SettingInput, VariedField } from "../../experiment/setup/SettingInput.tsx";
import { Button } from "../../kit/controls/Button.tsx";
import { NumberInput } from "../../kit/controls/TextInput.tsx";
import { forkFrom } from "./runActions.ts";

/** Why a run cannot be left after a step, or null. */
function stepProblem(step: number, last: number): string | null {
  if (Number.isInteger(step) && step >= 0 && step <= last) return null;
  return `The step must be a whole number from 0 to ${last}, got ${step}`;
}

interface ForkFormProps {
  readonly row: SaveSummary;
  readonly config: RunConfig;
  readonly onClose: () => void;
}

export function ForkForm({ row, config, onClose }: ForkFormProps) {
  const catalog = useCatalog();
  const fields = useMemo(() => variedFields(catalog, true), [catalog]);
  const stays = useMemo(
    () => catalog.fields.filter(({ fixed, group }) => fixed && group !== "engine").map(({ title }) => title),
    [catalog],
  );
  const [step, setStep] = useState(row.step);
  const [key, setKey] = useState<RunConfigKey>("learningRate");
  const field = fields.find((each) => each.key === key) ?? fields[0]!;
  const [chosen, setChosen] = useState<Setting | null>(null);
  const value = chosen ?? otherValue(field, config[field.key as RunConfigKey] as Setting);
  const problem = stepProblem(step, row.step);
  const branch = branchOf(catalog, config, problem === null ? step : 0, field.key as RunConfigKey, value);
  const refusal = branch.problems.map(({ message }) => inTitles(catalog, message)).join("; ");
  const fork = () => void forkFrom(row.runId, step, branch.settings).then((isDone) => isDone && onClose());
  return (
    <section className="runs-fork stack" aria-label="Fork">
      <NumberInput label="After step" name="The step" value={step} problem={problem ?? undefined} onChange={setStep} />
      <VariedField
        label="What changes from there on"
        value={field.key as RunConfigKey}
        fields={fields}
        onChange={(id) => {
          setKey(id);
          setChosen(null);
        }}
      />
      <SettingInput catalog={catalog} field={field} name="" value={value} problem={refusal || undefined} onChange={setChosen} />
      <p className="fine-print">
        The fork is a separate run. It begins at the nearest saved weights before that step and repeats the steps in between exactly.
      </p>
      <details className="fine-print">
        <summary>
          {counted(stays.length, "setting")} {stays.length === 1 ? "stays as it is" : "stay as they are"}
        </summary>
        They decide how the run is built at its start, so a fork cannot change them: {stays.join(", ")}.
      </details>
      <div className="actions">
        <Button kind="primary" isDisabled={problem !== null || refusal !== ""} onPress={fork}>
          Fork it
        </Button>
        <Button kind="quiet" onPress={onClose}>
          Leave it
        </Button>
      </div>
    </section>
  );
}
