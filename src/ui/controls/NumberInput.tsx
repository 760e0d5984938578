// A number with its name, unit and problem. Arbitrary precision while typing ("3e-4" included), so
// the field is text underneath and the value is taken over when the user leaves it or presses Enter.
import { type ReactNode, useState } from "react";
import { FieldError, Group, Input, Label, TextField } from "react-aria-components";

interface NumberInputProps {
  readonly label: ReactNode;
  readonly name: string;
  readonly value: number;
  readonly unit?: string | undefined;
  readonly problem?: string | undefined;
  readonly onChange: (value: number) => void;
}

/** A number as it is typed and read: 0.001 stays, 1e-8 stays short. */
export function numberText(value: number): string {
  return Number.isFinite(value) ? String(value) : "";
}

export function NumberInput({ label, name, value, unit, problem, onChange }: NumberInputProps) {
  // Null shows the value; text is what is being typed.
  const [typed, setTyped] = useState<string | null>(null);
  const unreadable = typed !== null && (typed.trim() === "" || !Number.isFinite(Number(typed)));
  const commit = () => {
    if (typed === null) return;
    if (!unreadable && Number(typed) !== value) onChange(Number(typed));
    setTyped(null);
  };
  const message = unreadable ? `${name} must be a number, got ${JSON.stringify(typed)}` : problem;
  return (
    <TextField
      className="field field-number"
      value={typed ?? numberText(value)}
      onChange={setTyped}
      onBlur={commit}
      data-typing={typed !== null || undefined}
      isInvalid={message !== undefined}
    >
      <Label className="field-label">{label}</Label>
      <Group className="field-box">
        <Input
          className="input"
          inputMode="decimal"
          autoComplete="off"
          onKeyDown={(event) => {
            if (event.key === "Enter") commit();
            if (event.key === "Escape") setTyped(null);
          }}
        />
        {unit && <span className="field-unit">{unit}</span>}
      </Group>
      {message && <FieldError className="field-error">{message}</FieldError>}
    </TextField>
  );
}
