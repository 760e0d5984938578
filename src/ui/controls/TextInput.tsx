// A text, taken over when the user leaves the field or presses Enter (Ctrl or Cmd with it where it has several lines);
// Escape gives up what was typed.
// What cannot be taken over stays, with the reason, until it is mended or given up.
import { type KeyboardEvent, type ReactNode, useState } from "react";
import { FieldError, Group, Input, Label, TextArea, TextField } from "react-aria-components";
import { showValue } from "../../protocol/problems.ts";

interface TextInputProps {
  readonly label: ReactNode;
  readonly value: string;
  readonly unit?: string | undefined;
  readonly problem?: string | undefined;
  readonly inputMode?: "text" | "decimal";
  /** Whether it has several lines. */
  readonly hasLines?: boolean;
  /** Why a text cannot be taken over, if it cannot. */
  readonly refusal?: (typed: string) => string | undefined;
  readonly onChange: (value: string) => void;
}

export function TextInput({ label, value, unit, problem, inputMode = "text", hasLines = false, refusal, onChange }: TextInputProps) {
  // Null shows the value; text is what is being typed.
  const [typed, setTyped] = useState<string | null>(null);
  const refused = typed === null ? undefined : refusal?.(typed);
  const commit = () => {
    if (refused) return;
    if (typed !== null && typed !== value) onChange(typed);
    setTyped(null);
  };
  const message = refused ?? problem;
  const typing = {
    className: hasLines ? "input input-lines" : "input",
    autoComplete: "off",
    onKeyDown: (event: KeyboardEvent) => {
      if (event.key === "Enter" && (!hasLines || event.ctrlKey || event.metaKey)) commit();
      if (event.key === "Escape") setTyped(null);
    },
  };
  return (
    <TextField
      className="field"
      value={typed ?? value}
      onChange={setTyped}
      onBlur={commit}
      data-typing={typed !== null || undefined}
      isInvalid={message !== undefined}
    >
      <Label className="field-label">{label}</Label>
      <Group className="field-box">
        {hasLines ? <TextArea {...typing} rows={4} /> : <Input {...typing} inputMode={inputMode} />}
        {unit && <span className="fine-print">{unit}</span>}
      </Group>
      {message && <FieldError className="field-error">{message}</FieldError>}
    </TextField>
  );
}

interface NumberInputProps extends Pick<TextInputProps, "label" | "unit" | "problem"> {
  readonly name: string;
  readonly value: number;
  readonly onChange: (value: number) => void;
}

/** A number, typed with as many digits as wanted ("3e-4" included); NaN shows as nothing. */
export function NumberInput({ name, value, onChange, ...rest }: NumberInputProps) {
  return (
    <TextInput
      {...rest}
      value={Number.isFinite(value) ? String(value) : ""}
      inputMode="decimal"
      refusal={(typed) =>
        typed.trim() === "" || !Number.isFinite(Number(typed)) ? `${name} must be a number, got ${showValue(typed)}` : undefined
      }
      onChange={(typed) => Number(typed) !== value && onChange(Number(typed))}
    />
  );
}
