// A switch with its name.
import { type ReactNode, useId } from "react";
import { Switch } from "react-aria-components";

interface ToggleProps {
  readonly children: ReactNode;
  readonly isSelected: boolean;
  readonly onChange: (isSelected: boolean) => void;
}

export function Toggle({ children, isSelected, onChange }: ToggleProps) {
  const name = useId();
  // Named by its words alone: what explains them has a role of its own, which a wrapping label does not read.
  return (
    <Switch className="field toggle" isSelected={isSelected} onChange={onChange} aria-labelledby={name}>
      <span className="field-label" id={name}>
        {children}
      </span>
      <span className="toggle-track" aria-hidden="true">
        <span className="toggle-thumb" />
      </span>
    </Switch>
  );
}
