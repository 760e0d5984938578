// The prediction: answered before anything is shown, then locked. One of several, a token, or a number.
import { type FormEvent, useId, useState } from "react";
import { Input, Label, Radio, RadioGroup, TextField } from "react-aria-components";
import type { Ask } from "./parts.ts";

interface PredictionFormProps {
  readonly ask: Ask;
  /** The locked answer, or null while it is open. */
  readonly locked: number | null;
  readonly onLock: (answer: number) => void;
  /** What the lock does beside locking, such as "and run". */
  readonly does: string;
}

/** A number as people type it, or null. */
export function readNumber(typed: string): number | null {
  const text = typed.trim().replace("−", "-").replace(",", ".");
  const isShare = text.endsWith("%");
  const value = Number(isShare ? text.slice(0, -1) : text);
  return text === "" || !Number.isFinite(value) ? null : isShare ? value / 100 : value;
}

export function PredictionForm({ ask, locked, onLock, does }: PredictionFormProps) {
  const name = useId();
  const [picked, setPicked] = useState<number | null>(locked);
  const [typed, setTyped] = useState(locked === null ? "" : String(locked));
  const answer = ask.kind === "number" ? readNumber(typed) : picked;
  const isInRange = ask.kind !== "number" || (answer !== null && answer >= ask.min && answer <= ask.max);
  const isLocked = locked !== null;
  const lock = (event: FormEvent) => {
    event.preventDefault();
    if (answer !== null && isInRange && !isLocked) onLock(answer);
  };
  return (
    <form className="prediction grid justify-items-start gap-2 w-full" onSubmit={lock}>
      {ask.kind === "number" ? (
        <TextField className="field prediction-number grid" value={typed} onChange={setTyped} isDisabled={isLocked}>
          <Label className="field-label">{ask.label}</Label>
          <Input className="input field-box flex items-center min-w-0 ink rounded" inputMode="text" autoComplete="off" />
        </TextField>
      ) : (
        <RadioGroup
          className={ask.kind === "token" ? "answers answers-tokens" : "answers"}
          aria-label="Your prediction"
          value={picked === null ? null : String(picked)}
          onChange={(value) => setPicked(Number(value))}
          isDisabled={isLocked}
        >
          {ask.options.map((option, i) => (
            <Radio key={option} className={ask.kind === "token" ? "answer answer-token mono" : "answer"} value={String(i)}>
              {ask.kind === "choice" && <span className="answer-mark" aria-hidden="true" />}
              {option}
            </Radio>
          ))}
        </RadioGroup>
      )}
      {!isLocked && (
        <>
          <LockButton isReady={answer !== null && isInRange} note={`${name}-note`}>
            {does}
          </LockButton>
          <p className="note" id={`${name}-note`}>
            {ask.kind === "number" && answer !== null && !isInRange
              ? `Between ${ask.min} and ${ask.max}.`
              : "A guess is enough. It cannot be changed afterwards."}
          </p>
        </>
      )}
    </form>
  );
}

function LockButton({ isReady, children, note }: { readonly isReady: boolean; readonly children: string; readonly note: string }) {
  return (
    <button type="submit" className="button button-primary" {...(isReady ? {} : { "aria-disabled": true })} aria-describedby={note}>
      {children}
    </button>
  );
}
