// Right or wrong, as a glyph and a word: blue and orange belong to advantages alone.
import { Check, X } from "lucide-react";

interface RightMarkProps {
  readonly isRight: boolean;
  readonly className?: string;
}

export function RightMark({ isRight, className = "" }: RightMarkProps) {
  const Glyph = isRight ? Check : X;
  return (
    <span className={`right-mark ${className}`}>
      <Glyph size={16} aria-hidden />
      {isRight ? "right" : "wrong"}
    </span>
  );
}
