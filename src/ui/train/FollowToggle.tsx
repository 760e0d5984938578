// Holds the step beside the charts while the run goes on: its prompt and its completions stay as they are, here
// and on the Rollouts screen, whose switch says the same.
import { Toggle } from "../controls/Toggle.tsx";
import { useSelect, useSelection } from "../store/useRunView.ts";

interface FollowToggleProps {
  /** What is shown, and so what is held. */
  readonly step: number;
  readonly promptIndex: number;
  /** Asks the engine for all groups of a step. */
  readonly onInspect?: (step: number) => Promise<unknown>;
}

export function FollowToggle({ step, promptIndex, onInspect }: FollowToggleProps) {
  const select = useSelect();
  const isHeld = useSelection((selection) => selection.step === step);
  const hold = () => {
    select({ step, promptIndex });
    // At once, while the engine still keeps it. A refusal is among the run's facts, where the page shows it.
    onInspect?.(step).catch(() => {});
  };
  return (
    <Toggle isSelected={!isHeld} onChange={(follows) => (follows ? select({ step: null }) : hold())}>
      Follow the newest step
    </Toggle>
  );
}
