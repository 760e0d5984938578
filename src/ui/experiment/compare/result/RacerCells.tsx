// The cells of one racer that say who it is and how its own runs go.
import { counted } from "../../../../protocol/quantities.ts";
import { placesOf, shortCount } from "../../../../rl/race/axis.ts";
import type { VerdictResult, Verdict as VerdictWord } from "../../../../rl/verdict.ts";
import { useEngine } from "../../../engine/store/useRunView.ts";
import { tone } from "../../../kit/charts/plot/plotModel.ts";
import { Button } from "../../../kit/controls/Button.tsx";
import { Verdict } from "../../../kit/verdict/Verdict.tsx";
import { fieldTitle } from "../../../step/counterfactual/strips.ts";
import { durationText, recentMean } from "../../../step/group/runReadings.ts";
import { configOf, type Racer, type RacerRun, runOf } from "../raceStore.ts";
import { settingText } from "../setup/racePlan.ts";
import { DASHES, racerSetting } from "./raceSeries.ts";
import { replayText, verdictOfRun } from "./runVerdict.ts";

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

/** How far a run is: "30 of 30, finished". */
function stateText(run: RacerRun): string {
  const { state, stateReason, preparing, error, step, config } = runOf(run);
  const steps = config && config.steps > 0 ? `step ${step} of ${config.steps}` : `step ${step}`;
  if (run.status === "waiting") return "waits for a free core";
  if (state === "preparing") return preparing ? preparing.what : "is being prepared";
  if (state === "failed") return `${step > 0 ? `${steps}, ` : ""}failed: ${stateReason ?? error ?? "unknown reason"}`;
  if (stateReason === "kept") return steps;
  return `${steps}, ${stateReason === "stopped" ? "stopped" : state}${run.isScreen ? " on the Train screen" : ""}`;
}

/** The states of all runs, equal ones told once. */
function stateTexts({ runs }: Racer): readonly string[] {
  if (runs.length === 1) return runs.map(stateText);
  const seeds = new Map<string, number[]>();
  for (const run of runs) seeds.set(stateText(run), [...(seeds.get(stateText(run)) ?? []), run.seed]);
  return [...seeds].map(([text, of]) => (of.length === runs.length ? `${of.length} seeds: ${text}` : `seed ${of.join(", ")}: ${text}`));
}

/** Settings in sight, as far as they are few. */
const FEW = 3;

function Settings({ said }: { readonly said: readonly { readonly title: string; readonly text: string }[] }) {
  if (said.length === 0) return null;
  const list = (
    <ul className="race-settings facts aside">
      {said.map(({ title, text }) => (
        <li key={title}>
          {title} <b>{text}</b>
        </li>
      ))}
    </ul>
  );
  if (said.length <= FEW) return list;
  return (
    <details className="aside">
      <summary>
        {counted(said.length, "setting")} {said.length === 1 ? "differs" : "differ"} between the racers
      </summary>
      {list}
    </details>
  );
}

interface RacerCellProps {
  readonly racer: Racer;
  readonly place: number;
  /** Names of the settings in which racers differ. */
  readonly settings: readonly string[];
  /** The run that a branch leaves. */
  readonly trunk: Racer;
}

export function RacerCell({ racer, place, settings, trunk }: RacerCellProps) {
  const catalog = useEngine((facts) => facts.catalog);
  const said = settings
    .map((name) => ({ title: titleOf(name), text: catalog ? settingText(catalog, name, racerSetting(racer, name) ?? "–") : "–" }))
    .filter(({ title, text }) => `${title} ${text}` !== racer.label);
  return (
    <>
      <span className="race-name">
        <Swatch place={place} /> {racer.id} {racer.label}
      </span>
      <Settings said={said} />
      {stateTexts(racer).map((text) => (
        <span key={text} className="race-note race-state aside">
          {text}
        </span>
      ))}
      {racer.forkStep !== null && <span className="race-note aside">{replayText(racer, trunk, racer.forkStep)}</span>}
    </>
  );
}

/** Means over the racer's runs that have begun. */
export function CostCell({ racer }: { readonly racer: Racer }) {
  const runs = racer.runs.filter((run) => run.view.metrics.lastStep > 0);
  if (runs.length === 0) return <>–</>;
  const mean = (read: (run: RacerRun) => number) => runs.reduce((sum, run) => sum + read(run), 0) / runs.length;
  const at = (run: RacerRun, axis: "updates" | "tokens") => {
    const config = configOf(run);
    return config ? placesOf(axis, config, run.view.metrics.series("num_tokens"))(run.view.metrics.lastStep) : Number.NaN;
  };
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

/** The verdict of each run; equal words once, with their number. */
export function VerdictCell({ racer: { runs } }: { readonly racer: Racer }) {
  const begun = runs.filter((run) => run.view.metrics.lastStep > 0);
  if (begun.length === 0) return <>–</>;
  const byWord = new Map<VerdictWord, VerdictResult[]>();
  for (const run of begun) {
    const result = verdictOfRun(run);
    byWord.set(result.verdict, [...(byWord.get(result.verdict) ?? []), result]);
  }
  return [...byWord].map(([word, results]) => (
    <span key={word} className="race-note">
      {begun.length > 1 && `${results.length} × `}
      <Verdict result={results[0]!} />
    </span>
  ));
}

interface OpenCellProps {
  readonly racer: Racer;
  readonly onOpen: (run: string) => void;
}

/** A button for each run whose rollouts can be looked at. */
export function OpenCell({ racer: { id, runs }, onOpen }: OpenCellProps) {
  const isOne = runs.length === 1;
  const seen = runs.filter(({ isScreen }) => !isScreen);
  return (
    <span className="race-open">
      {runs.some(({ isScreen }) => isScreen) && <a href="#/rollouts">Open</a>}
      {seen.map((run) => (
        <Button
          key={run.id}
          className="race-open-one"
          label={isOne ? `Open the rollouts of ${id}` : `Open the rollouts of ${id}, seed ${run.seed}`}
          isDisabled={run.view.groups.latestStep === null && runOf(run).stateReason !== "kept"}
          onPress={() => onOpen(run.id)}
        >
          {isOne ? "Open" : run.seed}
        </Button>
      ))}
    </span>
  );
}
