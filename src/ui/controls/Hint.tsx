// A word or value with an explanation on hover and focus, instead of a help button beside every field.
import type { ReactNode } from "react";
import { Focusable, Tooltip, TooltipTrigger } from "react-aria-components";

export function Hint({ text, children }: { readonly text: string; readonly children: ReactNode }) {
  return (
    <TooltipTrigger delay={400}>
      <Focusable excludeFromTabOrder>
        <span className="hint" role="note">
          {children}
        </span>
      </Focusable>
      <Tooltip className="tooltip" placement="top start" offset={6}>
        {text}
      </Tooltip>
    </TooltipTrigger>
  );
}
