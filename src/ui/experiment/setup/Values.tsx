// The values of a field that varies: each in a field of its own with its letter, or all of them in one list.
import { Plus } from "lucide-react";
import type { Catalog } from "../../../protocol/catalog.ts";
import type { Field } from "../../../protocol/config/fields.ts";
import type { Setting } from "../../../protocol/run/experimentPlan.ts";
import { readValue } from "../../engine/store/draft/draftQuery.ts";
import { inTitles } from "../../engine/store/inTitles.ts";
import { Button, RemoveButton } from "../../kit/controls/Button.tsx";
import { TextInput } from "../../kit/controls/TextInput.tsx";
import { Explained } from "../../kit/words/Term.tsx";
import type { DraftedExperiment } from "../plan/drafted.ts";
import { otherValue, settingText } from "../plan/varied.ts";
import type { Shape } from "../shapes/shape.ts";
import { SettingInput } from "./SettingInput.tsx";

interface ValuesProps {
  readonly catalog: Catalog;
  readonly field: Field;
  readonly values: readonly Setting[];
  readonly onChange: (values: readonly Setting[]) => void;
}

interface EachValueProps extends ValuesProps {
  readonly shape: Shape;
  readonly drafted: DraftedExperiment;
}

export function EachValue({ catalog, field, values, onChange, shape, drafted: { base, combinations } }: EachValueProps) {
  const unused = catalog.algorithms.find(({ id }) => !values.includes(id))?.id ?? base?.algorithm ?? "";
  const add = () => onChange([...values, field.key === "algorithm" ? unused : otherValue(field, values.at(-1) ?? 0)]);
  return (
    <>
      <ol className="race-values">
        {values.map((value, index) => {
          const { id = "", problems = [] } = combinations[index] ?? {};
          return (
            <li key={id || index}>
              <SettingInput
                catalog={catalog}
                field={field}
                name={id}
                value={value}
                problem={problems.map(({ message }) => inTitles(catalog, message)).join("; ")}
                onChange={(next) => onChange(values.with(index, next))}
              />
              {values.length > 2 && <RemoveButton label={`Remove ${id}`} onPress={() => onChange(values.filter((_, i) => i !== index))} />}
            </li>
          );
        })}
      </ol>
      <div className="actions">
        <Button kind="quiet" isDisabled={values.length >= shape.most.combinations} onPress={add}>
          <Plus size={14} aria-hidden="true" /> Add a {shape.words.combination}
        </Button>
      </div>
    </>
  );
}

/** The choices of a field that has few of them; null where values are typed. */
function choicesOf(catalog: Catalog, field: Field): readonly Setting[] | null {
  if (field.key === "algorithm") return catalog.algorithms.map(({ id }) => id);
  if (field.kind === "flag") return [false, true];
  return field.kind === "choice" ? (field.choices ?? []) : null;
}

export function ValueList({ catalog, field, values, onChange }: ValuesProps) {
  const choices = choicesOf(catalog, field);
  if (!choices)
    return (
      <TextInput
        label={
          <Explained text="Separated by commas or blanks; 3e-4 is read as a number too. Each value makes one combination.">
            Values of {field.title}
          </Explained>
        }
        value={values.join(", ")}
        onChange={(text) => onChange(text.split(/[\s,;]+/).flatMap((each) => (each === "" ? [] : readValue(field.kind, each))))}
      />
    );
  return (
    <fieldset className="sweep-choices grid">
      <legend className="field-label">Values of {field.title}</legend>
      {choices.map((value) => (
        <label key={String(value)} className="line">
          <input
            type="checkbox"
            checked={values.includes(value)}
            onChange={(event) => onChange(choices.filter((each) => (each === value ? event.target.checked : values.includes(each))))}
          />
          {settingText(catalog, field.key, value)}
        </label>
      ))}
    </fieldset>
  );
}
