// The input of one racer's value of the varied setting.
import type { Catalog } from "../../protocol/catalog.ts";
import type { Field } from "../../protocol/fields.ts";
import { Choice } from "../controls/Choice.tsx";
import { FieldInput } from "../train/ConfigField.tsx";
import type { Setting } from "./racePlan.ts";

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
