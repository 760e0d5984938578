// Measured values of a save that lie where no measurement can: somebody has changed them, or another program counts otherwise.
// Nothing is trained on them, so the run is shown as it was recorded, with a remark.

import { type MetricFacts, metricFacts } from "../../../rl/metrics/metricFacts.ts";
import { lostRemark } from "../kept/lostSteps.ts";
import type { RunLog, SavedRecords } from "../savedState.ts";

/** Slack for means that were summed in another order than their extremes were found. */
const ROUNDING = 1e-6;

const ofRange = (wanted: MetricFacts["range"]) => metricFacts.flatMap(({ key, range }) => (range === wanted ? [key] : []));
const SHARES = ofRange("share");
const SPREADS = ofRange("spread");
/** Means with the extremes of the same numbers. */
const MEANS = metricFacts.flatMap(({ key, between }) => (between ? [[key, ...between] as const] : []));

/** What is wrong with a value, as a sentence; null where nothing is, or where it is not a number, so that nothing was measured. */
function outside(name: string, value = Number.NaN, least = -Infinity, most = Infinity): string | null {
  const slack = ROUNDING * Math.max(1, Math.abs(value));
  if (!(least - slack > value || most + slack < value)) return null;
  const range = most === Infinity ? `>= ${least}` : least === -Infinity ? `<= ${most}` : `from ${least} to ${most}`;
  return `${name} must be ${range}, got ${value}`;
}

const share = (name: string, value: number | undefined) => outside(name, value, 0, 1);
const interval = (name: string, [low, high]: readonly [number, number]) => [
  share(name, low),
  share(name, high),
  outside(`the end of ${name}`, high, low),
];

function* oddValues({ steps, evaluations, baselines }: RunLog): Generator<string | null> {
  for (const { step, metrics } of steps) {
    const at = (name: string) => `${name} at step ${step}`;
    for (const name of SHARES) yield share(at(name), metrics[name]);
    for (const name of SPREADS) yield outside(at(name), metrics[name], 0);
    for (const [mean, least, most] of MEANS) yield outside(at(mean), metrics[mean], metrics[least ?? ""], metrics[most ?? ""]);
  }
  for (const { step, greedyInterval, sampledInterval, passAtK, ...evaluation } of evaluations) {
    for (const name of ["greedyAccuracy", "sampledAccuracy", "formRate"] as const) yield share(`${name} at step ${step}`, evaluation[name]);
    for (const k in passAtK) yield share(`pass@${k} at step ${step}`, passAtK[k]);
    yield* interval(`greedyInterval at step ${step}`, greedyInterval);
    yield* interval(`sampledInterval at step ${step}`, sampledInterval);
  }
  for (const baseline of baselines) {
    yield share(`accuracy of the ${baseline.kind} baseline`, baseline.accuracy);
    yield* interval(`interval of the ${baseline.kind} baseline`, baseline.interval);
  }
}

/** More of them are counted. */
const NAMED = 3;

/** What to say of values that cannot have been measured; null where there are none. */
export function oddRemark(log: RunLog): string | null {
  const odd = [...oddValues(log)].filter((each) => each !== null);
  if (odd.length === 0) return null;
  const more = odd.length > NAMED ? `; and ${odd.length - NAMED} more` : "";
  const values =
    odd.length === 1 ? "1 recorded value cannot have been measured" : `${odd.length} recorded values cannot have been measured`;
  return `${values} (${odd.slice(0, NAMED).join("; ")}${more}). The run is shown as it was recorded, and nothing is trained on such values.`;
}

/** What to say of a save that was read and is not as one should be, besides what was refused; null where all is well. */
export function savedRemark(saved: SavedRecords): string | null {
  return [lostRemark(saved.lost), oddRemark(saved)].filter((each) => each !== null).join(" ") || null;
}
