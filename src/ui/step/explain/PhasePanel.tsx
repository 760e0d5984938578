// One phase of the update: its question, its formula with letters and with the token's numbers, and the
// answer in words. Numbers are marked together with the places on screen where they stand.
import { ChevronLeft, ChevronRight } from "lucide-react";
import type { StepGroups } from "../../../protocol/messages.ts";
import type { ExplainedPhase } from "../../engine/store/selection.ts";
import { Button } from "../../kit/controls/Button.tsx";
import { Formula } from "../../kit/formula/Formula.tsx";
import { advantageFormula } from "./formulas/advantageFormula.ts";
import { lossFormula } from "./formulas/lossFormula.ts";
import type { FilledFormula } from "./formulas/tex.ts";
import { afterFormula, gradientFormula, ratioFormula, rewardFormula, sampledFormula } from "./formulas/tokenFormulas.ts";
import type { Forward } from "./forward.ts";
import { offersAgain, WhatMoved } from "./moved/WhatMoved.tsx";
import { Settings } from "./Settings.tsx";
import { EXPLAINED, phaseEntry } from "./story/phases.ts";
import { phaseReason } from "./story/reasons.ts";
import { isReached, type TokenStory } from "./story/story.ts";

/** The formula of a phase; null where it has none, or its numbers are not known. */
export function phaseFormula(id: ExplainedPhase, token: TokenStory): FilledFormula | null {
  const { update } = token;
  switch (id) {
    case "prompt":
      return null;
    case "group":
      return sampledFormula(token);
    case "reward":
      return rewardFormula(token);
    case "advantage":
      return advantageFormula(token);
    case "ratio":
      return update && ratioFormula(token, update);
    case "loss":
      return update && lossFormula(token, update);
    case "gradient":
      return update && gradientFormula(token, update);
    case "after":
      return afterFormula(token);
  }
}

function Typeset({ formula }: { readonly formula: FilledFormula }) {
  const { tex, numbers, spoken, symbols } = formula;
  return (
    <div className="explain-formula large sunken">
      <Formula tex={tex} spoken={spoken} symbols={symbols} isBlock />
      <p className="explain-formula-with aside">with the numbers of this token</p>
      <Formula tex={numbers} spoken={spoken} symbols={symbols} isBlock />
    </div>
  );
}

function Messages({ token }: { readonly token: TokenStory }) {
  const { group } = token;
  return (
    <ol className="explain-messages stack">
      {group.messages.map(({ role, content }, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a message is its place in the conversation
        <li key={place}>
          <span className="aside">{role}</span>
          <p className="turn-text wrap-anywhere keeps-lines">{content}</p>
        </li>
      ))}
      <li>
        <span className="aside">expected</span>
        <p className="mono">{group.answer || "any answer that earns"}</p>
      </li>
    </ol>
  );
}

function notYet({ step, phase, opened }: StepGroups): string {
  const place = opened ? `stands in its update at “${opened.part}”` : `has been through “${phase}”`;
  return `Step ${step} ${place} and has not reached this phase. Press Next to continue it.`;
}

interface PhasePanelProps {
  readonly id: ExplainedPhase;
  readonly token: TokenStory;
  readonly onShow: (id: ExplainedPhase) => void;
  readonly forward: Forward;
}

export function PhasePanel({ id, token, onShow, forward }: PhasePanelProps) {
  const phase = phaseEntry(id);
  const index = EXPLAINED.findIndex((each) => each.id === id);
  const before = EXPLAINED[index - 1];
  const isThere = isReached(token.story.step, phase);
  const formula = isThere ? phaseFormula(id, token) : null;
  return (
    <section className="explain-panel stack content-start" aria-labelledby="explain-phase-title">
      <p className="explain-kicker aside">
        {index + 1} of {EXPLAINED.length} · {phase.title}
      </p>
      <h2 id="explain-phase-title" className="title" aria-live="polite">
        {phase.asks}
      </h2>
      {id === "prompt" && <Messages token={token} />}
      {formula && <Typeset formula={formula} />}
      <p className="explain-reason">{isThere ? phaseReason(id, token) : notYet(token.story.step)}</p>
      {isThere && offersAgain(id, token) && <WhatMoved token={token} />}
      {isThere && <Settings id={id} config={token.story.config} />}
      <div className="explain-steps line gap-1">
        <Button isResting={!before} onPress={() => before && onShow(before.id)}>
          <ChevronLeft size={16} aria-hidden="true" /> {before?.title ?? "Back"}
        </Button>
        <Button kind="primary" isResting={forward.isResting} onPress={forward.go}>
          Next: {forward.title} <ChevronRight size={16} aria-hidden="true" />
        </Button>
        <span className="fine-print">keys ← →</span>
      </div>
    </section>
  );
}
