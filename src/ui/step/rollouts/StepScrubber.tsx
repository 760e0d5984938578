// Moves through the steps that can still be inspected. Following keeps up with training; touching the
// scrubber lets go of that.
import { ChevronLeft, ChevronRight } from "lucide-react";
import { hashOf } from "../../engine/route.ts";
import { useTraced } from "../../engine/store/useRunView.ts";
import { Button } from "../../kit/controls/Button.tsx";
import { Slider, Toggle } from "../../kit/controls/Slider.tsx";
import "./scrubber.css";

export interface StepScrubberProps {
  readonly oldest: number;
  readonly latest: number;
  /** Others of which a record is there, ascending. */
  readonly recorded?: readonly number[];
  readonly step: number;
  readonly follow: boolean;
  /** null follows the newest step. */
  readonly onStep: (step: number | null) => void;
}

/** The nearest step to the one that is wanted of those that are there, not back to where the reader comes from. */
export function nearestStep({ oldest, latest, recorded = [], step }: Omit<StepScrubberProps, "follow" | "onStep">, to: number): number {
  const kept = Math.min(latest, Math.max(oldest, to));
  const there = [...recorded, kept].filter((each) => (to > step ? each > step : to < step ? each < step : each === step));
  return there.reduce((best, each) => (Math.abs(each - to) < Math.abs(best - to) ? each : best), there[0] ?? step);
}

const MOST_NAMED = 6;
const recordedText = (steps: readonly number[]) =>
  steps.length <= MOST_NAMED ? steps.join(", ") : `${steps.length} steps from ${steps[0]} to ${steps.at(-1)}`;

export function StepScrubber({ oldest, latest, recorded = [], step, follow, onStep }: StepScrubberProps) {
  const isTraced = useTraced() !== null;
  const go = (to: number) => onStep(nearestStep({ oldest, latest, recorded, step }, to));
  const first = Math.min(oldest, recorded[0] ?? oldest);
  const last = Math.max(latest, recorded.at(-1) ?? latest);
  return (
    <div className="scrubber grid items-center">
      <Button className="scrubber-key" label="Earlier step" isDisabled={step <= first} onPress={() => go(step - 1)}>
        <ChevronLeft size={18} aria-hidden />
      </Button>
      <Slider
        className="scrubber-slider"
        label="Step"
        // A pinned step may be older than those that the engine keeps.
        value={Math.min(last, Math.max(first, step))}
        minValue={first}
        maxValue={Math.max(last, first + 1)}
        onChange={go}
        isDisabled={last <= first}
      />
      <Button className="scrubber-key" label="Later step" isDisabled={step >= last} onPress={() => go(step + 1)}>
        <ChevronRight size={18} aria-hidden />
      </Button>
      <p className="scrubber-where gap-x-2 flex col-span-full flex-wrap items-baseline">
        <span>
          step <b className="large">{step}</b>
        </span>
        <span className="note">
          {recorded.length > 0 && `recorded: ${recordedText(recorded)}`}
          {recorded.length > 0 && latest > oldest && " · "}
          {(recorded.length === 0 || latest > oldest) && `in memory: ${oldest} to ${latest}`}
        </span>
        {!isTraced && <a href={hashOf("compare", new URLSearchParams({ fork: String(step) }))}>Fork here</a>}
        <a href={hashOf("table")}>All rollouts</a>
        {!isTraced && <a href={hashOf("time", { to: follow ? null : step })}>Same prompts over time</a>}
      </p>
      <Toggle isSelected={follow} onChange={(on) => onStep(on ? null : step)}>
        Follow the newest step
      </Toggle>
    </div>
  );
}
