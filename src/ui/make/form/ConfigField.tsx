// One field of the configuration as the catalog describes it. A panel holds about sixty, so a field
// draws again only when something of its own changes.
import { memo } from "react";
import { choiceTitle, type Field } from "../../../protocol/config/fields.ts";
import type { RunConfigKey } from "../../../protocol/config.ts";
import { edit, editEntry } from "../../engine/actions.ts";
import { openDialog } from "../../engine/dialogStore.ts";
import { Button } from "../../kit/controls/Button.tsx";
import { Choice } from "../../kit/controls/Choice.tsx";
import { useIsDrawn } from "../../kit/controls/Fold.tsx";
import { Hint } from "../../kit/controls/Hint.tsx";
import { Toggle } from "../../kit/controls/Slider.tsx";
import { NumberInput, TextInput } from "../../kit/controls/TextInput.tsx";
import { FaultBoundary } from "../../kit/faults/FaultBoundary.tsx";
import { lazyPart } from "../../kit/lazyPart.tsx";

const ServerNote = lazyPart(() => import("../server/ServerNote.tsx"), "ServerNote");

/** Where a field's value lives in the configuration: at its top, or in one of its records. */
type Home = "config" | "taskOptions" | "rewardWeights";

interface FieldProps {
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

export interface ConfigFieldProps extends FieldProps {
  readonly home: Home;
}

export interface FieldInputProps extends FieldProps {
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

/** A field of the draft. */
export const ConfigField = memo(function ConfigField({ home, ...props }: ConfigFieldProps) {
  const { key, title } = props.field;
  const name = home === "config" ? key : `${home}.${key}`;
  const change = (next: number | string | boolean) => (home === "config" ? edit(key as RunConfigKey, next) : editEntry(home, key, next));
  return (
    <div data-field={name}>
      {useIsDrawn() ? <FieldInput {...props} keepAs={`setting/${name}`} onChange={change} /> : title}
      {home === "config" && key === "backend" && props.value === "tinker" && (
        <FaultBoundary part="The server" isBrief>
          <ServerNote />
        </FaultBoundary>
      )}
      {home === "config" && key === "checkpoint" && <Button onPress={() => openDialog("models")}>Choose a model</Button>}
    </div>
  );
});

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
