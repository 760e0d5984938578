// Sets a sweep up: what it starts from, one or two fields with their values, how many seeds, and what that comes to.
import { Play, Plus } from "lucide-react";
import { useMemo } from "react";
import type { Catalog } from "../../../../protocol/catalog.ts";
import type { Field } from "../../../../protocol/config/fields.ts";
import type { RunConfigKey } from "../../../../protocol/config.ts";
import { counted } from "../../../../protocol/quantities.ts";
import { SWEEP_LIMITS, type SweptField, type SweptValue } from "../../../../protocol/run/sweepPlan.ts";
import { readValue } from "../../../engine/store/draft/draftAddress.ts";
import { withEdit } from "../../../engine/store/draft/draftConfig.ts";
import { useDraft } from "../../../engine/store/draft/draftStore.ts";
import { useEngine } from "../../../engine/store/useRunView.ts";
import { Button, RemoveButton } from "../../../kit/controls/Button.tsx";
import { Choice } from "../../../kit/controls/Choice.tsx";
import { NumberInput, TextInput } from "../../../kit/controls/TextInput.tsx";
import { Explained } from "../../../kit/words/Term.tsx";
import { BaseChoice } from "../../compare/setup/RaceSetup.tsx";
import { VariedField } from "../../compare/setup/SettingInput.tsx";
import { startSweep } from "../sweepActions.ts";
import { type DraftedSweep, firstValues, setSweep, sweepOf, sweptText, useSweepSetup } from "./sweepSetup.ts";

/** The choices of a field that has few of them; null where values are typed. */
function choicesOf(catalog: Catalog, field: Field): readonly SweptValue[] | null {
  if (field.key === "algorithm") return catalog.algorithms.map(({ id }) => id);
  if (field.kind === "flag") return [false, true];
  return field.kind === "choice" ? (field.choices ?? []) : null;
}

interface ValuesProps {
  readonly catalog: Catalog;
  readonly field: Field;
  readonly values: readonly SweptValue[];
  readonly onChange: (values: readonly SweptValue[]) => void;
}

function Values({ catalog, field, values, onChange }: ValuesProps) {
  const choices = choicesOf(catalog, field);
  if (!choices)
    return (
      <TextInput
        label={
          <Explained text="Separated by commas or blanks; 3e-4 is read as a number too. Each value is a combination of its own.">
            Values of {field.title}
          </Explained>
        }
        value={values.join(", ")}
        onChange={(text) =>
          onChange(
            text
              .split(/[\s,;]+/)
              .filter(Boolean)
              .map((each) => readValue(field.kind, each)),
          )
        }
      />
    );
  return (
    <fieldset className="sweep-choices">
      <legend className="field-label">Values of {field.title}</legend>
      {choices.map((value) => (
        <label key={String(value)} className="line">
          <input
            type="checkbox"
            checked={values.includes(value)}
            onChange={(event) => onChange(choices.filter((each) => (each === value ? event.target.checked : values.includes(each))))}
          />
          {sweptText(catalog, field, value)}
        </label>
      ))}
    </fieldset>
  );
}

interface SweptProps {
  readonly catalog: Catalog;
  readonly drafted: DraftedSweep;
  readonly place: number;
}

function Swept({ catalog, drafted: { base, fields, over }, place }: SweptProps) {
  const { field: key, values } = over[place]!;
  const field = fields.find((each) => each.key === key);
  const others = over.flatMap((each, i) => (i === place ? [] : [each.field]));
  const set = (next: SweptField) => setSweep({ over: over.with(place, { field: next.field, values: [...next.values] }) });
  const choose = (id: string) => {
    const next = fields.find((each) => each.key === id);
    if (next && base) set(firstValues(base, next));
  };
  return (
    <div className="sweep-field">
      <div className="sweep-field-head">
        <VariedField
          label={place === 0 ? "What is swept" : "And with it"}
          value={key as RunConfigKey}
          fields={fields.filter((each) => !others.includes(each.key))}
          onChange={choose}
        />
        {over.length > 1 && (
          <RemoveButton
            label={`Sweep ${field?.title ?? key} no more`}
            onPress={() => setSweep({ over: over.filter((_, i) => i !== place) })}
          />
        )}
      </div>
      {field && <Values catalog={catalog} field={field} values={values} onChange={(next) => set({ field: key, values: [...next] })} />}
    </div>
  );
}

function Costs({ drafted: { base, combinations, runs, refusals } }: { readonly drafted: DraftedSweep }) {
  return (
    <div className="stack sweep-costs" role="status">
      {refusals.length === 0 && base && (
        <p>
          {counted(combinations.length, "combination")}, <b>{counted(runs, "run")}</b> of {counted(base.steps, "step")} each. They are kept
          as they train and stand on Runs.
        </p>
      )}
      {[...new Set(refusals)].slice(0, 3).map((refusal) => (
        <p key={refusal} className="save-problem">
          {refusal}.
        </p>
      ))}
    </div>
  );
}

export function SweepSetup({ catalog }: { readonly catalog: Catalog }) {
  const setup = useSweepSetup();
  const screen = useDraft((facts) => facts.draft);
  const isUp = useEngine(({ status }) => status === "ready" || status === "quiet");
  const drafted = useMemo(() => sweepOf(catalog, setup, screen), [catalog, setup, screen]);
  const { base, fields, over, refusals } = drafted;
  const edit = (field: RunConfigKey, value: number) => setSweep({ base: withEdit(catalog, setup.base ?? screen, field, value) });
  const second = fields.find(({ key }) => key === (over[0]?.field === "groupSize" ? "learningRate" : "groupSize"));
  const counts = Array.from({ length: SWEEP_LIMITS.seeds }, (_, i) => ({ id: String(i + 1), title: counted(i + 1, "seed") }));
  return (
    <section className="race-setup" aria-label="Set up a sweep">
      <BaseChoice catalog={catalog} base={setup.base} onChange={(next) => setSweep({ base: next, over: [] })} />
      {base && <NumberInput label="Steps" name="Steps" value={base.steps} onChange={(steps) => edit("steps", steps)} />}
      {over.map(({ field }, place) => (
        <Swept key={field} catalog={catalog} drafted={drafted} place={place} />
      ))}
      {base && second && over.length < SWEEP_LIMITS.fields && (
        <div className="actions">
          <Button kind="quiet" onPress={() => setSweep({ over: [...over, firstValues(base, second)] })}>
            <Plus size={14} aria-hidden="true" /> Sweep a second field
          </Button>
        </div>
      )}
      <Choice
        label={
          <Explained text="Each combination is trained once from each seed. Runs from other seeds differ by chance alone, so several are what tells a better value from a lucky run.">
            Runs of each combination
          </Explained>
        }
        value={String(setup.seeds)}
        options={counts}
        onChange={(seeds) => setSweep({ seeds: Number(seeds) })}
      />
      <Costs drafted={drafted} />
      <div className="actions">
        <Button kind="primary" isDisabled={refusals.length > 0 || !isUp} onPress={() => void startSweep(drafted)}>
          <Play size={14} fill="currentColor" aria-hidden="true" /> Start the sweep
        </Button>
      </div>
    </section>
  );
}
