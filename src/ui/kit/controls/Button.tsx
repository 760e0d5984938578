// The page's button: text or an icon with a name, quiet unless it is the one thing to do next.
import { ChevronLeft, ChevronRight, X } from "lucide-react";
import type { ReactNode } from "react";
import { Button as AriaButton, Tooltip, TooltipTrigger } from "react-aria-components";

export interface ButtonProps {
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

/** Takes something out of a list. @param label what, for those who do not see where it stands. */
export function RemoveButton({ label, onPress, className = "" }: Pick<ButtonProps, "onPress" | "className"> & { readonly label: string }) {
  return (
    <Button kind="quiet" className={`button-icon ${className}`} label={label} {...(onPress ? { onPress } : {})}>
      <X size={14} aria-hidden="true" />
    </Button>
  );
}

interface StepperProps {
  /** What is stepped through: "step". */
  readonly name: string;
  readonly value: number;
  readonly least: number;
  readonly most: number;
  readonly onChange: (value: number) => void;
  readonly className?: string;
  /** Between the buttons. */
  readonly children: ReactNode;
}

/** One of a row of numbers, with the one before and the one after. */
export function Stepper({ name, value, least, most, onChange, className = "", children }: StepperProps) {
  return (
    <span className={`stepper ${className}`}>
      <Button
        kind="quiet"
        className="button-icon"
        label={`Previous ${name}`}
        isResting={value <= least}
        onPress={() => onChange(value - 1)}
      >
        <ChevronLeft size={16} aria-hidden="true" />
      </Button>
      <span>{children}</span>
      <Button kind="quiet" className="button-icon" label={`Next ${name}`} isResting={value >= most} onPress={() => onChange(value + 1)}>
        <ChevronRight size={16} aria-hidden="true" />
      </Button>
    </span>
  );
}
