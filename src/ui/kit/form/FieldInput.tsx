// The control of one setting as its schema describes it, whatever its value belongs to.
import { choiceTitle, type Field } from "../../../protocol/config/fields.ts";
import { Choice } from "../controls/Choice.tsx";
import { Hint } from "../controls/Hint.tsx";
import { Toggle } from "../controls/Slider.tsx";
import { NumberInput, TextInput } from "../controls/TextInput.tsx";

export interface FieldProps {
  readonly field: Field;
  readonly value: unknown;
  readonly problem?: string | undefined;
  /** Why the field changes nothing in this combination. */
  readonly inert?: string | undefined;
  /** Differs from what the run was started with. */
  readonly waits?: boolean;
  /** Differs from the preset. */
  readonly edited?: boolean;
}

interface FieldInputProps extends FieldProps {
  readonly keepAs?: string;
  readonly onChange: (value: number | string | boolean) => void;
}

function rangeText({ min, max }: Field): string {
  return min === undefined || max === undefined ? "" : ` From ${min} to ${max}.`;
}

function FieldName({ field, inert, waits, edited }: FieldProps) {
  const when = waits ? " Applies on restart." : field.live ? " Applies at once." : "";
  const text = `${field.help}${rangeText(field)}${when}${inert ? ` No effect now: ${inert}.` : ""}`;
  // What waits for a restart does not apply at once, whatever the field could do in a run of its own kind.
  const mark = waits ? "on restart" : field.live ? "live" : null;
  return (
    <Hint text={text}>
      <span className="name" data-edited={edited || undefined}>
        {field.title}
      </span>
      {mark && (
        <>
          {" "}
          <span className={waits ? "mark" : "mark mark-live"}>{mark}</span>
        </>
      )}
    </Hint>
  );
}

/** A field with its control, whose value belongs to whoever shows it. */
export function FieldInput({ onChange, keepAs, ...props }: FieldInputProps) {
  const { field, value, problem } = props;
  const label = <FieldName {...props} />;
  if (field.kind === "flag")
    return (
      <Toggle isSelected={value === true} onChange={onChange}>
        {label}
      </Toggle>
    );
  if (field.kind === "choice") {
    const options = (field.choices ?? []).map((id) => ({ id, title: choiceTitle(field, id) }));
    return <Choice label={label} value={String(value)} options={options} problem={problem} onChange={onChange} />;
  }
  if (field.kind === "text")
    return (
      <TextInput
        label={label}
        value={String(value)}
        problem={problem}
        hasLines={field.lines === true}
        keepAs={keepAs}
        onChange={onChange}
      />
    );
  return (
    <NumberInput
      label={label}
      name={field.title}
      keepAs={keepAs}
      value={typeof value === "number" ? value : Number.NaN}
      unit={field.unit}
      problem={problem}
      onChange={onChange}
    />
  );
}
