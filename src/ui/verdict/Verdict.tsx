// Whether a run is learning, as the engine's stated tests judge it; the test and its outcome on hover
// and focus. Words and glyph; a colour only for a fall, the vermillion of what goes down.
import { memo } from "react";
import { Focusable, Tooltip, TooltipTrigger } from "react-aria-components";
import { judgeLearning, type Verdict as VerdictWord } from "../../rl/verdict.ts";
import "./verdict.css";

const GLYPHS: Readonly<Record<VerdictWord, string>> = {
  "no evidence of learning yet": "○",
  improving: "↗",
  plateau: "→",
  "worse than at the start": "▼",
};

/** @param rewards mean reward of each step, in order; NaN where a step has none. */
export const Verdict = memo(function Verdict({ rewards }: { readonly rewards: ArrayLike<number> }) {
  const { verdict, reason } = judgeLearning(Array.from(rewards));
  const text = `${reason.slice(0, 1).toUpperCase()}${reason.slice(1)}.`;
  return (
    <TooltipTrigger delay={200}>
      <Focusable>
        <span
          className="verdict"
          data-worse={verdict === "worse than at the start" || undefined}
          role="note"
          aria-label={`Verdict: ${verdict}. ${text}`}
        >
          <span aria-hidden="true">{GLYPHS[verdict]}</span> {verdict}
        </span>
      </Focusable>
      <Tooltip className="tooltip" placement="bottom start" offset={6}>
        {text}
      </Tooltip>
    </TooltipTrigger>
  );
});
