// A slider with its name and, where it has one, its value in words; and a switch with its name.
import { type ReactNode, useEffect, useId, useRef } from "react";
import {
  Slider as AriaSlider,
  Label,
  type SliderProps as Range,
  SliderOutput,
  SliderThumb,
  SliderTrack,
  Switch,
} from "react-aria-components";

interface SliderProps extends Pick<Range<number>, "value" | "minValue" | "maxValue" | "step" | "onChange" | "isDisabled"> {
  readonly label: string;
  /** Shown behind the track; without it the name is not shown either, as the place says what is chosen. */
  readonly text?: string;
  readonly className: string;
}

export function Slider({ label, text, className, ...range }: SliderProps) {
  const input = useRef<HTMLInputElement>(null);
  // The library speaks the number, such as 4, where the words beside the track say what it means.
  useEffect(() => {
    if (text !== undefined) input.current?.setAttribute("aria-valuetext", text);
  });
  return (
    <AriaSlider className={className} {...range}>
      <Label {...(text === undefined ? { className: "visually-hidden" } : {})}>{label}</Label>
      <SliderTrack className="slider-track relative">
        <SliderThumb className="slider-thumb" inputRef={input} />
      </SliderTrack>
      {text !== undefined && <SliderOutput className="slider-text">{text}</SliderOutput>}
    </AriaSlider>
  );
}

interface ToggleProps {
  readonly children: ReactNode;
  readonly isSelected: boolean;
  readonly onChange: (isSelected: boolean) => void;
  readonly isDisabled?: boolean;
}

export function Toggle({ children, isSelected, isDisabled = false, onChange }: ToggleProps) {
  const name = useId();
  // Named by its words alone: what explains them has a role of its own, which a wrapping label does not read.
  return (
    <Switch className="field toggle" isSelected={isSelected} isDisabled={isDisabled} onChange={onChange} aria-labelledby={name}>
      <span className="field-label" id={name}>
        {children}
      </span>
      <span className="toggle-track" aria-hidden="true">
        <span className="toggle-thumb block" />
      </span>
    </Switch>
  );
}
