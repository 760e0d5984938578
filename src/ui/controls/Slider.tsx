// A slider with its name and, where it has one, its value in words.
import { useEffect, useRef } from "react";
import { Slider as AriaSlider, Label, type SliderProps as Range, SliderOutput, SliderThumb, SliderTrack } from "react-aria-components";

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
      <SliderTrack className="slider-track">
        <SliderThumb className="slider-thumb" inputRef={input} />
      </SliderTrack>
      {text !== undefined && <SliderOutput className="slider-text">{text}</SliderOutput>}
    </AriaSlider>
  );
}
