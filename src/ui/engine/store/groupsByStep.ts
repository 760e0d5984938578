// Sampled groups that the page holds: the newest step's, and those that were asked for. The engine
// keeps many more steps; the page asks again for what it has dropped, so its memory stays bounded.
import type { StepGroups } from "../../../protocol/messages.ts";
import type { GroupRecord } from "../../../protocol/records.ts";
import { VersionCounter } from "./metricSeries.ts";

/** Steps whose full groups are kept here. */
const MOST_STEPS = 32;

/** Whether two answers tell of a step at the same phase, and of its update at the same part. */
function isSameMoment(a: StepGroups, b: StepGroups): boolean {
  const x = a.opened;
  const y = b.opened;
  if (a.phase !== b.phase || !x !== !y) return false;
  return !x || !y || (x.part === y.part && x.epoch === y.epoch && x.minibatch === y.minibatch);
}

export class GroupsByStep extends VersionCounter {
  readonly #steps = new Map<number, StepGroups>();
  /** Of those that the engine took itself. */
  #latest: number | null = null;
  #oldest = 0;
  /** Steps of which the run's save keeps the rollouts, ascending. */
  #kept: readonly number[] = [];
  #held: number | null = null;
  /** Steps that lie beside the save of a run; the engine knows nothing of them. */
  #recorded: { readonly runId: string; readonly steps: ReadonlyMap<number, StepGroups> } | null = null;

  /** A step with all its groups that was taken again beside the run, and is not the engine's to keep. */
  #repeated: StepGroups | null = null;

  /** Newest step with groups, or null before the first. */
  get latestStep(): number | null {
    return this.#latest ?? this.#kept.at(-1) ?? null;
  }

  /** Oldest step of those that the engine has whole, or the newest where it has none. */
  get oldestStep(): number {
    return this.#latest === null ? (this.latestStep ?? 0) : this.#oldest;
  }

  /** The save keeps these steps. */
  keeps(steps: readonly number[]): void {
    const isSame = steps.length === this.#kept.length && steps.at(-1) === this.#kept.at(-1) && steps[0] === this.#kept[0];
    this.#kept = steps;
    if (!isSame) this.bump();
  }

  /** Whether what was recorded of a step can be had from the run's save, and nothing that needs its weights. */
  isKept(step: number): boolean {
    return !this.isHere(step) && this.#kept.includes(step);
  }

  /** Keeps a step as long as it is looked at, whatever comes; null lets go. */
  hold(step: number | null): void {
    this.#held = step;
  }

  /** Adds groups to those of their step; a later phase of the step replaces what an earlier one had. */
  add(news: StepGroups): void {
    const known = this.#steps.get(news.step);
    const merged = new Map<number, GroupRecord>();
    for (const group of known && isSameMoment(known, news) ? known.groups : []) merged.set(group.promptIndex, group);
    for (const group of news.groups) merged.set(group.promptIndex, group);
    this.#steps.delete(news.step);
    this.#steps.set(news.step, { ...news, groups: [...merged.values()].sort((a, b) => a.promptIndex - b.promptIndex) });
    if (!news.isKept) {
      this.#latest = Math.max(this.#latest ?? 0, news.step);
      this.#oldest = news.oldestStep;
    } else if (!this.#kept.includes(news.step)) this.#kept = [...this.#kept, news.step].sort((a, b) => a - b);
    for (const step of this.#steps.keys()) {
      if (this.#steps.size <= MOST_STEPS) break;
      if (step !== this.latestStep && step !== this.#held) this.#steps.delete(step);
    }
    this.bump();
  }

  /** Lays beside what the engine keeps a step that was taken again; it takes the place of the last such one. */
  addRepeated(step: StepGroups): void {
    this.#repeated = step;
    this.bump();
  }

  /** Whether all that can be asked about a step can be answered. */
  isHere(step: number): boolean {
    return this.#repeated?.step === step || (this.#latest !== null && step >= this.#oldest && step <= this.#latest);
  }

  /** Lays beside what the engine keeps what was written down of a run. */
  addRecorded(runId: string, steps: readonly StepGroups[]): void {
    this.#recorded = { runId, steps: new Map(steps.map((each) => [each.step, each])) };
    this.bump();
  }

  /** Steps of which only a record is there, ascending: the save keeps it, or it lies beside the save. */
  get recordedSteps(): readonly number[] {
    const all = new Set([...this.#kept, ...(this.#recorded?.steps.keys() ?? [])]);
    return [...all].filter((step) => !this.isHere(step)).sort((a, b) => a - b);
  }

  /** Whether a step can be looked at, and the engine cannot be asked for anything about it. */
  isRecord(step: number): boolean {
    return this.#recorded?.steps.has(step) === true && !this.isHere(step) && !this.#kept.includes(step);
  }

  /** @param runId the run that comes now, which keeps its records. */
  clear(runId: string | null): void {
    if (this.#recorded?.runId !== runId) this.#recorded = null;
    this.#repeated = null;
    this.#steps.clear();
    this.#latest = null;
    this.#oldest = 0;
    this.#kept = [];
    this.bump();
  }

  /** Steps of which at least one group is held, ascending. */
  heldSteps(): readonly number[] {
    return [...this.#steps.keys()].sort((a, b) => a - b);
  }

  /** What is held of a step; null means: ask the engine. */
  at(step: number): StepGroups | null {
    if (this.#repeated?.step === step) return this.#repeated;
    return this.#steps.get(step) ?? (this.isRecord(step) ? (this.#recorded?.steps.get(step) ?? null) : null);
  }

  group(step: number, promptIndex: number): GroupRecord | null {
    return this.at(step)?.groups.find((group) => group.promptIndex === promptIndex) ?? null;
  }
}
