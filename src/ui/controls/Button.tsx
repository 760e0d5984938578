// The page's button: text or an icon with a name, quiet unless it is the one thing to do next.
import type { ReactNode } from "react";
import { Button as AriaButton, Tooltip, TooltipTrigger } from "react-aria-components";

interface ButtonProps {
  readonly children: ReactNode;
  readonly onPress?: () => void;
  readonly kind?: "plain" | "primary" | "quiet";
  readonly isDisabled?: boolean;
  /** Cannot be pressed now, but keeps its place in the tab order and the focus: for what comes and goes while somebody is on it. */
  readonly isResting?: boolean;
  /** Said on hover and focus. */
  readonly hint?: string;
  /** Accessible name where the content is not text. */
  readonly label?: string;
  readonly className?: string;
}

export function Button({ children, onPress, kind = "plain", isDisabled, isResting = false, hint, label, className = "" }: ButtonProps) {
  const button = (
    <AriaButton
      className={`button button-${kind} ${className}`}
      {...(onPress && !isResting ? { onPress } : {})}
      {...(isResting ? { "aria-disabled": true } : {})}
      {...(isDisabled === undefined ? {} : { isDisabled })}
      {...(label ? { "aria-label": label } : {})}
    >
      {children}
    </AriaButton>
  );
  if (!hint) return button;
  return (
    <TooltipTrigger delay={600}>
      {button}
      <Tooltip className="tooltip" offset={6}>
        {hint}
      </Tooltip>
    </TooltipTrigger>
  );
}
