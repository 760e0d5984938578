// Who hears of a run, at a rate that people and pages can follow: every step's metrics in batches, the newest group a few times a second,
// the phase as often as a screen is drawn.
import type { EventBody, Phase, StepGroups } from "../../protocol/messages.ts";
import type { StepRecord } from "../../protocol/records.ts";
import type { TrajectoryGroup } from "../../rl/types.ts";
import type { Host } from "../host.ts";
import { hasWeightsOf } from "../queries/alternatives.ts";
import type { ActiveRun } from "../start/start.ts";
import type { SampledStep } from "../step/sampledStep.ts";
import { groupRecord, groupSummaries } from "../step/stepRecords.ts";

/** What a run in motion tells whoever drives it, and asks of them. */
export interface DriverSignals {
  /** Tells an event of this run. */
  send(event: EventBody): void;
  /** The run is in another state; `fault` says what went wrong, if that is why. */
  onState(fault?: { readonly message: string; readonly recoverable: boolean }): void;
  /** Why the run is not saved; null when it is again. */
  onStorage(reason: string | null): void;
  /** The run's save is there; told once. */
  onSave(): void;
  /** Wait after each phase, to watch. */
  delayMs(): number;
}

const STEPS_EVERY_MS = 100;
const GROUPS_EVERY_MS = 250;
const PHASE_EVERY_MS = 33;
/** Times what a measurement took that pass before a quick one of the same, so that those cost little. */
const QUICK_REST = 10;

/** The outgoing side of one run; owned state. */
export class RunFeed {
  readonly #run: ActiveRun;
  readonly send: (event: EventBody) => void;
  readonly #now: () => number;
  readonly #quickEvaluationEveryMs: number;
  /** From when on the held-out problems are to be looked at again. */
  #quickEvaluationAt = Number.POSITIVE_INFINITY;
  #waiting: StepRecord[] = [];
  /** Steps up to this one are saved: they may be told. */
  #savedStep: number;
  #stepsSentAt = Number.NEGATIVE_INFINITY;
  #groupsSentAt = Number.NEGATIVE_INFINITY;
  #groupsSentStep = -1;
  #phaseSentAt = Number.NEGATIVE_INFINITY;

  constructor(
    run: ActiveRun,
    send: (event: EventBody) => void,
    { now, quickEvaluationEveryMs }: Pick<Host, "now" | "quickEvaluationEveryMs">,
  ) {
    this.#run = run;
    this.#savedStep = run.trainer.step;
    this.send = send;
    this.#now = () => now();
    this.#quickEvaluationEveryMs = quickEvaluationEveryMs ?? Number.POSITIVE_INFINITY;
  }

  /** Whether what is known of the held-out problems has become too old. */
  isQuickEvaluationDue(): boolean {
    return this.#now() >= this.#quickEvaluationAt;
  }

  /**
   * Measures the held-out problems; the next quick one is not before they are old, nor before it costs less than a tenth of the time.
   * @param share of this measurement's work that a quick one is
   */
  async measured<T>(measure: () => Promise<T>, share: number): Promise<T> {
    const begun = this.#now();
    const result = await measure();
    const now = this.#now();
    this.#quickEvaluationAt = now + Math.max(this.#quickEvaluationEveryMs, QUICK_REST * share * (now - begun));
    return result;
  }

  stepFinished(record: StepRecord): void {
    this.#waiting.push(record);
  }

  /** Lets steps up to this one be told, as soon as it is time. */
  saved(step: number): void {
    this.#savedStep = step;
    this.#sendSteps(false);
  }

