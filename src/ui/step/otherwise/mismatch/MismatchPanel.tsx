// How far sampler and trainer are apart in a step, in charts by step and by place, and what corrections would have dropped or cut: their
// thresholds are moved here, and tokens, counts and rollouts follow while they move.
import { useDeferredValue, useMemo, useState } from "react";
import type { MismatchCorrection } from "../../../../rl/mismatch/correction.ts";
import { corrections } from "../../../../rl/mismatch/index.ts";
import {
  type Corrected,
  corrected,
  type MeanMismatch,
  mismatchByPlace,
  mismatchOf,
  type TokensOfBoth,
  tokensOfBoth,
} from "../../../../rl/mismatch/mismatch.ts";
import { useVersion } from "../../../engine/store/metricSeries.ts";
import { useRunView, useSelect } from "../../../engine/store/useRunView.ts";
import { seriesOf } from "../../../kit/charts/chartSpec.ts";
import { CHARTS } from "../../../kit/charts/index.ts";
import { MetricChart, type MetricChartProps } from "../../../kit/charts/MetricChart.tsx";
import { Choice } from "../../../kit/controls/Choice.tsx";
import { Slider } from "../../../kit/controls/Slider.tsx";
import type { OtherwiseProps } from "../../askedStep.ts";
import { TokenText } from "../../tokens/TokenText.tsx";
import { tokenFacts } from "../../tokens/tokenFacts.ts";
import { AnswersTable, PlaceHead } from "../AnswersTable.tsx";
import { apartSentences, correctedText, markChannel, mostTouched, placeSeries } from "./mismatchTexts.ts";
import "./mismatch.css";

const LOGGED = CHARTS.filter(({ id }) => id === "mismatch");
/** The KL by step; runs of this lab, and TRL, record the size of the difference before the update in its place. */
const BY_STEP = [
  ...LOGGED.map((spec) => ({ ...spec, title: "By step" })),
  ...LOGGED.map((spec) => ({
    ...spec,
    title: "By step, size of the difference",
    help: "How far a token's log-prob in the trainer is from the sampler's before the update, on average, whichever way.",
    metrics: [{ key: "sampling/sampling_logp_difference/mean", label: "difference" }],
  })),
];
const BY_PLACE: MetricChartProps["spec"] = {
  id: "mismatch-place",
  title: "By place in the answer",
  unit: "nats per token",
  word: null,
  include: [0],
  format: "measure",
  help: "Mean KL of the sampler to the trainer at the first token of the answers, the second, and so on.",
};
const PLACE_AXIS = { name: "token", at: (place: number) => `token ${place}` };
/** Rollouts that are named. */
const MOST_ROWS = 8;

type Thresholds = Readonly<Record<string, number>>;
const USUAL: Readonly<Record<string, Thresholds>> = Object.fromEntries(
  corrections.map(({ id, thresholds }) => [id, Object.fromEntries(thresholds.map(({ key, usual }) => [key, usual]))]),
);

