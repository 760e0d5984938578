// The racers in a table: how each line is drawn, what differs, how far it is, what it reached, and
// whether it learns.
import { judgeRun } from "../../rl/verdict.ts";
import { formatNumber, formatShare } from "../charts/format.ts";
import { tone } from "../charts/plotModel.ts";
import { fieldTitle, valueText } from "../counterfactual/strips.ts";
import { useVersion } from "../store/versioned.ts";
import { recentMean } from "../train/runReadings.ts";
import { Verdict } from "../verdict/Verdict.tsx";
import { DASHES, differingSettings, settingOf } from "./raceSeries.ts";
import { type Racer, raceVersion, runOf } from "./raceStore.ts";

/** Steps at the end over which the reward is averaged. */
const LAST_STEPS = 10;
/** Settings that get a column each; more are listed in one. */
const MOST_COLUMNS = 3;

function titleOf(name: string): string {
  const [key = "", entry] = name.split(".");
  return entry ?? fieldTitle(key as Parameters<typeof fieldTitle>[0]);
}

function stateText(racer: Racer): string {
  const run = runOf(racer);
  if (racer.status === "waiting") return "waits for a free core";
  if (run.state === "preparing") return run.preparing ? run.preparing.what : "is being prepared";
  if (run.state === "failed") return `failed: ${run.stateReason ?? run.error ?? "unknown reason"}`;
  if (run.stateReason === "stopped") return "stopped";
  return racer.isScreen ? `on the Train screen, ${run.state}` : run.state;
}

function Swatch({ place }: { readonly place: number }) {
  return (
    <svg className="race-swatch" width="32" height="12" aria-hidden="true">
      <line x1="1" x2="31" y1="6" y2="6" stroke={tone(place)} strokeWidth="2.5" strokeDasharray={DASHES[place] || undefined} />
    </svg>
  );
}

function Accuracy({ racer }: { readonly racer: Racer }) {
  const last = runOf(racer).evaluations.at(-1);
  if (!last) return <>–</>;
  const [low, high] = last.greedyInterval;
  return (
    <>
      <b>{formatShare(last.greedyAccuracy)}</b>{" "}
      <span className="race-note aside">
        {last.problems > 1 && `${formatShare(low)} – ${formatShare(high)}, `}step {last.step}
      </span>
    </>
  );
}

/** The settings of a racer in one cell, where they are too many for columns. */
function SettingList({ racer, settings }: { readonly racer: Racer; readonly settings: readonly string[] }) {
  return (
    <ul className="race-settings">
      {settings.map((name) => (
        <li key={name}>
          <span className="race-note aside">{titleOf(name)}</span> {valueText(settingOf(racer, name) ?? "–")}
        </li>
      ))}
    </ul>
  );
}

function Row({ racer, place, settings }: { readonly racer: Racer; readonly place: number; readonly settings: readonly string[] }) {
  const rewards = racer.view.metrics.series("reward").values;
  const run = runOf(racer);
  const steps = run.config?.steps ?? racer.config?.steps ?? 0;
  return (
    <tr>
      <th scope="row">
        <span className="race-name">
          <Swatch place={place} /> {racer.id} {racer.label}
        </span>
        {racer.forkStep !== null && <span className="race-note aside">leaves after step {racer.forkStep}</span>}
      </th>
      <td data-title="State">
        <span className="race-step">
          {run.step}
          {steps > 0 && ` of ${steps}`}
        </span>{" "}
        <span className="race-note aside">{stateText(racer)}</span>
      </td>
      {settings.length > MOST_COLUMNS ? (
        <td data-title="Settings">
          <SettingList racer={racer} settings={settings} />
        </td>
      ) : (
        settings.map((name) => (
          <td key={name} data-title={titleOf(name)}>
            {valueText(settingOf(racer, name) ?? "–")}
          </td>
        ))
      )}
      <td data-title="Greedy accuracy">
        <Accuracy racer={racer} />
      </td>
      <td data-title={`Reward, last ${LAST_STEPS} steps`}>{formatNumber(recentMean(rewards, LAST_STEPS) ?? Number.NaN)}</td>
      <td data-title="Verdict">
        <Verdict result={judgeRun({ ...run, metric: (key) => racer.view.metrics.series(key) })} />
      </td>
    </tr>
  );
}

export function RaceTable({ racers }: { readonly racers: readonly Racer[] }) {
  useVersion(raceVersion);
  const settings = differingSettings(racers);
  return (
    <table className="race-table">
      <caption className="visually-hidden">Racers, the settings in which they differ, and what they reached</caption>
      <thead>
        <tr>
          <th scope="col">Racer</th>
          <th scope="col">Step</th>
          {(settings.length > MOST_COLUMNS ? ["Settings"] : settings.map(titleOf)).map((title) => (
            <th key={title} scope="col">
              {title}
            </th>
          ))}
          <th scope="col">Greedy accuracy</th>
          <th scope="col">Reward, last {LAST_STEPS} steps</th>
          <th scope="col">Verdict</th>
        </tr>
      </thead>
      <tbody>
        {racers.map((racer, place) => (
          <Row key={racer.id} racer={racer} place={place} settings={settings} />
        ))}
      </tbody>
    </table>
  );
}