  /**
   * Where in the loop the engine is, told only once all steps before this one are kept, so that whatever ends a run
   * costs no more than the step that was told of last. `always` skips that and the rate limit.
   */
  readonly progress = (phase: Phase, done: number, total: number, always: boolean): void => {
    const now = this.#now();
    if (!always && (now - this.#phaseSentAt < PHASE_EVERY_MS || this.#run.trainer.step > this.#savedStep)) return;
    this.#phaseSentAt = now;
    this.send({ type: "phase", step: this.#run.trainer.step + 1, phase, done, total });
  };

  #sendSteps(force: boolean): void {
    const now = this.#now();
    if (!force && now - this.#stepsSentAt < STEPS_EVERY_MS) return;
    const count = force ? this.#waiting.length : this.#waiting.findLastIndex(({ step }) => step <= this.#savedStep) + 1;
    if (count === 0) return;
    const records = this.#waiting.splice(0, count);
    this.#stepsSentAt = now;
    this.send({ type: "steps", records });
  }

  /** Sends what waits and is kept if it is time, or all at once when forced. */
  flush(force: boolean): void {
    const now = this.#now();
    this.#sendSteps(force);
    const newest = this.#run.history.get(this.#run.trainer.step);
    if (!newest || this.#groupsSentStep === newest.step || (!force && now - this.#groupsSentAt < GROUPS_EVERY_MS)) return;
    this.newestGroup(newest);
  }

  /** One group of a step, unasked; of a supervised step all its examples. */
  newestGroup(step: SampledStep): void {
    this.#groupsSentAt = this.#now();
    // Of a step on its way the finished one before it is no news any more: pages keep the newest they hear of.
    this.#groupsSentStep = step.phase === "update" ? step.step : step.step - 1;
    const indices = step.config.kind === "supervised" ? step.groups.map((_, index) => index) : [followedGroup(this.#run.task, step)];
    this.send({ type: "groups", ...this.#groups(step, indices) });
  }

  /** The groups somebody asked for, of a step that is still here or that the save keeps. Rejects when the step is gone. */
  async inspect(stepNumber: number, promptIndex?: number): Promise<StepGroups> {
    const { history, kept, trainer } = this.#run;
    const step = history.get(stepNumber);
    if (step) return this.#groups(step, promptIndex === undefined ? undefined : [promptIndex]);
    const whole = await kept.read(stepNumber, trainer.config);
    if (!whole) throw new Error(`step ${stepNumber} is no longer kept for inspection`);
    return { ...keptGroups(whole, promptIndex), oldestStep: history.oldest() };
  }

  /** What was recorded before, and the newest rollouts that the save keeps. */
  history(): void {
    const { steps, evaluations, baselines, kept } = this.#run;
    if (steps.length + evaluations.length + baselines.length === 0) return;
    this.send({ type: "history", steps: [...steps], evaluations: [...evaluations], baselines: [...baselines], kept: kept.steps });
    void this.#newestKept();
  }

  /** Not told where steps were taken meanwhile. */
  async #newestKept(): Promise<void> {
    const { kept, history } = this.#run;
    const step = kept.steps.at(-1);
    if (step === undefined || history.oldest() >= 0) return;
    const groups = await this.inspect(step).catch(() => null);
    if (groups && history.oldest() < 0) this.send({ type: "groups", ...groups });
  }

  #groups(step: SampledStep, indices?: readonly number[]): StepGroups {
    return stepGroups(this.#run, step, indices);
  }
}

/** Groups that are looked through for one with something to see. */
const LOOKED_THROUGH = 16;

/**
 * The group that is shown of a step where nobody has chosen one: the first with right and wrong answers, since only
 * there is anything to compare; the first of all where none is. It follows from what was sampled, so it is the same in
 * all phases of the step.
 */
export function followedGroup(task: Pick<ActiveRun["task"], "isSuccess">, { groups }: Pick<SampledStep, "groups">): number {
  const isMixed = ({ example, trajectories }: TrajectoryGroup) =>
    new Set(trajectories.map((trajectory) => task.isSuccess(example, trajectory))).size > 1;
  return Math.max(0, groups.slice(0, LOOKED_THROUGH).findIndex(isMixed));
}

/** Groups of a step as they are told: all, or some of them. */
export function stepGroups(run: ActiveRun, step: SampledStep, indices?: readonly number[]): StepGroups {
  const { task, renderer, history } = run;
  return {
    step: step.step,
    phase: step.phase,
    ...(step.opened ? { opened: step.opened } : {}),
    config: step.config,
    summaries: groupSummaries(step),
    groups: (indices ?? step.groups.map((_, index) => index)).map((index) => groupRecord(step, index, task, renderer)),
    oldestStep: history.oldest(),
    ...(hasWeightsOf(run, step.step) ? {} : { isPast: true }),
  };
}

/** A kept step, or one of its groups, with the mark that its weights are not here. */
export function keptGroups(whole: Omit<StepGroups, "oldestStep">, promptIndex?: number): Omit<StepGroups, "oldestStep"> {
  if (promptIndex !== undefined && !whole.groups[promptIndex])
    throw new Error(`promptIndex must be < ${whole.groups.length}, got ${promptIndex}`);
  return { ...whole, isKept: true, groups: promptIndex === undefined ? whole.groups : [whole.groups[promptIndex]!] };
}
