// A short text, taken over when the user leaves the field or presses Enter; Escape gives up what was typed.
// What cannot be taken over stays, with the reason, until it is mended or given up.
import { type ReactNode, useState } from "react";
import { FieldError, Group, Input, Label, TextField } from "react-aria-components";
import { showValue } from "../../protocol/problems.ts";

interface TextInputProps {
  readonly label: ReactNode;
  readonly value: string;
  readonly unit?: string | undefined;
  readonly problem?: string | undefined;
  readonly inputMode?: "text" | "decimal";
  /** Why a text cannot be taken over, if it cannot. */
  readonly refusal?: (typed: string) => string | undefined;
  readonly onChange: (value: string) => void;
}

export function TextInput({ label, value, unit, problem, inputMode = "text", refusal, onChange }: TextInputProps) {
  // Null shows the value; text is what is being typed.
  const [typed, setTyped] = useState<string | null>(null);
  const refused = typed === null ? undefined : refusal?.(typed);
  const commit = () => {
    if (refused) return;
    if (typed !== null && typed !== value) onChange(typed);
    setTyped(null);
  };
  const message = refused ?? problem;
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
        <Input
          className="input"
          inputMode={inputMode}
          autoComplete="off"
          onKeyDown={(event) => {
            if (event.key === "Enter") commit();
            if (event.key === "Escape") setTyped(null);
          }}
        />
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
