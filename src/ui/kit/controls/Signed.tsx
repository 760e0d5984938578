// A number with a direction, as text with its glyph and as a bar from the middle: up to the right in blue,
// down to the left in vermillion.

import { Check, X } from "lucide-react";
import { signedMeasureText } from "../../../protocol/quantities.ts";

interface SignedProps {
  /** Null where nobody said it, which is drawn as a dash. */
  readonly value: number | null;
  /** How it is written, as a measure where left out. */
  readonly show?: (value: number) => string;
}

export function Signed({ value, show = signedMeasureText }: SignedProps) {
  if (value === null) return <span className="signed">–</span>;
  if (value === 0) return <span className="signed">0</span>;
  return (
    <span className={`signed ${value > 0 ? "push-up" : "push-down"}`}>
      <span aria-hidden="true">{value > 0 ? "▲" : "▼"}</span> {show(value)}
    </span>
  );
}

/** @param value null leaves the bar empty. @param most the size that fills half the bar, > 0. */
export function SignedBar({ value: known, most }: { readonly value: number | null; readonly most: number }) {
  const value = known ?? 0;
  const share = Math.min(1, Math.abs(value) / most) * 50;
  return (
    <span className="bar bar-signed block relative" aria-hidden="true">
      <span
        className={value >= 0 ? "fill-up" : "fill-down"}
        style={{ insetInlineStart: value >= 0 ? "50%" : `${50 - share}%`, inlineSize: `${share}%` }}
      />
    </span>
  );
}

interface RightMarkProps {
  readonly isRight: boolean;
  readonly className?: string;
}

/** Right or wrong, as a glyph and a word: blue and orange belong to advantages alone. */
export function RightMark({ isRight, className = "" }: RightMarkProps) {
  const Glyph = isRight ? Check : X;
  return (
    <span className={`right-mark ${className}`}>
      <Glyph size={16} aria-hidden />
      {isRight ? "right" : "wrong"}
    </span>
  );
}
