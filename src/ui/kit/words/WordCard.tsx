// A word with its definition and, where one teaches, an example to try.
import { type RefObject, useState } from "react";
import { Dialog, Popover } from "react-aria-components";
import { Slider } from "../controls/Slider.tsx";
import { WORD_EXAMPLES, type WordExample } from "./examples.ts";
import { glossaryTerm, type TermId } from "./glossary.ts";
import "../controls/controls.css";
import "./word.css";

export function WordCard({ id }: { readonly id: TermId }) {
  const { term, text, source } = glossaryTerm(id);
  const example = WORD_EXAMPLES[id];
  return (
    <div className="word stack">
      <h2>{term}</h2>
      <p>{text}</p>
      {source && <p className="fine-print">{source}</p>}
      {example && <Example example={example} />}
    </div>
  );
}

function Example({ example: { controls, rows } }: { readonly example: WordExample }) {
  const [values, setValues] = useState(() => controls.map(({ initial }) => initial));
  return (
    <div className="word-example stack">
      <h3 className="fine-print">Example</h3>
      {controls.map(({ label, min, max, step, show }, i) => (
        <Slider
          key={label}
          className="word-slider"
          label={label}
          text={show(values[i]!)}
          minValue={min}
          maxValue={max}
          step={step}
          value={values[i]!}
          onChange={(value) => setValues(values.map((each, at) => (at === i ? value : each)))}
        />
      ))}
      <dl className="word-rows" aria-live="polite">
        {rows(...values).map(({ label, text, share }) => (
          <div key={label}>
            <dt className="soft">{label}</dt>
            <dd>{text}</dd>
            {share !== undefined && (
              <dd className="word-bar" aria-hidden="true">
                <span className="progress-fill" style={{ inlineSize: `${100 * share}%` }} />
              </dd>
            )}
          </div>
        ))}
      </dl>
    </div>
  );
}

interface WordPopoverProps {
  readonly id: TermId;
  readonly word: RefObject<HTMLButtonElement | null>;
  readonly onClose: () => void;
}

/** A word's card beside the word. It takes the focus and, closed by Escape or a press elsewhere, gives it back. */
export function WordPopover({ id, word, onClose }: WordPopoverProps) {
  return (
    <Popover className="popover" triggerRef={word} isOpen onOpenChange={(open) => !open && onClose()} placement="bottom" offset={6}>
      <Dialog aria-label={`${glossaryTerm(id).term}: an example`}>
        <WordCard id={id} />
      </Dialog>
    </Popover>
  );
}
