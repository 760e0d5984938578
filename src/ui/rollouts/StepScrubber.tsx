// Moves through the steps that can still be inspected. Following keeps up with training; touching the
// scrubber lets go of that.
import { ChevronLeft, ChevronRight } from "lucide-react";
import { Button } from "../controls/Button.tsx";
import { Slider, Toggle } from "../controls/Slider.tsx";
import { timeHref } from "../overTime/address.ts";
import { hashOf } from "../route.ts";
import "./scrubber.css";

export interface StepScrubberProps {
  readonly oldest: number;
  readonly latest: number;
  readonly step: number;
  readonly follow: boolean;
  /** null follows the newest step. */
  readonly onStep: (step: number | null) => void;
}

export function StepScrubber({ oldest, latest, step, follow, onStep }: StepScrubberProps) {
  const go = (to: number) => onStep(Math.min(latest, Math.max(oldest, to)));
  return (
    <div className="scrubber">
      <Button className="scrubber-key" label="Earlier step" isDisabled={step <= oldest} onPress={() => go(step - 1)}>
        <ChevronLeft size={18} aria-hidden />
      </Button>
      <Slider
        className="scrubber-slider"
        label="Step"
        // A pinned step may be older than those that the engine keeps.
        value={Math.min(latest, Math.max(oldest, step))}
        minValue={oldest}
        maxValue={Math.max(latest, oldest + 1)}
        onChange={go}
        isDisabled={latest <= oldest}
      />
      <Button className="scrubber-key" label="Later step" isDisabled={step >= latest} onPress={() => go(step + 1)}>
        <ChevronRight size={18} aria-hidden />
      </Button>
      <p className="scrubber-where">
        <span>
          step <b>{step}</b>
        </span>
        <span className="note">
          kept: {oldest} to {latest}
        </span>
        <a href={hashOf("compare", new URLSearchParams({ fork: String(step) }))}>Fork here</a>
        <a href={timeHref(follow ? null : step)}>Same prompts over time</a>
      </p>
      <Toggle isSelected={follow} onChange={(on) => onStep(on ? null : step)}>
        Follow the newest step
      </Toggle>
    </div>
  );
}
