// Moves through the recorded steps, which lie ever further apart, one record at a time.
import { ChevronLeft, ChevronRight } from "lucide-react";
import { Button } from "../controls/Button.tsx";
import { Slider } from "../controls/Slider.tsx";

interface RecordScrubberProps {
  readonly name: string;
  readonly steps: readonly number[];
  /** Place among the records. */
  readonly value: number;
  readonly onChange: (value: number) => void;
}

export function RecordScrubber({ name, steps, value, onChange }: RecordScrubberProps) {
  const last = steps.length - 1;
  const go = (to: number) => onChange(Math.min(last, Math.max(0, to)));
  return (
    <div className="over-time-scrubber">
      <Button className="over-time-key" label={`${name}: earlier`} isResting={value <= 0} onPress={() => go(value - 1)}>
        <ChevronLeft size={18} aria-hidden />
      </Button>
      <Slider
        className="over-time-slider"
        label={name}
        text={`${name.toLowerCase()} ${steps[value]}`}
        value={value}
        minValue={0}
        maxValue={Math.max(1, last)}
        onChange={go}
        isDisabled={last === 0}
      />
      <Button className="over-time-key" label={`${name}: later`} isResting={value >= last} onPress={() => go(value + 1)}>
        <ChevronRight size={18} aria-hidden />
      </Button>
    </div>
  );
}
