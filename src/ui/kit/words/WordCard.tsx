// A word with its definition, what shows it, an example to try where one teaches, and where to read on.
import type { RefObject } from "react";
import { Dialog, Popover } from "react-aria-components";
import { lazyPart } from "../lazyPart.tsx";
import { glossaryTerm, type TermId } from "./glossary.ts";
import type { GlossaryTerm } from "./terms/tokenTerms.ts";
import "./word.css";

const WordExample = lazyPart(() => import("./WordExample.tsx"), "WordExample");

/** What a word means in one breath, for a tooltip; or what leads to it. */
export function WordTip({ id, lead }: Pick<WordCardProps, "id" | "lead">) {
  const { text, source } = glossaryTerm(id);
  return (
    <>
      {lead ?? text}
      {source && !lead && <span className="term-source block">{source}</span>}
      <span className="term-source block">Press for more.</span>
    </>
  );
}

/** All that the registry says of a word, without its heading. */
export function WordText({ term, text, example, source, lesson }: GlossaryTerm) {
  return (
    <>
      <p>{text}</p>
      {example && <p className="aside">{example}</p>}
      {source && <p className="fine-print">{source}</p>}
      {lesson && (
        <p>
          <a href={`#/learn?lesson=${lesson}`}>Lesson on “{term}”</a>
        </p>
      )}
    </>
  );
}

interface WordCardProps {
  readonly id: TermId;
  /** What is to be read before the word's definition. */
  readonly lead?: string | undefined;
  /** A link of the card was followed. */
  readonly onLeave?: (() => void) | undefined;
}

export function WordCard({ id, lead, onLeave }: WordCardProps) {
  const entry = glossaryTerm(id);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: a link that is followed by keyboard is clicked as well
    // biome-ignore lint/a11y/noStaticElementInteractions: the links in it are what is pressed
    <div className="word stack padded" onClick={({ target }) => target instanceof HTMLAnchorElement && onLeave?.()}>
      {lead && <p>{lead}</p>}
      <h2 className="large">{entry.term}</h2>
      <WordText {...entry} />
      <WordExample id={id} />
      <p>
        <a href={`#/words?word=${id}`}>All words</a>
      </p>
    </div>
  );
}

interface WordPopoverProps extends WordCardProps {
  readonly word: RefObject<HTMLButtonElement | null>;
  readonly onClose: () => void;
}

/** A word's card beside the word. It takes the focus and, closed by Escape or a press elsewhere, gives it back. */
export function WordPopover({ word, onClose, ...card }: WordPopoverProps) {
  return (
    <Popover className="popover" triggerRef={word} isOpen onOpenChange={(open) => !open && onClose()} placement="bottom" offset={6}>
      <Dialog aria-label={`${glossaryTerm(card.id).term}: what it means`}>
        <WordCard {...card} onLeave={onClose} />
      </Dialog>
    </Popover>
  );
}
