// A part of the page that folds away: its title, a note at the end of the line, and what it holds. In a form the fields in
// it are drawn once it has been unfolded: the form has about a hundred, of which a reader opens few. Until then each is
// its title, so that a search in the page finds it.

import { ChevronRight } from "lucide-react";
import { createContext, type ReactNode, type Ref, useContext, useState } from "react";
import { Button, Disclosure, DisclosurePanel, type DisclosureProps, Heading } from "react-aria-components";

interface FoldProps extends Pick<DisclosureProps, "isExpanded" | "defaultExpanded" | "onExpandedChange"> {
  readonly title: string;
  readonly note?: string;
  readonly level?: 2 | 3;
  readonly className?: string;
  readonly panelClassName?: string;
  readonly ref?: Ref<HTMLDivElement>;
  readonly children: ReactNode;
}

export function Fold({ title, note, level = 3, className, panelClassName, children, ...disclosure }: FoldProps) {
  return (
    <Disclosure className={className ? `fold ${className}` : "fold"} {...disclosure}>
      <Heading className="fold-head" level={level}>
        <Button slot="trigger" className="fold-button flex items-center w-full semibold">
          <ChevronRight size={14} aria-hidden="true" className="fold-mark" />
          {title}
          {note && <span className="fold-note fine-print">{note}</span>}
        </Button>
      </Heading>
      <DisclosurePanel {...(panelClassName ? { className: panelClassName } : {})}>{children}</DisclosurePanel>
    </Disclosure>
  );
}

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

export function FormFold({ isOpen = false, children, ...head }: FormFoldProps) {
  const isAroundDrawn = useIsDrawn();
  const [wasOpen, setWasOpen] = useState(isOpen);
  return (
    <Fold {...head} panelClassName="fold-panel" defaultExpanded={isOpen} onExpandedChange={() => setWasOpen(true)}>
      <Drawn value={isAroundDrawn && wasOpen}>{children}</Drawn>
    </Fold>
  );
}
