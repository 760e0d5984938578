// The report of a run: what it reached, from what, how surely and how fast. The same facts are printed for
// programs, kept as summary.json and written out for people.

import { percent, short } from "../../export/writtenRun.ts";
import type { BackendReport, ModelReport } from "../../protocol/messages.ts";
import { isRecord } from "../../protocol/problems.ts";
import { counted } from "../../protocol/quantities.ts";
import type { BaselineRecord, EvaluationRecord } from "../../protocol/records.ts";
import { differenceInterval, fewEvaluated, type Interval } from "../../rl/accuracy.ts";
import { diagnose } from "../../rl/diagnosis/index.ts";
import { overUpdate } from "../../rl/metrics/lossMetrics.ts";
import { liftOf } from "../../rl/verdict/evaluations.ts";
import { endsOf, historyOf, lastEvaluation, type RunRecords } from "../../rl/verdict/history.ts";
import { judgeRun } from "../../rl/verdict.ts";
import { withRewards } from "../folder/recordedRun.ts";
import { columns, count, duration, sparkline } from "../lab/texts.ts";

/** The best checkpoint, by sampled accuracy on held-out problems and then by reward. */
export interface BestEvaluation {
  readonly step: number;
  readonly accuracy: number;
  readonly meanReward: number | null;
  /** Null where the start was never surpassed, which no file holds. */
  readonly path: string | null;
}

/** What a run's records do not say. */
interface RunEnd {
  readonly run: string;
  /** What trained; null threads where another program decides about them. */
  readonly backend: Pick<BackendReport, "id" | "title" | "reason" | "judges" | "kernelBuild"> & { readonly threads: number | null };
  readonly model: ModelReport;
  readonly best: BestEvaluation | null;
  readonly last: string;
  /** Of this process, preparation and evaluations included. */
  readonly seconds: number;
  /** Steps before those of this process. */
  readonly continuedFrom: number;
  readonly notices: readonly string[];
}

function ofBaseline(baseline: BaselineRecord | undefined) {
  return baseline ? { accuracy: baseline.accuracy, interval: baseline.interval, meanReward: baseline.meanReward } : null;
}

function ofEvaluation(evaluation: EvaluationRecord | undefined) {
  if (!evaluation) return null;
  const { step, problems, samplesPerProblem, sampledAccuracy, sampledInterval, greedyAccuracy, greedyInterval, passAtK, formRate } =
    evaluation;
  return {
    step,
    problems,
    samplesPerProblem,
    sampledAccuracy,
    sampledInterval,
    greedyAccuracy,
    greedyInterval,
    passAtK,
    formRate,
    meanReward: evaluation.meanReward,
  };
}

/** How far sampled answers rose over those of the start: problem by problem where the start was evaluated too. */
export function liftOverStart(first: EvaluationRecord | undefined, last: EvaluationRecord | undefined, start: BaselineRecord | undefined) {
  if (last && first?.step === 0 && first !== last) return liftFacts(liftOf(first, last, "sampled"));
  if (!last || !start) return { lift: null, liftInterval: null, liftPaired: false };
  const measured = { value: last.sampledAccuracy, interval: last.sampledInterval };
  const liftInterval = differenceInterval({ value: start.accuracy, interval: start.interval }, measured);
  return { lift: measured.value - start.accuracy, liftInterval, liftPaired: false };
}

/** How far sampled answers lie above those of chance. */
export function liftOverRandom(
  last: EvaluationRecord,
  random: BaselineRecord,
): {
  readonly liftOverRandom: number;
  readonly liftOverRandomInterval: Interval;
} {
  const measured = { value: last.sampledAccuracy, interval: last.sampledInterval };
  const interval = differenceInterval({ value: random.accuracy, interval: random.interval }, measured);
  return { liftOverRandom: measured.value - random.accuracy, liftOverRandomInterval: interval };
}

const liftFacts = ({ lift, interval, isPaired }: ReturnType<typeof liftOf>) => ({ lift, liftInterval: interval, liftPaired: isPaired });

/** Greedy answers, held against those of the start where it was asked too. */
function ofGreedy(first: EvaluationRecord | undefined, last: EvaluationRecord | undefined) {
  if (!first || !last) return null;
  const isRisen = first.step === 0 && last !== first;
  const lift = isRisen ? liftFacts(liftOf(first, last, "greedy")) : { lift: null, liftInterval: null, liftPaired: false };
  return { accuracy: last.greedyAccuracy, interval: last.greedyInterval, ...lift };
}

