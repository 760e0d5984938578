// The Explain screen: one token of a kept step, taken from its prompt to its new probability, one phase at a
// time. It holds the step it was opened with, so that nothing changes under the reader while the run goes on.
import { useDeferredValue, useEffect, useMemo } from "react";
import type { StepGroups } from "../../../protocol/messages.ts";
import { useSelectionAddress } from "../../engine/address/addressSync.ts";
import type { Place } from "../../engine/route.ts";
import { useVersion } from "../../engine/store/metricSeries.ts";
import type { ExplainedPhase } from "../../engine/store/selection.ts";
import { useRun, useRunView, useSelect, useSelection, useTraced } from "../../engine/store/useRunView.ts";
import { SymbolScope } from "../../kit/formula/symbolScope.tsx";
import { StepNotHere } from "../again/StepNotHere.tsx";
import { AgainNote, BareNote, KeptNote } from "../again/TakeAgain.tsx";
import { NothingYet, RecordNote } from "../rollouts/NothingYet.tsx";
import { type Forward, useForward } from "./forward.ts";
import { GroupSection } from "./group/GroupSection.tsx";
import { offersAgain } from "./moved/WhatMoved.tsx";
import { PhasePanel } from "./PhasePanel.tsx";
import { PhaseRail } from "./PhaseRail.tsx";
import { EXPLAINED } from "./story/phases.ts";
import { pushSentence } from "./story/reasons.ts";
import { stepStory, type TokenStory, tokenStory } from "./story/story.ts";
import { tellingPlace } from "./story/telling.ts";
import { TracedStep } from "./TracedStep.tsx";
import { AnswerTurns } from "./token/AnswerTurns.tsx";
import { ExplainedToken } from "./token/ExplainedToken.tsx";
import { UpdateStand } from "./UpdateStand.tsx";
import { useWholeStep } from "./useWholeStep.ts";
import { WhereBar } from "./WhereBar.tsx";
import "./explain.css";
import "./explainParts.css";

const PURPOSE =
  "Every step of a run ends with an update that makes some tokens more likely and others less likely. Here you follow one sampled token from its prompt to its new probability, with the step's own numbers in every formula.";

export function ExplainScreen() {
  const view = useRunView();
  useVersion(view.groups);
  useSelectionAddress("explain");
  const isSupervised = useRun((run) => run.config?.kind === "supervised");
  const chosen = useSelection((selection) => selection.step);
  const isTraced = useTraced() !== null;
  const { step: whole, problem } = useWholeStep();
  // A step of long answers takes a while to draw: in slices, not in the task that brings it.
  const step = useDeferredValue(whole);
  const { latestStep, oldestStep } = view.groups;
  if (chosen !== null && view.groups.isRecord(chosen)) return <RecordNote />;
  const isHere = chosen !== null && (view.groups.isHere(chosen) || view.groups.isKept(chosen));
  if ((latestStep === null && !isHere) || isSupervised) return <NothingYet title="Explain this update" purpose={PURPOSE} />;
  if (step && isTraced) return <TracedStep step={step} oldest={oldestStep} latest={latestStep ?? step.step} />;
  if (step) return <ExplainedStep step={step} oldest={oldestStep} latest={latestStep ?? step.step} />;
  if (chosen !== null && (!isHere || problem !== null)) return <StepNotHere step={chosen} />;
  return (
    <p className="screen-wait" role="status">
      {problem ?? `Asking the engine for step ${chosen ?? latestStep} …`}
    </p>
  );
}

const TAKES_ARROWS = "input, textarea, select, [contenteditable], [role=listbox], [role=slider], [role=dialog], .explain-formula";

/** Arrow keys go back and forward, unless what has the focus uses them. */
function useArrows(shown: ExplainedPhase, onShow: (id: ExplainedPhase) => void, forward: Forward): void {
  useEffect(() => {
    const move = (event: KeyboardEvent) => {
      const by = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
      const isTaken = event.target instanceof Element && event.target.closest(TAKES_ARROWS) !== null;
      if (by === 0 || isTaken || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || event.defaultPrevented) return;
      const before = EXPLAINED[EXPLAINED.findIndex(({ id }) => id === shown) - 1];
      if (by > 0 ? forward.isResting : !before) return;
      event.preventDefault();
      if (by > 0) forward.go();
      else if (before) onShow(before.id);
    };
    window.addEventListener("keydown", move);
    return () => window.removeEventListener("keydown", move);
  }, [shown, onShow, forward]);
}

