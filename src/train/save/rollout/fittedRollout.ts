// A run in a file of a given size, such as a link carries. What somebody looks at goes in first: the conversations on screen, then the
// curves, thinned as far as they must be, then the rest of the step, all metrics, what was asked over time, and other steps.
import type { StepGroups } from "../../../protocol/messages.ts";
import { areWhole } from "../../../protocol/records.ts";
import type { RolloutExtent } from "../../../protocol/run/runSummary.ts";
import { isMainMetric } from "../../../rl/metrics/metricFacts.ts";
import { encodeGroups, groupsFile, readGroups } from "../kept/groupFile.ts";
import { type KeptStep, KeptSteps, markedSteps } from "../kept/keptSteps.ts";
import type { RunLog, SavedState } from "../savedState.ts";
import { AMOUNTS, type Amount, type ShownAnswer, withBareAnswers } from "./bareAnswers.ts";
import { type RolloutChoice, rolloutOf } from "./rolloutOf.ts";

interface FitChoice extends Pick<RolloutChoice, "checkpoint" | "label" | "place"> {
  readonly mostBytes: number;
  /** The answer on screen; the first of the newest kept step where left out. */
  readonly shown?: ShownAnswer;
  /** What was asked over time is on screen, and comes before the curves. */
  readonly isOverTime?: boolean;
}

/** Points of a curve that is worth having beside all conversations of a group. */
const FEW_POINTS = 24;
const TRIES = 12;
/** A point of a curve takes so many bytes at least. */
const POINT_BYTES = 8;

/** What is in a file. */
interface Content {
  readonly amount: Amount | null;
  /** Steps and evaluations of the curves. */
  readonly points: number;
  readonly hasAllMetrics: boolean;
  readonly probes: number;
  /** Bytes for the conversations of other steps. */
  readonly room: number;
}

/** Records from the first to the last, as evenly as may be. @param step one that stays */
function evenly<T extends { readonly step: number }>(records: readonly T[], count: number, step?: number): readonly T[] {
  if (records.length <= count) return records;
  const at = Array.from({ length: count }, (_, i) => Math.round((i * (records.length - 1)) / Math.max(1, count - 1)));
  const stays = new Set(count > 0 ? [...at, records.findIndex((each) => each.step === step)] : []);
  return records.filter((_, i) => stays.has(i));
}

function logWithin(saved: SavedState, { points, hasAllMetrics, probes }: Content, step: number | undefined): RunLog {
  const steps = evenly(saved.steps, points, step);
  const main = (metrics: Readonly<Record<string, number>>) =>
    Object.fromEntries(Object.entries(metrics).filter(([name]) => isMainMetric(name)));
  return {
    steps: hasAllMetrics ? steps : steps.map((each) => (each.step === step ? each : { step: each.step, metrics: main(each.metrics) })),
    evaluations: evenly(saved.evaluations, points),
    baselines: saved.baselines,
    probes: evenly(saved.probes, probes),
  };
}

/** The kept steps that take so many bytes together at most, those that say least left out first. */
function keptWithin({ kept, steps, evaluations, config }: SavedState, most: number): readonly KeptStep[] {
  const within = new KeptSteps();
  const marked = markedSteps(steps, evaluations, config);
  for (const { step, file } of kept) within.add(step, file, most, () => marked);
  return within.list();
}

/** The step on screen in each amount, smallest first. */
async function shownFiles(saved: SavedState, shown: ShownAnswer): Promise<ReadonlyMap<Amount, KeptStep>> {
  const kept = saved.kept.find(({ step }) => step === shown.step);
  if (!kept) return new Map();
  const step: StepGroups = { ...(await readGroups(kept.file, kept.step, saved.config)), oldestStep: kept.step };
  const files = new Map<Amount, KeptStep>();
  // What came in a link has no more to hand on.
  const amounts = AMOUNTS.filter((amount) => amount !== "step" || areWhole(step.groups));
  // Examples of supervised training are few, and none is compared with another.
  for (const amount of saved.config.kind === "supervised" ? (["step"] as const) : amounts) {
    const packed = amount === "step" ? null : encodeGroups(withBareAnswers(step, shown, amount), saved.config);
    files.set(amount, packed ? { step: kept.step, file: await groupsFile(kept.step, packed) } : kept);
  }
  return files;
}

/** The largest count up to `most` that fits; `least` fits. */
function largest(least: number, most: number, fits: (count: number) => boolean): number {
  let low = least;
  let high = most + 1;
  while (high - low > Math.max(1, low / 50)) {
    const middle = (low + high) >> 1;
    if (fits(middle)) low = middle;
    else high = middle;
  }
  return low;
}

/** A run in so many bytes at most, and what of it that is. Rejects with a sentence where not even its settings fit. */
export async function fittedRollout(runId: string, saved: SavedState, choice: FitChoice) {
  const { mostBytes, isOverTime = false } = choice;
  const newest = saved.kept.at(-1);
  const shown = choice.shown ?? (newest && { step: newest.step, promptIndex: 0, trajectoryIndex: 0 });
  const files = shown ? await shownFiles(saved, shown) : new Map<Amount, KeptStep>();
  const others = { ...saved, kept: saved.kept.filter(({ step }) => step !== shown?.step) };
  const part = (content: Content) => {
    const log = logWithin(saved, content, shown?.step);
    const own = content.amount && files.get(content.amount);
    const kept = [...keptWithin(others, content.room), ...(own ? [own] : [])].sort((a, b) => a.step - b.step);
    return { ...saved, ...log, kept };
  };
  const make = (content: Content) => rolloutOf(runId, part(content), choice);
  const fits = (content: Content) => make(content).length <= mostBytes;
  const all = { points: Math.max(saved.steps.length, saved.evaluations.length), probes: saved.probes.length };
  const most = Math.min(all.points, Math.ceil(mostBytes / POINT_BYTES));
  let best: Content = { amount: files.has("answer") ? "answer" : null, points: 2, hasAllMetrics: false, probes: 0, room: 0 };
  const take = (change: Partial<Content>): boolean => {
    if (!fits({ ...best, ...change })) return false;
    best = { ...best, ...change };
    return true;
  };
  const fill = (key: "points" | "probes", upTo: number) =>
    take({ [key]: upTo }) || take({ [key]: largest(best[key], upTo, (count) => fits({ ...best, [key]: count })) });
  const least = make(best).length;
  if (least > mostBytes) throw new Error(`the run takes ${least} bytes at least, more than the ${mostBytes} it may have here`);
  if (best.amount) take({ amount: "group", points: Math.min(most, FEW_POINTS) }) || take({ amount: "group" });
  if (isOverTime) fill("probes", all.probes);
  fill("points", most);
  if (best.amount !== "answer" && files.size > 0) take({ amount: "step" });
  if (best.points >= all.points) take({ hasAllMetrics: true });
  fill("probes", all.probes);
  // A step adds its names to its conversations, so the bound is come near from above.
  let room = best.amount === null || best.amount === "step" ? mostBytes - make(best).length : 0;
  for (let time = 0; time < TRIES && room > 0 && !take({ room }); time++) room -= Math.ceil(room / 20);
  const { steps, evaluations, probes, kept } = part(best);
  const extent: RolloutExtent = {
    steps: { held: steps.length, of: saved.steps.length },
    hasAllMetrics: best.hasAllMetrics,
    evaluations: { held: evaluations.length, of: saved.evaluations.length },
    probes: { held: probes.length, of: saved.probes.length },
    kept: { held: kept.length, of: saved.kept.length },
    shown: shown && best.amount ? { ...shown, amount: best.amount } : null,
  };
  return { bytes: make(best), extent };
}
