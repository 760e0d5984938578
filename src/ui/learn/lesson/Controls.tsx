// The controls of a figure: sliders and choices, those that matter and no others.

import { formatNumber } from "../../kit/charts/format.ts";
import { Choice } from "../../kit/controls/Choice.tsx";
import { Slider } from "../../kit/controls/Slider.tsx";
import type { Control, Values } from "./parts.ts";

interface ControlsProps {
  readonly controls: readonly Control[];
  readonly values: Values;
  readonly onChange: (id: string, value: number) => void;
}

export function Controls({ controls, values, onChange }: ControlsProps) {
  return (
    <div className="grid gap-2 w-full">
      {controls.map((control) => (
        <OneControl key={control.id} control={control} value={values[control.id] ?? control.initial} onChange={onChange} />
      ))}
    </div>
  );
}

function OneControl({
  control,
  value,
  onChange,
}: {
  readonly control: Control;
  readonly value: number;
  readonly onChange: ControlsProps["onChange"];
}) {
  const { id, label, min, max, step, options, show = formatNumber } = control;
  if (options)
    return (
      <Choice
        label={label}
        value={String(value)}
        options={options.map((title, i) => ({ id: String(i), title }))}
        onChange={(chosen) => onChange(id, Number(chosen))}
      />
    );
  return (
    <Slider
      className="lesson-slider grid items-center gap-2"
      label={label}
      text={show(value)}
      minValue={min}
      maxValue={max}
      step={step}
      value={value}
      onChange={(next) => onChange(id, next)}
    />
  );
}
