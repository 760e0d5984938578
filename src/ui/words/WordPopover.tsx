// A word's card beside the word. It takes the focus and, closed by Escape or a press elsewhere, gives it back.
import type { RefObject } from "react";
import { Dialog, Popover } from "react-aria-components";
import { glossaryTerm, type TermId } from "./glossary.ts";
import { WordCard } from "./WordCard.tsx";

interface WordPopoverProps {
  readonly id: TermId;
  readonly word: RefObject<HTMLButtonElement | null>;
  readonly onClose: () => void;
}

export function WordPopover({ id, word, onClose }: WordPopoverProps) {
  return (
    <Popover className="popover" triggerRef={word} isOpen onOpenChange={(open) => !open && onClose()} placement="bottom" offset={6}>
      <Dialog aria-label={`${glossaryTerm(id).term}: an example`}>
        <WordCard id={id} />
      </Dialog>
    </Popover>
  );
}
