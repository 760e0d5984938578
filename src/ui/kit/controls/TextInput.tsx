// A text, taken over when the user leaves the field or its screen, or presses Enter (Ctrl or Cmd with it where it has several lines);
// Escape gives up what was typed, and undo brings it back.
// What cannot be taken over stays, with the reason, until it is mended or given up. A field with a name to keep it
// under has it again after a reload.
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from "react";
import { FieldError, Group, Input, Label, TextArea, TextField } from "react-aria-components";
import { showValue } from "../../../protocol/problems.ts";
import { keepTyping, typingIn } from "../typing.ts";

interface TextInputProps {
  readonly label: ReactNode;
  readonly value: string;
  readonly unit?: string | undefined;
  readonly problem?: string | undefined;
  readonly inputMode?: "text" | "decimal";
  /** Whether it has several lines. */
  readonly hasLines?: boolean;
  /** Name of the field for what is being typed into it: no other field has it, whatever it is about. */
  readonly keepAs?: string | undefined;
  /** Why a text cannot be taken over, if it cannot. */
  readonly refusal?: (typed: string) => string | undefined;
  readonly onChange: (value: string) => void;
}

/** What is being typed, null where the value shows; and what is done with it. */
function useTyping({ value, keepAs, refusal, onChange }: Pick<TextInputProps, "value" | "keepAs" | "refusal" | "onChange">) {
  const [typed, setTyped] = useState(() => typingIn(keepAs, value));
  /** The same at once, for whatever happens before the next drawing. */
  const now = useRef(typed);
  const givenUp = useRef<string | null>(null);
  const refused = typed === null ? undefined : refusal?.(typed);
  const type = (text: string | null) => {
    now.current = text;
    setTyped(text);
    keepTyping(keepAs, text, value);
  };
  const commit = () => {
    const text = now.current;
    if (text === null || refusal?.(text)) return;
    type(null);
    if (text !== value) onChange(text);
  };
  const giveUp = () => {
    givenUp.current = now.current ?? givenUp.current;
    type(null);
  };
  /** Whether something was there to be brought back. */
  const bringBack = () => {
    if (now.current !== null || givenUp.current === null) return false;
    type(givenUp.current);
    return true;
  };
  const leave = useRef(commit);
  leave.current = commit;
  // What was typed before a reload is taken over as if the field had been left then, and so is what stands in a field that goes.
  useEffect(() => {
    leave.current();
    return () => leave.current();
  }, []);
  return { typed, refused, type, commit, giveUp, bringBack };
}

export function TextInput({ label, unit, problem, inputMode = "text", hasLines = false, ...rest }: TextInputProps) {
  const { typed, refused, type, commit, giveUp, bringBack } = useTyping(rest);
  const message = refused ?? problem;
  const typing = {
    className: hasLines ? "input input-lines" : "input",
    autoComplete: "off",
    onKeyDown: (event: KeyboardEvent) => {
      if (event.key === "Enter" && (!hasLines || event.ctrlKey || event.metaKey)) commit();
      if (event.key === "Escape") giveUp();
      if (event.key === "z" && (event.ctrlKey || event.metaKey) && bringBack()) event.preventDefault();
    },
  };
  return (
    <TextField
      className="field"
      value={typed ?? rest.value}
      onChange={type}
      onBlur={commit}
      data-typing={typed !== null || undefined}
      isInvalid={message !== undefined}
    >
      <Label className="field-label">{label}</Label>
      <Group className="field-box flex items-center min-w-0 ink rounded">
        {hasLines ? <TextArea {...typing} rows={4} /> : <Input {...typing} inputMode={inputMode} />}
        {unit && <span className="fine-print">{unit}</span>}
      </Group>
      {message && <FieldError className="field-error">{message}</FieldError>}
    </TextField>
  );
}

interface NumberInputProps extends Pick<TextInputProps, "label" | "unit" | "problem" | "keepAs"> {
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