interface ExplainedStepProps {
  readonly step: StepGroups;
  readonly oldest: number;
  readonly latest: number;
}

export function ExplainedStep({ step, oldest, latest }: ExplainedStepProps) {
  const select = useSelect();
  const selection = useSelection((all) => all);
  const story = useMemo(() => stepStory(step), [step]);
  const group = step.groups[Math.min(selection.promptIndex, step.groups.length - 1)]!;
  const member = Math.min(selection.trajectoryIndex, group.trajectories.length - 1);
  const telling = useMemo(
    () => tellingPlace(step, { promptIndex: group.promptIndex, trajectoryIndex: member }).tokenIndex,
    [step, group.promptIndex, member],
  );
  const length = group.trajectories[member]?.tokens.length ?? 0;
  const token = useMemo(
    () => tokenStory(story, group.promptIndex, member, Math.min(selection.tokenIndex ?? telling, length - 1)),
    [story, group.promptIndex, member, selection.tokenIndex, telling, length],
  );
  useChosenPlace(step, { promptIndex: group.promptIndex, trajectoryIndex: member, tokenIndex: token?.facts.index ?? null });
  const onShow = useMemo(() => (explained: ExplainedPhase) => select({ explained }), [select]);
  const forward = useForward(step, latest, selection.explained);
  useArrows(selection.explained, onShow, forward);
  if (group.trajectories[member]?.isBare)
    return (
      <div className="explain stack content-start gap-2 min-w-0">
        <WhereBar step={step} oldest={oldest} latest={latest} group={group} member={member} />
        <BareNote step={step.step} />
      </div>
    );
  if (!token) return <p className="screen-wait">This answer has no tokens.</p>;
  return (
    <SymbolScope>
      <div className="explain stack content-start gap-2 min-w-0">
        <WhereBar step={step} oldest={oldest} latest={latest} group={group} member={member} />
        <Head token={token} mostAdvantage={Math.max(0, ...step.summaries.map(({ largestAdvantage }) => largestAdvantage))} />
        <UpdateStand step={step} latest={latest} />
        <AgainNote step={step.step} />
        <KeptNote step={step.step} isOffered={offersAgain(selection.explained, token)} />
        <PhaseRail step={step} shown={selection.explained} onShow={onShow} />
        <div className="explain-columns stack items-start">
          <PhasePanel id={selection.explained} token={token} onShow={onShow} forward={forward} />
          <ExplainedToken token={token} />
          <GroupSection token={token} />
        </div>
      </div>
    </SymbolScope>
  );
}

/** What the page chose by itself of a step whose update is over is written into the address, so that a link or a reload shows the same. */
function useChosenPlace(
  { step, phase, opened }: StepGroups,
  { promptIndex, trajectoryIndex, tokenIndex }: Omit<Place<"rollouts">, "step">,
): void {
  const select = useSelect();
  const selection = useSelection((all) => all);
  const isOver = !opened && (phase === "update" || phase === "evaluate");
  // Where another step is wanted by now, this one is about to go.
  const isWanted = selection.step === step;
  const isSaid =
    selection.promptIndex === promptIndex && selection.trajectoryIndex === trajectoryIndex && selection.tokenIndex === tokenIndex;
  useEffect(() => {
    if (isOver && isWanted && !isSaid && tokenIndex !== null) select({ step, promptIndex, trajectoryIndex, tokenIndex });
  }, [isOver, isWanted, isSaid, select, step, promptIndex, trajectoryIndex, tokenIndex]);
}

/** The question, the answer under study, and the reply in one sentence. */
function Head({ token, mostAdvantage }: { readonly token: TokenStory; readonly mostAdvantage: number }) {
  const { group } = token;
  const prompt = group.messages.findLast(({ role }) => role === "user")?.content ?? group.exampleId;
  return (
    <header className="explain-head grid">
      <p className="explain-kicker aside">{prompt}</p>
      <h1>Why did this token move?</h1>
      <AnswerTurns token={token} mostAdvantage={mostAdvantage} />
      <p className="explain-reply large" aria-live="polite">
        {pushSentence(token)}
      </p>
    </header>
  );
}