/** What the judges of the steps taken here were asked and took, and which models they are; null without any. */
function judging(trained: RunRecords["steps"], models: NonNullable<BackendReport["judges"]>) {
  const sum = (name: string) => trained.reduce((total, { metrics }) => total + (metrics[name] ?? 0), 0);
  const asked = sum("judge/asked");
  if (models.length === 0 && asked === 0) return null;
  const known = trained.reduce((total, { metrics }) => total + (metrics["judge/asked"] ?? 0) * (metrics["judge/cached"] ?? 0), 0);
  return { models, asked, cachedShare: asked === 0 ? null : known / asked, tokens: sum("judge/tokens"), seconds: sum("judge/seconds") };
}

const backendOf = ({ id, title, threads, kernelBuild, reason }: RunEnd["backend"]) => ({
  id,
  title,
  threads: threads || null,
  kernelBuild: kernelBuild ?? null,
  reason,
});

/** The report as plain facts. */
export function summaryOf(recorded: RunRecords, facts: RunEnd) {
  const { config, steps, evaluations, baselines } = recorded;
  const history = historyOf(withRewards(recorded));
  const last = steps.at(-1);
  const evaluation = lastEvaluation(recorded);
  const [random, start] = (["random", "start"] as const).map((kind) => baselines.find((each) => each.kind === kind));
  const accuracy = evaluation?.sampledAccuracy ?? null;
  const trained = steps.filter(({ step }) => step > facts.continuedFrom);
  const trainingSeconds = trained.reduce((sum, { metrics }) => sum + (metrics.step_time || 0), 0);
  const tokens = (last?.metrics.num_tokens ?? 0) - (steps.findLast(({ step }) => step <= facts.continuedFrom)?.metrics.num_tokens ?? 0);
  const verdict = judgeRun(history);
  const few = evaluation && fewEvaluated(evaluation);
  const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
  return {
    run: facts.run,
    task: config.task,
    algorithm: config.kind === "supervised" ? null : config.algorithm,
    kind: config.kind,
    model: facts.model.description,
    parameters: facts.model.parameters || null,
    seed: config.seed,
    steps: last?.step ?? 0,
    stepLimit: config.steps,
    reward: endsOf(history, "reward"),
    loss: { first: steps[0]?.metrics.loss ?? null, final: last?.metrics.loss ?? null },
    accuracy,
    accuracyInterval: evaluation?.sampledInterval ?? null,
    evaluation: ofEvaluation(evaluation),
    baselines: { random: ofBaseline(random), start: ofBaseline(start) },
    ...liftOverStart(evaluations[0], evaluation, start),
    greedy: ofGreedy(evaluations[0], evaluation),
    ...(evaluation && random ? liftOverRandom(evaluation, random) : { liftOverRandom: null, liftOverRandomInterval: null }),
    kl: last?.metrics.kl ?? null,
    entropy: last?.metrics.entropy ?? null,
    verdict: verdict.verdict,
    why: verdict.sentence,
    findings: diagnose(history, verdict.verdict).map(({ diagnosis, evidence, tries, remedy }) => ({
      id: diagnosis.id,
      title: diagnosis.title,
      evidence,
      tries,
      remedy,
    })),
    best: facts.best,
    last: facts.last,
    seconds: facts.seconds,
    trainingSeconds,
    tokensPerSecond: trainingSeconds > 0 ? tokens / trainingSeconds : null,
    backend: backendOf(facts.backend),
    judges: judging(trained, facts.backend.judges ?? []),
    resources: { peakMemoryBytes: maxRSS * 1024, cpuSeconds: (userCPUTime + systemCPUTime) / 1e6 },
    notices: [...facts.notices, ...(few ? [few] : [])],
  };
}
export type RunSummary = ReturnType<typeof summaryOf>;

/** A lift to a share in points of a percent, as both shares are written: "+12.5 points (3.1 to 21.9)". */
export function pointsText(reached: number, lift: number, interval: Interval, isPaired: boolean): string {
  const points = (value: number) => (100 * value).toFixed(1);
  // In tenths of a point, so that no rest of a sum makes 0 a −0.
  const shown = Math.round(10 * (Number(points(reached)) - Number(points(reached - lift)))) / 1000;
  const between = interval.every(Number.isFinite) ? ` (${interval.map(points).join(" to ")}${isPaired ? ", problem by problem" : ""})` : "";
  return `${shown < 0 ? "" : "+"}${points(shown)} points${between}`;
}

