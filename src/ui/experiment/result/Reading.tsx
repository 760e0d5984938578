// What an experiment shows, in one sentence, and along what it is read.
import type { ReactNode } from "react";
import { shareText } from "../../../protocol/quantities.ts";
import { AXES, type Axis, placeText } from "../../../rl/race/axis.ts";
import { costWarning } from "../../../rl/race/cost.ts";
import type { Shows } from "../../../rl/race/race.ts";
import type { JudgedRace } from "../../../rl/race/recordedRace.ts";
import { zoomTo } from "../../kit/charts/chartView.ts";
import { Choice } from "../../kit/controls/Choice.tsx";
import { Explained } from "../../kit/words/Term.tsx";
import { setSetup, useSetup } from "../plan/setup.ts";
import type { Combination } from "../run/experiments.ts";
import type { Shape } from "../shapes/shape.ts";

/** A word and a glyph for each kind of result. */
const WORDS: Readonly<Record<Shows, readonly [glyph: string, word: string]>> = {
  "nothing yet": ["○", "Nothing yet"],
  "no difference": ["=", "No difference shown"],
  "two runs differ": ["≠", "Two runs differ"],
  "a difference": ["●", "A difference"],
};

const TARGETS = [0.5, 0.75, 0.9, 0.95, 0.99] as const;
const AUTO = "auto";

/** The result in a word and in its sentence. */
function Result({ result }: { readonly result: JudgedRace }) {
  const [glyph, word] = WORDS[result.shows];
  return (
    <p className="race-result" data-shows={result.shows}>
      <b className="race-word">
        <span aria-hidden="true">{glyph}</span> {word}.
      </b>{" "}
      {result.rewardsDiffer
        ? "The racers are paid by different rules, so their rewards are not compared; turn evaluations on to compare accuracies."
        : result.sentence}
    </p>
  );
}

interface ReadingProps {
  readonly combinations: readonly Combination[];
  readonly shape: Shape;
  readonly result: JudgedRace;
}

export function Reading({ combinations, shape, result }: ReadingProps) {
  const axis = useSetup(shape.screen, (setup) => setup.axis);
  const warning = costWarning(combinations, axis);
  return (
    <section className="stack" aria-label={`What the ${shape.called} shows`}>
      <div className="line race-reading">
        <Axes screen={shape.screen} axis={axis} />
        {result.measure !== "reward" && <Target screen={shape.screen} result={result} />}
      </div>
      <Result result={result} />
      {warning && <p className="aside race-warning">{warning}</p>}
    </section>
  );
}

interface ChoiceLineProps<Id extends string> {
  readonly id: string;
  readonly title: ReactNode;
  readonly options: readonly { readonly id: Id; readonly title: string; readonly explains?: string }[];
  readonly value: Id;
  readonly onChange: (id: Id) => void;
}

/** One of a few words, on the line of their name. */
export function ChoiceLine<Id extends string>({ id: name, title, options, value, onChange }: ChoiceLineProps<Id>) {
  return (
    // Not every browser lets a legend stand on the line of its choices.
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is named by a legend
    <div className="choices line" role="group" aria-labelledby={name}>
      <span id={name} className="choices-name">
        {title}
      </span>
      {options.map(({ id, title: word, explains }) => (
        <button key={id} type="button" className="choices-one" title={explains} aria-pressed={id === value} onClick={() => onChange(id)}>
          {word}
        </button>
      ))}
    </div>
  );
}

function Axes({ screen, axis }: { readonly screen: Shape["screen"]; readonly axis: Axis }) {
  const choose = (next: Axis) => {
    // Places of one axis are none of another.
    zoomTo(null);
    setSetup(screen, { axis: next });
  };
  const explained = (
    <Explained text="Racers are compared where all of them have come equally far: none is shown ahead for having gone on longer.">
      At equal
    </Explained>
  );
  const options = (Object.keys(AXES) as Axis[]).map((id) => ({ id, title: AXES[id].many, explains: AXES[id].explains }));
  return <ChoiceLine id="race-axis" title={explained} options={options} value={axis} onChange={choose} />;
}

function Target({ screen, result }: { readonly screen: Shape["screen"]; readonly result: JudgedRace }) {
  const asked = useSetup(screen, (setup) => setup.target);
  const known = [...new Set([...TARGETS, ...(asked === null ? [] : [asked])])].sort((a, b) => a - b);
  const options = [
    { id: AUTO, title: `${shareText(result.target)} (chosen by the page)` },
    ...known.map((share) => ({ id: String(share), title: shareText(share) })),
  ];
  return (
    <Choice
      className="race-target"
      label={
        <Explained text="The table tells where each racer was first measured at this share of right answers. The page chooses the highest round one that a racer has reached.">
          Accuracy to reach
        </Explained>
      }
      value={asked === null ? AUTO : String(asked)}
      options={options}
      onChange={(id) => setSetup(screen, { target: id === AUTO ? null : Number(id) })}
    />
  );
}

/** Where all are compared, in words; "" before. */
export function comparedAt({ at }: JudgedRace, axis: Axis): string {
  return at === null ? "" : `at ${placeText(axis, at)}`;
}
