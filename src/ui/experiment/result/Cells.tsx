// The cells of one combination that say which it is and how its own runs go.
import { counted } from "../../../protocol/quantities.ts";
import { shortCount } from "../../../rl/race/axis.ts";
import type { Verdict as VerdictWord } from "../../../rl/verdict.ts";
import { useEngine } from "../../engine/store/useRunView.ts";
import { tone } from "../../kit/charts/plot/plotModel.ts";
import { Button } from "../../kit/controls/Button.tsx";
import { Verdict } from "../../kit/verdict/Verdict.tsx";
import { fieldTitle } from "../../kit/words/settingText.ts";
import { durationText, recentMean } from "../../step/group/runReadings.ts";
import { DASHES, settingOf } from "../charts/curves.ts";
import { settingText } from "../plan/varied.ts";
import { type Combination, type ExperimentRun, factsOf, isOnScreen } from "../run/experiments.ts";
import { placesAlong } from "./judged.ts";
import { type JudgedRun, replayText, verdictOfRun } from "./runVerdict.ts";
import { runStates } from "./words.ts";

/** A setting by its title. */
export function titleOf(name: string): string {
  const [key = "", entry] = name.split(".");
  return entry ?? fieldTitle(key as Parameters<typeof fieldTitle>[0]);
}

function Swatch({ place }: { readonly place: number }) {
  return (
    <svg className="race-swatch" width="32" height="12" aria-hidden="true">
      <line x1="1" x2="31" y1="6" y2="6" stroke={tone(place)} strokeWidth="2.5" strokeDasharray={DASHES[place] || undefined} />
    </svg>
  );
}

interface NameCellProps {
  readonly combination: Combination;
  readonly place: number;
  /** Of how many. */
  readonly count: number;
  /** Names of the settings in which they differ. */
  readonly settings: readonly string[];
  /** The run that a branch leaves. */
  readonly trunk: Combination;
  /** Whether the experiment was ended where it stood. */
  readonly isStopped: boolean;
}

export function NameCell({ combination, place, count, settings, trunk, isStopped }: NameCellProps) {
  const catalog = useEngine((facts) => facts.catalog);
  const { id, label, forkStep } = combination;
  const said = settings
    .map((name) => ({ title: titleOf(name), text: catalog ? settingText(catalog, name, settingOf(combination, name) ?? "–") : "–" }))
    // What its name says already.
    .filter(({ title, text }) => !label.split(", ").includes(`${title} ${text}`));
  return (
    <>
      <span className="flex items-center gap-1 semibold">
        {count <= DASHES.length && <Swatch place={place} />} {id} {label}
      </span>
      {said.length > 0 && (
        <ul className="race-settings facts aside">
          {said.map(({ title, text }) => (
            <li key={title}>
              {title} <b>{text}</b>
            </li>
          ))}
        </ul>
      )}
      {runStates(combination, isStopped).map((text) => (
        <span key={text} className="race-note aside wrap-anywhere">
          {text}
        </span>
      ))}
      {forkStep !== null && <span className="race-note aside">{replayText(combination, trunk, forkStep)}</span>}
    </>
  );
}

/** Means over the combination's runs that have begun. */
export function CostCell({ combination }: { readonly combination: Combination }) {
  const runs = combination.runs.filter((run) => run.view.metrics.lastStep > 0);
  if (runs.length === 0) return <>–</>;
  const mean = (read: (run: ExperimentRun) => number) => runs.reduce((sum, run) => sum + read(run), 0) / runs.length;
  const at = (run: ExperimentRun, axis: "updates" | "tokens") => placesAlong(axis, run)(run.view.metrics.lastStep);
  const seconds = mean(
    ({ view: { metrics } }) => metrics.lastStep * (recentMean(metrics.series("step_time").values, metrics.lastStep) ?? 0),
  );
  return (
    <>
      <span className="race-note">{counted(shortCount(mean((run) => at(run, "updates"))), "update")}</span>
      <span className="race-note aside">{counted(shortCount(mean((run) => at(run, "tokens"))), "token")}</span>
      <span className="race-note aside">{durationText(seconds)}</span>
    </>
  );
}

/** Titles of the causes that are named first, each once. */
const causesOf = (results: readonly JudgedRun[]) => [...new Set(results.flatMap(({ cause }) => cause?.diagnosis.title ?? []))];

/** The verdict of each run and the likely cause; equal words once, with their number. */
export function VerdictCell({ combination: { runs } }: { readonly combination: Combination }) {
  const begun = runs.filter((run) => run.view.metrics.lastStep > 0);
  if (begun.length === 0) return <>–</>;
  const byWord = new Map<VerdictWord, JudgedRun[]>();
  for (const run of begun) {
    const result = verdictOfRun(run);
    byWord.set(result.verdict, [...(byWord.get(result.verdict) ?? []), result]);
  }
  return [...byWord].map(([word, results]) => (
    <span key={word} className="race-note">
      {begun.length > 1 && `${results.length} × `}
      <Verdict result={results[0]!} />
      {causesOf(results).map((title) => (
        <span key={title} className="race-note fine-print">
          likely: {title}
        </span>
      ))}
    </span>
  ));
}

interface OpenCellProps {
  readonly combination: Combination;
  /** Whether a run is opened from its save, or its rollouts are looked at here. */
  readonly isReplay: boolean;
  /** Shows a run's rollouts. */
  readonly onOpen: (run: ExperimentRun) => void;
}

/** A button for each run whose rollouts can be looked at. */
export function OpenCell({ combination: { id, runs }, isReplay, onOpen }: OpenCellProps) {
  const isOne = runs.length === 1 && !isReplay;
  const what = isReplay ? "Replay the run" : "Open the rollouts";
  const isClosed = (run: ExperimentRun) =>
    isReplay ? factsOf(run).step === 0 || run.status === "running" : run.view.groups.latestStep === null && factsOf(run).step === 0;
  return (
    <span className="flex flex-wrap gap-half">
      {runs.some(isOnScreen) && <a href="#/rollouts">Open</a>}
      {runs
        .filter((run) => !isOnScreen(run))
        .map((run) => (
          <Button
            key={run.id}
            className="race-open-one small"
            label={isOne ? `${what} of ${id}` : `${what} of ${id}, seed ${run.seed}`}
            isDisabled={isClosed(run)}
            onPress={() => onOpen(run)}
          >
            {isOne ? "Open" : run.seed}
          </Button>
        ))}
    </span>
  );
}