/** The same at the end of a line; nothing where there is no lift. */
export function liftText(reached: number | null, lift: number | null, interval: Interval | null, isPaired: boolean): string {
  return reached === null || lift === null || !interval ? "" : `, lift ${pointsText(reached, lift, interval, isPaired)}`;
}

function accuracyRows({ evaluation, accuracy, accuracyInterval, baselines, lift, liftInterval, liftPaired, greedy }: RunSummary) {
  if (!evaluation || !accuracyInterval || !greedy)
    return [["  accuracy", `not evaluated after the start, which had ${percent(baselines.start?.accuracy)}`]];
  const [low, high] = accuracyInterval;
  const asked = `${counted(evaluation.problems, "held-out problem")} x ${evaluation.samplesPerProblem}`;
  const from = `random ${percent(baselines.random?.accuracy)}, start ${percent(baselines.start?.accuracy)}`;
  return [
    [
      "  accuracy",
      `${percent(accuracy)} sampled (95 % interval ${percent(low)} to ${percent(high)}; ${asked}); ${from}${liftText(accuracy, lift, liftInterval, liftPaired)}`,
    ],
    [
      "  greedy",
      `${percent(greedy.accuracy)} of the likeliest answers${liftText(greedy.accuracy, greedy.lift, greedy.liftInterval, greedy.liftPaired)}`,
    ],
  ];
}

/** A remedy as the command line's options: of a record, those of its entries that change. */
function setText(remedy: RunSummary["findings"][number]["remedy"], config: Readonly<Record<string, unknown>>): string {
  const options = (key: string, value: unknown, before: unknown): readonly string[] => {
    if (isRecord(value)) {
      const old = isRecord(before) ? before : {};
      return Object.entries(value).flatMap(([name, each]) => (old[name] === each ? [] : options(`${key}.${name}`, each, old[name])));
    }
    return [` --set ${key}=${typeof value === "number" ? short(value) : String(value)}`];
  };
  return Object.entries(remedy?.settings ?? {})
    .flatMap(([key, value]) => options(key, value, config[key]))
    .join("");
}

function judgesText({ models, asked, cachedShare, tokens, seconds }: NonNullable<RunSummary["judges"]>): string {
  const named = models.map(({ name, checkpoint }) => `${name} (${checkpoint})`).join(", ");
  return `${named}: asked ${counted(asked, "time")}, ${percent(cachedShare)} known already, ${counted(count(tokens), "token")} in ${duration(seconds)}`;
}

/** The report for people. */
export function summaryText(summary: RunSummary, { steps, config }: Pick<RunRecords, "steps" | "config">): string {
  const key = summary.kind === "supervised" ? "loss" : "reward";
  const curve = sparkline(steps.map(({ metrics }) => metrics[key] ?? Number.NaN));
  const { best, findings } = summary;
  const ofUpdate = overUpdate("kl", config);
  const rows: (readonly string[])[] = [
    [`  ${key}`, `${short(summary[key].first)} -> ${short(summary[key].final)}  ${curve}`],
    ...accuracyRows(summary),
    ...(summary.kind === "supervised" ? [] : [["  KL", `${short(summary.kl)} nats from the start${ofUpdate && `, ${ofUpdate}`}`]]),
    ["  verdict", `${summary.verdict}: ${summary.why}`],
    ...findings.map(({ evidence, tries, remedy }) => ["  look at", `${evidence} Try: ${tries[0] ?? ""}${setText(remedy, config)}`]),
    [
      "  speed",
      `${duration(summary.trainingSeconds)} of training, ${summary.tokensPerSecond === null ? "-" : count(summary.tokensPerSecond)} tokens/s, ${summary.backend.title}${summary.backend.threads === null ? "" : `, ${counted(summary.backend.threads, "thread")}`}`,
    ],
    ...(summary.judges === null ? [] : [["  judges", judgesText(summary.judges)]]),
    ...(best ? [["  best", `step ${best.step}, ${percent(best.accuracy)}${best.path ? `, ${best.path}` : " (the start)"}`]] : []),
    ["  run", summary.run],
    ...summary.notices.map((notice) => ["  note", notice]),
  ];
  const what = summary.kind === "supervised" ? "supervised training" : summary.algorithm;
  return `${summary.task}, ${what}, ${summary.model}: ${counted(summary.steps, "step")} in ${duration(summary.seconds)}\n${columns(rows)}`;
}
