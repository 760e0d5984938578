// The group the policy is learning from right now, or the one that is held: one prompt, its completions, and for each what the
// chosen phase did to it.

import { memo } from "react";
import type { Phase } from "../../../protocol/messages.ts";
import { counted } from "../../../protocol/quantities.ts";
import { inspect } from "../../engine/actions.ts";
import { hashOf } from "../../engine/route.ts";
import { useRun, useRunView, useSelect, useSelection, useTraced } from "../../engine/store/useRunView.ts";
import { Stepper } from "../../kit/controls/Button.tsx";
import { Toggle } from "../../kit/controls/Slider.tsx";
import { againstSentence } from "../../kit/words/against.ts";
import { groupSum } from "../../kit/words/arithmetic.ts";
import { phaseDoes } from "../../kit/words/method.ts";
import { movedAnywaySentence } from "../../kit/words/movedAnyway.ts";
import { Term } from "../../kit/words/Term.tsx";
import { zeroSpreadSentence } from "../rollouts/group/groupOrder.ts";
import { GroupRows, RowLegend } from "./GroupRows.tsx";
import { isKnown, logprobChange, rightWithoutAnswer } from "./groupShape.ts";
import { PHASE_TITLES } from "./runReadings.ts";
import type { ShownGroup } from "./shownGroup.ts";

/** What the phase did to this group, with its numbers. */
export function explanation(phase: Phase, { group, config }: ShownGroup): string {
  if (phase !== "advantage") return phaseDoes(phase, config);
  const isScored = group.trajectories.some(({ reward }) => reward !== null);
  const none = isScored ? phaseDoes(phase, config) : "No completion could be scored.";
  return zeroSpreadSentence(group, config) ?? groupSum(group, config) ?? none;
}

interface GroupPanelProps {
  readonly shown: ShownGroup;
}

function PromptSwitch({ shown }: GroupPanelProps) {
  const select = useSelect();
  const { groups } = useRunView();
  const state = useRun((facts) => facts.state);
  const { group, groupsInStep } = shown;
  const isHeld = useSelection((selection) => selection.step === group.step);
  // While training the newest step's first group streams in; the others can be asked for of a step that rests.
  if (groupsInStep < 2 || (!isHeld && (state === "running" || state === "preparing"))) return null;
  const show = (promptIndex: number) => {
    select({ promptIndex });
    if (groups.group(group.step, promptIndex)) return;
    // Where the step is gone, the group that is there stays.
    inspect(group.step, promptIndex).catch(() => {});
  };
  return (
    <Stepper className="prompt-switch aside" name="prompt" value={group.promptIndex} least={0} most={groupsInStep - 1} onChange={show}>
      {group.promptIndex + 1} of {groupsInStep}
    </Stepper>
  );
}

/** The phase whose numbers are shown: the chosen one where the group has been through it, else the last that says something. */
function shownPhase(chosen: Phase | null, reached: Phase): Phase {
  if (chosen && isKnown(chosen, reached)) return chosen;
  return isKnown("advantage", reached) ? "advantage" : isKnown("score", reached) ? "score" : "sample";
}

/** Memoised: drawn once for each group, not again with the old one while the new one waits for its drawing. */
export const GroupPanel = memo(function GroupPanel({ shown }: GroupPanelProps) {
  const chosen = useSelection((selection) => selection.phase);
  const { group, phase: reached } = shown;
  const isHeld = useSelection((selection) => selection.step === group.step);
  const phase = shownPhase(chosen, reached);
  const isAhead = chosen !== null && phase !== chosen;
  const { groups } = useRunView();
  const isUpdated = isKnown("update", reached);
  const state = useRun((facts) => facts.state);
  const changes = group.trajectories.map(logprobChange);
  const isTraced = useTraced() !== null;
  const moved = isUpdated && !isTraced ? movedAnywaySentence(group, changes, groups.at(group.step)?.summaries ?? [], shown.config) : null;
  return (
    <section className="group" aria-labelledby="group-title">
      <header className="panel-head flex items-center justify-between">
        <h2 id="group-title" className="large">
          {chosen ? PHASE_TITLES[chosen] : isHeld ? "Held group" : "Current group"}{" "}
          <span className="panel-note fine-print">
            step {group.step}, {counted(group.trajectories.length, "completion")}
          </span>
        </h2>
        <PromptSwitch shown={shown} />
      </header>
      <FollowToggle step={group.step} promptIndex={group.promptIndex} hasOthers={shown.groupsInStep > 1} />
      <p className="group-prompt wrap-anywhere">
        {group.messages.filter(({ role }) => role === "user").at(-1)?.content ?? group.exampleId}
      </p>
      <p className="group-answer aside">
        {group.answer === "" ? (
          !isTraced && rightWithoutAnswer(shown.config)
        ) : (
          <>
            <Term id="expected">Expected</Term> <b className="strong">{group.answer}</b>
          </>
        )}
      </p>
      <p className="group-explains aside">
        {isAhead ? `Step ${group.step} has not reached this phase yet. ` : ""}
        {isTraced ? "As the files have it." : explanation(phase, shown)}
        {/* Of a run that goes on it would come and go, and the rows with it. */}
        {phase === "advantage" && state !== "running" && moved && ` ${moved}`}
      </p>
      {phase === "update" && <p className="group-against aside ink">{againstSentence(group, changes) ?? moved}</p>}
      {/* A line of its own from the start, so that nothing below it moves. */}
      <p>
        {isUpdated ? (
          <a href={hashOf("explain", { step: group.step, promptIndex: group.promptIndex })}>
            {isTraced ? "Look at it" : "Explain this update"}, token by token
          </a>
        ) : (
          "The update is still to come."
        )}
      </p>
      <RowLegend phase={phase} group={group} config={shown.config} />
      <GroupRows group={group} config={shown.config} phase={phase} reached={reached} mostAdvantage={shown.largestAdvantage} />
    </section>
  );
});

interface FollowToggleProps {
  /** What is shown, and so what is held. */
  readonly step: number;
  readonly promptIndex: number;
  /** Whether the step has groups beside it, which are asked for as it is held. */
  readonly hasOthers?: boolean;
}

/**
 * Holds the step beside the charts while the run goes on: its prompt and its completions stay as they are, here
 * and on the Rollouts screen, whose switch says the same.
 */
export function FollowToggle({ step, promptIndex, hasOthers = false }: FollowToggleProps) {
  const select = useSelect();
  const isHeld = useSelection((selection) => selection.step === step);
  const hold = () => {
    select({ step, promptIndex });
    // At once, while the engine still keeps it; where it does not, the step is there as far as the page has it.
    if (hasOthers) inspect(step).catch(() => {});
  };
  return (
    <Toggle isSelected={!isHeld} onChange={(follows) => (follows ? select({ step: null }) : hold())}>
      Follow the newest step
    </Toggle>
  );
}
