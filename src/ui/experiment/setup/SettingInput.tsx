// The inputs of the varied setting: which field it is, and one configuration's value of it.
import { useMemo } from "react";
import type { Catalog } from "../../../protocol/catalog.ts";
import { FIELD_GROUPS } from "../../../protocol/config/field.ts";
import type { Field } from "../../../protocol/config/fields.ts";
import type { RunConfigKey } from "../../../protocol/config.ts";
import type { Setting } from "../../../protocol/run/experimentPlan.ts";
import { Choice, type ChoiceOption } from "../../kit/controls/Choice.tsx";
import { FieldInput } from "../../kit/form/FieldInput.tsx";

interface VariedFieldProps {
  readonly label: string;
  readonly value: RunConfigKey;
  readonly fields: readonly Field[];
  readonly onChange: (key: RunConfigKey) => void;
}

/** What most comparisons are about first, then all others under the headings of the form. */
export function variedOptions(fields: readonly Field[]): readonly ChoiceOption[] {
  const option = ({ key, title }: Field) => ({ id: key, title });
  return [
    ...fields.filter(({ compared }) => compared).map(option),
    ...fields.filter(({ compared }) => !compared).map((field) => ({ ...option(field), group: FIELD_GROUPS[field.group].title })),
  ];
}

export function VariedField({ label, value, fields, onChange }: VariedFieldProps) {
  const options = useMemo(() => variedOptions(fields), [fields]);
  return <Choice label={label} value={value} options={options} onChange={(id) => onChange(id as RunConfigKey)} />;
}

interface SettingInputProps {
  readonly catalog: Catalog;
  readonly field: Field;
  /** Put before the field's title. */
  readonly name: string;
  readonly value: Setting;
  readonly problem?: string | undefined;
  readonly onChange: (value: Setting) => void;
}

export function SettingInput({ catalog, field, name, value, problem, onChange }: SettingInputProps) {
  const title = name ? `${name}: ${field.title}` : field.title;
  if (field.key === "algorithm")
    return <Choice label={title} value={String(value)} options={catalog.algorithms} onChange={onChange} problem={problem || undefined} />;
  return <FieldInput field={{ ...field, title, live: false }} value={value} onChange={onChange} problem={problem || undefined} />;
}
