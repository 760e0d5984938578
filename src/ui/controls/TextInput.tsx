// A short text, taken over when the user leaves the field or presses Enter.
import { type ReactNode, useState } from "react";
import { FieldError, Group, Input, Label, TextField } from "react-aria-components";

interface TextInputProps {
  readonly label: ReactNode;
  readonly value: string;
  readonly problem?: string | undefined;
  readonly onChange: (value: string) => void;
}

export function TextInput({ label, value, problem, onChange }: TextInputProps) {
  const [typed, setTyped] = useState<string | null>(null);
  const commit = () => {
    if (typed !== null && typed !== value) onChange(typed);
    setTyped(null);
  };
  return (
    <TextField
      className="field"
      value={typed ?? value}
      onChange={setTyped}
      onBlur={commit}
      data-typing={typed !== null || undefined}
      isInvalid={problem !== undefined}
    >
      <Label className="field-label">{label}</Label>
      <Group className="field-box">
        <Input className="input" onKeyDown={(event) => event.key === "Enter" && commit()} />
      </Group>
      {problem && <FieldError className="field-error">{problem}</FieldError>}
    </TextField>
  );
}
