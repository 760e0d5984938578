// On or off.
import type { ReactNode } from "react";
import { Switch } from "react-aria-components";

interface ToggleProps {
  readonly children: ReactNode;
  readonly isSelected: boolean;
  readonly onChange: (isSelected: boolean) => void;
}

export function Toggle({ children, isSelected, onChange }: ToggleProps) {
  return (
    <Switch className="field toggle" isSelected={isSelected} onChange={onChange}>
      <span className="field-label">{children}</span>
      <span className="toggle-track" aria-hidden="true">
        <span className="toggle-thumb" />
      </span>
    </Switch>
  );
}
