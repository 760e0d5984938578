// The loop as a rail with five stations: where the engine is, how far inside the phase, and at each
// station the selected group as that phase left it. Pressing a station shows what it did, completion
// by completion, in the group panel.
import { ToggleButton } from "react-aria-components";
import { PHASES, type Phase } from "../../protocol/messages.ts";
import type { GroupRecord } from "../../protocol/records.ts";
import { formatNumber, formatShare, formatSigned } from "../charts/format.ts";
import type { PhaseProgress } from "../store/runFacts.ts";
import { useRun, useSelect, useSelection } from "../store/useRunView.ts";
import { isKnown, phaseValues, rewardSpread } from "./groupShape.ts";
import { PhaseFigure } from "./PhaseFigure.tsx";
import { PHASE_TITLES } from "./runReadings.ts";
import { useShownGroup } from "./shownGroup.ts";

function mean(values: readonly number[]): number {
  return values.length === 0 ? Number.NaN : values.reduce((a, b) => a + b, 0) / values.length;
}

/** The station's one number. */
function reading(phase: Phase, group: GroupRecord | null, greedyAccuracy: number | null): string {
  if (phase === "evaluate") return greedyAccuracy === null ? "" : `greedy ${formatShare(greedyAccuracy)}`;
  if (!group) return "";
  const numbers = phaseValues(phase, group).filter((value) => value !== null);
  if (phase === "sample") return `${group.trajectories.length} × ${formatNumber(mean(numbers))} tokens`;
  if (phase === "score") return numbers.length === 0 ? "" : `mean ${formatNumber(rewardSpread(group)?.mean ?? Number.NaN)}`;
  if (phase === "advantage") {
    if (group.zeroSpread) return "no spread: 0";
    return `▲ ${numbers.filter((value) => value > 0).length}  ▼ ${numbers.filter((value) => value < 0).length}`;
  }
  if (numbers.length === 0) return "";
  if (Math.max(...numbers.map(Math.abs)) < 5e-4) return "Δ log p ≈ 0";
  return `Δ log p ${formatSigned(Math.max(...numbers), 2)} … ${formatSigned(Math.min(...numbers), 2)}`;
}

/** How much of a station's rail is filled, in [0, 1]. */
function filled(phase: Phase, at: PhaseProgress | null): number {
  if (!at) return 0;
  const here = PHASES.indexOf(at.phase);
  const index = PHASES.indexOf(phase);
  if (index !== here) return index < here ? 1 : 0;
  return at.total > 0 ? Math.min(1, at.done / at.total) : 0;
}

export function PhaseStrip() {
  const shown = useShownGroup();
  const select = useSelect();
  const at = useRun((facts) => facts.phase);
  const state = useRun((facts) => facts.state);
  const evaluations = useRun((facts) => facts.evaluations);
  const chosen = useSelection((selection) => selection.phase);
  const marked = useSelection((selection) => selection.trajectoryIndex);
  const alive = state === "running" || state === "paused";
  const accuracy = evaluations.at(-1)?.greedyAccuracy ?? null;
  return (
    <ol className="phases" aria-label="Phases of a step">
      {PHASES.map((phase) => {
        const group = shown && isKnown(phase, shown.phase) ? shown.group : null;
        const share = alive ? filled(phase, at) : 0;
        const isHere = alive && at?.phase === phase;
        return (
          <li key={phase} className="phase" data-here={isHere || undefined} aria-current={isHere ? "step" : undefined}>
            <ToggleButton
              className="phase-button"
              isSelected={chosen === phase}
              onChange={(isSelected) => select({ phase: isSelected ? phase : null })}
            >
              <span className="phase-rail" aria-hidden="true">
                <span className="phase-fill" style={{ transform: `scaleX(${share})` }} />
                <span className="phase-dot" />
              </span>
              <span className="phase-title">{PHASE_TITLES[phase]}</span>
              <PhaseFigure phase={phase} values={group ? phaseValues(phase, group) : []} evaluations={evaluations} marked={marked} />
              <span className="phase-reading ellipsis">{reading(phase, group, accuracy)}</span>
              <span className="visually-hidden">, show what it did to the group</span>
            </ToggleButton>
          </li>
        );
      })}
    </ol>
  );
}
