// Words that explain themselves: help on hover and focus, without a button of its own for every field.
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
