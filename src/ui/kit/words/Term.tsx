// A word with its definition, shown on hover and on focus (WCAG 2.2, 1.4.13): Escape dismisses it, the pointer may move onto
// it, and it stays until the pointer or the focus leaves. A press, and so a tap, opens the word's card.
import { type ReactNode, type RefObject, useEffect, useRef, useState } from "react";
import { Button, Tooltip, TooltipTrigger } from "react-aria-components";
import { FaultBoundary } from "../faults/FaultBoundary.tsx";
import { lazyPart } from "../lazyPart.tsx";
import type { TermId } from "./glossary.ts";
import "./word.css";

const WordPopover = lazyPart(() => import("./WordCard.tsx"), "WordPopover");
const WordTip = lazyPart(() => import("./WordCard.tsx"), "WordTip");

interface TermProps {
  readonly id: TermId;
  /** What is to be read before the word's own definition, such as what a chart draws of it. */
  readonly lead?: string | undefined;
  /** The word as it stands here. */
  readonly children: ReactNode;
}

/** A word of the glossary. */
export function Term({ id, lead, children }: TermProps) {
  const button = useRef<HTMLButtonElement>(null);
  const [isTipOpen, setTipOpen] = useState(false);
  const [isCardOpen, setCardOpen] = useState(false);
  const press = () => {
    setTipOpen(false);
    setCardOpen(true);
  };
  return (
    <>
      <Tipped
        button={button}
        isOpen={isTipOpen}
        onOpenChange={setTipOpen}
        onPress={press}
        tip={isCardOpen ? null : <WordTip id={id} lead={lead} />}
      >
        {children}
      </Tipped>
      {isCardOpen && (
        <FaultBoundary part="The word" isBrief>
          <WordPopover id={id} lead={lead} word={button} onClose={() => setCardOpen(false)} />
        </FaultBoundary>
      )}
    </>
  );
}

interface ExplainedProps {
  readonly text: string;
  readonly children: ReactNode;
}

/** The same for words that mean something in this place alone: a press shows the text. */
export function Explained({ text, children }: ExplainedProps) {
  const button = useRef<HTMLButtonElement>(null);
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    if (!isOpen) return;
    // A touch has no way to leave but to go elsewhere.
    const close = (event: PointerEvent) => {
      if (event.pointerType !== "mouse" && !button.current?.contains(event.target as Node)) setOpen(false);
    };
    document.addEventListener("pointerdown", close, true);
    return () => document.removeEventListener("pointerdown", close, true);
  }, [isOpen]);
  return (
    <Tipped button={button} isOpen={isOpen} onOpenChange={setOpen} onPress={() => setOpen(true)} tip={text}>
      {children}
    </Tipped>
  );
}

interface ExplainedTitleProps {
  readonly title: string;
  readonly help: string;
  /** The word that it is about; null where it explains itself. */
  readonly word: TermId | null;
}

/** The title of a chart or of a number, which says what is shown, and then what the word means that it is about. */
export function ExplainedTitle({ title, help, word }: ExplainedTitleProps) {
  if (word === null) return <Explained text={help}>{title}</Explained>;
  return (
    <Term id={word} lead={help}>
      {title}
    </Term>
  );
}

interface TippedProps {
  readonly button: RefObject<HTMLButtonElement | null>;
  readonly isOpen: boolean;
  readonly onOpenChange: (isOpen: boolean) => void;
  readonly onPress: () => void;
  /** Null takes the tooltip away at once: one that fades would stay while a dialog holds the page. */
  readonly tip: ReactNode;
  readonly children: ReactNode;
}

function Tipped({ button, isOpen, onOpenChange, onPress, tip, children }: TippedProps) {
  return (
    <TooltipTrigger delay={300} isOpen={isOpen} onOpenChange={onOpenChange} shouldCloseOnPress={false}>
      <Button ref={button} className="term relative" onPress={onPress}>
        {children}
      </Button>
      {tip !== null && (
        <Tooltip className="tooltip" placement="top" offset={6}>
          <FaultBoundary part="The word" isBrief>
            {tip}
          </FaultBoundary>
        </Tooltip>
      )}
    </TooltipTrigger>
  );
}
