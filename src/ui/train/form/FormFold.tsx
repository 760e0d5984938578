// A part of the form that folds away. The fields in it are drawn once it has been unfolded: the form has about a
// hundred, of which a reader opens few. Until then each is its title, so that a search in the page finds it.
import { createContext, type ReactNode, useContext, useState } from "react";
import { Disclosure, DisclosurePanel } from "react-aria-components";
import { FoldHead } from "../../controls/Button.tsx";

const Drawn = createContext(true);

/** Whether the fields here are to be drawn: everything around them has been unfolded once. */
export const useIsDrawn = () => useContext(Drawn);

interface FormFoldProps {
  readonly title: string;
  readonly note?: string;
  readonly level?: 2 | 3;
  readonly className?: string;
  readonly isOpen?: boolean;
  readonly children: ReactNode;
}

export function FormFold({ title, className = "", isOpen = false, children, ...head }: FormFoldProps) {
  const isAroundDrawn = useIsDrawn();
  const [wasOpen, setWasOpen] = useState(isOpen);
  return (
    <Disclosure className={`fold ${className}`} defaultExpanded={isOpen} onExpandedChange={() => setWasOpen(true)}>
      <FoldHead {...head}>{title}</FoldHead>
      <DisclosurePanel className="fold-panel">
        <Drawn value={isAroundDrawn && wasOpen}>{children}</Drawn>
      </DisclosurePanel>
    </Disclosure>
  );
}
