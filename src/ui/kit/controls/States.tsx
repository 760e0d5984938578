// What is under way and what went wrong, drawn alike wherever work is waited for.
import { ProgressBar } from "react-aria-components";

interface ProblemProps {
  /** In a sentence; nothing is drawn without one. */
  readonly text: string | null | undefined;
  /** Whether it stands below a field, whose width it takes. */
  readonly isOfField?: boolean;
}

/** What went wrong; it is read out as it comes. */
export function Problem({ text, isOfField = false }: ProblemProps) {
  if (!text) return null;
  return (
    <p className={isOfField ? "field-error" : "save-problem"} role="alert">
      {text}
    </p>
  );
}

interface ProgressLineProps {
  readonly label: string;
  /** How much is done, in [0, 100]; null where nobody knows. */
  readonly percent: number | null;
}

/** A bar that fills. */
export function ProgressLine({ label, percent }: ProgressLineProps) {
  return (
    <ProgressBar aria-label={label} className="progress" {...(percent === null ? { isIndeterminate: true } : { value: percent })}>
      <span className="progress-fill" style={{ inlineSize: `${percent ?? 30}%` }} data-waiting={percent === null || undefined} />
    </ProgressBar>
  );
}