function Charts({ places }: { readonly places: readonly MeanMismatch[] }) {
  const { metrics } = useRunView();
  const version = useVersion(metrics);
  const byPlace = useMemo(() => placeSeries(places), [places]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the version stands for the contents of the columns
  const steps = useMemo(
    () =>
      BY_STEP.map((spec) => ({ spec, series: seriesOf(spec, { metric: (key) => metrics.series(key), evaluations: [] }) })).find(
        ({ series }) => series.length > 0,
      ),
    [metrics, version],
  );
  return (
    <div className="mismatch-charts grid">
      {steps && <MetricChart {...steps} levels={[]} height={160} />}
      <MetricChart spec={BY_PLACE} series={byPlace} levels={[]} height={160} axis={PLACE_AXIS} />
    </div>
  );
}

interface CorrectionProps {
  readonly correction: MismatchCorrection;
  readonly both: TokensOfBoth;
  readonly thresholds: Thresholds;
  readonly found: Corrected;
  readonly onChange: (thresholds: Thresholds) => void;
}

function Correction({ correction, both, thresholds, found, onChange }: CorrectionProps) {
  return (
    <fieldset className="rule">
      <legend className="semibold">{correction.title}</legend>
      <p className="aside">
        {correction.help} <span className="fine-print">{correction.source}.</span>
      </p>
      {correction.thresholds.map(({ key, title, least, most, step, usual }) => {
        const value = thresholds[key] ?? usual;
        return (
          <Slider
            key={key}
            className="mismatch-threshold grid"
            label={title}
            text={String(value)}
            value={value}
            minValue={least}
            maxValue={most}
            step={step}
            onChange={(to) => onChange({ ...thresholds, [key]: to })}
          />
        );
      })}
      <p>{correctedText(correction, found, both.tokens)}</p>
    </fieldset>
  );
}

interface MarkedProps extends OtherwiseProps {
  readonly both: TokensOfBoth;
  readonly correction: MismatchCorrection;
  readonly found: Corrected;
}

/** The selected answer with what the correction touches in it, and the rollouts that lose most. */
function Marked({ step, promptIndex, trajectoryIndex, tokenIndex, both, correction, found }: MarkedProps) {
  const select = useSelect();
  const group = step.groups.find((each) => each.promptIndex === promptIndex);
  const trajectory = group?.trajectories[trajectoryIndex];
  const before = step.groups.flatMap((each) => (each.promptIndex < promptIndex ? each.trajectories : []));
  const q = before.length + trajectoryIndex;
  const tokens = useMemo(() => (trajectory ? tokenFacts(trajectory, null, step.phase) : []), [trajectory, step.phase]);
  const channel = useMemo(() => {
    const start = both.sequenceStart_Q[q] ?? 0;
    const end = both.sequenceStart_Q[q + 1] ?? 0;
    return markChannel(correction, found.side_K.subarray(start, end), both, start);
  }, [both, correction, found, q]);
  const rows = useMemo(() => mostTouched(step.groups, both, found), [step.groups, both, found]);
  const done = correction.does === "drops" ? "dropped" : "cut";
  return (
    <>
      <h3>
        Prompt {promptIndex + 1}, answer {trajectoryIndex + 1}: {found.touched_Q[q] ?? 0} {done}
      </h3>
      <p className="note">
        ▲ {done}, the trainer finds it likelier. ▼ {done}, it finds it less likely.
      </p>
      <TokenText
        label={`Answer ${trajectoryIndex + 1}, what ${correction.title} would have ${done}`}
        tokens={tokens}
        channel={channel}
        limit={1}
        pinned={tokenIndex}
        onPin={(token) => select({ step: step.step, tokenIndex: token })}
        onPoint={() => {}}
      />
      {rows.length > 0 && (
        <AnswersTable caption="Rollouts that lose most" heads={["Answer", `Tokens ${done}`, "of"]}>
          {rows.slice(0, MOST_ROWS).map((row) => (
            <tr key={`${row.promptIndex} ${row.trajectoryIndex}`}>
              <PlaceHead step={step.step} {...row} />
              <td>{row.touched}</td>
              <td>{row.tokens}</td>
            </tr>
          ))}
        </AnswersTable>
      )}
    </>
  );
}

export function MismatchPanel(props: OtherwiseProps) {
  const { groups } = props.step;
  const both = useMemo(() => tokensOfBoth(groups), [groups]);
  const places = useMemo(() => mismatchByPlace(both), [both]);
  const apart = useMemo(() => mismatchOf(both, places), [both, places]);
  const [set, setSet] = useState(USUAL);
  const [marked, setMarked] = useState(corrections[0]!.id);
  // Sliders move at once, and what follows from them when there is time.
  const following = useDeferredValue(set);
  const found = useMemo(
    () => new Map(corrections.map((each) => [each.id, corrected(both, each, following[each.id] ?? {})] as const)),
    [both, following],
  );
  const correction = corrections.find(({ id }) => id === marked)!;
  return (
    <div className="otherwise-panel stack">
      {apartSentences(apart, both.lacking).map((sentence) => (
        <p key={sentence} className="max-w-text soft">
          {sentence}
        </p>
      ))}
      {both.tokens > 0 && (
        <>
          <Charts places={places} />
          <div className="otherwise-parts grid items-start">
            {corrections.map((each) => (
              <Correction
                key={each.id}
                correction={each}
                both={both}
                thresholds={set[each.id] ?? {}}
                found={found.get(each.id)!}
                onChange={(thresholds) => setSet({ ...set, [each.id]: thresholds })}
              />
            ))}
          </div>
          <Choice
            className="field-inline"
            label="Mark in the answer what is touched by"
            options={corrections}
            value={marked}
            onChange={setMarked}
          />
          <Marked {...props} both={both} correction={correction} found={found.get(marked)!} />
        </>
      )}
    </div>
  );
}
