// How a run is doing, in the word of the engine's stated tests: what the word means and the numbers that
// decided come on hover and focus. Words and glyph; a colour only where it goes down, the vermillion of that.
import { Focusable, Tooltip, TooltipTrigger } from "react-aria-components";
import { VERDICTS, type VerdictResult, type Verdict as VerdictWord } from "../../../rl/verdict.ts";
import "./verdict.css";

/** A sign for each word. */
export const VERDICT_GLYPHS: Readonly<Record<VerdictWord, string>> = {
  "no evidence yet": "○",
  "no clear change": "=",
  improving: "↗",
  solved: "●",
  plateau: "→",
  unstable: "↕",
  falling: "▼",
};

export function Verdict({ result: { verdict, sentence } }: { readonly result: VerdictResult }) {
  return (
    <TooltipTrigger delay={200}>
      <Focusable>
        <span
          className="verdict semibold"
          data-worse={verdict === "falling" || undefined}
          role="note"
          aria-label={`Verdict: ${verdict}. ${VERDICTS[verdict]} ${sentence}`}
        >
          <span aria-hidden="true">{VERDICT_GLYPHS[verdict]}</span> {verdict}
        </span>
      </Focusable>
      <Tooltip className="tooltip" placement="bottom start" offset={6}>
        <b>{verdict}</b>: {VERDICTS[verdict]} {sentence}
      </Tooltip>
    </TooltipTrigger>
  );
}
