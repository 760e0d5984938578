// What a run tells the outside, at a rate people and pages can follow: every step's metrics in
// batches, the newest group a few times a second, the phase as often as a screen is drawn.
import type { EventBody, Phase, StepGroups } from "../../protocol/messages.ts";
import type { StepRecord } from "../../protocol/records.ts";
import type { SampledStep } from "../step/sampledStep.ts";
import { groupRecord, groupSummaries } from "../step/stepRecords.ts";
import type { ActiveRun } from "./activeRun.ts";

const STEPS_EVERY_MS = 100;
const GROUPS_EVERY_MS = 250;
const PHASE_EVERY_MS = 33;

/** The outgoing side of one run; owned state. */
export class RunFeed {
  readonly #run: ActiveRun;
  readonly send: (event: EventBody) => void;
  readonly #now: () => number;
  #waiting: StepRecord[] = [];
  /** Steps up to this one are kept: they may be told. */
  #keptStep = 0;
  #stepsSentAt = Number.NEGATIVE_INFINITY;
  #groupsSentAt = Number.NEGATIVE_INFINITY;
  #groupsSentStep = -1;
  #phaseSentAt = Number.NEGATIVE_INFINITY;

  constructor(run: ActiveRun, send: (event: EventBody) => void, now: () => number) {
    this.#run = run;
    this.send = send;
    this.#now = now;
  }

  stepFinished(record: StepRecord): void {
    this.#waiting.push(record);
  }

  /** Lets steps up to this one be told, as soon as it is time. */
  kept(step: number): void {
    this.#keptStep = step;
    this.#sendSteps(false);
  }

  /** Where in the loop the engine is; `always` skips the rate limit. */
  progress(phase: Phase, done: number, total: number, always: boolean): void {
    const now = this.#now();
    if (!always && now - this.#phaseSentAt < PHASE_EVERY_MS) return;
    this.#phaseSentAt = now;
    this.send({ type: "phase", step: this.#run.trainer.step + 1, phase, done, total });
  }

  #sendSteps(force: boolean): void {
    const now = this.#now();
    if (!force && now - this.#stepsSentAt < STEPS_EVERY_MS) return;
    const kept = force ? this.#waiting.length : this.#waiting.findLastIndex(({ step }) => step <= this.#keptStep) + 1;
    if (kept === 0) return;
    const records = this.#waiting.splice(0, kept);
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

  /** The first group of a step, unasked; of a supervised step all its examples. */
  newestGroup(step: SampledStep): void {
    this.#groupsSentAt = this.#now();
    // Of a step on its way the finished one before it is no news any more: pages keep the newest they hear of.
    this.#groupsSentStep = step.phase === "update" ? step.step : step.step - 1;
    const indices = step.config.kind === "supervised" ? step.groups.map((_, index) => index) : [0];
    this.send({ type: "groups", ...this.#groups(step, indices) });
  }

  /** The groups somebody asked for. Throws when the step is gone. */
  inspect(stepNumber: number, promptIndex?: number): StepGroups {
    const step = this.#run.history.get(stepNumber);
    if (!step) throw new Error(`step ${stepNumber} is no longer kept for inspection`);
    return this.#groups(step, promptIndex === undefined ? step.groups.map((_, index) => index) : [promptIndex]);
  }

  #groups(step: SampledStep, indices: readonly number[]): StepGroups {
    const { task, renderer, history } = this.#run;
    return {
      step: step.step,
      phase: step.phase,
      ...(step.opened ? { opened: step.opened } : {}),
      config: step.config,
      summaries: groupSummaries(step),
      groups: indices.map((index) => groupRecord(step, index, task, renderer)),
      oldestStep: history.oldest(),
    };
  }
}
