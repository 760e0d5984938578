// What the race shows, in one sentence, and along what it is read.

import { shareText } from "../../../protocol/quantities.ts";
import { AXES, type Axis, placeText } from "../../../rl/race/axis.ts";
import { costWarning } from "../../../rl/race/cost.ts";
import type { Shows } from "../../../rl/race/race.ts";
import type { JudgedRace } from "../../../rl/race/recordedRace.ts";
import { zoomTo } from "../../kit/charts/chartView.ts";
import { Choice } from "../../kit/controls/Choice.tsx";
import { Explained } from "../../kit/words/Term.tsx";
import type { Racer } from "./raceStore.ts";
import { setRace, useRaceSetup } from "./setup/raceSetup.ts";

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
export function RaceResult({ result }: { readonly result: JudgedRace }) {
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

interface RaceHeadProps {
  readonly racers: readonly Racer[];
  readonly result: JudgedRace;
}

export function RaceHead({ racers, result }: RaceHeadProps) {
  const axis = useRaceSetup((setup) => setup.axis);
  const priced = racers.flatMap(({ id, config }) => (config ? [{ id, config }] : []));
  const warning = costWarning(priced, axis);
  return (
    <section className="race-head stack" aria-label="What the race shows">
      <div className="line race-reading">
        <Axes axis={axis} />
        {result.measure !== "reward" && <Target result={result} />}
      </div>
      <RaceResult result={result} />
      {warning && <p className="aside race-warning">{warning}</p>}
    </section>
  );
}

function Axes({ axis }: { readonly axis: Axis }) {
  const choose = (next: Axis) => {
    // Places of one axis are none of another.
    zoomTo(null);
    setRace({ axis: next });
  };
  return (
    // Not every browser lets a legend stand on the line of its choices.
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is named by a legend
    <div className="choices line" role="group" aria-labelledby="race-axis">
      <span id="race-axis" className="choices-name">
        <Explained text="Racers are compared where all of them have come equally far: none is shown ahead for having gone on longer.">
          At equal
        </Explained>
      </span>
      {(Object.keys(AXES) as Axis[]).map((each) => (
        <button
          key={each}
          type="button"
          className="choices-one"
          title={AXES[each].explains}
          aria-pressed={each === axis}
          onClick={() => choose(each)}
        >
          {AXES[each].many}
        </button>
      ))}
    </div>
  );
}

function Target({ result }: { readonly result: JudgedRace }) {
  const asked = useRaceSetup((setup) => setup.target);
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
      onChange={(id) => setRace({ target: id === AUTO ? null : Number(id) })}
    />
  );
}

/** Where the racers are compared, in words; "" before. */
export function comparedAt({ at }: JudgedRace, axis: Axis): string {
  return at === null ? "" : `at ${placeText(axis, at)}`;
}
