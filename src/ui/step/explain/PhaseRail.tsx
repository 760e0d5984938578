// The phases of the update as a rail: where the reader is, and which are not there yet.
import type { StepGroups } from "../../../protocol/messages.ts";
import type { ExplainedPhase } from "../../engine/store/selection.ts";
import { EXPLAINED } from "./story/phases.ts";
import { isReached } from "./story/story.ts";

interface PhaseRailProps {
  readonly step: StepGroups;
  readonly shown: ExplainedPhase;
  readonly onShow: (id: ExplainedPhase) => void;
}

export function PhaseRail({ step, shown, onShow }: PhaseRailProps) {
  return (
    <nav aria-label="Phases of the update">
      <ol className="explain-rail grid">
        {EXPLAINED.map((phase, index) => (
          <li key={phase.id}>
            <button
              type="button"
              className="explain-phase grid w-full soft"
              aria-current={phase.id === shown ? "step" : undefined}
              data-ahead={!isReached(step, phase) || undefined}
              onClick={() => onShow(phase.id)}
            >
              <span className="explain-phase-number faint small" aria-hidden="true">
                {index + 1}
              </span>
              {phase.title}
              {!isReached(step, phase) && <span className="visually-hidden">, not reached yet</span>}
            </button>
          </li>
        ))}
      </ol>
    </nav>
  );
}
