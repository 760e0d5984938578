// A word's example to try, where it has one: a control or two, and what the trainer's own functions make of them.
import { useState } from "react";
import { Slider } from "../controls/Slider.tsx";
import { type WordExample as Example, WORD_EXAMPLES } from "./examples.ts";
import type { TermId } from "./glossary.ts";
import "../controls/controls.css";
import "./word.css";

export function WordExample({ id }: { readonly id: TermId }) {
  const example = WORD_EXAMPLES[id];
  return example ? <Tried example={example} /> : null;
}

function Tried({ example: { controls, rows } }: { readonly example: Example }) {
  const [values, setValues] = useState(() => controls.map(({ initial }) => initial));
  return (
    <div className="word-example stack rule-above">
      <h3 className="fine-print">Example</h3>
      {controls.map(({ label, min, max, step, show }, i) => (
        <Slider
          key={label}
          className="word-slider grid"
          label={label}
          text={show(values[i]!)}
          minValue={min}
          maxValue={max}
          step={step}
          value={values[i]!}
          onChange={(value) => setValues(values.map((each, at) => (at === i ? value : each)))}
        />
      ))}
      <dl className="word-rows grid" aria-live="polite">
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
