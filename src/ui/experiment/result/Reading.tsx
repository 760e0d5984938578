// What an experiment shows, in one sentence, and along what it is read.
import type { ReactNode } from "react";
import { AXES, type Axis, placeText } from "../../../rl/race/axis.ts";
import { costWarning } from "../../../rl/race/cost.ts";
import { type Measure, measureNamed } from "../../../rl/race/measures.ts";
import type { Shows } from "../../../rl/race/race.ts";
import { wordsOf } from "../../../rl/race/raceWords.ts";
import type { JudgedRace } from "../../../rl/race/recordedRace.ts";
import { zoomTo } from "../../kit/charts/chartView.ts";
import { Choice } from "../../kit/controls/Choice.tsx";
import { NumberInput } from "../../kit/controls/TextInput.tsx";
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
    <p className="race-result large" data-shows={result.shows}>
      <b className="nowrap">
        <span aria-hidden="true">{glyph}</span> {word}.
      </b>{" "}
      {result.rewardsDiffer
        ? "These runs are paid by different rules, so their rewards are not compared; turn evaluations on to compare accuracies."
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
    <section className="stack" aria-label={`What the ${shape.words.what} shows`}>
      <div className="line race-reading justify-between">
        <Axes screen={shape.screen} axis={axis} />
        <MeasureChoice screen={shape.screen} measures={result.measures} />
        <Target screen={shape.screen} result={result} />
        {result.canPair && <Pairs screen={shape.screen} isPaired={result.isPaired} />}
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
      <span id={name} className="soft">
        {title}
      </span>
      {options.map(({ id, title: word, explains }) => (
        <button
          key={id}
          type="button"
          className="choices-one soft semibold"
          title={explains}
          aria-pressed={id === value}
          onClick={() => onChange(id)}
        >
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
    <Explained text="Runs are compared at a point that all of them have reached, so a longer run has no advantage.">At equal</Explained>
  );
  const options = (Object.keys(AXES) as Axis[]).map((id) => ({ id, title: AXES[id].many, explains: AXES[id].explains }));
  return <ChoiceLine id="race-axis" title={explained} options={options} value={axis} onChange={choose} />;
}

interface MeasureChoiceProps {
  readonly screen: Shape["screen"];
  /** The usual one first. */
  readonly measures: readonly Measure[];
}

/** What runs are compared by, in the set-up and beside the result. */
export function MeasureChoice({ screen, measures }: MeasureChoiceProps) {
  const chosen = useSetup(screen, (setup) => setup.measure);
  const [usual] = measures;
  // One that an address names is there though these runs may not have it.
  const named = chosen === null || measures.some(({ id }) => id === chosen) ? null : measureNamed(chosen);
  const shown = measures.find(({ id }) => id === chosen) ?? named ?? usual;
  if (!usual || !shown) return null;
  return (
    <Choice
      className="race-measure"
      label={<Explained text={shown.explains}>Compared by</Explained>}
      value={shown.id}
      options={[...measures, ...(named ? [named] : [])].map(({ id, title }) => ({ id, title }))}
      // Values of one measure are none of another.
      onChange={(id) => setSetup(screen, { measure: id === usual.id ? null : id, target: null })}
    />
  );
}

function Pairs({ screen, isPaired }: { readonly screen: Shape["screen"]; readonly isPaired: boolean }) {
  const explained = (
    <Explained text="Unpaired intervals treat the runs of each setting as independent samples (Welch’s t). Paired intervals use one difference for each seed. Pairs help when runs with the same seed go alike; with few seeds they help less.">
      Seeds
    </Explained>
  );
  const options = [
    { id: "apart", title: "independent" },
    { id: "paired", title: "paired" },
  ];
  const choose = (id: string) => setSetup(screen, { isPaired: id === "paired" });
  return <ChoiceLine id="race-pairs" title={explained} options={options} value={isPaired ? "paired" : "apart"} onChange={choose} />;
}

/** The values that every run began with at least. */
const metAtStart = ({ standings, target }: JudgedRace) =>
  target !== null && standings.length > 0 && standings.every(({ targets }) => targets.every((place) => place === 0));

function Target({ screen, result }: { readonly screen: Shape["screen"]; readonly result: JudgedRace }) {
  const asked = useSetup(screen, (setup) => setup.target);
  const { target, measure } = result;
  const { value } = wordsOf(measure);
  const explained = (
    <Explained text="The table shows where each run was first measured at this value. The page proposes a value that at least one run has reached and no run had at its start.">
      {measure.isShare ? "Share to reach" : "Value to reach"}
    </Explained>
  );
  const set = (next: number | null) => setSetup(screen, { target: next });
  const known = [...new Set([...TARGETS, ...(asked === null ? [] : [asked])])].sort((a, b) => a - b);
  const none = target === null ? "none: all were met at the start" : `${value(target)} (chosen by the page)`;
  const options = [
    { id: AUTO, title: asked === null ? none : "chosen by the page" },
    ...known.map((each) => ({ id: String(each), title: value(each) })),
  ];
  return (
    <>
      {measure.isShare ? (
        <Choice
          className="race-target"
          label={explained}
          value={asked === null ? AUTO : String(asked)}
          options={options}
          onChange={(id) => set(id === AUTO ? null : Number(id))}
        />
      ) : (
        <NumberInput label={explained} name="Value to reach" value={target ?? 0} onChange={set} />
      )}
      {metAtStart(result) && <p className="fine-print">All of them had met {value(target ?? 0)} at step 0, before any training.</p>}
    </>
  );
}

/** Where all are compared, in words; "" before. */
export function comparedAt({ at }: JudgedRace, axis: Axis): string {
  return at === null ? "" : `at ${placeText(axis, at)}`;
}
