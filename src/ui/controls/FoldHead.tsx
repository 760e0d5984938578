// The head of a part of the page that folds away, inside a Disclosure: its title, and a note at the end of the line.
import { ChevronRight } from "lucide-react";
import { Button, Heading } from "react-aria-components";

interface FoldHeadProps {
  readonly children: string;
  readonly note?: string;
  readonly level?: 2 | 3;
}

export function FoldHead({ children, note, level = 3 }: FoldHeadProps) {
  return (
    <Heading className="fold-head" level={level}>
      <Button slot="trigger" className="fold-button">
        <ChevronRight size={14} aria-hidden="true" className="fold-mark" />
        {children}
        {note && <span className="fold-note fine-print">{note}</span>}
      </Button>
    </Heading>
  );
}
