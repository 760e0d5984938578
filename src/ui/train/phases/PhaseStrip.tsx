// The loop as a rail of its phases: where the engine is, how far inside the phase, and at
// each phase the shown group, or the examples of a supervised step, as that phase left it. Pressing a
// phase shows what it did, completion by completion, in the panel beside the charts.
import { ToggleButton } from "react-aria-components";
import type { Phase } from "../../../protocol/messages.ts";
import { counted, measureText, shareText, signedMeasureText } from "../../../protocol/quantities.ts";
import type { GroupRecord } from "../../../protocol/records.ts";
import { meanOf } from "../../../rl/advantage/statistics.ts";
import { useVersion } from "../../engine/store/metricSeries.ts";
import { useEngine, useRun, useRunView, useSelect, useSelection } from "../../engine/store/useRunView.ts";
import { formatNumber } from "../../kit/charts/format.ts";
import { STILL_NATS } from "../../kit/words/against.ts";
import { completionLogprob, isKnown, phaseValues, rewardSpread, sampledTokens } from "../../step/group/groupShape.ts";
import { phasesOf, phaseTitle, recentMean } from "../../step/group/runReadings.ts";
import { useShownExamples, useShownGroup } from "../../step/group/shownGroup.ts";
import { PhaseFigure } from "./PhaseFigure.tsx";
import { filled, type StripState, stripState } from "./stripState.ts";

/** What a phase shows: one number for each completion, and one in words. */
interface Contents {
  readonly values: readonly (number | null)[];
  readonly reading: string;
}

const NOTHING: Contents = { values: [], reading: "" };

function groupContents(phase: Phase, group: GroupRecord): Contents {
  const values = phaseValues(phase, group);
  const numbers = values.filter((value) => value !== null);
  return { values, reading: groupReading(phase, group, numbers) };
}

function groupReading(phase: Phase, group: GroupRecord, numbers: readonly number[]): string {
  if (phase === "sample") return `${group.trajectories.length} × ${counted(formatNumber(meanOf(numbers)), "token")}`;
  if (phase === "score") return numbers.length === 0 ? "" : `mean ${measureText(rewardSpread(group)?.mean ?? Number.NaN)}`;
  if (phase === "advantage") {
    if (numbers.every((value) => value === 0)) return "all 0";
    return `▲ ${numbers.filter((value) => value > 0).length}  ▼ ${numbers.filter((value) => value < 0).length}`;
  }
  if (numbers.length === 0) return "";
  if (Math.max(...numbers.map(Math.abs)) < STILL_NATS) return "Δ log p ≈ 0";
  return `Δ log p ${signedMeasureText(Math.max(...numbers))} … ${signedMeasureText(Math.min(...numbers))}`;
}

function exampleContents(phase: Phase, groups: readonly GroupRecord[], loss: number | undefined): Contents {
  const answers = groups.flatMap(({ trajectories }) => trajectories.slice(0, 1));
  const lengths = answers.map(sampledTokens);
  if (phase === "sample") return { values: lengths, reading: `${answers.length} × ${counted(formatNumber(meanOf(lengths)), "token")}` };
  return {
    values: answers.map((answer) => -(completionLogprob(answer) ?? Number.NaN)),
    reading: loss === undefined ? "" : `loss ${measureText(loss)}`,
  };
}

/** What each phase shows; those of phases that the step has not come to are empty. */
function useContents(): (phase: Phase) => Contents {
  const shown = useShownGroup();
  const examples = useShownExamples();
  const { metrics } = useRunView();
  useVersion(metrics);
  const accuracy = useRun((facts) => facts.evaluations.at(-1)?.sampledAccuracy);
  return (phase) => {
    if (phase === "evaluate") return { values: [], reading: accuracy === undefined ? "" : `sampled ${shareText(accuracy)}` };
    if (examples)
      return isKnown(phase, examples.phase) ? exampleContents(phase, examples.groups, metrics.series("loss").values.at(-1)) : NOTHING;
    return shown && isKnown(phase, shown.phase) ? groupContents(phase, shown.group) : NOTHING;
  };
}

function useStrip(): StripState {
  const { metrics } = useRunView();
  useVersion(metrics);
  const state = useRun((facts) => facts.state);
  const phase = useRun((facts) => facts.phase);
  const delayMs = useEngine((facts) => facts.delayMs);
  const { groups } = useRunView();
  useVersion(groups);
  const held = useSelection((selection) => selection.step);
  // A step that is held beside the charts is over, whatever the engine is at by now.
  if (held !== null && held < (groups.latestStep ?? 0) && groups.at(held)) return { at: "all" };
  return stripState({ state, phase }, delayMs, recentMean(metrics.series("step_time").values));
}

export function PhaseStrip() {
  const select = useSelect();
  const strip = useStrip();
  const contentsOf = useContents();
  const kind = useRun((facts) => facts.config?.kind);
  const evaluations = useRun((facts) => facts.evaluations);
  const chosen = useSelection((selection) => selection.phase);
  const marked = useSelection((selection) => selection.trajectoryIndex);
  const phases = phasesOf(kind);
  return (
    <ol className="phases grid" aria-label="Phases of a step" data-count={phases.length} data-all={strip.at === "all" || undefined}>
      {phases.map((phase) => {
        const { values, reading } = contentsOf(phase);
        const isHere = strip.at === phase;
        return (
          <li key={phase} className="phase" data-here={isHere || undefined} aria-current={isHere ? "step" : undefined}>
            <ToggleButton
              className="phase-button grid w-full soft"
              isSelected={chosen === phase}
              onChange={(isSelected) => select({ phase: isSelected ? phase : null })}
            >
              <span className="phase-rail block relative" aria-hidden="true">
                <span className="phase-fill" style={{ transform: `scaleX(${filled(phase, strip)})` }} />
                <span className="phase-dot" />
              </span>
              <span className="phase-title ink semibold">{phaseTitle(phase, kind)}</span>
              <PhaseFigure
                // Of an example the answer's surprise is drawn, which has one direction only.
                phase={kind === "supervised" && phase === "update" ? "score" : phase}
                values={values}
                evaluations={evaluations}
                marked={kind === "supervised" ? -1 : marked}
              />
              <span className="phase-reading ellipsis small">{reading}</span>
              <span className="visually-hidden">, show what it did</span>
            </ToggleButton>
          </li>
        );
      })}
    </ol>
  );
}
