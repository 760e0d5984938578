// A word with its definition, shown on hover, on focus and by a tap (WCAG 2.2, 1.4.13): Escape dismisses
// it, the pointer may move onto it, and it stays until the pointer, the focus or a tap elsewhere leaves.
import { type ReactNode, useEffect, useRef, useState } from "react";
import { Button, Tooltip, TooltipTrigger } from "react-aria-components";
import { FaultBoundary } from "../faults/FaultBoundary.tsx";
import { lazyPart } from "../lazyPart.tsx";
import { glossaryTerm, type TermId } from "./glossary.ts";
import "./word.css";

const WordPopover = lazyPart(() => import("./WordCard.tsx"), "WordPopover");

interface TermProps {
  readonly id: TermId;
  /** The words as they stand here; the glossary's own where left out. */
  readonly children?: ReactNode;
}

export function Term({ id, children }: TermProps) {
  const { term, text, source, hasExample } = glossaryTerm(id);
  return (
    <Explained text={text} source={source} {...(hasExample ? { example: id } : {})}>
      {children ?? term}
    </Explained>
  );
}

interface ExplainedProps {
  readonly text: string;
  readonly source?: string | undefined;
  /** Word whose example a press opens; without one a press shows the text alone. */
  readonly example?: TermId;
  readonly children: ReactNode;
}

/** The same for words that mean something in this place alone. */
export function Explained({ text, source, example, children }: ExplainedProps) {
  const button = useRef<HTMLButtonElement>(null);
  const [isOpen, setOpen] = useState(false);
  const [isTried, setTried] = useState(false);
  const press = () => {
    setOpen(!example);
    setTried(example !== undefined);
  };
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
    <>
      <TooltipTrigger delay={300} isOpen={isOpen} onOpenChange={setOpen} shouldCloseOnPress={false}>
        <Button ref={button} className="term" onPress={press}>
          {children}
        </Button>
        {!isTried && (
          <Tooltip className="tooltip" placement="top" offset={6}>
            {text}
            {source && <span className="term-source">{source}</span>}
            {example && <span className="term-source">Press for an example to try.</span>}
          </Tooltip>
        )}
      </TooltipTrigger>
      {example && isTried && (
        <FaultBoundary part="The example" isBrief>
          <WordPopover id={example} word={button} onClose={() => setTried(false)} />
        </FaultBoundary>
      )}
    </>
  );
}
