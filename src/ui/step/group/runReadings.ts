// Readings derived from a run's facts: sentences, shares and times that several parts of the page show.

import type { RunConfig } from "../../../protocol/config.ts";
import { PHASES, type Phase } from "../../../protocol/messages.ts";
import { counted } from "../../../protocol/quantities.ts";
import type { EvaluationRecord } from "../../../protocol/records.ts";
import type { EngineStatus } from "../../engine/store/engineFacts.ts";
import type { RunFacts } from "../../engine/store/runFacts.ts";

/** What each phase is called, in the words of the papers; what it does is said by phaseDoes. */
export const PHASE_TITLES: Readonly<Record<Phase, string>> = {
  sample: "Sample",
  score: "Score",
  advantage: "Advantage",
  update: "Update",
  evaluate: "Evaluate",
};

/** Seconds as people say them: 0.42 s, 12 s, 3 min 20 s, 1 h 5 min. */
export function durationText(seconds: number): string {
  if (!Number.isFinite(seconds)) return "–";
  if (seconds < 0.001) return "< 1 ms";
  if (seconds < 1) return `${Math.round(seconds * 1000)} ms`;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return `${minutes} min ${whole % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** Share of the run done in [0, 1], or null for a run without a step limit. */
export function runShare({ config, step }: Pick<RunFacts, "config" | "step">): number | null {
  return config && config.steps > 0 ? Math.min(1, step / config.steps) : null;
}

const SUPERVISED_PHASES: readonly Phase[] = ["sample", "update", "evaluate"];

/** The phases a step of such a run goes through. */
export function phasesOf(kind: RunConfig["kind"] | undefined): readonly Phase[] {
  return kind === "supervised" ? SUPERVISED_PHASES : PHASES;
}

/** What a phase is called in such a run. */
export function phaseTitle(phase: Phase, kind: RunConfig["kind"] | undefined): string {
  return kind === "supervised" && phase === "sample" ? "Examples" : PHASE_TITLES[phase];
}

/** What was last measured of the held-out problems: an evaluation, or a quick evaluation of a few since. */
export function newestMeasured({
  evaluations,
  quickEvaluation: quick,
}: Pick<RunFacts, "evaluations" | "quickEvaluation">): EvaluationRecord | undefined {
  const last = evaluations.at(-1);
  return quick && quick.step > (last?.step ?? -1) ? quick : last;
}

/** How old a measurement is: "at step 20, 13 steps ago"; "" for one of now. */
export function ageText(measured: number, step: number): string {
  if (measured >= step) return "";
  return `at step ${measured}, ${counted(step - measured, "step")} ago`;
}

/** Step after which the next evaluation is due, null where none is to come. */
export function nextEvaluation({ evalEvery, steps }: Pick<RunConfig, "evalEvery" | "steps">, step: number): number | null {
  if (evalEvery === 0 || (steps > 0 && step >= steps)) return null;
  const next = (Math.floor(step / evalEvery) + 1) * evalEvery;
  return steps > 0 ? Math.min(next, steps) : next;
}

/** Seconds until the last step of a run is taken, the waits between its phases included; null for a run without a step limit. */
export function secondsLeft({ config, step }: Pick<RunFacts, "config" | "step">, stepSeconds: number, delayMs: number): number | null {
  if (!config || config.steps === 0) return null;
  return Math.max(0, config.steps - step) * (stepSeconds + ((phasesOf(config.kind).length - 1) * delayMs) / 1000);
}

/** Steps whose mean the times and speeds are. */
const RECENT = 20;

/** Of how many steps a recent mean is, for a run that has taken so many. */
export function recentText(steps: number): string {
  if (steps >= RECENT) return `Mean of the last ${RECENT} steps`;
  return steps === 1 ? "In the one step so far" : `Mean of the ${steps} steps so far`;
}

/** Mean of the last `count` values; null without any. */
export function recentMean(values: ArrayLike<number>, count = RECENT): number | null {
  let sum = 0;
  let n = 0;
  for (let i = Math.max(0, values.length - count); i < values.length; i++) {
    if (!Number.isFinite(values[i])) continue;
    sum += values[i]!;
    n += 1;
  }
  return n > 0 ? sum / n : null;
}

/** Whether what keeps a run from going on is told of at present. */
export const isWaiting = ({ notice }: Pick<RunFacts, "notice">): boolean => notice?.passing === "begun";

/** One short phrase for the state of the run, as shown beside the count of steps that are over. */
export function stateText(
  engine: EngineStatus,
  facts: Pick<RunFacts, "state" | "stateReason" | "preparing" | "step" | "phase" | "notice">,
): string {
  if (engine === "died") return "engine stopped";
  if (engine === "unsupported") return "not supported here";
  if (engine === "starting") return "engine is loading";
  if (engine === "quiet") return "no answer for a while";
  switch (facts.state) {
    case "idle":
      return "ready";
    case "preparing":
      return facts.preparing ? `preparing ${facts.preparing.what}` : "preparing";
    case "running":
      return isWaiting(facts) ? "waits for its server" : facts.state;
    case "paused":
      return `paused${begunText(facts)}`;
    case "finished":
      return facts.stateReason === "stopped" ? `stopped${begunText(facts)}` : "finished";
    default:
      return facts.state;
  }
}

/** The step that has begun and is not over: its groups are there to look at, beyond the count. */
function begunText({ step, phase }: Pick<RunFacts, "step" | "phase">): string {
  return phase && phase.step > step ? ` in step ${phase.step}` : "";
}
